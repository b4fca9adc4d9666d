//! `burntop idle --backtest`: the presets tried on the kept past.

use std::io::Write;

use super::args::IdleArgs;
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::telemetry::Want;
use super::{reports, session};
use crate::analyze::idle::Preset;
use crate::analyze::idle::backtest::MAX_DAYS;
use crate::bus::{self, BacktestRequest};
use crate::config::Env;
use crate::report::IdleBacktestReport;
use crate::tabs::idle::picture::Field;
use crate::view::{Sort, TableField, table};

/// Days looked back where none are named.
pub const DAYS: u32 = 30;

/// Reads every account once, replays the presets and prints what came of it. Fails for options that do not fit, and
/// where nothing could be read.
pub fn run(
    days: u32,
    args: &IdleArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    if days == 0 || days > MAX_DAYS {
        let text = format!("--backtest looks back 1 to {MAX_DAYS} days, not {days}");
        return Err(CliError::Usage(text));
    }
    if invocation.options.fail_on.is_some() {
        return Err(CliError::Usage("--fail-on does not go with --backtest".to_owned()));
    }
    let filter = reports::filter::<Field>(invocation)?;
    let preset = &invocation.config.preset;
    let mut policies: Vec<_> = Preset::ALL.iter().map(|preset| preset.policy()).collect();
    if Preset::from_name(preset).is_none() {
        policies.insert(0, session::policy(&invocation.config, preset)?);
    }
    // The demo bills nobody.
    let fetch = (args.fetch || invocation.options.demo.is_some()) && !invocation.options.offline;
    let request = BacktestRequest { policies, days, fetch };
    let (outcome, mut backtest) = session::with_cache(invocation, async |cache| {
        let parts = session::parts(invocation, cache.clone(), Want::Free)?;
        Ok(bus::once_with_backtest(parts, request).await)
    })?;
    reports::unreadable(invocation, &outcome)?;
    let ctx = reports::context(invocation, env);
    if filter.is_some() {
        let fleet = &outcome.fleet.rows;
        let chosen = table::select(&Field::rows(fleet), filter.as_ref(), Sort::default(), &ctx);
        let chosen: std::collections::HashSet<_> = chosen
            .into_iter()
            .filter_map(|at| Some(&fleet.get(at as usize)?.instance.id))
            .collect();
        backtest.of.retain(|(row, _)| chosen.contains(&row.instance.id));
    }
    let report = IdleBacktestReport {
        backtest,
        preset: preset.clone(),
        filter: invocation.options.filter.clone().unwrap_or_default(),
        readings: outcome.fleet.readings.clone(),
    };
    reports::print(&report, invocation, &ctx, out)?;
    reports::tell_beside_table(invocation, &report.readings);
    reports::shortfalls(&outcome).iter().for_each(super::tell::tell);
    Ok(if report.readings.iter().any(reports::is_partial) { Exit::Partial } else { Exit::Ok })
}
