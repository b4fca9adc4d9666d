//! Rows that are left out: in no plan, in no run, and never by a check that was made for others.

use std::sync::Arc;

use super::Stage;
use super::fixture::{self, answer, app, at, checked, executed, look, press_checked, verified};
use crate::act::plan::{CheckedRow, OutcomeKind, Plan};
use crate::app::fixture::{ACCOUNT, app_with, fleet_of, press, readings};
use crate::app::{App, Effect, Msg, content};
use crate::domain::Scope;

fn stage(app: &App) -> &Stage {
    app.sheet().unwrap().stage()
}

/// Instance of a row of the sheet.
fn id_of(app: &App, row: usize) -> Arc<str> {
    app.sheet().unwrap().rows()[row].instance.id.clone()
}

/// What is marked in the list below.
fn marks(app: &App) -> Vec<Arc<str>> {
    app.tabs.idle.marks().cloned().collect()
}

/// The one plan that is asked to be checked.
fn plan(effects: &[Effect]) -> Arc<Plan> {
    let [Effect::Preflight(plan)] = effects else { panic!("{effects:?}") };
    plan.clone()
}

fn holds(plan: &Plan, id: &Arc<str>) -> bool {
    plan.items.iter().any(|item| item.id == *id)
}

/// The lines of the page, `width` columns wide.
fn page(app: &App, width: usize) -> Vec<String> {
    let page = content::sheet::page(app, app.sheet().unwrap(), width);
    let plain = |line: &content::Line| line.spans.iter().map(|span| &*span.text).collect();
    page.lines.iter().map(plain).collect()
}

/// At the choice, with six instances, and the cursor on the last of them.
fn chooses() -> App {
    let mut app = app(46);
    press(&mut app, "3/verdict=idle<enter>VGVaG");
    assert_eq!((app.sheet().unwrap().rows().len(), marks(&app).len()), (6, 6));
    app
}

#[test]
fn a_row_left_out_at_the_choice_is_in_no_plan_and_marked_no_more() {
    let mut app = chooses();
    let last = id_of(&app, 5);
    assert_eq!(press(&mut app, " "), []);
    assert!(app.sheet().unwrap().is_left_out(&last));
    assert!(marks(&app).len() == 5 && !marks(&app).contains(&last));
    let text = page(&app, 78).join("\n");
    assert!(text.starts_with("5 instances, 1 left out, "), "{text}");
    assert_eq!(text.matches("· left out ").count(), 1, "{text}");
    // Enter on a row goes back to the actions; only there it checks.
    assert_eq!(press(&mut app, "<enter>"), []);
    let plan = plan(&press(&mut app, "<enter>"));
    assert!(plan.items.len() == 5 && !holds(&plan, &last));
    let text = page(&app, 78).join("\n");
    assert!(text.starts_with("Checking 5 instances, 1 left out before: stop"), "{text}");
    // While it is checked nothing changes.
    assert_eq!(press(&mut app, " "), []);
    assert!(matches!(stage(&app), Stage::Checking(_)));
    assert!(app.notice().unwrap().text.contains("once the checks are there"));
    // The choice knows what is left out when one comes back, and takes it back in.
    press(&mut app, "<esc>G ");
    assert!(!app.sheet().unwrap().is_left_out(&last));
    assert!(marks(&app).contains(&last));
    assert!(page(&app, 78)[0].starts_with("6 instances, $"), "{:?}", page(&app, 78));
}

#[test]
fn what_can_be_chosen_is_judged_by_the_rows_that_are_in() {
    let mut app = app(46);
    press(&mut app, "3/verdict=idle or state=stopped<enter>VGVa");
    let fits = |app: &App| {
        let Stage::Choose(choice) = stage(app) else { panic!("{:?}", stage(app)) };
        choice.offers().iter().map(|offer| offer.fits).collect::<Vec<_>>()
    };
    let before = fits(&app);
    assert!(before[3] > 0, "some can be started: {before:?}");
    let rows = app.sheet().unwrap().rows().len();
    for row in 0..rows {
        let of = &app.sheet().unwrap().rows()[row].instance;
        if of.state == crate::domain::InstanceState::Stopped {
            let keys = format!("g{} ", "j".repeat(5 + row));
            press(&mut app, &keys);
        }
    }
    let after = fits(&app);
    assert_eq!((after[0], after[3]), (before[0], 0));
}

#[test]
fn the_last_row_cannot_be_left_out() {
    let mut app = chooses();
    press(&mut app, " k k k k k ");
    let sheet = app.sheet().unwrap();
    assert_eq!((sheet.left_out(), sheet.rows_in().count()), (5, 1));
    assert_eq!(sheet.would_leave_out(), None);
    assert!(!sheet.is_left_out(&id_of(&app, 0)));
    assert!(app.notice().unwrap().text.starts_with("the last row cannot be left out"));
    assert_eq!(marks(&app), [id_of(&app, 0)]);
    // Nor after the check.
    press_checked(&mut app, "g<enter>");
    assert_eq!(press(&mut app, "g "), []);
    assert!(matches!(stage(&app), Stage::Review(_)));
    assert_eq!(app.sheet().unwrap().left_out(), 5);
}

#[test]
fn what_is_left_out_after_the_check_is_planned_and_checked_anew() {
    let mut app = at("review", app(46));
    let second = id_of(&app, 1);
    let first_plan = plan(&press(&mut app, "j "));
    assert!(first_plan.items.len() == 5 && !holds(&first_plan, &second));
    assert!(matches!(stage(&app), Stage::Checking(_)));
    // What was checked before can be confirmed no more.
    assert_eq!(press(&mut app, "c<enter>"), []);
    assert!(app.dialog().is_none());
    app.update(Msg::Preflighted(checked(&first_plan)));
    let Stage::Review(review) = stage(&app) else { panic!("{:?}", stage(&app)) };
    assert_eq!(review.cursor(), 1, "the cursor stays");
    let is_checked: Vec<bool> = review.rows().map(|row| row.is_some()).collect();
    assert_eq!(is_checked, [true, false, true, true, true, true]);
    assert!(!marks(&app).contains(&second));
    let text = page(&app, 78).join(" ");
    assert!(text.starts_with("Stop 5 instances: ") && text.contains(", 1 left out"), "{text}");
    // It has no details; taken back in it is checked like all others.
    press(&mut app, "<enter>");
    let Stage::Review(review) = stage(&app) else { panic!("{:?}", stage(&app)) };
    assert!(!review.is_unfolded(1));
    let second_plan = plan(&press(&mut app, " "));
    assert!(second_plan.items.len() == 6 && holds(&second_plan, &second));
    app.update(Msg::Preflighted(checked(&first_plan)));
    assert!(matches!(stage(&app), Stage::Checking(_)), "the answer is to another plan");
    app.update(Msg::NotPreflighted { plan: second_plan, why: "no credentials".into() });
    assert_eq!((app.sheet().unwrap().left_out(), marks(&app).len()), (0, 6));
}

#[test]
fn checks_of_other_rows_than_those_that_are_in_are_not_confirmed() {
    // Neither before the dialog,
    let mut app = at("review", app(46));
    let id = id_of(&app, 0);
    app.sheet.as_mut().unwrap().left_out.insert(id, Vec::new());
    assert_eq!(press(&mut app, "c"), []);
    assert!(app.dialog().is_none());
    let word = app.sheet().unwrap().word().unwrap();
    assert!(word.contains("other rows were checked"), "{word}");
    // nor in it.
    let mut asked = at("confirm", fixture::app(46));
    look(&mut asked, 10);
    let id = id_of(&asked, 0);
    asked.sheet.as_mut().unwrap().left_out.insert(id, Vec::new());
    assert_eq!(press(&mut asked, "<tab><enter>"), []);
    assert!(matches!(stage(&asked), Stage::Review(_)));
    // Checked anew it goes, without it.
    let effects = press(&mut app, "r");
    assert!(!holds(&plan(&effects), &id_of(&app, 0)));
    answer(&mut app, &effects);
    press(&mut app, "c");
    assert!(app.dialog().is_some());
}

/// Leaves out every row that is blocked, one after the other.
fn leave_blocked_out(app: &mut App) {
    loop {
        let Stage::Review(review) = stage(app) else { panic!("{:?}", stage(app)) };
        let at = review.rows().position(|row| row.is_some_and(CheckedRow::is_blocked));
        let Some(at) = at else { return };
        press_checked(app, &format!("g{} ", "j".repeat(at)));
    }
}

#[test]
fn with_the_blocked_rows_left_out_the_dialog_and_the_run_have_the_others_alone() {
    let mut app = at("confirm", app(46));
    press(&mut app, "<esc>");
    let blocked: Vec<Arc<str>> = {
        let checked = app.sheet().unwrap().checked().unwrap();
        assert_eq!((checked.passed().count(), checked.rows.len()), (2, 5));
        checked.blocked().map(|row| row.item.id.clone()).collect()
    };
    leave_blocked_out(&mut app);
    let text = page(&app, 78).join(" ");
    assert!(text.starts_with("Stop 2 instances: 2 go, none is blocked, 3 left out"), "{text}");
    assert_eq!(text.matches("· left out ").count(), 3, "{text}");
    let lines = page(&app, 78);
    let wide = lines.iter().find(|line| unicode_width::UnicodeWidthStr::width(&***line) > 78);
    assert_eq!(wide, None);
    assert_eq!(marks(&app).len(), 2);
    press(&mut app, "c");
    look(&mut app, 10);
    assert_eq!(app.dialog_box().unwrap().title, "Stop 2 instances?");
    let confirmed = executed(&press(&mut app, "<tab><enter>")).unwrap();
    assert_eq!((confirmed.rows().len(), confirmed.plan().items.len()), (2, 2));
    let is_out = |id: &Arc<str>| blocked.contains(id);
    assert!(!confirmed.rows().iter().any(|row| is_out(&row.item.id)));
    assert!(!confirmed.plan().items.iter().any(|item| is_out(&item.id)));
    // Now it is too late.
    assert_eq!(press(&mut app, " "), []);
    assert_eq!(app.notice().unwrap().text, "it runs: nothing can be left out any more");
    assert_eq!(app.sheet().unwrap().run().unwrap().standings().len(), 2);
}

#[test]
fn a_run_says_its_one_id_and_what_it_waits_for() {
    let mut app = at("confirm", app(46));
    look(&mut app, 10);
    let confirmed = executed(&press(&mut app, "<tab><enter>")).unwrap();
    let text = page(&app, 78).join(" ");
    assert!(!text.contains("Waits until"), "nothing was called for: {text}");
    fixture::step(&mut app, &confirmed);
    let text = page(&app, 200).join(" ");
    let waits = "Waits until EC2 says of each that it is stopped: asked after 3 s, then less often, \
                 every 15 s in the end, for 10 min at most.";
    assert!(text.contains(waits), "{text}");
    let end = verified(&confirmed);
    assert!(text.contains(&format!("Run {}: stop", end.run_id)), "{text}");
    assert!(!text.contains(&end.plan_id), "{text}");
    app.update(Msg::Acted(Ok(end.clone())));
    let text = page(&app, 200).join(" ");
    assert!(text.contains(&format!("audit show {}", end.run_id)), "{text}");
    assert!(!text.contains(&end.plan_id), "{text}");
}

#[test]
fn of_two_instances_in_two_regions_all_that_became_of_them_is_seen_at_once() {
    let mut fleet = fleet_of(46, 1, readings(0, None));
    let id = format!("i-{:017x}", 18);
    let far = fleet.rows.iter_mut().find(|row| *row.instance.id == *id);
    let moved = Arc::make_mut(&mut Arc::make_mut(far.unwrap()).instance);
    moved.scope = Scope::new(ACCOUNT, "ap-northeast-1");
    moved.az = "ap-northeast-1a".into();
    let mut app = app_with(fleet, (80, 24));
    app.update(Msg::Rules(fixture::armed()));
    let mut app = at("confirm", app);
    look(&mut app, 10);
    let confirmed = executed(&press(&mut app, "<tab><enter>")).unwrap();
    let regions: Vec<&str> = confirmed.rows().iter().map(|r| &*r.item.scope.region).collect();
    assert!(regions.len() == 2 && regions[0] != regions[1], "{regions:?}");
    let mut end = (*verified(&confirmed)).clone();
    end.warnings.clear();
    for outcome in &mut end.outcomes {
        outcome.kind = OutcomeKind::Done;
        outcome.text = "stopped".into();
    }
    app.update(Msg::Acted(Ok(Arc::new(end))));
    let (height, lines) = (usize::from(app.layout().unwrap().body_height), page(&app, 78));
    assert!(lines.len() <= height, "{} of {height}: {lines:#?}", lines.len());
    let text = lines.join("\n");
    assert!(text.contains("audit show") && text.contains("The way back"), "{text}");
    assert_eq!(text.matches("start-instances").count(), 2, "{text}");
}
