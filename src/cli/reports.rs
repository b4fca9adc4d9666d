//! `burntop idle` and `burntop overview`: one round of reading, printed, with an exit code.

use std::io::Write;
use std::sync::Arc;

use super::arming::rules;
use super::exit::{CliError, Exit};
use super::invocation::{FleetCommand, Invocation};
use super::list_options::Selection;
use super::savings_settings::{SavingsWant, savings_settings};
use super::telemetry::Want;
use super::tell::tell;
use super::{session, storage_settings};
use crate::act::plan::foresee;
use crate::bus::{self, Meter, Outcome};
use crate::config::Env;
use crate::domain::{Reading, SourceError, SourceId, SourceState};
use crate::fleet::Totals;
use crate::report::{FindingOptions, Instances, List, OverviewReport, Report, write};
use crate::tabs::idle::picture::Field;
use crate::view::{Sort, TableField, ViewContext, format, table};

/// Idle instances of each account and region that are looked up at most for who launched them.
pub(super) const ASKED: usize = 20;

/// Reads every account once and prints the report. Fails for options that do not fit, and where nothing could
/// be read.
pub fn run(
    command: FleetCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let is_overview = command == FleetCommand::Overview;
    // What lists take is of the findings there, and the filter of instances.
    let (chosen, findings) = if is_overview {
        let findings = Selection::unfiltered(invocation)?.of_findings();
        (Selection::<Field>::filter_alone(invocation)?, findings)
    } else {
        (Selection::of(invocation)?, FindingOptions::default())
    };
    if let Some(fail_on) = &invocation.options.fail_on {
        fail_on.of_instances().map_err(CliError::Usage)?;
    }
    // What could be saved is said of the whole fleet alone.
    let saving =
        if is_overview && chosen.filter.is_none() { SavingsWant::All } else { SavingsWant::Net };
    let ask_of = if command == FleetCommand::Idle(true) { ASKED } else { 0 };
    let outcome = read_asking(invocation, Want::Free, saving, ask_of, None)?;
    let fleet = &*outcome.fleet;
    unreadable(invocation, &outcome)?;
    let ctx = context(invocation, env);
    let filter = chosen.filter.as_ref();
    let rows = table::select(&Field::rows(&fleet.rows), filter, Sort::default(), &ctx);
    if is_overview {
        if rows.is_empty() {
            chosen.unmatched(&fleet.rows, &ctx).iter().for_each(tell);
        }
        let report = overview(invocation, &outcome, &rows, &ctx);
        print(&OverviewReport { findings, ..report }, invocation, &ctx, out)?;
    } else {
        print(&idle(invocation, &outcome, &chosen, &ctx), invocation, &ctx, out)?;
    }
    let exit = ended(&fleet.readings);
    shortfalls(&outcome).iter().for_each(tell);
    let totals = Totals::of(rows.iter().filter_map(|i| fleet.rows.get(*i as usize)).map(|r| &**r));
    if let Some(found) = invocation.options.fail_on.as_ref().and_then(|f| f.tripped(&totals)) {
        tell(format_args!("--fail-on: {found}"));
        return Ok(Exit::Findings);
    }
    Ok(exit)
}

/// What `burntop idle` prints.
pub(super) fn idle(
    invocation: &Invocation,
    outcome: &Outcome,
    chosen: &Selection<Field>,
    ctx: &ViewContext,
) -> List<Field> {
    let (fleet, preset) = (outcome.fleet.clone(), invocation.config.preset.clone());
    chosen.list(&outcome.fleet.rows, Instances { fleet, preset }, ctx)
}

/// What `burntop overview` prints: of everything, or of these rows where there is a filter.
pub(super) fn overview(
    invocation: &Invocation,
    outcome: &Outcome,
    rows: &[u32],
    ctx: &ViewContext,
) -> OverviewReport {
    let filter = invocation.options.filter.as_ref();
    let (storage, savings) = filter.is_none().then(|| outcome.pictures(ctx.now)).unzip();
    let report = OverviewReport {
        fleet: outcome.fleet.clone(),
        gpus: outcome.gpus.clone(),
        // Where it was not read, its picture says so.
        storage,
        savings: savings.map(Arc::new),
        past: outcome.past.clone(),
        preset: invocation.config.preset.clone(),
        filter: String::new(),
        findings: FindingOptions::default(),
    };
    match filter {
        Some(filter) => report.narrowed(rows, filter),
        None => report,
    }
}

/// What cells are rendered with.
pub(super) fn context(invocation: &Invocation, env: &Env) -> ViewContext {
    let options = &invocation.options;
    ViewContext {
        now: options.now(),
        symbols: session::symbols(invocation, env),
        width: options.width.filter(|_| !options.list.wide),
    }
}

/// Prints a report in the format that was asked for. CSV has no place for what is left out: it is said beside it.
pub(super) fn print(
    report: &dyn Report,
    invocation: &Invocation,
    ctx: &ViewContext,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let format = invocation.options.format;
    out.write_all(write(report, format, ctx).as_bytes())?;
    if !format.has_notes() {
        report.left_out(ctx).iter().for_each(tell);
    }
    Ok(())
}

/// How a report ends that rests on these readings: where a source failed or answered in part, with code 3 and with what
/// failed on standard error, in every format: the report is often sent elsewhere. What was read in part is told by
/// [`shortfalls`].
pub(super) fn ended(readings: &[Reading]) -> Exit {
    troubles(readings).for_each(tell);
    if readings.iter().any(is_partial) { Exit::Partial } else { Exit::Ok }
}

/// Reads everything once; of a tape, all of it.
pub(super) fn read(invocation: &Invocation, want: Want) -> Result<Outcome, CliError> {
    read_with(invocation, want, SavingsWant::beside(want))
}

/// Like [`read`], with commitments, the Spot market and resources as far as `saving` asks.
pub(super) fn read_with(
    invocation: &Invocation,
    want: Want,
    saving: SavingsWant,
) -> Result<Outcome, CliError> {
    read_asking(invocation, want, saving, 0, None)
}

/// Like [`read_asking`], for one who reads again and again: what is burnt from one time to the next is written down, as the
/// cockpit does it.
pub(super) fn read_metered(
    invocation: &Invocation,
    want: Want,
    saving: SavingsWant,
    ask_of: usize,
    meter: &mut Meter,
) -> Result<Outcome, CliError> {
    read_asking(invocation, want, saving, ask_of, Some(meter))
}

/// Like [`read_with`], and looks up who launched as many idle instances of each account and region as `ask_of`.
fn read_asking(
    invocation: &Invocation,
    want: Want,
    saving: SavingsWant,
    ask_of: usize,
    meter: Option<&mut Meter>,
) -> Result<Outcome, CliError> {
    if let Some(tape) = &invocation.options.tape {
        tape.hurry();
    }
    let cache = session::open_cache_aloud(invocation);
    let mut parts = session::parts(invocation, cache.clone(), want)?;
    parts.settings.ask_of = ask_of;
    parts.settings.meters = meter.is_some();
    let has_past = parts.settings.has_past(parts.tape.is_some());
    parts.settings.savings = savings_settings(&invocation.config, saving);
    if saving.resources() {
        parts.settings.storage = match saving {
            SavingsWant::Network | SavingsWant::All => {
                storage_settings::of_overview(&invocation.config)
            }
            _ => storage_settings::of_volumes(&invocation.config),
        };
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(CliError::Output)?;
    let mut outcome = runtime.block_on(async {
        let outcome = bus::once(parts).await;
        if let Some(meter) = meter.filter(|_| has_past) {
            meter.see_run(&outcome.fleet, invocation.options.now());
            cache.add_burn(meter.take()).await;
        }
        session::close_aloud(cache).await;
        outcome
    });
    // By what the configuration says of accounts: STS is asked by those who act.
    let (rules, _) = rules(invocation, &[], &[]);
    let now = invocation.options.now();
    let foreseen = foresee(&outcome.fleet, Some(&outcome.gpus), &rules, now);
    outcome.fleet = foreseen.unwrap_or(outcome.fleet);
    Ok(outcome)
}

/// True where no region of any account was read.
pub(super) fn is_blind(outcome: &Outcome) -> bool {
    let seen = |r: &Reading| r.source == SourceId::Ec2 && r.taken_at.is_some();
    !outcome.fleet.readings.iter().any(seen)
}

/// Ends with code 4 when no source gave anything to show.
pub(super) fn unreadable(invocation: &Invocation, outcome: &Outcome) -> Result<(), CliError> {
    let failed = |message: String| Err(CliError::Failed { exit: Exit::Unreadable, message });
    if !is_blind(outcome) {
        return Ok(());
    }
    if let Some(error) = &outcome.no_credentials {
        return failed(format!(
            "{}.\nLog in (for example with `aws sso login`), name a \
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
    let lines: Vec<String> = troubles(&outcome.fleet.readings).collect();
    failed(if lines.is_empty() { "no region was read".into() } else { lines.join("\n") })
}

/// A line for each failed source, see [`Reading::trouble`].
pub(super) fn troubles<'a>(
    readings: impl IntoIterator<Item = &'a Reading>,
) -> impl Iterator<Item = String> {
    readings.into_iter().filter_map(Reading::trouble)
}

/// A line for each source that answered in part: how much was read, what failed, what helps. For standard error, beside
/// a report in any format.
pub(super) fn shortfalls(outcome: &Outcome) -> Vec<String> {
    let readings = &outcome.fleet.readings;
    let in_part = |r: &Reading| r.state == SourceState::Live && is_partial(r);
    let has_own = |part: &Reading| {
        readings.iter().any(|r| r.source == part.source && r.scope == part.scope && in_part(r))
    };
    let is_of = |part: &Reading, whole: &Reading| {
        let of_account = whole.scope.is_account_wide() && !has_own(part);
        part.source == whole.source
            && part.scope.account == whole.scope.account
            && (part.scope == whole.scope || of_account)
    };
    let line = |whole: &Reading| {
        let read = format::percent((f64::from(whole.coverage) * 100.0 + 1e-4).floor(), 0);
        let mut failed: Vec<&SourceError> = Vec::new();
        for part in outcome.parts.iter().filter(|part| is_of(part, whole)) {
            let SourceState::Failed(error) = &part.state else { continue };
            if failed.iter().all(|f| f.operation != error.operation) {
                failed.push(error);
            }
        }
        let why = match failed.first() {
            Some(error) => format!(": {}", error.with_fix()),
            None => String::new(),
        };
        let more = match failed.len() {
            0 | 1 => String::new(),
            2 => " (and of 1 more operation)".to_owned(),
            n => format!(" (and of {} more operations)", n - 1),
        };
        format!("{} {}: {read} was read{why}{more}", whole.source.word(), whole.scope)
    };
    readings.iter().filter(|r| in_part(r)).map(line).collect()
}

/// True when a source failed, or answered for a part of what was asked only.
pub(super) fn is_partial(reading: &Reading) -> bool {
    reading.failed().is_some() || (reading.state == SourceState::Live && reading.coverage < 1.0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{ErrorKind, Scope};
    use crate::fleet::Fleet;

    #[test]
    fn what_was_read_in_part_is_told_with_what_failed_and_what_helps() {
        let reading = |region: &str, coverage, state| Reading {
            source: SourceId::S3,
            scope: Scope::new("123456789012", region),
            taken_at: None,
            coverage,
            state,
        };
        let failed = |region: &str, operation: &str, fix: &str| {
            let error = SourceError::new(ErrorKind::Denied, operation, "AccessDenied", fix);
            reading(region, 0.0, SourceState::Failed(Arc::new(error)))
        };
        let fleet = Fleet {
            readings: vec![
                reading("-", 0.8, SourceState::Live),
                reading("us-east-1", 0.9999, SourceState::Live),
                reading("eu-west-1", 0.5, SourceState::Live),
                // Whole, of an earlier run, and told among what failed.
                reading("us-west-2", 1.0, SourceState::Live),
                reading("us-east-2", 0.5, SourceState::Cached),
                failed("sa-east-1", "s3:ListBucket", "allow it"),
            ],
            ..Fleet::default()
        };
        let parts = vec![
            failed("us-east-1", "s3:GetBucketTagging", "allow it"),
            failed("us-east-1", "s3:GetBucketTagging", "allow it"),
            failed("us-east-1", "s3:GetBucketVersioning", "allow it"),
            failed("ap-south-1", "s3express:ListAllMyDirectoryBuckets", ""),
        ];
        let outcome = Outcome { fleet: Arc::new(fleet), parts, ..Outcome::default() };
        assert_eq!(
            shortfalls(&outcome),
            [
                "s3 123456789012/-: 80% was read: s3express:ListAllMyDirectoryBuckets: AccessDenied",
                "s3 123456789012/us-east-1: 99% was read: s3:GetBucketTagging: AccessDenied; allow it \
                 (and of 1 more operation)",
                "s3 123456789012/eu-west-1: 50% was read",
            ]
        );
        assert!(shortfalls(&Outcome::default()).is_empty());
    }

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
