//! A purchase from the question to the memo, and the names that are proposed on the way.

use super::PlanChart;
use super::fixture::{after, answer, app, go, init, with};
use crate::app::fixture::press;
use crate::app::{App, Effect};
use crate::report::Format;
use crate::tabs::whatif::picture::Input;
use crate::tabs::whatif::picture::fixture::full;
use crate::ui::golden::screen;
use crate::whatif::{Scenario, Slot, Stage};

const SIZE: (u16, u16) = (120, 40);

fn bought(app: &App) -> f64 {
    Input::Bought(0, 0).get(app.whatif().scenario().unwrap()).unwrap()
}

/// Keys from any tab to the memo of one family among several, in the order of the question: which family, how many and why, with
/// another growth, compared, kept, written. Of each the key, what is typed, and the key that ends it.
const A_PURCHASE: [[&str; 3]; 8] = [
    [":", "only p4d", "<enter>"],
    ["b", "", ""],
    ["B", "", ""],
    ["/", "growth=50%", "<enter>"],
    ["b", "", ""],
    ["B", "", ""],
    ["w", "", "<enter>"],
    ["e", "", "<enter>"],
];

#[test]
fn a_purchase_is_planned_compared_kept_and_written_in_twelve_keys() {
    let keys = A_PURCHASE.iter().flat_map(|[key, _, end]| [key, end]);
    assert_eq!(keys.filter(|key| !key.is_empty()).count(), 12, "typed text apart");
    let mut app = app(SIZE);
    let mut steps = A_PURCHASE.map(|parts| parts.concat()).into_iter();
    let mut next = |app: &mut App| -> Vec<Effect> {
        let effects = press(app, &steps.next().unwrap());
        answer(app, effects.clone(), Stage::Whole);
        effects
    };
    let units = |app: &App| app.whatif().family_answer().unwrap().offers[0].cautious_units.unwrap();
    next(&mut app);
    assert_eq!((app.tab().title(), app.whatif().family()), ("What-if", 0));
    assert_eq!(app.whatif().scenario().unwrap().only.as_deref(), Some("p4d.24xlarge"));
    assert!(screen(&mut app).contains("[ only p4d.24xlarge · `.` plans for all ]"));
    next(&mut app);
    assert_eq!(bought(&app), units(&app).round());
    assert!(app.notice().unwrap().text.contains("lowest mean"), "how many, and why");
    next(&mut app);
    next(&mut app);
    let growth =
        |app: &App, slot: Slot| app.whatif().plan_of(slot).unwrap().scenario().families[0].growth;
    assert_eq!([Slot::A, Slot::B].map(|slot| growth(&app, slot)), [0.3, 0.5]);
    next(&mut app);
    assert_eq!((app.whatif().active(), bought(&app)), (Slot::B, units(&app).round()));
    next(&mut app);
    assert_eq!(app.whatif().chart(), PlanChart::Compare);
    assert!(screen(&mut app).contains("B against A: "));
    let effects = next(&mut app);
    let [Effect::SaveScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(kept.name, "base B", "A is not written over");
    assert_eq!(kept.only.as_deref(), Some("p4d.24xlarge"));
    let effects = next(&mut app);
    let [Effect::Export { format: Format::Md, picture, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let memo = picture.written(Format::Md);
    assert!(memo.contains("Which commitments to buy for p4d.24xlarge over 52 weeks?"), "{memo}");
}

#[test]
fn what_is_typed_takes_the_place_of_a_proposed_name_or_file() {
    let mut app = after(SIZE, "7");
    for key in ["w", "R", "n", "e"] {
        press(&mut app, key);
        assert!(screen(&mut app).contains("type to replace it"), "{key}");
        press(&mut app, "<esc>");
    }
    let effects = press(&mut app, "wmarch<enter>");
    let [Effect::SaveScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(kept.name, "march");
    press(&mut app, "Rapril<enter>");
    assert_eq!(app.whatif().scenario().unwrap().name, "april");
    // An edit goes on with what is proposed.
    press(&mut app, "R<left>x<enter>");
    assert_eq!(app.whatif().scenario().unwrap().name, "aprixl");
    let effects = press(&mut app, "eplans/q3.md<enter>");
    let [Effect::Export { path, format: Format::Md, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(path, "plans/q3.md");
}

#[test]
fn the_proposed_name_is_no_other_scenarios_and_never_too_long() {
    let kept = |app: &mut App| {
        let effects = press(app, "w<enter>");
        let [Effect::SaveScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
        kept.name.clone()
    };
    let mut app = after(SIZE, "7");
    for keys in ["B", "C", "R<ctrl-u>base B<enter>", "B"] {
        go(&mut app, keys);
    }
    assert_eq!(kept(&mut app), "base B 2");
    // Cut between characters, however many bytes they have.
    let mut app = with(init(SIZE), Scenario { name: "ü".repeat(80), ..full() });
    go(&mut app, "7B");
    assert_eq!(kept(&mut app), format!("{} B", "ü".repeat(78)));
}

#[test]
fn a_kept_scenario_is_replaced_only_when_enter_is_pressed_again() {
    let mut app = after(SIZE, "7");
    for keys in ["wp5 early<enter>", ":save p5 early<enter>"] {
        assert_eq!(press(&mut app, keys), [], "{keys}");
        let error = app.prompt().unwrap().error.clone().unwrap().message;
        assert_eq!(error, "scenario p5 early is kept already: enter again replaces it");
        let effects = press(&mut app, "<enter>");
        let [Effect::ReplaceScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!((&*kept.name, app.prompt().is_none()), ("p5 early", true));
    }
    // Another name is another question, and what is not known to be kept is never replaced.
    press(&mut app, "wp5 early<enter>x");
    assert_eq!(app.prompt().unwrap().error, None);
    let effects = press(&mut app, "<enter>");
    let [Effect::SaveScenario(kept)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(kept.name, "p5 earlyx");
}

#[test]
fn the_proposed_file_says_once_that_it_is_a_plan() {
    for (name, begins) in [
        ("base", "burntop-plan-base-2026"),
        ("plan 2026-11-30", "burntop-plan-2026-11-30-2026"),
        ("Planet", "burntop-plan-Planet-2026"),
    ] {
        let mut app = with(init(SIZE), Scenario { name: name.into(), ..full() });
        press(&mut app, "7e");
        let line = app.prompt().unwrap().line.text().to_owned();
        assert!(line.starts_with(&format!("export md {begins}")), "{line}");
    }
}
