//! Storage read once, priced and judged: what `buckets` and `ebs` print.

use super::{CliError, Ctx, Exit};
use crate::bus::Outcome;
use crate::cli::reports;
use crate::cli::telemetry::{StoragePart, Want};
use crate::cli::tell::tell;
use crate::domain::{Reading, SourceId};
use crate::fleet::StorageFleet;

/// Reads a part of storage of all accounts, and joins it. Ends with code 4 when nothing was read.
pub(super) fn once(ctx: &Ctx<'_>, part: StoragePart) -> Result<StorageFleet, CliError> {
    let options = &ctx.invocation.options;
    if options.fail_on.is_some() {
        let text = "--fail-on is about instances and GPUs; filter the JSON of this command instead";
        return Err(CliError::Usage(text.into()));
    }
    let outcome = reports::read(ctx.invocation, Want::Storage(part))?;
    unreadable(ctx, &outcome, part)?;
    reports::shortfalls(&outcome).iter().for_each(tell);
    Ok(outcome.storage_picture(options.now()))
}

fn unreadable(ctx: &Ctx<'_>, outcome: &Outcome, part: StoragePart) -> Result<(), CliError> {
    let source = match part {
        StoragePart::Buckets => SourceId::S3,
        StoragePart::Ebs => SourceId::Ebs,
    };
    let told = |r: &Reading| r.source == source && r.taken_at.is_some();
    if outcome.storage.readings.iter().any(told) {
        return Ok(());
    }
    let failed = |message: String| Err(CliError::Failed { exit: Exit::Unreadable, message });
    let lines: Vec<String> = outcome.storage.readings.iter().filter_map(line).collect();
    if !lines.is_empty() && outcome.no_credentials.is_none() {
        return failed(lines.join("\n"));
    }
    reports::unreadable(ctx.invocation, outcome)
}

/// A line for a source that failed.
fn line(reading: &Reading) -> Option<String> {
    Some(format!("{}: {}", reading.scope, reading.failed()?.with_fix()))
}
