//! `burntop trend`: what was burnt, wasted and saved by day, week or month.

pub mod args;
mod deeds;
mod demo;

use std::io::Write;
use std::sync::Arc;

use jiff::Timestamp;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::list_options::Selection;
use super::savings_settings::SavingsWant;
use super::telemetry::Want;
use super::{acting, audit, reports, session};
use crate::act::exec::audit::Line;
use crate::analyze::trend::{
    Deed, DeedKind, Inventory, Period, PeriodKind, accounts, of_period, trend, verified,
};
use crate::bus::Outcome;
use crate::config::Env;
use crate::domain::{BurnDay, Hour};
use crate::report::TrendOf;
use crate::tabs::overview::picture::{TrendField, TrendItem, trend_rows};
use args::TrendArgs;
pub(super) use deeds::{deeds, inventory};

/// Prints the trend. Fails for options that do not fit, and where the inventory that savings need cannot be read.
pub fn run(
    args: &TrendArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<TrendField>::of(invocation)?;
    let (kind, key) = args.by().map_err(CliError::Usage)?;
    if invocation.options.fail_on.is_some() {
        let why = "--fail-on: a trend is no finding; `burntop overview` has them";
        return Err(CliError::Usage(why.into()));
    }
    let ctx = reports::context(invocation, env);
    let log = log(invocation);
    let mut done = log.as_ref().map(|lines| deeds(lines));
    let has_deeds = done.as_ref().is_ok_and(|done| !done.is_empty());
    // The inventory is asked only where something was done; the demo's past is made of what runs there.
    let outcome = if has_deeds || invocation.options.demo.is_some() {
        let has_volumes = done.iter().flatten().any(|deed| deed.kind == DeedKind::Deleted);
        let want = if has_volumes { SavingsWant::Resources } else { SavingsWant::Nothing };
        let outcome = reports::read_with(invocation, Want::Free, want)?;
        reports::unreadable(invocation, &outcome)?;
        Some(outcome)
    } else {
        None
    };
    if let (Ok(done), Some(outcome)) = (&mut done, &outcome) {
        done.extend(invented(invocation, outcome, ctx.now));
    }
    let days = past(invocation, outcome.as_ref(), ctx.now)?;
    let seen =
        outcome.as_ref().map_or_else(Inventory::default, |outcome| inventory(outcome, ctx.now));
    let no_log = done.as_ref().err().map(|error| (*error).clone()).unwrap_or_default();
    let saved = done.ok().map(|done| verified(done, &seen));
    let rows = trend_rows(trend(&days, kind, key, saved.as_deref(), ctx.now));
    let of = TrendOf {
        kind,
        key,
        accounts: accounts(&days).len(),
        saved,
        no_log,
        readings: outcome.as_ref().map(|o| o.fleet.readings.clone()).unwrap_or_default(),
        is_demo: invocation.options.demo.is_some(),
    };
    reports::print(&chosen.list(&rows, of, &ctx), invocation, &ctx, out)?;
    Ok(outcome.map_or(Exit::Ok, |outcome| reports::ended(&outcome.fleet.readings)))
}

/// The day, the week and the month that are, and those before them, over all accounts. What was saved is known as far as
/// `outcome` tells what became of it. Fails where the cache cannot be read.
pub(super) fn newest(
    invocation: &Invocation,
    outcome: &Outcome,
    now: Timestamp,
) -> Result<Arc<[Arc<TrendItem>]>, CliError> {
    let days = past(invocation, Some(outcome), now)?;
    let log = log(invocation);
    let done = log.as_ref().ok().map(|lines| {
        let mut done = deeds(lines);
        done.extend(invented(invocation, outcome, now));
        done
    });
    let saved = done.map(|done| verified(done, &inventory(outcome, now)));
    let today = Hour::containing(now).day();
    let of = |kind| {
        let period = Period::containing(kind, today);
        [period, period.before()]
    };
    let periods = PeriodKind::ALL.into_iter().flat_map(of);
    let rows = periods.map(|period| of_period(&days, period, saved.as_deref(), now));
    Ok(trend_rows(rows.collect()))
}

/// The lines of the audit log, every text clean. Err in words where it cannot be read.
pub(super) fn log(invocation: &Invocation) -> Result<Vec<Line>, String> {
    let journal = acting::journal(invocation).map_err(|error| error.to_string())?;
    journal.read().map(audit::shown).map_err(|error| error.to_string())
}

/// What was done in the past that the demo gets; nothing of real accounts.
pub(super) fn invented(invocation: &Invocation, outcome: &Outcome, now: Timestamp) -> Vec<Deed> {
    let is_demo = invocation.options.demo.is_some();
    if is_demo { demo::done(&outcome.fleet, now) } else { Vec::new() }
}

/// What was burnt by day as the cache keeps it; of the demo, which has no past, made of what runs there.
pub(super) fn past(
    invocation: &Invocation,
    outcome: Option<&Outcome>,
    now: Timestamp,
) -> Result<Vec<BurnDay>, CliError> {
    if invocation.options.demo.is_some() {
        return Ok(outcome.map(|outcome| demo::past(&outcome.fleet, now)).unwrap_or_default());
    }
    session::with_cache(invocation, async |cache| Ok(cache.load_burn(i32::MIN).await))
}
