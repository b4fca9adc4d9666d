//! Golden files of the What-if tab.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::fixture::press;
use crate::app::{App, AppInit, ColorDepth, Effect, Msg, PlanChart};
use crate::tabs::whatif::picture::fixture::{comparison, full, start_of};
use crate::tabs::whatif::state::fixture::{
    answer, answered, app, asked, go, heard, init, with, without,
};
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;
use crate::whatif::{Engine, OneByOne, PlanAnswer, Scenario, Slot, Stage};

const SMALL: (u16, u16) = (80, 24);

/// The screens, each by the keys that lead to it.
const SCREENS: [(&str, &str); 13] = [
    ("curve", "7"),
    ("fan", ":whatif fan<enter>"),
    ("cost", ":whatif cost<enter>"),
    ("payback", ":whatif payback<enter>"),
    ("tornado", ":whatif tornado<enter>"),
    ("lists", ":whatif lists<enter>"),
    ("calendar", ":whatif calendar<enter>"),
    ("compare", ":whatif compare<enter>"),
    ("alone", "7z"),
    ("prices", "7jjjjjjjjjjjjjjjj"),
    ("future", "7["),
    ("typing", "7="),
    ("explain", "7x"),
];

fn looking(change: fn(&mut AppInit)) -> App {
    let mut init = init(SMALL);
    change(&mut init);
    heard(init)
}

type Variant = (&'static str, fn() -> App);

const VARIANTS: [Variant; 7] = [
    ("80x24", || app(SMALL)),
    ("200x50", || app((200, 50))),
    ("20x3", || app((20, 3))),
    ("no_colour", || looking(|i| i.appearance.depth = ColorDepth::None)),
    ("ascii", || looking(|i| i.appearance.symbols = Symbols::Ascii)),
    ("braille", || looking(|i| i.appearance.braille = true)),
    // Nobody answers any more.
    ("computing", || {
        let mut app = app(SMALL);
        press(&mut app, "7+");
        app
    }),
];

#[test]
fn every_screen_in_every_variant() {
    for (variant, make) in VARIANTS {
        for (name, keys) in SCREENS {
            let mut app = make();
            press(&mut app, keys);
            insta::assert_snapshot!(format!("{name}@{variant}"), golden(&mut app));
        }
    }
}

#[test]
fn states_of_the_tab() {
    // Nothing to plan with.
    let mut none = without(init(SMALL));
    press(&mut none, "7");
    insta::assert_snapshot!("state@no_demand", golden(&mut none));
    press(&mut none, ":whatif<enter>");
    insta::assert_snapshot!("state@how", golden(&mut none));
    none.update(Msg::NoDemand("plans/fleet.csv, line 7, column 3: `x` is no number".into()));
    insta::assert_snapshot!("state@bad_demand", golden(&mut none));
    // A demand, and no answer yet.
    let (mut fresh, effects) = asked(init(SMALL), 3);
    press(&mut fresh, "7");
    insta::assert_snapshot!("state@first", golden(&mut fresh));
    answer(&mut fresh, effects, Stage::Quick);
    insta::assert_snapshot!("state@quick", golden(&mut fresh));
    press(&mut fresh, ":whatif lists<enter>");
    insta::assert_snapshot!("state@quick_lists", golden(&mut fresh));
    // What decides the plan beside its figures.
    let mut noted = app(SMALL);
    press(&mut noted, "7i");
    insta::assert_snapshot!("state@notes", golden(&mut noted));
    // No price: nothing can be valued.
    let mut unpriced = app(SMALL);
    press(&mut unpriced, "7]]");
    insta::assert_snapshot!("state@no_price", golden(&mut unpriced));
    // An error in place of an answer.
    let mut wrong = app(SMALL);
    for effect in press(&mut wrong, "7+") {
        let Effect::Plan(request) = effect else { continue };
        wrong.update(Msg::Planned(PlanAnswer {
            result: Err("the demand has no whole week: a plan needs one".into()),
            ..answered(&request, Stage::Quick)
        }));
    }
    insta::assert_snapshot!("state@error", golden(&mut wrong));
    // Twenty families.
    let mut huge = with(init((200, 50)), Scenario { name: "all".into(), ..start_of(20) });
    press(&mut huge, "7]]]");
    insta::assert_snapshot!("state@huge", golden(&mut huge));
}

#[test]
fn the_overview_speaks_of_the_plan() {
    let mut app = app((100, 30));
    insta::assert_snapshot!("overview@plan", golden(&mut app));
}

#[test]
fn two_scenarios_side_by_side() {
    for (variant, size) in [("80x24", SMALL), ("200x50", (200, 50))] {
        let mut app = app(size);
        go(&mut app, "7B+++");
        let effects = press(&mut app, "+");
        let Some(Effect::Plan(last)) = effects.last().cloned() else { panic!() };
        let mut planned = answered(&last, Stage::Whole);
        planned.comparisons = vec![comparison([2, last.generation])];
        app.update(Msg::Planned(planned));
        press(&mut app, ":whatif compare<enter>");
        insta::assert_snapshot!(format!("pair@{variant}"), golden(&mut app));
    }
}

#[test]
fn ascii_means_ascii() {
    for size in [(160, 50), (100, 30)] {
        for (name, keys) in SCREENS {
            let mut init = init(size);
            init.appearance.symbols = Symbols::Ascii;
            let mut app = heard(init);
            press(&mut app, keys);
            let text = screen(&mut app);
            let foreign: String = text.chars().filter(|c| !c.is_ascii()).collect();
            assert_eq!(foreign, "", "{name}:\n{text}");
            assert!(!text.contains('?') || text.contains("? help"), "{name}:\n{text}");
        }
    }
}

#[test]
fn no_size_panics() {
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).unwrap();
    for braille in [false, true] {
        // Only the plots, which come first, know braille.
        let screens = if braille { &SCREENS[..4] } else { &SCREENS[..] };
        for (name, keys) in screens {
            let mut init = init((200, 60));
            init.appearance.braille = braille;
            let mut app = heard(init);
            press(&mut app, keys);
            for height in (0..=24).chain([33, 60]) {
                for width in (0..=44).step_by(4).chain((45..=200).step_by(31)) {
                    terminal.resize(Rect::new(0, 0, width, height)).unwrap();
                    let mut frame = terminal.get_frame();
                    draw(&mut frame, &mut app);
                    assert_eq!(app.size(), (width, height), "{name}");
                }
            }
        }
    }
}

#[test]
fn what_the_engine_answers_is_drawn() {
    let mut app = app((100, 40));
    for effect in press(&mut app, "7+") {
        let Effect::Plan(request) = effect else { continue };
        let mut engine = Engine::new(request.demand.clone(), &request.scenario).unwrap();
        let made = engine.value(200, &OneByOne).unwrap();
        let mut planned = answered(&request, Stage::Settled);
        planned.result = Ok(std::sync::Arc::new(made));
        app.update(Msg::Planned(planned));
    }
    for (chart, says) in [
        ("curve", "57 committed"),
        ("fan", "median"),
        ("cost", "now 47"),
        ("payback", "month 6: committed"),
        ("calendar", "+47"),
        ("compare", "mean"),
    ] {
        press(&mut app, &format!(":whatif {chart}<enter>"));
        let text = screen(&mut app);
        assert!(text.contains(says), "{chart}:\n{text}");
        assert!(text.contains("200 of 10,000 futures"), "{text}");
    }
}

#[test]
fn charts_of_odd_answers_do_not_panic() {
    let odd = |change: fn(&mut crate::whatif::FamilyAnswer)| {
        let mut app = app(SMALL);
        for effect in press(&mut app, "7+") {
            let Effect::Plan(request) = effect else { continue };
            let mut planned = answered(&request, Stage::Whole);
            let mut made =
                crate::tabs::whatif::picture::fixture::answer(&request.scenario, Stage::Whole);
            change(made.families[0].as_mut().unwrap());
            planned.result = Ok(std::sync::Arc::new(made));
            app.update(Msg::Planned(planned));
        }
        app
    };
    let changes: [fn(&mut crate::whatif::FamilyAnswer); 6] = [
        |f| f.curve.units = vec![0.0; 3],
        |f| f.curve.units = vec![f64::NAN; 3],
        |f| f.fan.truncate(1),
        |f| f.costs.iter_mut().for_each(|c| c.mean_usd = f64::INFINITY),
        |f| f.costs.truncate(1),
        |f| f.payback = None,
    ];
    for change in changes {
        let mut app = odd(change);
        for chart in PlanChart::ALL {
            press(&mut app, &format!(":whatif {}<enter>", chart.name()));
            assert!(!screen(&mut app).is_empty());
        }
    }
    let empty = Scenario { families: Vec::new(), ..full() };
    let mut nothing = with(init(SMALL), Scenario { ..empty });
    press(&mut nothing, "7");
    assert_eq!(nothing.whatif().active(), Slot::A);
    assert!(!screen(&mut nothing).is_empty());
}
