//! `burntop network`: paths of the network, from the bill; what a cache would save, from logs.

pub mod args;
mod cache;
#[cfg(test)]
mod cache_tests;

use std::io::Write;

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
use crate::tabs::network::picture::{NetworkField, network_rows};
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

/// Prints the paths of a period. Fails for arguments that do not fit, and where no bill could be read.
fn paths(
    args: &NetworkArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<NetworkField>::of(invocation)?;
    let fail_on = invocation.options.fail_on.as_ref();
    fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
    let settings = bill::settings(invocation);
    let (ctx, export) = (reports::context(invocation, env), args.of.export.as_deref());
    let kept = Kept::of(invocation, export, &[BillKey::UsageType], &settings)?;
    let period = args.of.period.unwrap_or_else(|| kept.newest());
    let (bills, before) = (kept.bills(period)?, kept.before(period, 1)?);
    let rows = network_rows(network(&bills, &before, &settings));
    let of = BillsOf { bills: heads(&bills), before: heads(&before), ..BillsOf::default() };
    let list = chosen.list(&rows, of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    let exit = kept.ended();
    let is_finding = |avoidable: Option<Usd>| avoidable.is_some_and(|usd| usd > Usd::ZERO);
    let findings = list.rows.iter().filter(|row| is_finding(row.of.avoidable())).count();
    let found = Found { findings, ..Found::default() };
    if let Some(found) = fail_on.and_then(|fail_on| fail_on.tripped_by_savings(&found)) {
        tell(format_args!("--fail-on: {found}"));
        return Ok(Exit::Findings);
    }
    Ok(exit)
}
