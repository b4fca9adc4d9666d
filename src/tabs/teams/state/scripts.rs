//! What keys do on the Teams tab, step by step.

use std::sync::Arc;

use super::answer::TeamsTold;
use super::fixture::{app, go, told_beside, without_a_bill};
use super::{AwsBudgetsShown, TeamsList, TeamsPage, rows_of};
use crate::analyze::bill::reconcile::LiveBurn;
use crate::analyze::bill::{BillSettings, Measured};
use crate::analyze::teams::{
    Dimension, MoneyFilter, RunCount, RunDays, RunDollars, RunFilter, RunRule, RunsBy, Unit,
    UnitDays,
};
use crate::app::fixture::press;
use crate::app::{App, BillsAnswer, BillsQuestion, Effect, Msg, Page};
use crate::domain::TagKeys;
use crate::domain::aws_budget::AwsBudget;
use crate::domain::bill::{Bill, Month, Usd};
use crate::tabs::bill::picture::BillBooks;
use crate::tabs::bill::picture::fixture::bills;
use crate::tabs::bill::state::fixture::answer;
use crate::tabs::storage::state::fixture::init;
use crate::tabs::teams::picture::{
    BudgetStanding, QuotaStanding, TeamsQuestion, TeamsView, aws_budget_rows,
};
use crate::ui::golden::screen;

const SIZE: (u16, u16) = (120, 40);

fn asks(effects: &[Effect]) -> usize {
    let is_ours = |effect: &&Effect| matches!(effect, Effect::ReadBills(BillsQuestion::Teams(_)));
    effects.iter().filter(is_ours).count()
}

fn period(app: &App) -> String {
    app.teams().unwrap().period.unwrap().to_string()
}

#[test]
fn the_rows_of_each_dimension_are_the_bill_to_the_last_digit() {
    let mut app = app(SIZE);
    let month = app.teams().unwrap().period.unwrap();
    let total: Usd = bills()
        .iter()
        .filter(|bill| bill.head.period == month)
        .map(|bill| bill.head.total.effective)
        .sum();
    for by in Dimension::ALL {
        assert_eq!(app.teams_tab().by(), by);
        let rows = rows_of(app.teams_tab().rows().allocation.as_ref());
        assert!(!rows.is_empty());
        assert_eq!(rows.iter().map(|row| row.of.usd()).sum::<Usd>(), total, "{by:?}");
        go(&mut app, &["b"]);
    }
    assert_eq!(app.teams_tab().by(), Dimension::Team, "round and round");
}

#[test]
fn lists_and_periods_turn_and_end() {
    let mut app = app(SIZE);
    let newest = period(&app);
    for list in TeamsList::ALL.into_iter().skip(1) {
        go(&mut app, &["o"]);
        assert_eq!(app.teams_tab().look(), list);
        assert!(app.teams_rows_on_screen() > 0, "{list:?}");
    }
    go(&mut app, &["O", "["]);
    assert_eq!(app.notice().unwrap().text, "what runs is of now, and has no months");
    go(&mut app, &["<esc>"]);
    assert_eq!(app.teams_tab().look(), TeamsList::Teams);
    go(&mut app, &["["]);
    assert!(period(&app) < newest);
    go(&mut app, &["[", "["]);
    assert_eq!(app.notice().unwrap().text, "no earlier bill is kept");
    let back = format!(":period {newest}<enter>");
    go(&mut app, &[&back]);
    assert_eq!((period(&app), app.tab().title()), (newest, "Teams"));
    go(&mut app, &[":teams budgets<enter>"]);
    assert_eq!(app.teams_tab().look(), TeamsList::Budgets);
    go(&mut app, &[":teams project<enter>"]);
    let tab = app.teams_tab();
    assert_eq!((tab.look(), tab.by()), (TeamsList::Teams, Dimension::Project));
    go(&mut app, &[":teams bugdets<enter>"]);
    let text = screen(&mut app);
    assert!(text.contains("did you mean `budgets`?"), "{text}");
}

#[test]
fn unit_costs_turn_from_all_to_those_of_each_team_project_and_user() {
    let mut app = app(SIZE);
    go(&mut app, &[":teams units<enter>"]);
    assert_eq!(app.teams_tab().units_by(), None);
    for by in RunsBy::ALL {
        let effects = press(&mut app, "b");
        let [Effect::ReadBills(BillsQuestion::Teams(question))] = &effects[..] else {
            panic!("{effects:?}")
        };
        assert_eq!(question.view, TeamsView::Units(Some(by)));
        answer(&mut app, &effects, &bills());
        assert_eq!(app.teams_tab().look(), TeamsList::Units);
    }
    go(&mut app, &["b"]);
    let tab = app.teams_tab();
    assert_eq!((tab.units_by(), tab.by()), (None, Dimension::Team));
}

#[test]
fn what_is_over_says_so_on_its_page() {
    let mut app = app(SIZE);
    go(&mut app, &[":teams budgets<enter>"]);
    let standings: Vec<BudgetStanding> =
        rows_of(app.teams_tab().rows().budgets.as_ref()).iter().map(|row| row.standing()).collect();
    assert_eq!(standings[0], BudgetStanding::Over);
    assert_eq!(standings[2], BudgetStanding::Fine);
    go(&mut app, &["<enter>"]);
    let text = screen(&mut app);
    assert!(text.contains("Exceeds its budget nlp of $10,000"), "{text}");
    go(&mut app, &["<right>"]);
    let Page::Teams(TeamsPage::Row { list, id }) = &app.page().unwrap().page else { panic!() };
    assert_eq!((*list, &**id), (TeamsList::Budgets, "vision"));
    go(&mut app, &["<esc>", ":teams quotas<enter>"]);
    let quotas = rows_of(app.teams_tab().rows().quotas.as_ref());
    assert_eq!(quotas[0].standing(), QuotaStanding::Over);
    assert_ne!(quotas[1].standing(), QuotaStanding::Over);
}

#[test]
fn a_resource_without_tags_copies_the_command_that_tags_it() {
    let mut app = app(SIZE);
    go(&mut app, &[":teams tags<enter>", "/i-0a<enter>"]);
    let [Effect::Copy(text)] = &press(&mut app, "y")[..] else { panic!() };
    assert!(text.starts_with("aws ec2 create-tags") && text.contains("i-0a"), "{text}");
    let [Effect::CopyRows(picture)] = &press(&mut app, "Y")[..] else { panic!() };
    assert_eq!(picture.view(), "teams-tags");
}

#[test]
fn people_copy_the_command_that_calculates_the_total_cost() {
    let mut app = app(SIZE);
    go(&mut app, &[":teams people<enter>"]);
    for keys in ["", "<enter>"] {
        press(&mut app, keys);
        let [Effect::Copy(text)] = &press(&mut app, "y")[..] else { panic!() };
        assert_eq!(text, "burntop whatif tco engineers=2");
    }
}

#[test]
fn each_list_is_exported_as_the_report_of_its_subcommand() {
    let mut app = app(SIZE);
    for view in ["teams", "teams-tags", "budgets", "units", "quotas", "people"] {
        let effects = press(&mut app, ":export csv x<enter>");
        let [.., Effect::Export { picture, .. }] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(picture.view(), view);
        go(&mut app, &["o"]);
    }
}

#[test]
fn what_rests_on_the_bill_is_asked_once_and_what_runs_with_each_fleet() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "jk"), []);
    assert_eq!(asks(&press(&mut app, "3")), 0);
    let again = press(&mut app, "6");
    assert_eq!(asks(&again), 1);
    answer(&mut app, &again, &bills());
    assert_eq!(asks(&press(&mut app, "r")), 1);
    let mut next = crate::view::fixture::fleet();
    next.version = 1_000;
    assert_eq!(asks(&app.update(Msg::Fleet(next.clone().into()))), 0, "bills are as they were");
    go(&mut app, &[":teams quotas<enter>"]);
    next.version = 1_001;
    assert_eq!(asks(&app.update(Msg::Fleet(next.into()))), 1);
}

#[test]
fn without_a_bill_dollars_are_of_what_runs_and_budgets_say_how_to_get_one() {
    let mut app = without_a_bill(init(SIZE));
    assert!(app.teams_rows_on_screen() > 0);
    let [.., Effect::Export { picture, .. }] = &press(&mut app, ":export json x<enter>")[..] else {
        panic!()
    };
    assert_eq!(picture.view(), "teams");
    let effects = press(&mut app, ":teams budgets<enter>");
    answer(&mut app, &effects, &[]);
    app.prepare();
    assert_eq!(app.teams_rows_on_screen(), 0);
    let text = screen(&mut app);
    assert!(text.contains("burntop bill import"), "{text}");
}

#[test]
fn with_trouble_no_key_does_harm() {
    for told in [Err("bills.db cannot be read".to_owned()), Ok(())] {
        let mut app = App::new(init(SIZE));
        let effects = press(&mut app, "6");
        let [Effect::ReadBills(BillsQuestion::Teams(question))] = &effects[..] else {
            panic!("{effects:?}")
        };
        match told {
            Err(why) => drop(app.update(Msg::Bills(BillsAnswer::Teams(*question, Err(why))))),
            Ok(()) => answer(&mut app, &effects, &[]),
        }
        for key in [
            "<enter>", "<esc>", "b", "o", "O", "[", "]", "i", "y", "Y", "e", "/", "<esc>", "s", "c",
        ] {
            press(&mut app, key);
            app.prepare();
        }
    }
}

#[test]
fn budgets_of_aws_stand_below_those_of_bills_and_need_none_as_runs_of_jobs() {
    let budget = AwsBudget {
        name: "all".into(),
        is_quarterly: false,
        limit: Usd::whole(100),
        spent: Usd::whole(120),
        forecast: None,
        filter: String::new(),
    };
    let now = "2026-01-14T09:00:00Z".parse().unwrap();
    let shown = AwsBudgetsShown {
        rows: aws_budget_rows(&"123456789012".into(), &[budget], now),
        denied: vec!["prod".into()],
        troubles: vec!["AWS Budgets of dev: no answer within 10s".into()],
    };
    let unit = Unit {
        name: "run".into(),
        filter: MoneyFilter::parse("").unwrap(),
        per: 1.0,
        target: None,
    };
    let (filter, dollars) = (RunFilter::ALL, RunDollars::Paid);
    let days = RunDays::none(RunRule { filter, dollars, count: RunCount::Completed });
    let units = vec![(Arc::new(unit), UnitDays::Runs(days))];
    let settings = BillSettings::new(&TagKeys::default(), Vec::new(), Vec::new());
    let ask = |bills: &[Arc<Bill>], view| {
        let heads: Vec<_> = bills.iter().map(|bill| bill.head.clone()).collect();
        let measured = Measured::default();
        let live = LiveBurn { days: &[], scopes: &[], is_discounted: false };
        let books =
            BillBooks { heads: &heads, bills, settings: &settings, measured: &measured, live };
        let question = TeamsQuestion { view, period: None, fleet: None };
        let month = Some(Month::at(now));
        let runs = |_| (units.clone(), Vec::new(), month);
        told_beside(&books, None, question, &|| Some(shown.clone()), &runs)
    };
    for bills in [bills(), Vec::new()] {
        let found = ask(&bills, TeamsView::Budgets);
        assert_eq!(found.unreadable, shown.troubles);
        let Some(TeamsTold::Budgets(told)) = found.told else { panic!("no budgets") };
        let own = told.rows.iter().filter(|row| row.aws.is_none()).count();
        assert_eq!((own > 0, told.rows.len() - own), (!bills.is_empty(), 1));
        assert!(told.of.has_aws && told.of.denied == shown.denied);
        assert_eq!(told.rows.last().unwrap().standing(), BudgetStanding::Over);
    }
    let found = ask(&[], TeamsView::Units(None));
    let Some(TeamsTold::Units(told)) = found.told else { panic!("no unit costs") };
    let names: Vec<&str> = told.rows.iter().map(|row| &*row.id).collect();
    assert_eq!((names, told.rows[0].of.usd_per_unit()), (vec!["run"], None));
}
