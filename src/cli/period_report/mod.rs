//! `burntop report`: one round of reading and what was kept, as a report of a week or a month.

pub mod args;
#[cfg(test)]
mod tests;

use std::io::Write;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::savings_settings::SavingsWant;
use super::telemetry::Want;
use super::tell::tell;
use super::trend::{deeds, invented, inventory, log, past};
use super::{bill, plan_file, reports, teams, watch};
use crate::analyze::trend::{Period, accounts, verified};
use crate::config::Env;
use crate::domain::{BurnDay, SourceId};
use crate::report::acting::runs;
use crate::report::{PeriodReport, Report as _, TrendOf, write};
use args::ReportArgs;

/// Reads every account once and writes the report. Fails for options that do not fit, where nothing could be read, and
/// where the file is there already or cannot be written.
pub fn run(
    args: &ReportArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    if invocation.options.filter.is_some() || invocation.options.fail_on.is_some() {
        let why =
            "--filter and --fail-on: a report is of everything; `burntop overview` takes them";
        return Err(CliError::Usage(why.into()));
    }
    // Before anything is read, which may cost.
    let to = match &args.send {
        Some(name) => Some(watch::sink(name, args.rules.as_deref(), invocation)?),
        None => None,
    };
    if let Some(path) = args.out.as_deref().filter(|path| path.exists()) {
        let why = format!("{} exists already; it stays as it is", path.display());
        return Err(CliError::Usage(why));
    }
    let outcome = reports::read_with(invocation, Want::Free, SavingsWant::All)?;
    reports::unreadable(invocation, &outcome)?;
    let ctx = reports::context(invocation, env);
    let kind = args.period.kind();
    let lines = log(invocation);
    let done = lines.as_ref().map(|lines| {
        let mut done = deeds(lines);
        done.extend(invented(invocation, &outcome, ctx.now));
        verified(done, &inventory(&outcome, ctx.now))
    });
    let fleet = &outcome.fleet;
    // Accounts that are read no more would leave every mean unknown.
    let of_fleet = |day: &BurnDay| {
        let mut listed = fleet.readings.iter().filter(|r| r.source == SourceId::Ec2);
        listed.any(|reading| reading.scope.account == day.account)
    };
    let mut days = past(invocation, Some(&outcome), ctx.now)?;
    days.retain(of_fleet);
    let report = PeriodReport {
        period: Period::last_whole(kind, ctx.now),
        done: TrendOf {
            kind,
            accounts: accounts(&days).len(),
            no_log: done.as_ref().err().map(|error| (*error).clone()).unwrap_or_default(),
            saved: done.ok(),
            readings: fleet.readings.clone(),
            is_demo: invocation.options.demo.is_some(),
            ..TrendOf::default()
        },
        days,
        overview: reports::overview(invocation, &outcome, &[], &ctx),
        anomalies: bill::anomalies(invocation, ctx).map_err(|error| error.to_string()),
        budgets: teams::budget_forecasts(invocation).map_err(|error| error.to_string()),
        runs: lines.as_deref().map(runs).unwrap_or_default(),
    };
    match &args.out {
        None if let Some(sink) = &to => {
            let (title, lines) = report.told(&ctx);
            watch::send_report(sink, title, lines, report.html(&ctx), ctx.now, out)?;
        }
        None => reports::print(&report, invocation, &ctx, out)?,
        Some(path) => {
            let text = write(&report, invocation.options.format, &ctx);
            plan_file::create(path, text.as_bytes())?;
            writeln!(out, "{}", path.display())?;
        }
    }
    let exit = reports::ended(&fleet.readings);
    reports::shortfalls(&outcome).iter().for_each(tell);
    Ok(exit)
}
