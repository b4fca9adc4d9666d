//! The list of actions, driven by keys.

use super::fixture::{answer, app, go, picture};
use crate::app::fixture::press;
use crate::app::sheet::fixture as sheet;
use crate::app::{Action, App, Effect, Msg, Page};
use crate::tabs::actions::picture::ActionsPicture;

const SIZE: (u16, u16) = (120, 30);

fn names(app: &mut App) -> Vec<String> {
    app.prepare();
    let rows = app.list().rows().unwrap().clone();
    app.list().order().iter().map(|row| rows.key(*row).unwrap().to_string()).collect()
}

fn asked(effects: &[Effect]) -> usize {
    effects.iter().filter(|effect| matches!(effect, Effect::ReadActions(_))).count()
}

#[test]
fn it_opens_from_everywhere_and_esc_goes_back_to_where_it_was_opened() {
    let mut app = sheet::app(46);
    press(&mut app, "3<enter>");
    assert!(matches!(app.page().unwrap().page, Page::Why { .. }));
    assert_eq!(asked(&press(&mut app, "H")), 1);
    assert!(app.page().is_none() && app.tabs.actions.is_on);
    press(&mut app, "<esc>");
    assert!(matches!(app.page().unwrap().page, Page::Why { .. }), "the page is there again");
    assert_eq!(app.tab().title(), "Idle");
    // By name as well, under both.
    for command in [":audit<enter>", ":actions<enter>"] {
        assert_eq!(asked(&press(&mut app, command)), 1, "{command}: the log is read anew");
        assert!(app.tabs.actions.is_on);
        // The key that opens it closes it.
        press(&mut app, "H");
        assert!(!app.tabs.actions.is_on);
    }
    // Another tab leaves nothing behind.
    press(&mut app, "H1");
    assert!(!app.tabs.actions.is_on && app.page().is_none());
    press(&mut app, "<esc>");
    assert!(app.page().is_none());
}

#[test]
fn the_sheet_below_it_is_not_lost() {
    let mut app = sheet::at("review", sheet::app(46));
    press(&mut app, "H");
    assert!(app.sheet().is_some() && app.page().is_none());
    press(&mut app, "<esc>");
    assert!(matches!(app.page().unwrap().page, Page::Sheet));
    assert!(app.sheet().unwrap().checked().is_some());
}

#[test]
fn esc_goes_from_the_page_to_the_list_then_takes_the_filter_then_leaves() {
    let mut app = app(SIZE);
    go(&mut app, &["/dev-ben<enter>", "<enter>"]);
    assert!(matches!(app.page().unwrap().page, Page::Action { .. }));
    press(&mut app, "<esc>");
    assert!(app.page().is_none() && app.shows_table());
    assert_eq!(names(&mut app), ["20260115T011226Z-7f3a"], "what was acted on is searched");
    press(&mut app, "<esc>");
    assert_eq!(names(&mut app).len(), 3);
    assert!(app.tabs.actions.is_on);
    press(&mut app, "<esc>");
    assert!(!app.tabs.actions.is_on);
}

#[test]
fn y_copies_the_way_back_and_says_where_there_is_none() {
    let mut app = app(SIZE);
    let effects = press(&mut app, "y");
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(app.notice().unwrap().text.contains("2 lines of the way back"));
    // The same from its page, and of the next one.
    let effects = press(&mut app, "<enter>ly");
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    assert!(text.starts_with("aws ec2 run-instances"), "{text}");
    let offers = |app: &App| app.hints().iter().any(|(action, _)| *action == Action::CopyId);
    assert!(offers(&app));
    assert_eq!(press(&mut app, "ly"), [], "what was refused was not touched");
    assert!(!offers(&app));
}

#[test]
fn filters_order_and_export_are_those_of_every_list() {
    let mut app = app(SIZE);
    press(&mut app, "/what=terminate<enter>");
    assert_eq!(names(&mut app), ["20260113T211226Z-11c0"]);
    press(&mut app, "/<ctrl-u>open>0<enter>");
    assert_eq!(names(&mut app), ["20260115T011226Z-7f3a"]);
    press(&mut app, "/<ctrl-u><enter>:sort at asc<enter>");
    assert_eq!(names(&mut app)[0], "20260113T201226Z-92ab");
    let effects = press(&mut app, ":export json x<enter>");
    let [Effect::Export { format, picture, .. }] = &effects[..] else { panic!("{effects:?}") };
    let document: serde_json::Value = serde_json::from_str(&picture.written(*format)).unwrap();
    assert_eq!(document["schema"], "burntop/actions/1");
    assert_eq!(document["rows"][2]["targets"][1]["id"], "i-0aaaaaaaaaaaaaaa2");
    assert_eq!(document["rows"][2]["undo"].as_array().unwrap().len(), 2);
}

#[test]
fn a_run_that_ends_and_r_read_anew_and_late_answers_are_dropped() {
    let mut app = app(SIZE);
    let first = app.actions().unwrap().clone();
    let effects = press(&mut app, "r");
    assert_eq!(asked(&effects), 1);
    assert_eq!(asked(&app.update(Msg::Acted(Err("full".into())))), 1);
    // The answer to the first of the two questions comes too late.
    let none = ActionsPicture::default();
    answer(&mut app, &effects, &none);
    assert_eq!(app.actions().unwrap(), &first);
    // Away from the list nothing is read.
    press(&mut app, "<esc>");
    assert_eq!(asked(&app.update(Msg::Acted(Err("full".into())))), 0);
}

#[test]
fn a_log_that_cannot_be_read_is_said_to_be_and_damage_is_counted() {
    let mut app = app(SIZE);
    let broken =
        ActionsPicture { damaged: 2, left_out: 5_000_000, ..picture(app.view_context().now) };
    let effects = press(&mut app, "r");
    answer(&mut app, &effects, &broken);
    app.prepare();
    let strip: Vec<String> = app
        .strip()
        .iter()
        .map(|line| line.spans.iter().map(|span| &*span.text).collect())
        .collect();
    let strip = strip.join("\n");
    assert!(strip.contains("damaged in 2 places") && strip.contains("older lines"), "{strip}");
    let mut app = App::new(crate::tabs::storage::state::fixture::init(SIZE));
    for effect in press(&mut app, "H") {
        if let Effect::ReadActions(round) = effect {
            app.update(Msg::Actions(round, Err("audit log: opening it: denied".into())));
        }
    }
    app.prepare();
    let text: String =
        app.text_body().0.iter().flat_map(|line| &line.spans).map(|span| &*span.text).collect();
    assert!(text.contains("opening it: denied"), "{text}");
}
