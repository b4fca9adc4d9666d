//! A cockpit over the dollars of teams, for tests.

use std::sync::Arc;

use super::{AwsBudgetsShown, RunUnits, TeamsBooks, TeamsPicture, Told};
use crate::analyze::teams::{
    Activity, Budget, BudgetPeriod, Counts, Limited, Line, MoneyFilter, MonthHours, People, Pool,
    Quota, Rules, RunsBy, Split, Unit, efforts,
};
use crate::app::fixture::press;
use crate::app::{App, AppInit, Msg};
use crate::domain::TagKeys;
use crate::domain::bill::Usd;
use crate::fleet::Fleet;
use crate::report::{MoneyFrom, PeopleOf};
use crate::tabs::bill::picture::BillBooks;
use crate::tabs::bill::picture::fixture::bills;
use crate::tabs::bill::state::fixture::answer;
use crate::tabs::storage::state::fixture::init;
use crate::tabs::teams::picture::{PeopleItem, TeamsQuestion, people_rows};
use crate::view::fixture::fleet;

fn filter(text: &str) -> MoneyFilter {
    MoneyFilter::parse(text).unwrap()
}

fn rules() -> Rules {
    let shared = Pool {
        name: "storage".into(),
        filter: filter("category=storage"),
        split: Split::BySpend,
        among: Vec::new(),
    };
    Rules {
        pools: vec![shared],
        required: vec!["team".into(), "project".into()],
        ..Rules::new(&TagKeys::default(), &[])
    }
}

fn budget(name: &str, what: &str, limit: i64, period: BudgetPeriod) -> Arc<Budget> {
    let levels = vec![80.0, 95.0, 100.0];
    let (filter, limit) = (filter(what), Usd::whole(limit));
    Arc::new(Budget { name: name.into(), filter, limit, period, levels })
}

/// One that is over, one that will be, and one that lasts.
pub fn budgets() -> Vec<Arc<Budget>> {
    vec![
        budget("nlp", "team=nlp", 10_000, BudgetPeriod::Monthly),
        budget("vision", "team=vision", 11_000, BudgetPeriod::Monthly),
        budget("all", "", 500_000, BudgetPeriod::Quarterly),
    ]
}

fn quota(team: &str, of: Limited, instance_type: Option<&str>, limit: f64) -> Quota {
    Quota { team: team.into(), of, instance_type: instance_type.map(Into::into), limit }
}

/// Two engineers of eight hours a week, and a tool.
fn people(lines: &[Line], from: MoneyFrom) -> Told<PeopleItem, PeopleOf> {
    let hours = MonthHours::of_week(2.0, 8.0);
    let people = People {
        engineers: Some(2.0),
        usd_per_hour: Some(Usd::whole(100)),
        hours: vec![(Activity::Incidents, hours.percent(75)), (Activity::Rest, hours.percent(25))],
        ..People::default()
    };
    let efforts = efforts(&people);
    let rows = people_rows(&efforts);
    let bill = lines.iter().map(|line| line.usd).sum();
    Told { rows, of: PeopleOf { from, bill, efforts, is_published: false } }
}

/// What bills and fleet answer, by rules, budgets and quotas of which some are broken.
pub fn told(
    books: &BillBooks<'_>,
    of: Option<&Arc<Fleet>>,
    question: TeamsQuestion,
) -> TeamsPicture {
    told_beside(books, of, question, &|| None, &|_| (Vec::new(), Vec::new(), None))
}

/// The same beside what AWS Budgets has, and what runs of jobs cost.
pub fn told_beside(
    books: &BillBooks<'_>,
    of: Option<&Arc<Fleet>>,
    question: TeamsQuestion,
    aws_budgets: &dyn Fn() -> Option<AwsBudgetsShown>,
    runs: &dyn Fn(Option<RunsBy>) -> RunUnits,
) -> TeamsPicture {
    let rules = rules();
    let unit = Arc::new(Unit {
        name: "thousand answers".into(),
        filter: filter("category=serving"),
        per: 1_000.0,
        target: Some(0.05),
    });
    let counts: Counts = books
        .periods()
        .into_iter()
        .flat_map(|month| (1..=month.days()).map(move |day| (month.day(day), 1_000_000.0)))
        .collect();
    TeamsPicture::of(
        &TeamsBooks {
            books,
            fleet: of,
            rules: &rules,
            gpus: &|name| name.contains("p5").then_some(8.0),
            budgets: &budgets(),
            made: None,
            aws_budgets,
            runs,
            units: &|_, _, _| (vec![(unit.clone(), counts.clone().into())], Vec::new()),
            quotas: &|running| {
                let team = running.iter().find_map(|one| one.team.clone());
                let team = team.as_deref().unwrap_or("nobody");
                vec![
                    quota(team, Limited::Gpus, None, 1.0),
                    quota("vision", Limited::Instances, Some("p5.48xlarge"), 4.0),
                ]
            },
            people: &|lines, from| {
                Some((people(lines, from), "burntop whatif tco engineers=2".into()))
            },
        },
        question,
    )
}

/// Presses keys, each answered before the next.
pub fn go(app: &mut App, keys: &[&str]) {
    for keys in keys {
        let effects = press(app, keys);
        answer(app, &effects, &bills());
        app.prepare();
    }
}

/// A cockpit of `init` on the Teams tab, over bills and a fleet.
pub fn on_teams(init: AppInit) -> App {
    let mut app = App::new(init);
    app.update(Msg::Fleet(Arc::new(fleet())));
    go(&mut app, &["6"]);
    app
}

/// The same without a bill.
pub fn without_a_bill(init: AppInit) -> App {
    let mut app = App::new(init);
    app.update(Msg::Fleet(Arc::new(fleet())));
    for keys in ["6", ""] {
        let effects = press(&mut app, keys);
        answer(&mut app, &effects, &[]);
    }
    app.prepare();
    app
}

/// A cockpit over bills, of a size.
pub fn app(size: (u16, u16)) -> App {
    on_teams(init(size))
}
