//! Rules, budgets, quotas and unit costs of the demo. They are made of what it spends and runs, so that at any hour one
//! team is over its budget on the 19th and one is over its quota.

use std::sync::Arc;

use crate::analyze::teams::{
    Activity, Budget, BudgetMonth, BudgetPeriod, Counts, Limited, Mapping, MoneyFilter, MonthHours,
    People, Pool, Quota, Rules, Running, Split, Tool, Unit, spent_by_day,
};
use crate::domain::bill::{Month, Usd};

/// The account whose untagged lines are the data team's.
const DATA_ACCOUNT: &str = "777788889999";

/// The team that is over its budget, and the day of the month on which it is.
const OVER: (&str, usize) = ("nlp", 19);

/// Shares of what is expected that other budgets are, percent: name, filter, period, percent.
const OTHERS: [(&str, &str, BudgetPeriod, f64); 3] = [
    ("vision", "team=vision", BudgetPeriod::Monthly, 125.0),
    ("training", "category=training", BudgetPeriod::Monthly, 102.0),
    ("storage", "category=storage", BudgetPeriod::Quarterly, 110.0),
];

/// GPUs by which the quotas of some teams differ from what they run.
const QUOTAS: [(&str, f64); 3] = [("nlp", -8.0), ("speech", 8.0), ("vision", 32.0)];

/// The rules: untagged lines of one account are the data team's, the platform and support are shared.
pub(super) fn rules(base: Rules) -> Rules {
    let pool = |name: &str, filter: &str| {
        let filter = MoneyFilter::parse(filter).ok()?;
        Some(Pool { name: name.into(), filter, split: Split::BySpend, among: vec![] })
    };
    let pools = [("platform", "team=platform"), ("support", "charge=support")];
    let data =
        Mapping { team: "data".into(), account: Some(DATA_ACCOUNT.into()), name: None, tag: None };
    Rules {
        mappings: vec![data],
        pools: pools.iter().filter_map(|(name, filter)| pool(name, filter)).collect(),
        ..base
    }
}

/// Budgets in the period of a month.
pub(super) fn budgets(months: &[BudgetMonth], rules: &Rules, period: Month) -> Vec<Arc<Budget>> {
    let budget = |name: &str, filter: MoneyFilter, limit: f64, period| {
        let limit = Usd::from_f64((limit.max(1.0) * 100.0).round() / 100.0)?;
        let levels = vec![80.0, 95.0, 100.0];
        Some(Arc::new(Budget { name: name.into(), filter, limit, period, levels }))
    };
    let days = |filter: &MoneyFilter, length| spent_by_day(filter, length, months, rules, period);
    let mut all = Vec::new();
    if let Ok(filter) = MoneyFilter::parse(&format!("team={}", OVER.0)) {
        let (known, path) = days(&filter, BudgetPeriod::Monthly);
        let before: f64 = path.iter().take(OVER.1 - 1).sum();
        let half = path.get(OVER.1 - 1).copied().unwrap_or(0.0) / 2.0;
        all.extend(budget(OVER.0, filter, known + before + half, BudgetPeriod::Monthly));
    }
    for (name, filter, length, percent) in OTHERS {
        let Ok(filter) = MoneyFilter::parse(filter) else { continue };
        let (known, path) = days(&filter, length);
        let whole = known + path.iter().sum::<f64>();
        all.extend(budget(name, filter, whole * percent / 100.0, length));
    }
    all
}

/// Quotas beside what runs.
pub(super) fn quotas(running: &[Running]) -> Vec<Quota> {
    let of_team = |team: &str| {
        let is_of = |one: &&Running| one.team.as_deref() == Some(team);
        running.iter().filter(is_of).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for (team, more) in QUOTAS {
        let gpus: f64 = of_team(team).iter().filter_map(|one| one.gpus).sum();
        let limit = (gpus + more).max(0.0);
        all.push(Quota { team: team.into(), of: Limited::Gpus, instance_type: None, limit });
    }
    let is_p5 = |one: &&&Running| &*one.instance_type == "p5.48xlarge";
    all.push(Quota {
        team: "nlp".into(),
        of: Limited::Instances,
        instance_type: Some("p5.48xlarge".into()),
        limit: of_team("nlp").iter().filter(is_p5).count() as f64 + 1.0,
    });
    all
}

/// A unit cost of the demo.
struct PlantedUnit {
    name: &'static str,
    filter: &'static str,
    /// What is counted in one.
    per: f64,
    /// What one costs while as many are counted as are usual, US dollars.
    usual_usd: f64,
    /// How many are counted in the newest month, of the usual: they bear the same dollars.
    now: f64,
    target: Option<f64>,
}

/// A thousand predictions, dearer since fewer come, and a training run, cheaper since more run.
const UNITS: [PlantedUnit; 2] = [
    PlantedUnit {
        name: "thousand predictions",
        filter: "category=serving",
        per: 1000.0,
        usual_usd: 0.40,
        now: 0.78,
        target: Some(0.45),
    },
    PlantedUnit {
        name: "training run",
        filter: "category=training",
        per: 1.0,
        usual_usd: 60.0,
        now: 1.15,
        target: None,
    },
];

/// The unit costs, with counts that suit what was spent on each day.
pub(super) fn units(
    months: &[BudgetMonth],
    rules: &Rules,
    period: Month,
) -> Vec<(Arc<Unit>, Counts)> {
    let of = |planted: &PlantedUnit| {
        let filter = MoneyFilter::parse(planted.filter).ok()?;
        let mut counts = Counts::new();
        for back in 0..=1 {
            let month = period.plus(-back);
            let (_, days) = spent_by_day(&filter, BudgetPeriod::Monthly, months, rules, month);
            let share = if back == 0 { planted.now } else { 1.0 };
            for (day, usd) in (1..=month.days()).zip(days) {
                let usual = usd / planted.usual_usd * planted.per;
                counts.insert(month.day(day), (usual * share).round());
            }
        }
        let (name, per, target) = (planted.name.into(), planted.per, planted.target);
        Some((Arc::new(Unit { name, filter, per, target }), counts))
    };
    UNITS.iter().filter_map(of).collect()
}

/// Tools that the invented team keeps: name, licence a month, hours a month.
const TOOLS: [(&str, i64, f64); 3] = [
    ("metrics and dashboards", 1_200, 18.0),
    ("job scheduler", 0, 14.0),
    ("cost reports", 950, 6.0),
];

/// The invented team: four engineers with sixteen hours a week each, divided as the published example has it. Automation
/// would return a part of three activities and costs a subscription: it pays back after more than a year.
pub(super) fn people() -> People {
    let engineers = 4.0;
    let all = MonthHours::of_week(engineers, 16.0);
    let of = |activity: &Activity| (*activity, all.percent(activity.published_percent()));
    let tool = |(name, licence, hours): (&str, i64, f64)| Tool {
        name: name.into(),
        licence: Some(Usd::whole(licence)),
        hours: Some(MonthHours::of_month(hours)),
    };
    People {
        usd_per_hour: Some(Usd::whole(110)),
        engineers: Some(engineers),
        hours: Activity::ALL.iter().filter(|of| **of != Activity::Rest).map(of).collect(),
        is_published: true,
        tools: TOOLS.into_iter().map(tool).collect(),
        returned: vec![
            (Activity::Provisioning, 0.5),
            (Activity::Incidents, 0.2),
            (Activity::CostWork, 0.6),
        ],
        automation_once: Some(Usd::whole(90_000)),
        automation_monthly: Some(Usd::whole(2_500)),
    }
}
