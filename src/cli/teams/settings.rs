//! Rules, budgets and quotas of a run: those of the configuration, or the demo's.

use std::sync::Arc;

use super::demo;
use super::run_units::{self, RunsAsked};
use super::unit_counts::{Counted, unit_counts};
use crate::analyze::teams::{
    Budget, BudgetMonth, CountedUnit, Line, Quota, Rules, RunDays, Running, RunsBy, Unit, UnitDays,
};
use crate::cli::invocation::Invocation;
use crate::config::CountSource;
use crate::domain::TypeSpec;
use crate::domain::bill::Month;
use crate::report::{MoneyFrom, PeopleOf};
use crate::source::catalogue;
use crate::tabs::teams::picture::PeopleItem;
use crate::tabs::teams::state::{RunUnits, Told};

/// Rules by which dollars are allocated; of the demo its own where the configuration has none.
pub fn rules(invocation: &Invocation) -> Rules {
    let config = &invocation.config;
    let rules = config.teams.rules(&config.tag_keys);
    let is_demo = invocation.options.demo.is_some() && config.teams.has_no_rules();
    if is_demo { demo::rules(rules) } else { rules }
}

/// Quotas; of the demo such as suit what runs there, where the configuration has none.
pub fn quotas(invocation: &Invocation, running: &[Running]) -> Vec<Quota> {
    let quotas = invocation.config.teams.quotas();
    let is_demo = invocation.options.demo.is_some() && quotas.is_empty();
    if is_demo { demo::quotas(running) } else { quotas }
}

/// Budgets; of the demo such as suit its bill, where the configuration has none.
pub fn budgets(
    invocation: &Invocation,
    months: &[BudgetMonth],
    rules: &Rules,
    period: Month,
) -> Vec<Arc<Budget>> {
    let budgets = invocation.config.teams.budgets();
    let is_demo = invocation.options.demo.is_some() && budgets.is_empty();
    if is_demo { demo::budgets(months, rules, period) } else { budgets }
}

/// Unit costs with the counts of each day; of the demo its own where the configuration has none. With `by` those of jobs alone, a row
/// each. Where counts cannot be read there are none; a sentence says why, and which days have none.
pub fn units(
    invocation: &Invocation,
    months: &[BudgetMonth],
    rules: &Rules,
    period: Month,
    by: Option<RunsBy>,
) -> (Vec<CountedUnit>, Vec<String>) {
    let runs = runs(invocation, by);
    if by.is_some() {
        return (of_jobs(runs.0), runs.1);
    }
    let (units, mut troubles, remarks) = counted_units(invocation, months, rules, period, runs);
    troubles.extend(remarks);
    (units, troubles)
}

/// The same with [`runs`] that were read already, and with what is to be said of counts that could be read.
pub(super) fn counted_units(
    invocation: &Invocation,
    months: &[BudgetMonth],
    rules: &Rules,
    period: Month,
    (runs, amiss): Runs,
) -> (Vec<CountedUnit>, Vec<String>, Vec<String>) {
    let typed = invocation.config.teams.units();
    let mut units: Vec<CountedUnit> = Vec::new();
    let (mut troubles, mut remarks) = (Vec::new(), Vec::new());
    if invocation.options.demo.is_some() && typed.is_empty() {
        let made = demo::units(months, rules, period).into_iter();
        units.extend(made.map(|(unit, counts)| (unit, counts.into())));
    }
    let is_of_jobs =
        |(_, source): &&(Arc<Unit>, CountSource)| matches!(source, CountSource::Jobs(_));
    let counted: Vec<_> = typed.iter().filter(|one| !is_of_jobs(one)).cloned().collect();
    for ((unit, _), read) in counted.iter().zip(unit_counts(&counted, period, invocation)) {
        let counted = read.unwrap_or_else(|error| {
            troubles.push(format!("{}: {error}", unit.name));
            Counted::default()
        });
        remarks.extend(counted.remark.map(|remark| format!("{}: {remark}", unit.name)));
        units.push((unit.clone(), counted.counts.into()));
    }
    units.extend(of_jobs(runs));
    troubles.extend(amiss);
    // As they are configured; what nothing names comes last.
    let place = |(unit, _): &CountedUnit| {
        typed.iter().position(|(of, _)| of.name == unit.name).unwrap_or(usize::MAX)
    };
    units.sort_by_key(place);
    (units, troubles, remarks)
}

/// Unit costs of runs, by the jobs that are kept, and what is amiss with these.
pub(super) type Runs = (Vec<(Arc<Unit>, RunDays)>, Vec<String>);

/// Runs as unit costs.
pub(super) fn of_jobs(runs: Vec<(Arc<Unit>, RunDays)>) -> Vec<CountedUnit> {
    runs.into_iter().map(|(unit, days)| (unit, UnitDays::Runs(days))).collect()
}

/// Reads [`Runs`], by team, project or user where that is asked: all jobs that are kept are costed.
pub(super) fn runs(invocation: &Invocation, by: Option<RunsBy>) -> Runs {
    let typed = invocation.config.teams.units();
    let is_named = typed.iter().any(|(_, source)| matches!(source, CountSource::Jobs(_)));
    // A tape has no jobs, and a run of this host alone shows nobody else's.
    let options = &invocation.options;
    let is_kept = options.demo.is_some() || !options.no_cache;
    if !is_named && (options.tape.is_some() || options.this_host || !is_kept) {
        return (Vec::new(), Vec::new());
    }
    let asked = RunsAsked { is_named, by, at_most: u64::MAX };
    run_units::days(&run_units::of(&typed), asked, invocation)
}

/// Unit costs of jobs alone, for where no bill is kept.
pub fn units_of_jobs(invocation: &Invocation, by: Option<RunsBy>) -> RunUnits {
    let (found, troubles) = runs(invocation, by);
    let month = run_units::newest_month(&found);
    (of_jobs(found), troubles, month)
}

/// What people and tools cost beside lines, and the command that calculates the total cost; `None` where none are configured.
/// The demo has its own where the configuration has none.
pub fn people(
    invocation: &Invocation,
    lines: &[Line],
    from: MoneyFrom,
) -> Option<(Told<PeopleItem, PeopleOf>, String)> {
    let people = super::people::configured(invocation)?;
    let (told, filled) = super::people::beside(&people, lines, from);
    Some((told, filled.command()))
}

/// GPUs of an instance type, by the embedded catalogue; SageMaker's names have `ml.` before them.
pub fn gpus(name: &str) -> Option<f64> {
    catalogue::type_spec(name.strip_prefix("ml.").unwrap_or(name)).map(TypeSpec::gpus)
}
