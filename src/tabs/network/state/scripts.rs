//! What keys do on the Network tab, step by step.

use super::fixture::{app, bills, go, on_network, without_a_bill};
use super::{NetworkList, NetworkPage};
use crate::app::content::Target;
use crate::app::fixture::press;
use crate::app::{App, BillsAnswer, BillsQuestion, Effect, Filled, Msg, Page, PlanPage};
use crate::domain::bill::Usd;
use crate::fleet::savings::PathKind;
use crate::tabs::bill::state::fixture::answer;
use crate::tabs::network::picture::Calculator;
use crate::tabs::storage::state::fixture::init;
use crate::tabs::whatif::state::fixture as plans;

const SIZE: (u16, u16) = (120, 40);

fn asks(effects: &[Effect]) -> usize {
    let is_ours = |effect: &&Effect| matches!(effect, Effect::ReadBills(BillsQuestion::Network(_)));
    effects.iter().filter(is_ours).count()
}

fn period(app: &App) -> String {
    app.network().unwrap().period.unwrap().to_string()
}

#[test]
fn the_paths_add_up_and_the_fixes_are_those_with_one_the_most_first() {
    let app = app(SIZE);
    let network = app.network().unwrap();
    let sum: Usd = network.rows.iter().map(|row| row.of.usd).sum();
    assert_eq!(sum, network.sums.network + network.sums.requests);
    assert_eq!(network.sums.by_path.iter().map(|sum| sum.usd).sum::<Usd>(), sum);
    let with_fix = network.rows.iter().filter(|row| row.of.fix.is_some()).count();
    assert_eq!((network.fixes.len(), with_fix), (5, 5));
    assert!(network.fixes.is_sorted_by(|a, b| a.of.avoidable() >= b.of.avoidable()));
    assert_eq!(network.sums.by_fix.iter().map(|sum| sum.rows).sum::<usize>(), 5);
    let avoidable: Usd = network.sums.by_fix.iter().filter_map(|sum| sum.avoidable).sum();
    assert_eq!(avoidable, network.sums.avoidable);
    assert!(avoidable < sum);
}

#[test]
fn lists_and_periods_turn_and_end() {
    let mut app = app(SIZE);
    assert_eq!((app.network_tab().look(), period(&app)), (NetworkList::Paths, "2026-10".into()));
    go(&mut app, &["o"]);
    assert_eq!((app.network_tab().look(), app.network_rows_on_screen()), (NetworkList::Fixes, 5));
    go(&mut app, &["<esc>"]);
    assert_eq!(app.network_tab().look(), NetworkList::Paths);
    go(&mut app, &["["]);
    assert_eq!(period(&app), "2026-09");
    go(&mut app, &["["]);
    assert_eq!(app.notice().unwrap().text, "no earlier bill is kept");
    go(&mut app, &[":period 2026-10<enter>"]);
    assert_eq!((period(&app), app.tab().title()), ("2026-10".into(), "Network"));
    go(&mut app, &[":period 2024-01<enter>"]);
    assert_eq!(app.notice().unwrap().text, "no bill of 2024-01 is kept");
    go(&mut app, &[":network fixes<enter>", "r"]);
    assert_eq!(app.network_tab().look(), NetworkList::Fixes);
}

#[test]
fn a_path_has_a_page_and_the_arrows_go_from_path_to_path() {
    let mut app = app(SIZE);
    let id = |app: &App| match &app.page().unwrap().page {
        Page::Network(NetworkPage::Path { id }) => id.to_string(),
        page => panic!("{page:?}"),
    };
    go(&mut app, &["<enter>"]);
    let first = id(&app);
    assert!(first.starts_with("inter_region us-east-1 us-west-2"), "{first}");
    go(&mut app, &["<right>"]);
    assert!(id(&app).starts_with("nat "), "{}", id(&app));
    go(&mut app, &["<left>", "<left>"]);
    assert_eq!(id(&app), first);
    let [Effect::Copy(text)] = &press(&mut app, "y")[..] else { panic!() };
    assert_eq!(text, "corpus");
    let [Effect::CopyRows(picture)] = &press(&mut app, "Y")[..] else { panic!() };
    assert_eq!(picture.view(), "network");
    go(&mut app, &["<esc>"]);
    assert!(app.page().is_none());
}

#[test]
fn bills_are_asked_once_and_again_when_the_tab_is_opened_again_and_by_r() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "jk"), []);
    assert_eq!(asks(&press(&mut app, "3")), 0);
    assert_eq!(asks(&press(&mut app, "5")), 1);
    assert_eq!(asks(&press(&mut app, "r")), 1);
}

#[test]
fn the_bill_tab_and_this_one_ask_each_for_itself() {
    let mut app = app(SIZE);
    let of_bill = press(&mut app, "8");
    assert!(matches!(&of_bill[..], [Effect::ReadBills(BillsQuestion::Bill(_))]));
    let again = press(&mut app, "5");
    assert_eq!(asks(&again), 1);
    answer(&mut app, &of_bill, &bills());
    answer(&mut app, &again, &bills());
    assert!(app.bill().is_some() && !app.network_tab().is_behind());
}

#[test]
fn an_answer_to_an_earlier_question_is_dropped_and_trouble_leaves_the_month_on_screen() {
    let mut app = app(SIZE);
    let first = press(&mut app, "[");
    let second = press(&mut app, ":period 2026-10<enter>");
    answer(&mut app, &first, &bills());
    assert_eq!(period(&app), "2026-10");
    answer(&mut app, &second, &bills());
    assert!(!app.network_tab().is_behind());
    let effects = press(&mut app, "[");
    let [Effect::ReadBills(BillsQuestion::Network(question))] = &effects[..] else {
        panic!("{effects:?}")
    };
    app.update(Msg::Bills(BillsAnswer::Network(*question, Err("the disk is gone".into()))));
    assert_eq!(app.notice().unwrap().text, "the disk is gone");
    assert!(!app.network_tab().is_behind());
    assert_eq!(press(&mut app, "j"), [], "nothing is asked again");
}

#[test]
fn what_is_on_screen_is_exported_as_the_report_of_the_subcommand() {
    let mut app = app(SIZE);
    for keys in ["", "o"] {
        go(&mut app, &[keys]);
        let effects = press(&mut app, ":export csv x<enter>");
        let [.., Effect::Export { picture, .. }] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(picture.view(), "network");
    }
}

#[test]
fn without_a_bill_or_with_trouble_no_key_does_harm() {
    for told in [Err("bills.db cannot be read".to_owned()), Ok(())] {
        let mut app = App::new(init(SIZE));
        let effects = press(&mut app, "5");
        let [Effect::ReadBills(BillsQuestion::Network(question))] = &effects[..] else {
            panic!("{effects:?}")
        };
        match told {
            Err(why) => {
                let answer = BillsAnswer::Network(*question, Err(why));
                drop(app.update(Msg::Bills(answer)));
            }
            Ok(()) => answer(&mut app, &effects, &[]),
        }
        for key in [
            "<enter>", "<esc>", "n", "o", "O", "[", "]", "i", "y", "Y", "e", "/", "<esc>", "s", "c",
        ] {
            press(&mut app, key);
            app.prepare();
        }
    }
}

/// The network calculator on screen.
fn filled(app: &App) -> &Calculator {
    let Some(Filled::Network { of, .. }) = app.calculator().map(|filled| &filled.of) else {
        panic!("the network calculator is not filled")
    };
    of
}

#[test]
fn a_key_fills_the_calculator_and_what_it_comes_to_is_what_the_bill_says() {
    let mut app = app(SIZE);
    go(&mut app, &["n"]);
    assert!(matches!(app.page().unwrap().page, Page::WhatIf(PlanPage::Network)));
    let filled = filled(&app);
    let (today, left) = filled.network.saved().unwrap();
    // Bytes of the NAT gateway, between regions, zones, and to the internet; 30 of 31 days are told.
    let month = 31.0 / 30.0;
    assert!((today - (45.0 + 100.0 + 6.0 + 18.0) * month).abs() < 0.01, "{today}");
    assert!((today - left - (45.0 + 100.0 + 6.0) * month).abs() < 0.01, "{left}");
    let [Effect::Copy(command)] = &press(&mut app, "y")[..] else { panic!() };
    assert!(command.starts_with("burntop whatif network flow.1.gb=5166.6667"), "{command}");
    go(&mut app, &["<esc>"]);
    assert_eq!(app.tab().title(), "Network");
}

#[test]
fn the_scenario_that_is_edited_has_the_calculator_when_asked_and_undo_takes_it_back() {
    let mut app = plans::heard(plans::init(SIZE));
    go(&mut app, &["5", "n"]);
    let has = |app: &App| app.whatif().scenario().unwrap().levers.network.is_some();
    assert!(!has(&app), "who looks changes nothing");
    go(&mut app, &[":use-calculator<enter>"]);
    assert!(has(&app));
    go(&mut app, &["<esc>", "7", "u"]);
    assert!(!has(&app));
}

#[test]
fn a_question_that_is_answered_twice_keeps_filter_and_cursor() {
    let mut app = on_network(init(SIZE));
    go(&mut app, &["/nat<enter>", "j"]);
    let id = app.list().current_id().cloned();
    go(&mut app, &["r"]);
    assert_eq!((app.list().current_id().cloned(), app.list().filter_text()), (id, "nat"));
}

#[test]
fn without_a_bill_the_tab_shows_what_is_read_of_the_account() {
    let mut app = without_a_bill(init(SIZE));
    assert_eq!((app.network_tab().look(), app.network_rows_on_screen()), (NetworkList::Live, 4));
    for keys in ["o", "O", "<esc>"] {
        go(&mut app, &[keys]);
    }
    press(&mut app, "[");
    assert_eq!(app.notice().unwrap().text, "live paths are of now, and have no months");
    let [.., Effect::Export { picture, .. }] = &press(&mut app, ":export csv x<enter>")[..] else {
        panic!()
    };
    assert_eq!(picture.view(), "network");
    let [Effect::Copy(id)] = &press(&mut app, "y")[..] else { panic!() };
    assert_eq!(id, "nat-1");
    press(&mut app, "<enter>");
    let [Effect::Copy(command)] = &press(&mut app, "y")[..] else { panic!() };
    assert!(command.starts_with("aws ec2 create-vpc-endpoint --region us-east-1"), "{command}");
    let [Effect::CopyRows(picture)] = &press(&mut app, "Y")[..] else { panic!() };
    assert_eq!(picture.view(), "network");
}

#[test]
fn live_paths_without_a_price_are_in_no_flow_of_the_calculator() {
    let mut app = without_a_bill(init(SIZE));
    press(&mut app, "n");
    let filled = filled(&app);
    let (today, left) = filled.network.saved().unwrap();
    // Two gateways have a price: the bytes of the first could take an endpoint.
    assert!((today - (328.5 + 45.0)).abs() < 0.01 && (left - 45.0).abs() < 0.01, "{today} {left}");
    assert_eq!(filled.left_out, Usd::from_f64(2.0 * 32.85).unwrap());
}

#[test]
fn a_bill_takes_the_place_of_what_is_read_which_stays_a_list_of_its_own() {
    let mut app = without_a_bill(init(SIZE));
    go(&mut app, &["r"]);
    assert_eq!((app.network_tab().look(), app.network_rows_on_screen()), (NetworkList::Paths, 8));
    go(&mut app, &["O"]);
    assert_eq!((app.network_tab().look(), app.network_rows_on_screen()), (NetworkList::Live, 4));
    go(&mut app, &["<esc>"]);
    assert_eq!(app.network_tab().look(), NetworkList::Paths);
}

#[test]
fn a_finding_of_the_overview_leads_to_the_page_of_its_path() {
    let mut app = without_a_bill(init(SIZE));
    go(&mut app, &["1"]);
    app.go_to_target(Target::Network("nat-1".into(), PathKind::Nat));
    let Page::Network(NetworkPage::Path { id }) = &app.page().unwrap().page else { panic!() };
    assert!(id.contains("nat-1"), "{id}");
    assert_eq!(app.network_tab().look(), NetworkList::Live);
}
