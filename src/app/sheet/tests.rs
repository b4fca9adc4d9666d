//! The sheet driven by keys: what it asks for, and above all what it does not.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;

use super::fixture::{self, answer, app, at, checked, executed, look, press_checked, verified};
use super::{KEY_DELAY, Stage, VerbKind};
use crate::act::plan::{EXPIRES_TAG, OutcomeKind, Progress, Verb};
use crate::app::fixture::{now, press};
use crate::app::{App, Effect, Msg, Notice, Page};

/// At the review of three idle instances that are not production.
fn reviewed() -> App {
    let mut app = at("confirm", app(46));
    press(&mut app, "<esc>");
    assert!(matches!(stage(&app), Stage::Review(_)));
    app
}

/// In the dialog with Cancel and a button, as it just opened.
fn asked() -> App {
    let app = at("confirm", app(46));
    assert!(app.dialog().is_some());
    app
}

/// In the dialog that wants `terminate N` and a justification.
fn typed() -> App {
    let mut app = app(46);
    press(&mut app, "3/verdict=idle<enter>VGV");
    press_checked(&mut app, ":terminate<enter>");
    press(&mut app, "c");
    assert!(app.dialog().is_some());
    app
}

fn stage(app: &App) -> &Stage {
    app.sheet().unwrap().stage()
}

fn go_count(app: &App) -> usize {
    app.sheet().unwrap().checked().unwrap().passed().count()
}

#[test]
fn the_marked_rows_are_meant_else_the_one_under_the_cursor() {
    let mut app = app(46);
    let names = |app: &App| -> Vec<String> {
        app.sheet().unwrap().rows().iter().map(|r| r.instance.name.to_string()).collect()
    };
    press(&mut app, "3ja");
    assert_eq!(names(&app).len(), 1);
    press(&mut app, "<esc>");
    assert!(app.sheet().is_none());
    press(&mut app, "g j ");
    let marked = app.table().marked().unwrap().count;
    press(&mut app, "Ga");
    assert_eq!(names(&app).len(), marked);
    // On a why page, what one looks at.
    press(&mut app, "<esc>g<enter>");
    let id = app.current_row().unwrap().instance.id.clone();
    press(&mut app, "a");
    assert_eq!(app.sheet().unwrap().rows()[0].instance.id, id);
    assert_eq!(names(&app).len(), 1);
    press(&mut app, "<esc>");
    assert!(matches!(app.page().unwrap().page, Page::Why { .. }));
    // And on a finding of the overview.
    press(&mut app, "1");
    app.prepare();
    for _ in 0..20 {
        if app.current_row().is_none() {
            press(&mut app, "j");
            app.prepare();
        }
    }
    press(&mut app, "a");
    assert_eq!(names(&app).len(), 1);
    // Where nothing is meant, nothing opens.
    press(&mut app, "<esc>?a");
    assert!(app.sheet().is_none());
    assert!(app.notice().is_some());
}

#[test]
fn stop_is_the_default_and_verbs_that_make_no_sense_say_why() {
    let mut app = app(46);
    press(&mut app, "3/verdict=idle<enter>a");
    let Stage::Choose(choice) = stage(&app) else { panic!() };
    assert_eq!(choice.offers()[choice.cursor()].verb, VerbKind::Stop);
    assert_eq!(choice.expires(), now() + SignedDuration::from_hours(96));
    let effects = press(&mut app, "gjjjj<enter>");
    assert_eq!(effects, []);
    assert_eq!(app.sheet().unwrap().word(), Some("unmark: none of them is marked"));
    let effects = press(&mut app, "g<enter>");
    let [Effect::Preflight(plan)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((&plan.verb, plan.items.len()), (&Verb::Stop, 1));
    assert_eq!(plan.created_at, now());
    // A busy one is not stopped; there is nothing to choose.
    press(&mut app, "<esc><esc><esc>/verdict=busy<enter>ga");
    let Stage::Choose(choice) = stage(&app) else { panic!() };
    let objections: Vec<_> = choice.offers().iter().map(|o| o.objection).collect();
    assert!(objections.iter().all(Option::is_some), "{objections:?}");
    assert_eq!(press(&mut app, "<enter>c"), []);
    // A stopped one can be started, and nothing else.
    press(&mut app, "<esc><esc>/state=stopped<enter>ga");
    let Stage::Choose(choice) = stage(&app) else { panic!() };
    let can: Vec<_> =
        choice.offers().iter().filter(|o| o.objection.is_none()).map(|o| o.verb).collect();
    assert_eq!(can, [VerbKind::Start]);
    assert_eq!(choice.offers()[choice.cursor()].verb, VerbKind::Start);
}

#[test]
fn commands_go_straight_to_the_checks() {
    let verb = |command: &str| {
        let mut app = app(46);
        let effects = press(&mut app, &format!("3/verdict=idle<enter>:{command}<enter>"));
        match &effects[..] {
            [Effect::Preflight(plan)] => Ok(plan.verb.clone()),
            _ => Err(app
                .notice()
                .map(|n| n.text.clone())
                .or_else(|| app.prompt().and_then(|p| p.error.clone()).map(|e| e.message))),
        }
    };
    let mark = |hours, reason: &str| Verb::Mark {
        expires: now() + SignedDuration::from_hours(hours),
        reason: reason.into(),
    };
    assert_eq!(verb("stop"), Ok(Verb::Stop));
    assert_eq!(verb("terminate"), Ok(Verb::Terminate { decrement: false }));
    assert_eq!(verb("terminate decrement"), Ok(Verb::Terminate { decrement: true }));
    assert_eq!(verb("mark"), Ok(mark(96, "idle by preset cautious")));
    assert_eq!(verb("mark 36h end of sprint"), Ok(mark(36, "end of sprint")));
    assert_eq!(verb("mark 2w"), Ok(mark(336, "idle by preset cautious")));
    let expires = "2026-02-01T00:00:00Z".parse().unwrap();
    let reason = "idle by preset cautious".into();
    assert_eq!(verb("mark 2026-02-01"), Ok(Verb::Mark { expires, reason }));
    for wrong in [
        "mark tomorrow",
        "mark 0d",
        "mark 4m",
        "mark 59m",
        "mark 4mo",
        "mark +4d",
        "mark 9999d",
        "mark 2020-01-01",
        "terminate all",
    ] {
        assert!(verb(wrong).unwrap_err().is_some(), "{wrong}");
    }
}

#[test]
fn a_late_answer_reaches_only_the_sheet_that_asked() {
    let mut app = app(46);
    let first = press(&mut app, "3/verdict=idle<enter>a<enter>");
    let [Effect::Preflight(old)] = &first[..] else { panic!() };
    // The sheet was left, a step at a time: nothing comes back.
    press(&mut app, "<esc>");
    assert!(matches!(stage(&app), Stage::Choose(_)));
    app.update(Msg::Preflighted(checked(old)));
    assert!(matches!(stage(&app), Stage::Choose(_)));
    press(&mut app, "<esc>");
    app.update(Msg::Preflighted(checked(old)));
    assert!(app.sheet().is_none());
    // Another sheet for the same rows does not take the answer of the first.
    let second = press(&mut app, "a<enter>");
    let [Effect::Preflight(new)] = &second[..] else { panic!() };
    assert_eq!(old, new, "equal, and yet another one");
    app.update(Msg::Preflighted(checked(old)));
    assert!(matches!(stage(&app), Stage::Checking(_)));
    app.update(Msg::NotPreflighted { plan: old.clone(), why: "gone".into() });
    assert!(matches!(stage(&app), Stage::Checking(_)));
    // A page above it changes nothing; the answer is there when one comes back.
    press(&mut app, "?");
    app.update(Msg::Preflighted(checked(new)));
    press(&mut app, "<esc>");
    assert!(matches!(stage(&app), Stage::Review(_)));
    // Checking again drafts anew.
    let again = press(&mut app, "r");
    let [Effect::Preflight(newer)] = &again[..] else { panic!("{again:?}") };
    assert!(!Arc::ptr_eq(new, newer));
    app.update(Msg::NotPreflighted { plan: newer.clone(), why: "no credentials".into() });
    assert!(matches!(stage(&app), Stage::Choose(_)));
    assert_eq!(app.sheet().unwrap().word(), Some("no credentials"));
}

#[test]
fn keys_typed_before_the_dialog_stood_are_dropped() {
    // Not drawn at all, for however long.
    let mut app = asked();
    app.set_uptime(Duration::from_secs(100));
    assert_eq!(press(&mut app, "<tab><enter><enter>"), []);
    assert!(app.dialog().is_some());
    assert_eq!(app.dialog().unwrap().focus(), super::Place::Cancel);
    // Drawn, but a moment ago: a burst is dropped to its end, however long it goes on.
    app.prepare();
    app.mark_drawn();
    let almost = KEY_DELAY.saturating_sub(Duration::from_millis(1));
    let mut uptime = Duration::from_secs(100);
    for _ in 0..20 {
        uptime += almost;
        app.set_uptime(uptime);
        assert_eq!(press(&mut app, "<tab>"), []);
    }
    assert_eq!(app.dialog().unwrap().focus(), super::Place::Cancel);
    assert!(app.notice().unwrap().text.contains("dropped"));
    // After a pause it listens.
    app.set_uptime(uptime + KEY_DELAY);
    let effects = press(&mut app, "<tab><enter>");
    assert_eq!(executed(&effects).unwrap().rows().len(), 2);
}

#[test]
fn typing_ahead_of_a_phrase_confirms_nothing() {
    let mut app = typed();
    let phrase = format!("terminate {}", go_count(&app));
    // Everything at once, as a terminal that was slow delivers it.
    let keys = format!("{phrase}<tab>because<enter>");
    assert_eq!(press(&mut app, &keys), []);
    look(&mut app, 5);
    app.set_uptime(Duration::from_secs(5) + KEY_DELAY / 2);
    assert_eq!(press(&mut app, &keys), []);
    assert_eq!(app.dialog().unwrap().phrase().text(), "");
    assert_eq!(app.dialog().unwrap().justification().text(), "");
}

#[test]
fn a_resize_and_a_window_too_small_make_the_dialog_deaf() {
    let mut app = asked();
    look(&mut app, 10);
    app.update(Msg::Resize(100, 30));
    assert_eq!(press(&mut app, "<tab><enter>"), []);
    assert_eq!(app.dialog().unwrap().focus(), super::Place::Cancel);
    // What is not seen whole cannot be confirmed.
    app.update(Msg::Resize(80, 6));
    look(&mut app, 20);
    assert_eq!(press(&mut app, "<tab><enter>"), []);
    assert!(app.dialog().is_some());
    app.update(Msg::Resize(80, 24));
    look(&mut app, 30);
    assert!(executed(&press(&mut app, "<tab><enter>")).is_some());
}

#[test]
fn cancel_is_focused_and_no_single_key_confirms() {
    let mut app = asked();
    look(&mut app, 10);
    assert_eq!(press(&mut app, "<enter>"), []);
    assert!(matches!(stage(&app), Stage::Review(_)), "enter on a fresh dialog cancels");
    assert_eq!(app.notice().unwrap().text, "cancelled: nothing was done");
    for key in [
        "<enter>",
        "<space>",
        "y",
        "Y",
        "q",
        "c",
        "a",
        "r",
        "s",
        "1",
        "<tab>",
        "<esc>",
        "<ctrl-c>",
        "<ctrl-d>",
        "<left>",
        "<right>",
        "<up>",
        "<down>",
        "<shift-tab>",
        "<f1>",
        "?",
        ":",
    ] {
        let mut app = asked();
        look(&mut app, 10);
        assert_eq!(press(&mut app, key), [], "{key}");
        assert!(!matches!(stage(&app), Stage::Run(_)), "{key}");
    }
    let mut app = asked();
    look(&mut app, 10);
    assert_eq!(press(&mut app, "<tab><tab><enter>"), [], "twice round is Cancel again");
    assert!(matches!(stage(&app), Stage::Review(_)));
}

#[test]
fn only_the_phrase_opens_and_only_typed() {
    let mut app = typed();
    let count = go_count(&app);
    look(&mut app, 10);
    for wrong in ["", "terminate", "terminate 99", "TERMINATE 1", "stop 1"] {
        assert_eq!(press(&mut app, &format!("<ctrl-u>{wrong}<enter>")), [], "{wrong}");
        assert!(app.dialog().unwrap().error().is_some(), "{wrong}");
    }
    // Pasted, it does not count.
    press(&mut app, "<ctrl-u>");
    app.update(Msg::Paste(format!("terminate {count}")));
    assert_eq!(app.dialog().unwrap().phrase().text(), "");
    assert!(app.dialog().unwrap().error().unwrap().contains("type it"));
    // Typed it does, and then production wants a reason, which may be pasted.
    press(&mut app, &format!("terminate {count}<enter>"));
    assert_eq!(app.dialog().unwrap().focus(), super::Place::Justification);
    app.update(Msg::Paste("INC-4711,\nagreed with nlp".into()));
    let confirmed = executed(&press(&mut app, "<enter>")).unwrap();
    assert_eq!(confirmed.rows().len(), count);
    let ticket = confirmed.redeem(now()).unwrap();
    assert_eq!(ticket.justification(), "INC-4711, agreed with nlp");
    assert!(matches!(confirmed.plan().verb, Verb::Terminate { decrement: false }));
}

#[test]
fn a_read_only_session_sees_the_checks_and_can_confirm_nothing() {
    let mut app = crate::app::fixture::app_with(
        crate::app::fixture::fleet_of(46, 1, crate::app::fixture::readings(0, None)),
        (80, 24),
    );
    press(&mut app, "3/verdict=idle<enter>VGV");
    press_checked(&mut app, "a<enter>");
    assert!(go_count(&app) > 0, "the rows pass, and yet");
    look(&mut app, 10);
    assert_eq!(press(&mut app, "cG<enter><enter>"), []);
    assert!(app.dialog().is_none());
    press(&mut app, "c");
    assert!(app.sheet().unwrap().word().unwrap().contains("--allow-actions"));
    // A session that loses its arms in the middle confirms nothing either.
    let mut app = asked();
    look(&mut app, 10);
    app.update(Msg::Rules(Arc::default()));
    assert_eq!(press(&mut app, "<tab><enter>"), []);
    assert!(matches!(stage(&app), Stage::Review(_)));
}

#[test]
fn checks_that_are_old_are_made_again() {
    let mut app = reviewed();
    app.update(Msg::Now(now() + SignedDuration::from_secs(301)));
    press(&mut app, "c");
    assert!(app.dialog().is_none());
    assert!(app.sheet().unwrap().word().unwrap().contains("5 minutes"));
    // They grow old while the dialog is open, too.
    let mut app = asked();
    look(&mut app, 10);
    app.update(Msg::Now(now() + SignedDuration::from_secs(301)));
    assert_eq!(press(&mut app, "<tab><enter>"), []);
    assert!(matches!(stage(&app), Stage::Review(_)));
    let effects = press(&mut app, "r");
    answer(&mut app, &effects);
    press(&mut app, "c");
    look(&mut app, 20);
    assert!(executed(&press(&mut app, "<tab><enter>")).is_some());
}

#[test]
fn rows_unfold_and_the_button_is_the_last_stop() {
    let mut app = reviewed();
    press(&mut app, "g<enter>");
    let Stage::Review(review) = stage(&app) else { panic!() };
    assert!(review.is_unfolded(0) && !review.is_unfolded(1));
    press(&mut app, "<enter>");
    let Stage::Review(review) = stage(&app) else { panic!() };
    assert!(!review.is_unfolded(0));
    press(&mut app, "GGG<enter>");
    assert!(app.dialog().is_some());
}

#[test]
fn esc_goes_one_step_back_and_never_from_a_detail_out_of_the_sheet() {
    let mut app = at("review", app(46));
    press(&mut app, "g<enter>j<enter>");
    let unfolded = |app: &App| {
        let Stage::Review(review) = stage(app) else { panic!("{:?}", stage(app)) };
        [0, 1].map(|row| review.is_unfolded(row))
    };
    assert_eq!(unfolded(&app), [true, true]);
    press(&mut app, "<esc>");
    assert_eq!(unfolded(&app), [true, false], "the row under the cursor first");
    press(&mut app, "<esc>");
    assert_eq!(unfolded(&app), [false, false]);
    // Then to the choice, which is as it was, and out.
    press(&mut app, "<esc>");
    let Stage::Choose(choice) = stage(&app) else { panic!() };
    assert_eq!(choice.cursor(), 0);
    press(&mut app, "<esc>");
    assert!(app.sheet().is_none());
    // From the dialog to the rows; a command that went straight to the checks made no choice to go back to.
    let mut app = typed();
    press(&mut app, "<esc>");
    assert_eq!(unfolded(&app), [false, false]);
    press(&mut app, "<esc>");
    assert!(app.sheet().is_none());
}

#[test]
fn the_tally_agrees_with_a_sum_by_hand() {
    let app = at("review", app(46));
    let Stage::Review(review) = stage(&app) else { panic!() };
    let tally = review.tally();
    // p4d.24xlarge, 21.957642 USD/h each in the fixture's price list; three of six are in use.
    assert_eq!((tally.go, tally.blocked, tally.unpriced), (3, 3, 0));
    assert!((tally.saves_usd_per_hour - 3.0 * 21.957_642).abs() < 1e-9);
    assert!((tally.stays_usd_per_month - 120.0).abs() < 1e-9);
    assert_eq!((tally.stays_unpriced, tally.instance_store_gb, tally.losing), (3, 8000, 1));
    assert_eq!(tally.production, 1);
}

#[test]
fn a_run_goes_on_while_other_pages_are_on_screen() {
    let mut app = asked();
    look(&mut app, 10);
    let confirmed = executed(&press(&mut app, "<tab><enter>")).unwrap();
    assert_eq!(app.table().marked(), None);
    press(&mut app, "<esc>");
    assert!(app.sheet().unwrap().is_running());
    assert_eq!(app.run_in_words().unwrap(), "stop: 0 of 2 settled");
    fixture::step(&mut app, &confirmed);
    // No second run beside it.
    assert_eq!(press(&mut app, ":stop<enter>"), []);
    assert!(matches!(app.page().unwrap().page, Page::Sheet));
    press(&mut app, "<esc>");
    let end = verified(&confirmed);
    app.update(Msg::Acting(Progress::Finished(end.outcomes[0].clone())));
    assert_eq!(app.run_in_words().unwrap(), "stop: 1 of 2 settled");
    // What comes after a row has its outcome changes it no more.
    let id = end.outcomes[0].id.clone();
    app.update(Msg::Acting(Progress::Calling(vec![id])));
    assert_eq!(app.sheet().unwrap().run().unwrap().finished(), 1);
    app.update(Msg::Acted(Ok(end)));
    assert!(app.notice().unwrap().text.starts_with("stop has ended: 1 of 2 done"));
    // The end waits a little to be seen, then it may go.
    press(&mut app, "1j3");
    assert!(app.sheet().is_some());
    press(&mut app, "a");
    let run = app.sheet().unwrap().run().unwrap();
    assert_eq!((run.count(OutcomeKind::Done), run.count(OutcomeKind::Refused)), (1, 1));
    let effects = press(&mut app, "y");
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    // One was refused: of it there is nothing to take back.
    assert_eq!(text.lines().count(), 1, "{text}");
    press(&mut app, "<esc>");
    assert!(app.sheet().is_none());
}

/// On the list, with a run that has just ended.
fn ended() -> App {
    let mut app = asked();
    look(&mut app, 10);
    let confirmed = executed(&press(&mut app, "<tab><enter>")).unwrap();
    press(&mut app, "<esc>");
    assert_eq!(app.table().marked(), None);
    app.update(Msg::Acted(Ok(verified(&confirmed))));
    assert!(app.run_in_words().unwrap().starts_with("stop has ended"));
    assert!(app.notice().unwrap().text.ends_with("(a shows it)"));
    app
}

/// The sheet asks what to do: nothing is left of the old run.
fn chooses_anew(mut app: App) {
    assert_eq!(app.run_in_words(), None);
    press(&mut app, "a");
    assert!(matches!(stage(&app), Stage::Choose(_)), "{:?}", stage(&app));
}

#[test]
fn the_end_of_a_run_is_told_for_a_few_keys_or_half_a_minute() {
    let mut app = ended();
    press(&mut app, "jkjk");
    assert!(app.run_in_words().is_some());
    press(&mut app, "j");
    assert!(app.sheet().is_none());
    chooses_anew(app);
    // What is typed is not counted.
    let mut app = ended();
    press(&mut app, "/verdict=idle");
    assert!(app.run_in_words().is_some());
    // By time alone, and said so to the clock.
    let mut app = ended();
    let end = now() + SignedDuration::from_secs(30);
    assert!(app.next_deadline().is_some_and(|at| at <= end));
    app.update(Msg::Now(end - SignedDuration::from_secs(1)));
    assert!(app.run_in_words().is_some());
    app.mark_drawn();
    app.update(Msg::Now(end));
    assert!(app.is_dirty());
    assert_eq!(app.notice(), None);
    chooses_anew(app);
}

#[test]
fn the_end_of_a_run_is_told_no_more_once_it_was_read() {
    // On the sheet.
    let mut app = ended();
    press(&mut app, "a");
    assert!(app.sheet().unwrap().run().unwrap().is_over());
    press(&mut app, "<esc>");
    chooses_anew(app);
    // In the list of actions.
    let mut app = ended();
    press(&mut app, "H<esc>");
    chooses_anew(app);
    // What is marked anew is acted on.
    let mut app = ended();
    press(&mut app, " ");
    assert!(app.table().marked().is_some());
    chooses_anew(app);
    // So is what a command names.
    let mut app = ended();
    press_checked(&mut app, ":stop<enter>");
    assert!(app.sheet().unwrap().run().is_none());
}

#[test]
fn the_dialog_says_how_many_of_the_chosen_go_and_what_enter_does() {
    let said = |app: &mut App| -> String {
        app.prepare();
        let lines = &app.dialog_box().unwrap().lines;
        lines.iter().flat_map(|line| &line.spans).map(|span| &*span.text).collect()
    };
    let mut app = typed();
    let (go, all) = (go_count(&app), app.sheet().unwrap().checked().unwrap().plan.items.len());
    let title = match go < all {
        true => format!("Terminate {go} of {all} instances?"),
        false => format!("Terminate {go} instances?"),
    };
    let text = said(&mut app);
    assert_eq!(app.dialog_box().unwrap().title, title);
    let asked_for = format!("Type terminate {go}, then enter: {go} is how many go");
    assert!(text.contains(&asked_for), "{text}");
    assert!(text.contains("enter does it, once it is typed"), "{text}");
    // Without a phrase the focus is on Cancel, and the words say so.
    let mut app = asked();
    let text = said(&mut app);
    assert!(text.contains("enter cancels, tab goes on"), "{text}");
    look(&mut app, 60);
    press(&mut app, "<tab>");
    let text = said(&mut app);
    assert!(text.contains("enter does it now"), "{text}");
}

#[test]
fn one_key_opens_the_audit_entry_of_a_run_that_ended() {
    let mut app = at("result", app(46));
    let effects = press(&mut app, "H");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::ReadActions(_))), "{effects:?}");
    assert!(matches!(app.page().unwrap().page, Page::Action { .. }) && app.tabs.actions.is_on);
    press(&mut app, "<esc><esc>");
    assert!(matches!(app.page().unwrap().page, Page::Sheet), "back where it was opened");
    // While it runs, the key opens the list as everywhere.
    let mut app = at("running", fixture::app(46));
    assert_eq!(press(&mut app, "y"), []);
    let text = &app.notice().unwrap().text;
    assert_eq!(&**text, "the way back can be copied once the run has ended");
    press(&mut app, "H");
    assert!(app.page().is_none() && app.tabs.actions.is_on);
}

#[test]
fn quitting_while_something_runs_takes_two_words() {
    let mut app = at("running", app(46));
    assert_eq!(press(&mut app, "<ctrl-z>"), []);
    assert_eq!(press(&mut app, "q"), []);
    assert!(app.notice().unwrap().text.contains("calls may be in flight"));
    assert_eq!(press(&mut app, "jq"), [], "the second has to follow the first");
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
    let mut app = at("running", fixture::app(46));
    assert_eq!(press(&mut app, "<ctrl-c><ctrl-c>"), [Effect::Quit]);
    let mut app = at("running", fixture::app(46));
    assert_eq!(press(&mut app, ":q<enter>"), []);
    let mut app = at("result", fixture::app(46));
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
}

#[test]
fn an_error_of_the_run_is_shown_and_what_is_not_finished_stays_so() {
    let mut app = at("running", app(46));
    app.update(Msg::Acted(Err("the audit log cannot be written".into())));
    let run = app.sheet().unwrap().run().unwrap();
    assert!(run.is_over());
    assert_eq!(run.finished(), 0);
    // A late word about the run changes nothing any more.
    let before = run.in_flight();
    let id = run.confirmed().rows()[2].item.id.clone();
    app.update(Msg::Acting(Progress::Calling(vec![id])));
    assert_eq!(app.sheet().unwrap().run().unwrap().in_flight(), before);
}

#[test]
fn too_many_rows_and_the_demo_end_the_sheet() {
    let mut app = app(5400);
    press(&mut app, "3gVGVa");
    assert!(app.sheet().is_none());
    assert!(app.notice().unwrap().text.contains("burntop plan"));
    let mut app = at("review", fixture::app(46));
    app.update(Msg::Mode(crate::app::Mode::Demo));
    assert!(app.sheet().is_none());
    assert!(!app.rules().accounts.values().any(crate::act::plan::AccountRules::may_act));
    app.update(Msg::Notice(Notice::new(crate::app::Level::Info, "")));
}

#[test]
fn while_a_pin_is_open_the_sheet_says_which_and_no_dialog_opens() {
    let mut app = at("review", app(46));
    let mut rules = (*fixture::armed()).clone();
    for account in rules.accounts.values_mut() {
        account.withheld = Some("pinned entry `prod` did not say which account it is".into());
    }
    app.update(Msg::Rules(Arc::new(rules)));
    assert_eq!(press(&mut app, "c"), []);
    assert!(app.dialog().is_none());
    let word = app.sheet().unwrap().word().unwrap();
    assert!(word.contains("nothing can be run; pinned entry `prod`"), "{word}");
}

#[test]
fn of_a_pinned_account_is_not_said_that_a_flag_would_arm_it() {
    let mut app = at("review", app(46));
    let mut rules = (*fixture::armed()).clone();
    for account in rules.accounts.values_mut() {
        account.read_only = true;
    }
    app.update(Msg::Rules(Arc::new(rules)));
    assert_eq!(press(&mut app, "c"), []);
    let word = app.sheet().unwrap().word().unwrap();
    assert!(word.contains("nothing can be run; the account is pinned read-only"), "{word}");
}

#[test]
fn the_mark_that_views_show_is_the_one_that_is_written() {
    // One constant serves both; its text is in tags that are there already.
    assert_eq!(EXPIRES_TAG, "burntop:expires");
}

#[test]
fn rows_that_were_marked_under_a_search_are_said_to_be_and_counted_by_environment() {
    let page = |filter: &str, keys: &str| {
        let mut app = app(46);
        press(&mut app, &format!("3/{filter}<enter>{keys}"));
        let sheet = app.sheet().unwrap();
        assert!(sheet.rows().len() > 1, "{filter}");
        let page = crate::app::content::sheet::page(&app, sheet, 100);
        let text: Vec<String> = {
            let plain = |l: &crate::app::content::Line| l.spans.iter().map(|s| &*s.text).collect();
            page.lines.iter().map(plain).collect()
        };
        (sheet.rows().len(), text.join("\n"))
    };
    // A range over all that the filter left.
    let (rows, searched) = page("idle", "gVGVa");
    assert!(searched.contains("filtered by the search `idle`"), "{searched}");
    let line = searched.lines().find(|l| l.contains("By environment: ")).unwrap().to_owned();
    let counts = line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<usize>().ok());
    assert_eq!(counts.sum::<usize>(), rows, "{line}");
    // All of it by one key, and the filter is gone by then.
    let (all, later) = page("idle", "*/<ctrl-u><enter>a");
    assert_eq!(all, rows);
    assert!(later.contains("filtered by the search `idle`"), "{later}");
    let (_, compared) = page("verdict=idle", "gVGVa");
    assert!(!compared.contains("search"), "{compared}");
    assert!(compared.contains("By environment: "), "{compared}");
}
