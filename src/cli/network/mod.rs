//! `burntop network`: paths of the network, from the bill or live; what a cache would save, from logs.

pub mod args;
mod cache;
#[cfg(test)]
mod cache_tests;
mod live;

use std::io::Write;
use std::sync::Arc;

use super::bill::kept::{Kept, heads};
use super::exit::{CliError, Exit};
use super::fail_on::{FailOn, Found};
use super::invocation::Invocation;
use super::list_options::Selection;
use super::tell::tell;
use super::{bill, reports};
use crate::analyze::bill::BillKey;
use crate::analyze::network::network;
use crate::config::Env;
use crate::domain::bill::Usd;
use crate::report::BillsOf;
use crate::tabs::network::picture::{NetworkField, NetworkItem, network_rows};
use args::{NetworkArgs, NetworkCommand};

/// Runs `burntop network` or a subcommand of it. Fails for arguments that do not fit, and where nothing could be read.
pub fn run(
    args: &NetworkArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    match &args.what {
        None => paths(args, invocation, env, out),
        Some(NetworkCommand::Cache { what, .. }) => cache::run(what, invocation, env, out),
    }
}

/// Prints the paths of a period, or live ones. Fails for arguments that do not fit, and where nothing could be read.
fn paths(
    args: &NetworkArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<NetworkField>::of(invocation)?;
    let fail_on = invocation.options.fail_on.as_ref();
    fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
    let ctx = reports::context(invocation, env);
    let Read { rows, of, exit } = match args.live {
        true => live::read(invocation)?,
        false => of_bill(args, invocation)?,
    };
    let list = chosen.list(&rows, of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    let is_finding = |avoidable: Option<Usd>| avoidable.is_some_and(|usd| usd > Usd::ZERO);
    let findings = list.rows.iter().filter(|row| is_finding(row.of.avoidable())).count();
    let found = Found { findings, ..Found::default() };
    if let Some(found) = fail_on.and_then(|fail_on| fail_on.tripped_by_savings(&found)) {
        tell(format_args!("--fail-on: {found}"));
        return Ok(Exit::Findings);
    }
    Ok(exit)
}

/// Rows of a list of paths, and what they come from.
struct Read {
    rows: Arc<[Arc<NetworkItem>]>,
    of: BillsOf,
    /// Code of a run that finds nothing.
    exit: Exit,
}

/// Paths of a period of a bill; where no bill is there at all, live ones.
fn of_bill(args: &NetworkArgs, invocation: &Invocation) -> Result<Read, CliError> {
    let settings = bill::settings(invocation);
    let export = args.of.export.as_deref();
    if export.is_none() && args.of.period.is_none() && Kept::is_empty(invocation)? {
        tell(
            "no bill is imported: paths are read live; `burntop bill import PATH` has all of them",
        );
        return live::read(invocation);
    }
    let kept = Kept::of(invocation, export, &[BillKey::UsageType], &settings)?;
    let period = args.of.period.unwrap_or_else(|| kept.newest());
    let (bills, before) = (kept.bills(period)?, kept.before(period, 1)?);
    let rows = network_rows(network(&bills, &before, &settings));
    let of = BillsOf { bills: heads(&bills), before: heads(&before), ..BillsOf::default() };
    Ok(Read { rows, of, exit: kept.ended() })
}
