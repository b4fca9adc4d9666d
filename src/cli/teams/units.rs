//! `burntop units`: what one prediction, a thousand tokens or a run costs, and what moved it.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::args::BudgetsArgs;
use super::budgets::Ready;
use super::settings;
use crate::analyze::teams::{BudgetPeriod, Counts, Unit, counts, unit_state};
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::tell::tell;
use crate::cli::{named_file, reports};
use crate::config::Env;
use crate::report::{BillsOf, UnitsOf};
use crate::tabs::teams::picture::{UnitField, unit_rows};

/// Bytes of a file of counts at most: two years of days in a thousand series.
const BYTES_AT_MOST: u64 = 32 << 20;

/// Prints unit costs. Fails where none are configured, where no bill could be read, and where no counts could.
pub fn run(
    args: &BudgetsArgs,
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
            "no unit cost is configured: `[[units]]` in the configuration has name, filter and csv"
                .into(),
        ));
    }
    let ready = Ready::read(&args.of, BudgetPeriod::Monthly, invocation)?;
    let (units, troubles) = settings::units(invocation, &ready.months, &ready.rules, ready.period);
    troubles.iter().for_each(tell);
    let exit = if troubles.is_empty() { ready.exit } else { Exit::Partial };
    let state = |(unit, counts): &(Arc<Unit>, Counts)| {
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

/// Counts of each day from a file. Fails where it cannot be read, and says where in it.
pub(super) fn read(path: &Path) -> Result<Counts, CliError> {
    let bytes = named_file::read(path, BYTES_AT_MOST)?;
    let failed = |message: String| CliError::Failed { exit: Exit::Unreadable, message };
    if bytes.len() as u64 > BYTES_AT_MOST {
        let most = crate::domain::format::bytes_binary(BYTES_AT_MOST as f64);
        return Err(failed(format!(
            "{} is larger than {most}, the most that is read",
            path.display()
        )));
    }
    counts(&bytes).map_err(|error| failed(format!("{}: {error}", path.display())))
}
