//! What keys do on the Bill tab, step by step.

use super::BillList;
use super::fixture::{answer, app, go};
use crate::app::fixture::press;
use crate::app::{App, BillsAnswer, BillsQuestion, Effect, Msg};
use crate::domain::bill::Usd;
use crate::tabs::bill::picture::{BillQuestion, fixture};
use crate::tabs::storage::state::fixture::init;

const SIZE: (u16, u16) = (120, 40);

/// The question behind what is on screen, in words.
fn question(app: &App) -> String {
    let BillQuestion { keys, only, .. } = &app.bill().unwrap().question;
    let keys: Vec<String> = keys.iter().map(crate::analyze::bill::BillKey::name).collect();
    let only: Vec<String> = only
        .iter()
        .map(|o| format!("{}={}", o.key.name(), o.value.as_deref().unwrap_or("-")))
        .collect();
    format!("{} of {}", keys.join(","), only.join(","))
}

fn total(app: &App) -> Usd {
    app.bill().unwrap().total.effective
}

#[test]
fn enter_goes_into_a_row_and_backspace_comes_back_to_it() {
    let mut app = app(SIZE);
    let whole = total(&app);
    assert_eq!(question(&app), "service of ");
    go(&mut app, &["j", "<enter>"]);
    assert_eq!(question(&app), "usage_type of service=Amazon SageMaker");
    let part = total(&app);
    assert!(part < whole);
    go(&mut app, &["<enter>"]);
    assert!(
        question(&app).starts_with("resource of service=Amazon SageMaker,usage_type=USE1-Train")
    );
    go(&mut app, &["<backspace>", "<esc>"]);
    assert_eq!((question(&app), total(&app)), ("service of ".to_owned(), whole));
    app.prepare();
    assert_eq!(app.list().cursor(), 1, "on the row that was gone into");
    go(&mut app, &["<backspace>"]);
    assert_eq!(app.notice().unwrap().text, "this is the whole bill");
}

#[test]
fn rows_of_another_level_are_not_gone_into() {
    let mut app = app(SIZE);
    let effects = press(&mut app, "<enter><enter><enter>");
    assert_eq!(effects.iter().filter(|e| matches!(e, Effect::ReadBills(_))).count(), 1);
    assert!(app.bill_tab().is_behind());
    answer(&mut app, &effects, &fixture::bills());
    assert!(!app.bill_tab().is_behind());
    assert_eq!(app.bill().unwrap().question.only.len(), 1);
}

#[test]
fn an_answer_to_an_earlier_question_is_dropped() {
    let mut app = app(SIZE);
    let first = press(&mut app, "<enter>");
    let second = press(&mut app, "<esc>");
    answer(&mut app, &first, &fixture::bills());
    assert_eq!(question(&app), "service of ");
    answer(&mut app, &second, &fixture::bills());
    assert_eq!(question(&app), "service of ");
    assert!(!app.bill_tab().is_behind());
}

#[test]
fn keys_are_chosen_one_alone_or_two_at_once() {
    let mut app = app(SIZE);
    // The keys begin with the category; the cursor is on the service.
    go(&mut app, &["b", "j", " "]);
    assert_eq!(question(&app), "service,account of ");
    go(&mut app, &["j", " "]);
    assert_eq!(question(&app), "account,region of ", "a third replaces the first");
    go(&mut app, &[" ", "k", " "]);
    assert_eq!(question(&app), "account of ", "the last one stays");
    go(&mut app, &["k", "<enter>"]);
    assert_eq!((question(&app), app.popup()), ("service of ".to_owned(), None));
    go(&mut app, &["b", "j", " ", "<esc>", "<enter>"]);
    assert!(
        question(&app).starts_with("usage_type of service=") && question(&app).contains("account=")
    );
    go(&mut app, &[":bill day,service<enter>"]);
    assert!(question(&app).starts_with("day,service of "));
}

#[test]
fn what_the_bill_does_not_tell_is_said_and_the_screen_stays() {
    let mut app = app(SIZE);
    go(&mut app, &[":bill day,resource<enter>"]);
    assert_eq!(question(&app), "service of ");
    assert!(app.notice().unwrap().text.contains("resource"), "{:?}", app.notice());
    assert!(!app.bill_tab().is_behind());
    assert_eq!(press(&mut app, "j"), [], "nothing is asked again");
}

#[test]
fn periods_turn_and_end() {
    let mut app = app(SIZE);
    let period = |app: &App| app.bill().unwrap().period.unwrap().to_string();
    assert_eq!(period(&app), "2026-01");
    go(&mut app, &["["]);
    assert_eq!(period(&app), "2025-12");
    go(&mut app, &["[", "["]);
    assert_eq!(
        (period(&app), app.notice().unwrap().text.as_str()),
        ("2025-11".into(), "no earlier bill is kept")
    );
    go(&mut app, &["]"]);
    assert_eq!(period(&app), "2025-12");
    go(&mut app, &[":period 2026-01<enter>"]);
    assert_eq!(period(&app), "2026-01");
    go(&mut app, &[":period 2024-01<enter>"]);
    assert_eq!(app.notice().unwrap().text, "no bill of 2024-01 is kept");
}

#[test]
fn what_changed_adds_up_and_leads_into_the_bill() {
    let mut app = app(SIZE);
    go(&mut app, &["d"]);
    assert_eq!(app.bill_tab().look(), BillList::Changes);
    assert!(app.bill_rows_on_screen() > 3);
    go(&mut app, &["<enter>"]);
    assert_eq!(app.bill_tab().look(), BillList::Breakdown);
    assert!(question(&app).starts_with("usage_type of service="));
    go(&mut app, &["d", "d", "d", "<esc>"]);
    assert_eq!(app.bill_tab().look(), BillList::Breakdown);
    // The first month has none before it.
    go(&mut app, &["[", "[", "d"]);
    assert_eq!(app.bill_rows_on_screen(), 0);
}

#[test]
fn the_anatomy_leads_to_what_a_category_is_of() {
    let mut app = app(SIZE);
    go(&mut app, &["o"]);
    assert_eq!(app.bill_tab().look(), BillList::Anatomy);
    go(&mut app, &["<enter>"]);
    assert!(question(&app).starts_with("service of category="), "{}", question(&app));
    go(&mut app, &[":bill anatomy<enter>", "<esc>", "<esc>"]);
    assert_eq!(question(&app), "service of ");
}

#[test]
fn an_anomaly_leads_to_the_resources_behind_it_and_a_day_to_its_services() {
    let mut app = app(SIZE);
    let whole = total(&app);
    go(&mut app, &["j", "<enter>", ":bill anomalies<enter>"]);
    assert_eq!(app.bill_tab().look(), BillList::Anomalies);
    assert!(app.bill_rows_on_screen() > 0);
    assert_eq!(total(&app), whole, "of the whole bill, wherever one was before");
    go(&mut app, &["<enter>"]);
    assert_eq!(app.bill_tab().look(), BillList::Breakdown);
    assert!(question(&app).contains("service="), "{}", question(&app));
    go(&mut app, &["<backspace>", ":bill reconcile<enter>", "<enter>"]);
    assert_eq!(question(&app), "service of day=2026-01-08");
}

#[test]
fn keys_that_are_chosen_elsewhere_show_the_bill_by_them() {
    let mut app = app(SIZE);
    go(&mut app, &[":bill reconcile<enter>", ":bill region<enter>"]);
    assert_eq!((app.bill_tab().look(), question(&app)), (BillList::Breakdown, "region of ".into()));
}

#[test]
fn bills_are_asked_again_when_the_tab_is_opened_again_and_by_r() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "jk"), []);
    let asks = |effects: &[Effect]| effects.iter().any(|e| matches!(e, Effect::ReadBills(_)));
    assert!(!asks(&press(&mut app, "3")));
    assert!(asks(&press(&mut app, "8")));
    assert!(asks(&press(&mut app, "r")));
}

#[test]
fn without_a_bill_or_with_trouble_no_key_does_harm() {
    for answer in [Err("bills.db cannot be read".to_owned()), Ok(Vec::new())] {
        let mut app = App::new(init(SIZE));
        let effects = press(&mut app, "8");
        let [Effect::ReadBills(BillsQuestion::Bill(question))] = &effects[..] else {
            panic!("{effects:?}")
        };
        match answer {
            Err(why) => {
                let answer = BillsAnswer::Bill(question.clone(), Err(why));
                drop(app.update(Msg::Bills(answer)));
            }
            Ok(bills) => super::fixture::answer(&mut app, &effects, &bills),
        }
        for key in [
            "<enter>",
            "<esc>",
            "<backspace>",
            "b",
            "o",
            "O",
            "[",
            "]",
            "d",
            "i",
            "y",
            "Y",
            "e",
            "/",
            "<esc>",
            "s",
            "c",
        ] {
            press(&mut app, key);
            app.prepare();
        }
    }
}

#[test]
fn what_is_on_screen_is_exported() {
    let mut app = app(SIZE);
    for (keys, view) in [
        ("", "bill"),
        ("o", "bill-anatomy"),
        ("o", "bill-changes"),
        ("o", "bill-anomalies"),
        ("o", "bill-reconcile"),
    ] {
        go(&mut app, &[keys]);
        let effects = press(&mut app, ":export csv x<enter>");
        let [.., Effect::Export { picture, .. }] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(picture.view(), view);
    }
}

#[test]
fn a_question_that_is_answered_twice_keeps_filter_and_cursor() {
    let mut app = app(SIZE);
    go(&mut app, &["/amazon<enter>", "j"]);
    let id = app.list().current_id().cloned();
    let effects = press(&mut app, "r");
    answer(&mut app, &effects, &fixture::bills());
    app.prepare();
    assert_eq!(app.list().current_id().cloned(), id);
    assert_eq!(app.list().filter_text(), "amazon");
}
