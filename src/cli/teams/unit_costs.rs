//! Unit costs as the Overview shows them: of counts that cost nothing and keep nobody waiting.

use std::sync::Arc;

use super::unit_counts::of_file;
use super::{demo, settings};
use crate::analyze::bill::{BillSettings, countable};
use crate::analyze::teams::{BudgetMonth, Counts, Rules, Unit, budget_months, unit_state};
use crate::cache::Bills;
use crate::cli::invocation::Invocation;
use crate::config::CountSource;
use crate::domain::bill::{Bill, Month, NoCounts, UnitCost};

/// Most unit costs that are shown, the first ones.
const SHOWN: usize = 2;

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
    /// Those of a run; `None` where none are configured. The demo has its own.
    pub fn of(invocation: &Invocation) -> Option<Self> {
        let mut typed = invocation.config.teams.units();
        typed.truncate(SHOWN);
        let has_any = !typed.is_empty() || invocation.options.demo.is_some();
        has_any.then(|| Self {
            typed,
            rules: settings::rules(invocation),
            settings: crate::cli::bill::settings(invocation),
        })
    }

    /// By the bills that are kept; blocks until they are read. Empty where there is none, and where one cannot be read: that is
    /// said where bills are shown.
    pub fn kept(&self, bills: &Bills) -> Vec<UnitCost> {
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
        self.by(&months)
    }

    /// The months of some bills, which take far less memory than these.
    pub fn months(&self, bills: &[Arc<Bill>]) -> Vec<BudgetMonth> {
        budget_months(bills, &self.settings, &settings::gpus, false)
    }

    /// By these months, oldest first, in the last of them; reads files of counts.
    pub fn by(&self, months: &[BudgetMonth]) -> Vec<UnitCost> {
        let Some(month) = months.last().map(|of| of.month) else { return Vec::new() };
        if self.typed.is_empty() {
            let own = demo::units(months, &self.rules, month);
            return own
                .into_iter()
                .map(|(unit, counts)| self.cost(&unit, Ok(counts), months, month))
                .collect();
        }
        let counts = |source: &CountSource| match source {
            CountSource::Csv(path) => {
                of_file(path).map(|counted| counted.counts).map_err(|_| NoCounts::Unreadable)
            }
            CountSource::Prometheus { .. } | CountSource::CloudWatch { .. } => {
                Err(NoCounts::NotAsked)
            }
        };
        let typed = self.typed.iter();
        typed.map(|(unit, source)| self.cost(unit, counts(source), months, month)).collect()
    }

    fn cost(
        &self,
        unit: &Arc<Unit>,
        counts: Result<Counts, NoCounts>,
        months: &[BudgetMonth],
        month: Month,
    ) -> UnitCost {
        let no_counts = counts.as_ref().err().copied();
        let state = unit_state(unit, &counts.unwrap_or_default(), months, &self.rules, month);
        UnitCost {
            name: unit.name.clone(),
            period: month,
            days: state.now.days,
            usd_per_unit: state.usd_per_unit(),
            usd_before: state.before_per_unit(),
            target: unit.target,
            no_counts,
        }
    }
}
