//! Unit costs as the Overview shows them: of counts that cost nothing and keep nobody waiting, and of those that are kept.

use std::sync::Arc;

use jiff::Timestamp;
use tokio::runtime::Handle;

use super::run_units::{self, RunsAsked, WITH_FAILED};
use super::unit_counts::{kept_counts, of_file};
use super::{demo, settings};
use crate::analyze::bill::{BillSettings, countable};
use crate::analyze::teams::{
    BudgetMonth, CountedUnit, Counts, Rules, Unit, UnitDays, budget_months, state_of,
};
use crate::cache::{Bills, Cache};
use crate::cli::invocation::Invocation;
use crate::config::CountSource;
use crate::domain::bill::{Bill, Month, NoCounts, UnitCost};

/// Most unit costs that are shown, the first ones.
const SHOWN: usize = 2;

/// Most attempts of jobs of which the cost of a run is made for the Overview; of more `burntop units` tells it.
const ATTEMPTS_AT_MOST: u64 = 20_000;

/// Counts that were asked for and are kept.
#[derive(Clone, Copy)]
pub struct KeptCounts<'a> {
    /// Where they are kept.
    pub cache: &'a Cache,
    /// Runs what waits for the cache.
    pub on: &'a Handle,
    /// Now.
    pub now: Timestamp,
}

/// Months of bills that they rest on: the newest, and the one before it.
pub const UNIT_MONTHS: i32 = 2;

/// What unit costs are made of, beside the bills.
pub struct UnitCosts {
    /// Those of the configuration; empty for the demo's own.
    typed: Vec<(Arc<Unit>, CountSource)>,
    rules: Rules,
    settings: BillSettings,
}

impl UnitCosts {
    /// Those of a run that divide a bill; `None` where none are configured. The demo has its own.
    pub fn of(invocation: &Invocation) -> Option<Self> {
        let mut typed = invocation.config.teams.units();
        typed.truncate(SHOWN);
        typed.retain(|(_, source)| !matches!(source, CountSource::Jobs(_)));
        let is_demo = invocation.options.demo.is_some();
        let has_any = !typed.is_empty() || (is_demo && invocation.config.teams.units().is_empty());
        has_any.then(|| Self {
            typed,
            rules: settings::rules(invocation),
            settings: crate::cli::bill::settings(invocation),
        })
    }

    /// By the bills that are kept; blocks until they are read. Empty where there is none, and where one cannot be read: that is
    /// said where bills are shown.
    pub fn kept(&self, bills: &Bills, counts: KeptCounts<'_>) -> Vec<UnitCost> {
        let Ok(kept) = bills.heads() else { return Vec::new() };
        let Ok(found) = countable(&kept.heads, &[], &self.settings, None) else {
            return Vec::new();
        };
        let heads = found.heads;
        let Some(newest) = heads.iter().map(|head| head.period).max() else { return Vec::new() };
        let mut months = Vec::new();
        for back in (0..UNIT_MONTHS).rev() {
            let of_month = heads.iter().filter(|head| newest.since(head.period) == back);
            let read = of_month.map(|head| bills.bill(&head.export, head.period).map(Arc::new));
            let read: Result<Vec<Arc<Bill>>, _> = read.collect();
            let Ok(read) = read else { return Vec::new() };
            months.extend(self.months(&read));
        }
        self.by(&months, Some(counts))
    }

    /// The months of some bills, which take far less memory than these.
    pub fn months(&self, bills: &[Arc<Bill>]) -> Vec<BudgetMonth> {
        budget_months(bills, &self.settings, &settings::gpus, false)
    }

    /// By these months, oldest first, in the last of them; reads files of counts, and of others what is kept in `kept`.
    pub fn by(&self, months: &[BudgetMonth], kept: Option<KeptCounts<'_>>) -> Vec<UnitCost> {
        let Some(month) = months.last().map(|of| of.month) else { return Vec::new() };
        if self.typed.is_empty() {
            let own = demo::units(months, &self.rules, month);
            return own
                .into_iter()
                .map(|(unit, counts)| self.cost(unit, Ok(counts), months, month))
                .collect();
        }
        let counts = |source: &CountSource| match source {
            CountSource::Csv(path) => {
                of_file(path).map(|counted| counted.counts).map_err(|_| NoCounts::Unreadable)
            }
            _ => {
                let found = kept.and_then(|KeptCounts { cache, on, now }| {
                    on.block_on(kept_counts(cache, source, month, now))
                });
                found.ok_or(NoCounts::NotAsked)
            }
        };
        let typed = self.typed.iter();
        typed.map(|(unit, source)| self.cost(unit.clone(), counts(source), months, month)).collect()
    }

    fn cost(
        &self,
        unit: Arc<Unit>,
        counts: Result<Counts, NoCounts>,
        months: &[BudgetMonth],
        month: Month,
    ) -> UnitCost {
        let no_counts = counts.as_ref().err().copied();
        let counted: CountedUnit = (unit, counts.unwrap_or_default().into());
        cost(&counted, no_counts, months, &self.rules, month)
    }
}

/// A unit cost as the Overview has it.
fn cost(
    counted: &CountedUnit,
    no_counts: Option<NoCounts>,
    months: &[BudgetMonth],
    rules: &Rules,
    month: Month,
) -> UnitCost {
    let state = state_of(counted, months, rules, month);
    UnitCost {
        name: counted.0.name.clone(),
        period: month,
        days: state.now.days,
        usd_per_unit: state.usd_per_unit(),
        bound: state.bound(),
        usd_before: state.before_per_unit(),
        target: counted.0.target,
        no_counts,
        is_of_jobs: state.runs.is_some(),
    }
}

/// What runs cost by the jobs that are kept, in the month of the newest day that is known: those among the first unit costs of the
/// configuration; where it names none at all, a run on GPUs with what failed. Blocks until the jobs are read. Empty where none
/// are kept; of too many for a cockpit it is said that nobody asked.
pub fn run_costs(invocation: &Invocation, kept: KeptCounts<'_>) -> Vec<UnitCost> {
    let KeptCounts { cache, on, now } = kept;
    let typed = invocation.config.teams.units();
    let is_run = |source: &CountSource| matches!(source, CountSource::Jobs(_));
    let is_named = typed.iter().any(|(_, source)| is_run(source));
    let mut units = run_units::of(&typed);
    if is_named {
        let first = typed.iter().take(SHOWN);
        let names: Vec<&str> =
            first.filter(|(_, source)| is_run(source)).map(|(unit, _)| &*unit.name).collect();
        units.retain(|(unit, _)| names.contains(&&*unit.name));
    } else {
        // What failed is paid as well.
        units.retain(|(unit, _)| *unit.name == *WITH_FAILED);
    }
    let asked = RunsAsked { is_named, by: None, at_most: ATTEMPTS_AT_MOST };
    let read = run_units::read(&units, asked, invocation, cache);
    // What cannot be read is said where jobs are shown.
    let (found, _) = on.block_on(read);
    let month = run_units::newest_month(&found);
    let no_counts = month.is_none().then_some(NoCounts::NotAsked);
    let month = month.unwrap_or_else(|| Month::at(now));
    let of = |(unit, days)| {
        cost(&(unit, UnitDays::Runs(days)), no_counts, &[], &Rules::default(), month)
    };
    found.into_iter().map(of).collect()
}
