//! `burntop idle` and `burntop overview`: one round of reading, printed, with an exit code.

use std::io::Write;

use super::args::OutputFormat;
use super::exit::{CliError, Exit};
use super::invocation::{FleetCommand, Invocation};
use super::savings_settings::{SavingsWant, savings_settings};
use super::telemetry::Want;
use super::tell::tell;
use super::{session, storage_settings};
use crate::bus::{self, Outcome};
use crate::config::Env;
use crate::domain::{Reading, SourceId, SourceState};
use crate::fleet::{Fleet, GpuFleet, Totals};
use crate::report::{self, Format, Meta, OverviewReport};
use crate::view::{Filter, Sort, ViewContext, table};

/// Reads every account once and prints the report.
pub fn run(
    command: FleetCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let filter: Option<Filter> = match &invocation.options.filter {
        Some(text) => Some(Filter::parse(text).map_err(|e| CliError::Usage(e.to_string()))?),
        None => None,
    };
    if let Some(fail_on) = &invocation.options.fail_on {
        fail_on.of_instances().map_err(CliError::Usage)?;
    }
    // What could be saved is said of the whole fleet alone.
    let saves = command == FleetCommand::Overview && filter.is_none();
    let saving = if saves { SavingsWant::All } else { SavingsWant::Net };
    let outcome = read_with(invocation, Want::Free, saving)?;
    let fleet = &*outcome.fleet;
    unreadable(invocation, &outcome)?;
    let ctx =
        ViewContext { now: invocation.options.now(), symbols: session::symbols(invocation, env) };
    let meta =
        Meta { preset: &invocation.config.preset, filter: invocation.options.filter.as_deref() };
    let rows = table::select(&fleet.rows, filter.as_ref(), Sort::default(), &ctx);
    let format = format_of(invocation.options.format);
    let text = if command == FleetCommand::Overview {
        // A filter over instances says nothing about GPUs.
        let none = GpuFleet::default();
        let savings = saves.then(|| super::savings::work_out(invocation, &outcome));
        let about = OverviewReport {
            fleet: &narrowed(fleet, &rows),
            gpus: if filter.is_none() { &outcome.gpus } else { &none },
            storage: None,
            savings: savings.as_ref(),
        };
        report::overview_of(about, format, &ctx, &meta)
    } else {
        report::idle(fleet, &rows, report::default_columns(format), format, &ctx, &meta)
    };
    out.write_all(text.as_bytes())?;
    // The other formats say it themselves.
    if matches!(format, Format::Table | Format::Csv) {
        for line in troubles(fleet) {
            tell(line);
        }
    }
    let totals = Totals::of(rows.iter().filter_map(|i| fleet.rows.get(*i as usize)).map(|r| &**r));
    if let Some(found) = invocation.options.fail_on.as_ref().and_then(|f| f.tripped(&totals)) {
        tell(format_args!("--fail-on: {found}"));
        return Ok(Exit::Findings);
    }
    Ok(if fleet.readings.iter().any(is_partial) { Exit::Partial } else { Exit::Ok })
}

pub(super) fn format_of(chosen: OutputFormat) -> Format {
    match chosen {
        OutputFormat::Table => Format::Table,
        OutputFormat::Json => Format::Json,
        OutputFormat::Csv => Format::Csv,
        OutputFormat::Md => Format::Md,
    }
}

/// Reads everything once; of a tape, all of it.
pub(super) fn read(invocation: &Invocation, want: Want) -> Result<Outcome, CliError> {
    read_with(invocation, want, SavingsWant::beside(want))
}

/// As [`read`], with so much of commitments, the Spot market and resources.
pub(super) fn read_with(
    invocation: &Invocation,
    want: Want,
    saving: SavingsWant,
) -> Result<Outcome, CliError> {
    if let Some(tape) = &invocation.options.tape {
        tape.hurry();
    }
    let cache = session::open_cache_aloud(invocation);
    let mut parts = session::parts(invocation, cache.clone(), want)?;
    parts.settings.savings = savings_settings(&invocation.config, saving);
    if saving.resources() {
        parts.settings.storage = storage_settings::of_volumes(&invocation.config);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(CliError::Output)?;
    Ok(runtime.block_on(async {
        let outcome = bus::once(parts).await;
        session::close_aloud(cache).await;
        outcome
    }))
}

/// Ends with code 4 when no source gave anything to show.
pub(super) fn unreadable(invocation: &Invocation, outcome: &Outcome) -> Result<(), CliError> {
    let failed = |message: String| Err(CliError::Failed { exit: Exit::Unreadable, message });
    let seen = |r: &Reading| r.source == SourceId::Ec2 && r.taken_at.is_some();
    if outcome.fleet.readings.iter().any(seen) {
        return Ok(());
    }
    if let Some(error) = &outcome.no_credentials {
        return failed(format!(
            "no AWS credentials found ({}).\nLog in (for example with `aws sso login`), name a \
             profile with --profile, or try `burntop --demo`.",
            error.message
        ));
    }
    if invocation.options.offline {
        return failed(
            "the cache holds nothing for these accounts and regions; run once without --offline"
                .into(),
        );
    }
    let lines: Vec<String> = troubles(&outcome.fleet).collect();
    failed(if lines.is_empty() { "no region was read".into() } else { lines.join("\n") })
}

/// One line per failed source.
pub(super) fn troubles(fleet: &Fleet) -> impl Iterator<Item = String> + '_ {
    fleet.readings.iter().filter_map(|reading| match &reading.state {
        SourceState::Failed(error) => {
            let fix = if error.fix.is_empty() { String::new() } else { format!("; {}", error.fix) };
            Some(format!("{}: {error}{fix}", reading.scope))
        }
        _ => None,
    })
}

/// True when a source failed, or answered for a part of what was asked only.
pub(super) fn is_partial(reading: &Reading) -> bool {
    matches!(reading.state, SourceState::Failed(_))
        || (reading.state == SourceState::Live && reading.coverage < 1.0)
}

/// The fleet of the selected rows, for sums that follow the filter.
fn narrowed(fleet: &Fleet, rows: &[u32]) -> Fleet {
    let rows: Vec<_> = rows.iter().filter_map(|i| fleet.rows.get(*i as usize)).cloned().collect();
    let totals = Totals::of(rows.iter().map(|r| &**r));
    Fleet { rows, totals, ..fleet.clone() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{ErrorKind, Scope, SourceError};

    #[test]
    fn half_an_answer_is_partial_and_an_old_one_is_not() {
        let error = SourceError::new(ErrorKind::Denied, "ec2:DescribeInstances", "no", "");
        for (state, coverage, partial) in [
            (SourceState::Live, 1.0, false),
            (SourceState::Live, 0.99, true),
            (SourceState::Cached, 1.0, false),
            (SourceState::Failed(Arc::new(error)), 1.0, true),
        ] {
            let reading = Reading {
                source: SourceId::CloudWatch,
                scope: Scope::new("123456789012", "us-east-1"),
                taken_at: None,
                coverage,
                state,
            };
            assert_eq!(is_partial(&reading), partial, "{reading:?}");
        }
    }
}
