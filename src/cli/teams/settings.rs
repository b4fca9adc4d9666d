//! Rules, budgets and quotas of a run: those of the configuration, or the demo's.

use std::sync::Arc;

use super::demo;
use super::unit_counts::{Counted, unit_counts};
use crate::analyze::teams::{Budget, BudgetMonth, CountedUnit, Line, Quota, Rules, Running};
use crate::cli::invocation::Invocation;
use crate::domain::TypeSpec;
use crate::domain::bill::Month;
use crate::report::{MoneyFrom, PeopleOf};
use crate::source::catalogue;
use crate::tabs::teams::picture::PeopleItem;
use crate::tabs::teams::state::Told;

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

/// Unit costs with the counts of each day; of the demo its own where the configuration has none. Where counts cannot be read
/// there are none; a sentence says why, and which days have none.
pub fn units(
    invocation: &Invocation,
    months: &[BudgetMonth],
    rules: &Rules,
    period: Month,
) -> (Vec<CountedUnit>, Vec<String>) {
    let (units, mut troubles, remarks) = counted_units(invocation, months, rules, period);
    troubles.extend(remarks);
    (units, troubles)
}

/// The same, with what is to be said of counts that could be read.
pub(super) fn counted_units(
    invocation: &Invocation,
    months: &[BudgetMonth],
    rules: &Rules,
    period: Month,
) -> (Vec<CountedUnit>, Vec<String>, Vec<String>) {
    let typed = invocation.config.teams.units();
    if invocation.options.demo.is_some() && typed.is_empty() {
        return (demo::units(months, rules, period), Vec::new(), Vec::new());
    }
    let (mut units, mut troubles, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    for ((unit, _), read) in typed.iter().zip(unit_counts(&typed, period, invocation)) {
        let counted = read.unwrap_or_else(|error| {
            troubles.push(format!("{}: {error}", unit.name));
            Counted::default()
        });
        remarks.extend(counted.remark.map(|remark| format!("{}: {remark}", unit.name)));
        units.push((unit.clone(), counted.counts));
    }
    (units, troubles, remarks)
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
