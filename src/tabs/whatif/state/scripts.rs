//! The What-if tab under keys.

use std::sync::Arc;

use super::fixture::{after, answer, answered, app, asked, go, heard, init, without};
use super::{DemandFrom, PlanChart};
use crate::app::content::Line;
use crate::app::fixture::press;
use crate::app::{App, AppInit, Effect, Keymap, Msg};
use crate::report::Format;
use crate::tabs::whatif::pages::notes_count;
use crate::tabs::whatif::picture::fixture::{comparison, full};
use crate::tabs::whatif::picture::{Group, Input};
use crate::whatif::{Scenario, Slot, Stage};

const SIZE: (u16, u16) = (120, 40);

fn bought(app: &App) -> f64 {
    Input::Bought(0, 0).get(app.whatif().scenario().unwrap()).unwrap()
}

fn requests(effects: &[Effect]) -> Vec<(Slot, f64)> {
    let of = |e: &Effect| match e {
        Effect::Plan(r) => Some((r.slot, Input::Bought(0, 0).get(&r.scenario).unwrap())),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

#[test]
fn the_tab_is_always_there_and_says_how_to_give_a_demand() {
    let mut none = without(init(SIZE));
    let effects = press(&mut none, "7");
    assert_eq!(effects, [Effect::ReadDemand(DemandFrom::History)]);
    assert_eq!(none.tab().title(), "What-if");
    assert_eq!(press(&mut none, "7"), [], "it is asked for once");
    // Keys of inputs mean nothing without inputs.
    assert_eq!(press(&mut none, "+-=jxbAwz"), []);
    assert!(none.prompt().is_none() && none.page().is_none());
    let text = |app: &mut App| -> String {
        app.prepare();
        app.text_body().0.iter().flat_map(|l| &l.spans).map(|s| &*s.text).collect()
    };
    assert!(text(&mut none).contains("Reading what ran here"));
    none.update(Msg::NoDemand("the cache holds 3 hours; a plan needs a week".into()));
    let shown = text(&mut none);
    assert!(shown.contains("the cache holds 3 hours") && shown.contains(":demand"), "{shown}");
    let read = press(&mut none, ":demand plans/fleet.csv<enter>");
    assert_eq!(read, [Effect::ReadDemand(DemandFrom::File("plans/fleet.csv".into()))]);
    // The key for the next tab gets there as well, and asks.
    let mut none = without(init(SIZE));
    let effects = press(&mut none, "6<tab>");
    assert_eq!(none.tab().title(), "What-if");
    assert!(effects.contains(&Effect::ReadDemand(DemandFrom::History)), "{effects:?}");

    // The key opens the tab when what ran here has been read, unless one went elsewhere meanwhile.
    let demand = || {
        let (app, _) = asked(init(SIZE), 3);
        let (demand, scenario) = (app.whatif().demand.clone(), app.whatif().start.clone());
        Msg::Demand { demand: demand.unwrap(), scenario: scenario.unwrap() }
    };
    for (keys, opens) in [("7", true), ("73", false), ("7!", true), ("3", false)] {
        let mut app = without(init(SIZE));
        press(&mut app, keys);
        app.update(demand());
        assert_eq!(app.tab().title() == "What-if", opens, "{keys}");
    }

    let (mut app, effects) = asked(init(SIZE), 3);
    assert_eq!(requests(&effects).len(), 1, "a demand is valued at once");
    press(&mut app, "7");
    assert_eq!(app.tab().title(), "What-if");
    app.update(Msg::Mode(crate::app::Mode::Demo));
    assert!(!app.has_whatif());
}

#[test]
fn every_movement_asks_and_the_newest_answer_stands() {
    let mut app = after(SIZE, "7");
    assert_eq!(bought(&app), 46.0);
    let effects = press(&mut app, "++>-<lt>");
    assert_eq!(
        requests(&effects).iter().map(|r| r.1).collect::<Vec<_>>(),
        [47.0, 48.0, 50.0, 49.0, 40.0]
    );
    let plans: Vec<_> = effects
        .into_iter()
        .filter_map(|e| if let Effect::Plan(r) = e { Some(r) } else { None })
        .collect();
    let commit = |app: &App| app.whatif().answer().unwrap().total.commit;
    let before = commit(&app);
    assert!(app.whatif().plan().unwrap().is_behind());
    // An answer to a middle one is shown, and still late.
    app.update(Msg::Planned(answered(&plans[2], Stage::Quick)));
    assert!((commit(&app) - before - 4.0).abs() < 1e-9);
    assert!(app.whatif().plan().unwrap().is_behind());
    app.update(Msg::Planned(answered(&plans[4], Stage::Quick)));
    assert!((commit(&app) - before + 6.0).abs() < 1e-9);
    assert!(!app.whatif().plan().unwrap().is_behind());
    // What comes late, or is less far, changes nothing.
    app.update(Msg::Planned(answered(&plans[4], Stage::Whole)));
    app.update(Msg::Planned(answered(&plans[3], Stage::Whole)));
    app.update(Msg::Planned(answered(&plans[4], Stage::Settled)));
    let answer = app.whatif().answer().unwrap();
    assert_eq!(answer.stage, Stage::Whole);
    assert!((commit(&app) - before + 6.0).abs() < 1e-9);
    let wrong = crate::whatif::PlanAnswer {
        generation: plans[4].generation,
        slot: Slot::A,
        result: Err("no whole week is known".into()),
        comparisons: Vec::new(),
    };
    app.update(Msg::Planned(wrong));
    assert_eq!(app.whatif().plan().unwrap().trouble(), Some("no whole week is known"));
}

#[test]
fn sliders_stop_at_their_limits_and_a_held_key_is_one_change() {
    let mut app = after(SIZE, "7");
    press(&mut app, &"<lt>".repeat(9));
    assert_eq!(bought(&app), 0.0);
    assert_eq!(press(&mut app, "-"), [], "nothing changed, nothing is asked");
    let back = press(&mut app, "u");
    assert_eq!((requests(&back).len(), bought(&app)), (1, 46.0));
    press(&mut app, "U");
    assert_eq!(bought(&app), 0.0);
    press(&mut app, "u");
    // Another key between them makes two changes of it.
    press(&mut app, "++jk++");
    assert_eq!(bought(&app), 50.0);
    press(&mut app, "u");
    assert_eq!(bought(&app), 48.0);
    press(&mut app, "uu");
    // What came first is the scenario that was loaded over the first one.
    assert_eq!(bought(&app), 0.0);
    press(&mut app, "u");
    assert!(app.notice().unwrap().text.contains("nothing to take back"));
}

#[test]
fn values_are_typed_with_units() {
    let mut app = after(SIZE, "7");
    let effects = press(&mut app, "=62<enter>");
    assert_eq!(requests(&effects), [(Slot::A, 62.0)]);
    for wrong in ["x", "-3", "1e9", "1,5"] {
        press(&mut app, &format!("=<ctrl-u>{wrong}<enter>"));
        assert!(app.prompt().unwrap().error.is_some(), "{wrong}");
        press(&mut app, "<esc>");
        assert_eq!(bought(&app), 62.0);
    }
    // The growth of the family.
    while app.whatif().input() != Some(Input::Growth(0)) {
        press(&mut app, "j");
    }
    let growth = |app: &App| app.whatif().scenario().unwrap().families[0].growth;
    press(&mut app, "<enter><ctrl-u>12%<enter>");
    assert!((growth(&app) - 0.12).abs() < 1e-12);
    press(&mut app, "+");
    assert!((growth(&app) - 0.13).abs() < 1e-12);
    press(&mut app, "=<ctrl-u>none<enter>");
    assert!(app.prompt().unwrap().error.is_some(), "a growth is always known");
    press(&mut app, "<esc>");
    // A step, typed whole.
    while app.whatif().input() != Some(Input::NewStep(0)) {
        press(&mut app, "j");
    }
    press(&mut app, "+scale 0.8 @3mo<enter>");
    let steps = &app.whatif().scenario().unwrap().families[0].steps;
    assert_eq!((steps.len(), steps[2].week), (3, 13));
}

#[test]
fn a_typed_value_takes_the_place_of_the_one_before() {
    let mut app = after(SIZE, "7");
    press(&mut app, "=");
    let prompt = app.prompt().unwrap();
    assert_eq!(
        (prompt.label(), prompt.line.text()),
        ("buy 1y no-upfront (a number), now 46: ", "")
    );
    press(&mut app, "3<enter>");
    assert_eq!(bought(&app), 3.0);
    // Nothing typed changes nothing, also of what can be taken away.
    assert_eq!(press(&mut app, "=<enter>"), []);
    assert!(app.prompt().is_none());
    press(&mut app, "/rate 1y<enter>");
    assert_eq!(app.whatif().input(), Some(Input::OfferRate(0, 0)));
    assert_eq!(press(&mut app, "=<enter>"), []);
    press(&mut app, "=none<enter>");
    assert_eq!(Input::OfferRate(0, 0).get(app.whatif().scenario().unwrap()), None);
}

#[test]
fn the_label_of_a_value_leaves_room_to_type() {
    for width in [20, 40, 80, 200] {
        let mut app = after((width, 24), "7=");
        let label = app.prompt().unwrap().label().to_owned();
        assert!(label.ends_with("now 46: ") && label.len() + 8 <= usize::from(width), "{label}");
        press(&mut app, "<esc>");
    }
}

#[test]
fn where_nothing_scrolls_the_same_keys_go_from_section_to_section() {
    let mut app = after(SIZE, "7");
    let at = |app: &App| app.whatif().input().unwrap();
    for expected in [Input::Growth(0), Input::OnDemand(0), Input::HeldUnits(0, 0)] {
        press(&mut app, "<ctrl-d>");
        assert_eq!(at(&app), expected);
    }
    press(&mut app, "<pgdn>");
    assert_eq!(at(&app), Input::HeldUnits(0, 0), "it is the last one");
    press(&mut app, "<ctrl-u>");
    assert_eq!(at(&app), Input::OnDemand(0));
    press(&mut app, "<pgup><pgup><pgup>");
    assert_eq!(at(&app), Input::Bought(0, 0));
}

#[test]
fn what_is_not_known_is_asked_for() {
    let mut app = after(SIZE, "7]]");
    assert_eq!((app.whatif().group(), app.whatif().family()), (Group::Family(2), 2));
    assert!(app.whatif().family_answer().is_none(), "no price, no answer");
    while app.whatif().input() != Some(Input::OnDemand(2)) {
        press(&mut app, "j");
    }
    assert_eq!(press(&mut app, "+"), []);
    assert!(app.prompt().is_some(), "there is nothing to move");
    go(&mut app, "$55.04<enter>");
    assert!(app.whatif().family_answer().is_some());
    // No rate is made up for a Compute Savings Plan.
    press(&mut app, "]");
    assert_eq!(app.whatif().group(), Group::Plans);
    press(&mut app, "G+120 3y<enter>");
    let plans = &app.whatif().scenario().unwrap().compute_plans;
    assert_eq!((plans.len(), plans[1].weeks, plans[1].rates.len()), (2, 156, 0));
    press(&mut app, "]");
    assert_eq!(app.whatif().group(), Group::Future);
    assert_eq!(app.whatif().family(), 2, "its charts stay");
    press(&mut app, "]");
    assert_eq!(app.whatif().group(), Group::Family(0));
    press(&mut app, "[");
    assert_eq!(app.whatif().group(), Group::Future);
}

#[test]
fn slots_are_copies_to_compare() {
    let mut app = after(SIZE, "7");
    let effects = press(&mut app, "B");
    assert_eq!(requests(&effects), [(Slot::B, 46.0)]);
    answer(&mut app, effects, Stage::Settled);
    let effects = press(&mut app, "++");
    assert_eq!(requests(&effects), [(Slot::B, 47.0), (Slot::B, 48.0)]);
    let Some(Effect::Plan(last)) = effects.last().cloned() else { panic!() };
    let a = 2;
    let mut planned = answered(&last, Stage::Settled);
    planned.comparisons = vec![comparison([a, last.generation])];
    app.update(Msg::Planned(planned));
    assert!(app.whatif().comparison(Slot::A, Slot::B).is_some());
    press(&mut app, "+");
    assert!(app.whatif().comparison(Slot::A, Slot::B).is_none(), "it is of what B was");
    assert_eq!(press(&mut app, "A"), [], "it is there already");
    assert_eq!(bought(&app), 46.0);
    press(&mut app, "BX");
    assert_eq!(app.whatif().active(), Slot::A);
    assert!(app.whatif().plan_of(Slot::B).is_none());
    press(&mut app, "X");
    assert!(app.whatif().plan_of(Slot::A).is_some(), "the last one stays");
}

#[test]
fn the_key_of_the_scenario_on_screen_sets_all_side_by_side() {
    let mut app = after(SIZE, "7B");
    assert!(app.notice().unwrap().text.contains("B again compares them"));
    assert_eq!(app.whatif().chart(), PlanChart::Curve);
    assert_eq!(press(&mut app, "B"), []);
    assert_eq!((app.whatif().chart(), app.whatif().active()), (PlanChart::Compare, Slot::B));
}

#[test]
fn a_slot_that_begins_names_the_key_that_is_bound() {
    let changes = [("scenario-b".to_owned(), vec!["ctrl-x".to_owned()])].into();
    let (keymap, problems) = Keymap::with_overrides(&changes);
    assert_eq!(problems, []);
    let mut app = heard(AppInit { keymap, ..init(SIZE) });
    press(&mut app, "7<ctrl-x>");
    let said = &app.notice().unwrap().text;
    let ends = "change it (/ growth=30%), then ctrl-x again compares them";
    assert!(said.ends_with(ends), "{said}");
}

#[test]
fn a_scenario_without_a_name_is_kept_by_the_day_unless_another_is_typed() {
    let (mut app, effects) = asked(init(SIZE), 3);
    answer(&mut app, effects, Stage::Whole);
    let effects = press(&mut app, "7w<enter>");
    let [Effect::SaveScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
    let day = app.view_context().now.strftime("%Y-%m-%d").to_string();
    assert_eq!(kept.name, format!("plan {day}"));
}

#[test]
fn charts_turn_and_commands_name_them() {
    let mut app = after(SIZE, "7");
    for chart in PlanChart::ALL.iter().skip(1).chain([&PlanChart::Curve]) {
        press(&mut app, "o");
        assert_eq!(app.whatif().chart(), *chart);
    }
    press(&mut app, "O");
    assert_eq!(app.whatif().chart(), PlanChart::Compare);
    for chart in PlanChart::ALL {
        press(&mut app, &format!("1:whatif {}<enter>", chart.name()));
        assert_eq!((app.tab().title(), app.whatif().chart()), ("What-if", chart));
    }
    // The cursor of a plot goes from point to point and stops.
    press(&mut app, ":whatif fan<enter>");
    press(&mut app, &"h".repeat(60));
    assert_eq!(app.whatif().place(), 0.0);
    press(&mut app, "l");
    assert!((app.whatif().place() - 1.0 / 51.0).abs() < 1e-12);
    press(&mut app, "z");
    assert!(app.whatif().alone);
    press(&mut app, "<esc>");
    assert!(!app.whatif().alone);
}

#[test]
fn lists_scroll_and_stop() {
    let mut app = after((80, 24), ":whatif lists<enter>");
    press(&mut app, "<ctrl-d>");
    let once = app.whatif().scroll();
    assert!(once > 0);
    press(&mut app, &"<pgdn>".repeat(20));
    let end = app.whatif().scroll();
    press(&mut app, "<pgdn>");
    assert_eq!(app.whatif().scroll(), end);
    press(&mut app, &"<pgup>".repeat(20));
    assert_eq!(app.whatif().scroll(), 0);
}

#[test]
fn the_best_is_bought_with_a_key() {
    let mut app = after(SIZE, "7");
    let best = app.whatif().family_answer().unwrap().offers[0].cautious_units.unwrap();
    go(&mut app, "b");
    assert_eq!(bought(&app), best.round());
    // It is not the lowest mean, and says what parts the two.
    let said = app.notice().unwrap().text.clone();
    let lowest = app.whatif().family_answer().unwrap().offers[0].best_units.unwrap();
    let lowest = (lowest * 10.0).round() / 10.0;
    let begins = format!("{} units, not {lowest} (lowest mean): caution 50%; ", best.round());
    assert!(said.starts_with(&begins), "{said}");
    assert!(begins.len() <= 78, "whole at 80 columns");
    press(&mut app, "u");
    assert_eq!(bought(&app), 46.0);
}

#[test]
fn scenarios_are_kept_loaded_renamed_and_noted() {
    let mut app = after(SIZE, "7");
    let effects = press(&mut app, "w<ctrl-u>march<enter>");
    let [Effect::SaveScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((&*kept.name, kept.families.len()), ("march", 3));
    press(&mut app, "w<ctrl-u><enter>");
    assert!(app.prompt().unwrap().error.is_some(), "a name is needed");
    press(&mut app, "<esc>");
    let effects = press(&mut app, ":load p5 early<enter>");
    assert_eq!(effects, [Effect::LoadScenario { name: "p5 early".into(), slot: Slot::A }]);
    press(&mut app, ":load p5 late<enter>");
    assert!(app.prompt().unwrap().error.is_some());
    press(&mut app, "<esc>");
    // A loaded one takes the slot; what it lacks of the demand's families comes along.
    let mut loaded = Scenario { name: "p5 early".into(), ..full() };
    loaded.families.truncate(1);
    let effects = app.update(Msg::Scenario { slot: Slot::A, scenario: Arc::new(loaded) });
    assert_eq!(requests(&effects).len(), 1);
    let scenario = app.whatif().scenario().unwrap();
    assert_eq!((&*scenario.name, scenario.families.len()), ("p5 early", 3));
    let effects = press(&mut app, "R<ctrl-u>p5 late<enter>");
    let renamed = Effect::RenameScenario { from: "p5 early".into(), to: "p5 late".into() };
    assert_eq!(effects, [renamed]);
    assert_eq!(press(&mut app, "n<ctrl-u>ask Mia first<enter>"), []);
    let scenario = app.whatif().scenario().unwrap();
    assert_eq!((&*scenario.name, &*scenario.note), ("p5 late", "ask Mia first"));
    assert!(!app.whatif().plan().unwrap().is_behind() || requests(&effects).is_empty());
}

#[test]
fn a_newer_demand_keeps_what_was_changed() {
    let (mut app, effects) = asked(init(SIZE), 2);
    answer(&mut app, effects, Stage::Whole);
    let grow = |app: &mut App, families: usize| {
        app.update(Msg::Demand {
            demand: Arc::new(crate::tabs::whatif::picture::fixture::demand_of(families)),
            scenario: Arc::new(crate::tabs::whatif::picture::fixture::start_of(families)),
        })
    };
    press(&mut app, "7+");
    assert_eq!(bought(&app), 1.0);
    let effects = grow(&mut app, 4);
    assert_eq!(requests(&effects), [(Slot::A, 1.0)]);
    assert_eq!(app.whatif().scenario().unwrap().families.len(), 4);
    // Nobody touched this one.
    let (mut fresh, _) = asked(init(SIZE), 4);
    grow(&mut fresh, 1);
    assert_eq!(fresh.whatif().scenario().unwrap().families.len(), 1);
}

#[test]
fn the_memo_is_written_when_there_is_an_answer() {
    let mut app = after(SIZE, "7");
    press(&mut app, "e");
    let line = app.prompt().unwrap().line.text().to_owned();
    assert!(line.starts_with("export md burntop-plan-base-2026"), "{line}");
    let effects = press(&mut app, "<enter>");
    let [Effect::Export { path, format, picture }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((path.rsplit('.').next(), *format), (Some("md"), Format::Md));
    let plan: serde_json::Value = serde_json::from_str(&picture.written(Format::Json)).unwrap();
    assert_eq!((plan["rows"].as_array().unwrap().len(), &plan["active"]), (1, &"A".into()));
    assert!(plan["rows"][0]["answer"].is_object());
    press(&mut app, ":export table<enter>");
    assert!(app.prompt().unwrap().error.as_ref().unwrap().message.contains("memo"));
    press(&mut app, "<esc>");
    let effects = press(&mut app, "+e<enter>");
    assert!(matches!(&effects[..], [Effect::Plan(_)]), "the answer is waited for: {effects:?}");
    assert!(app.notice().unwrap().text.ends_with("is written"));
}

#[test]
fn what_the_tab_has_not_is_said() {
    let mut app = after(SIZE, "7");
    for command in [":filter x", ":sort waste", ":columns"] {
        press(&mut app, &format!("{command}<enter>"));
        let error = app.prompt().unwrap().error.clone().unwrap();
        assert!(error.message.contains("no table"), "{}", error.message);
        press(&mut app, "<esc>");
    }
    for key in ["s", "c"] {
        assert_eq!(press(&mut app, key), []);
        assert!(app.prompt().is_none() && app.notice().unwrap().text.contains("no table"));
    }
    assert_eq!(press(&mut app, "a"), []);
    assert!(app.notice().is_some() && app.sheet().is_none());
    press(&mut app, "y");
    assert!(app.notice().is_some());
    // Elsewhere the keys of the tab mean nothing.
    let mut idle = heard(init(SIZE));
    assert_eq!(press(&mut idle, "3+=B"), []);
    assert!(idle.prompt().is_none());
}

#[test]
fn a_click_goes_to_an_input_and_the_second_one_types() {
    let mut app = after((80, 24), "7");
    let click = |app: &mut App, x, y| {
        app.update(Msg::Mouse(crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column: x,
            row: y,
            modifiers: crossterm::event::KeyModifiers::NONE,
        }))
    };
    let inputs = app.room().unwrap().inputs.unwrap();
    click(&mut app, inputs.x + 3, inputs.y + 1);
    assert_eq!(app.whatif().input(), Some(Input::Bought(0, 1)));
    assert!(app.prompt().is_none());
    click(&mut app, inputs.x + 3, inputs.y + 1);
    assert!(app.prompt().is_some());
    press(&mut app, "<esc>");
    // A heading is no input, and the charts take no clicks.
    click(&mut app, inputs.x + 3, inputs.y + 5);
    click(&mut app, inputs.x + inputs.width + 9, inputs.y + 3);
    assert_eq!(app.whatif().input(), Some(Input::Bought(0, 1)));
}

#[test]
fn the_overview_leads_to_the_plan() {
    let mut app = app((100, 60));
    press(&mut app, "1");
    app.prepare();
    press(&mut app, "G<enter>");
    assert_eq!(app.tab().title(), "What-if");
    // The lines of the page left behind mean nothing here.
    app.prepare();
    assert!(app.text_body().0.is_empty());
}

#[test]
fn the_arithmetic_is_a_page() {
    let mut app = app(SIZE);
    press(&mut app, "7x");
    app.prepare();
    let text: Vec<String> = app
        .text_body()
        .0
        .iter()
        .map(|l| l.spans.iter().map(|s| &*s.text).collect::<String>())
        .collect();
    let all = text.join("\n");
    assert!(all.contains("break-even 63.4%"), "{all}");
    press(&mut app, "<esc>");
    assert!(app.page().is_none());
}

#[test]
fn what_decides_beside_the_figures_is_counted_and_is_a_page() {
    let mut app = app(SIZE);
    press(&mut app, "7");
    // Of the demand one, of prices one, of rates two; what it is for, and what futures are made of.
    assert_eq!(notes_count(&app).as_deref(), Some("6 notes: i"));
    press(&mut app, "i");
    app.prepare();
    let line = |l: &Line| l.spans.iter().map(|s| &*s.text).collect::<String>();
    let all = app.text_body().0.iter().map(line).collect::<Vec<_>>().join(" ");
    for said in [
        "one hour of g5.48xlarge is missing",
        "moved to Spot first needs no commitment",
        "p5.48xlarge: no on-demand price; nothing of it is valued.",
        "g5.48xlarge: no rate of 3y no-upfront; not compared.",
        "Private discounts, credits and taxes are not.",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    press(&mut app, "<esc>");
    assert!(app.page().is_none());
}
