//! Everything that savings rest on, read once and worked out.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bus::Outcome;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::savings_settings::SavingsWant;
use crate::cli::telemetry::Want;
use crate::cli::tell::tell;
use crate::domain::{Reading, Scope, SourceId, ZoneOffering};
use crate::fleet::Fleet;
use crate::report::SavedOf;

/// Savings and fleet, read once for a report.
pub(super) struct Read {
    /// All savings, with the readings of the sources.
    pub of: SavedOf,
    /// The fleet, priced.
    pub fleet: Arc<Fleet>,
    /// Instance types that each zone offers, by account and region.
    pub offerings: BTreeMap<Scope, Arc<Vec<ZoneOffering>>>,
}

/// Reads all accounts once, so much as `want` and `saving` say, and works out what could be saved
/// of it. Ends with code 4 when nothing that the
/// list rests on was read.
pub(super) fn once(
    invocation: &Invocation,
    want: Want,
    saving: SavingsWant,
    source: SourceId,
) -> Result<Read, CliError> {
    let outcome = reports::read_with(invocation, want, saving)?;
    let of =
        SavedOf::new(Arc::new(outcome.savings_picture(invocation.options.now())), &outcome.fleet);
    unreadable(invocation, &outcome, &of.readings, source)?;
    reports::shortfalls(&outcome).iter().for_each(tell);
    let offerings = outcome.savings.offerings.clone();
    Ok(Read { of, fleet: outcome.fleet, offerings })
}

fn unreadable(
    invocation: &Invocation,
    outcome: &Outcome,
    readings: &[Reading],
    source: SourceId,
) -> Result<(), CliError> {
    let answered = |r: &Reading| r.source == source && r.taken_at.is_some();
    if readings.iter().any(answered) {
        return Ok(());
    }
    reports::unreadable(invocation, outcome)?;
    // Instances were read, and of what was asked for nothing.
    let of_source: Vec<Reading> = readings.iter().filter(|r| r.source == source).cloned().collect();
    let lines: Vec<String> = reports::troubles(&of_source).collect();
    if lines.is_empty() {
        return Ok(());
    }
    Err(CliError::Failed { exit: Exit::Unreadable, message: lines.join("\n") })
}
