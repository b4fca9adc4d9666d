//! `burntop units`: what one prediction, a thousand tokens or a run costs, and what moved it.

use std::io::Write;
use std::sync::Arc;

use super::args::UnitsArgs;
use super::budgets::Ready;
use super::settings;
use crate::analyze::teams::{BudgetPeriod, CountedUnit, unit_state};
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::report::{BillsOf, UnitsOf};
use crate::tabs::teams::picture::{UnitField, unit_rows};

/// Prints unit costs. Fails where none are configured, where no bill could be read, and where no counts could.
pub fn run(
    args: &UnitsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<UnitField>::of(invocation)?;
    let fail_on = invocation.options.fail_on.as_ref();
    fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
    let typed = invocation.config.teams.units();
    let is_demo = invocation.options.demo.is_some() && typed.is_empty();
    if typed.is_empty() && !is_demo {
        return Err(CliError::Usage(
            "no unit cost is configured: `[[units]]` in the configuration has name, filter and csv, prometheus or cloudwatch"
                .into(),
        ));
    }
    let ready = Ready::read(&args.of, BudgetPeriod::Monthly, invocation)?;
    let (units, troubles, remarks) =
        settings::counted_units(invocation, &ready.months, &ready.rules, ready.period);
    troubles.iter().chain(&remarks).for_each(tell);
    let exit = if troubles.is_empty() { ready.exit } else { Exit::Partial };
    let state = |(unit, counts): &CountedUnit| {
        unit_state(unit, counts, &ready.months, &ready.rules, ready.period)
    };
    let rows = unit_rows(units.iter().map(state).collect());
    let ctx = reports::context(invocation, env);
    let of = UnitsOf { bills: BillsOf { bills: ready.bills.clone(), ..BillsOf::default() } };
    let list = chosen.list(&rows, of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    let is_finding = |row: &&Arc<_>| -> bool {
        let row: &crate::tabs::teams::picture::UnitItem = row;
        row.of.is_above_target() == Some(true)
    };
    let findings = list.rows.iter().filter(is_finding).count();
    Ok(super::ended(&Found { findings, ..Found::default() }, invocation, exit))
}
