//! `burntop units`: what one prediction, a thousand tokens or a run costs, and what moved it.

use std::io::Write;
use std::sync::Arc;

use super::args::UnitsArgs;
use super::budgets::Ready;
use super::{run_units, settings};
use crate::analyze::teams::{BudgetPeriod, CountedUnit, RunsBy, state_of};
use crate::cli::bill::args::OfArgs;
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::{CountSource, Env};
use crate::domain::bill::BillHead;
use crate::report::{BillsOf, UnitsOf};
use crate::tabs::teams::picture::{UnitField, UnitItem, unit_rows};

/// Said where there is nothing to show.
const UNCONFIGURED: &str = "no unit cost is configured: `[[units]]` in the configuration has name, filter and csv, prometheus, \
                            cloudwatch or jobs; and no run of a job on GPUs is kept that completed";

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
    let UnitsRead { rows, bills, said, exit } = read(&args.of, args.by, invocation)?;
    said.iter().for_each(tell);
    let ctx = reports::context(invocation, env);
    // What jobs cost is none of a bill.
    let bills = if args.by.is_some() { Vec::new() } else { bills };
    let of = UnitsOf { bills: BillsOf { bills, ..BillsOf::default() } };
    let list = chosen.list(&rows, of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    let is_finding = |row: &&Arc<_>| -> bool {
        let row: &UnitItem = row;
        row.of.is_above_target() == Some(true)
    };
    let findings = list.rows.iter().filter(is_finding).count();
    Ok(super::ended(&Found { findings, ..Found::default() }, invocation, exit))
}

/// Rows of unit costs.
type UnitRows = Arc<[Arc<UnitItem>]>;

/// Unit costs of a month.
struct UnitsRead {
    rows: UnitRows,
    /// Bills that they are of.
    bills: Vec<BillHead>,
    /// What could not be read, and what is odd, one sentence each.
    said: Vec<String>,
    /// How the run ends, if nothing else is amiss.
    exit: Exit,
}

/// Unit costs of the newest bill, as `burntop units` lists them, and [`Exit::Partial`] where some counts or bills could not be read,
/// which is said. Fails like [`run`].
pub(in crate::cli) fn listed(invocation: &Invocation) -> Result<(UnitRows, Exit), CliError> {
    let UnitsRead { rows, said, exit, .. } = read(&OfArgs::default(), None, invocation)?;
    said.iter().for_each(tell);
    Ok((rows, exit))
}

fn read(of: &OfArgs, by: Option<RunsBy>, invocation: &Invocation) -> Result<UnitsRead, CliError> {
    let typed = invocation.config.teams.units();
    let has_counts = typed.iter().any(|(_, source)| !matches!(source, CountSource::Jobs(_)));
    let needs_bill = by.is_none() && (has_counts || invocation.options.demo.is_some());
    let read = match Ready::read(of, BudgetPeriod::Monthly, invocation) {
        Err(error) if needs_bill => return Err(error),
        read => read,
    };
    let runs = settings::runs(invocation, by);
    let ready = match read {
        Ok(ready) => ready,
        // Runs of jobs need no bill.
        Err(error) => {
            let newest = run_units::newest_month(&runs.0);
            let month = newest.map(|newest| of.period.unwrap_or(newest));
            match month.filter(|month| Some(*month) <= newest) {
                Some(month) => Ready::without_bill(month, invocation),
                None if newest.is_some() => return Err(error),
                None if typed.is_empty() => return Err(CliError::Usage(UNCONFIGURED.into())),
                None => {
                    let message = "no jobs are kept: `burntop jobs` reads them".to_owned();
                    return Err(CliError::Failed { exit: Exit::Unreadable, message });
                }
            }
        }
    };
    let (units, mut said, remarks) = if by.is_some() {
        (settings::of_jobs(runs.0), runs.1, Vec::new())
    } else {
        settings::counted_units(invocation, &ready.months, &ready.rules, ready.period, runs)
    };
    let exit = if said.is_empty() { ready.exit } else { Exit::Partial };
    said.extend(remarks);
    let state = |of: &CountedUnit| state_of(of, &ready.months, &ready.rules, ready.period);
    // Of a team, project or user only where it ran something.
    let states = units.iter().map(state).filter(|of| by.is_none() || !of.is_of_nothing());
    let rows = unit_rows(states.collect());
    if units.is_empty() && typed.is_empty() {
        return Err(CliError::Usage(UNCONFIGURED.into()));
    }
    Ok(UnitsRead { rows, bills: ready.bills, said, exit })
}
