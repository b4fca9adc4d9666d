//! Everything that savings rest on, read once and worked out.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::savings::{SavingsInput, picture};
use crate::analyze::storage::{self, PictureInput};
use crate::bus::Outcome;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::savings_settings::SavingsWant;
use crate::cli::telemetry::Want;
use crate::cli::{reports, savings_rules};
use crate::domain::{Reading, Scope, SourceId, SourceState, ZoneOffering};
use crate::fleet::{Fleet, Savings, StorageFleet};

/// What came of it.
pub(super) struct Read {
    /// What could be saved.
    pub savings: Savings,
    /// The fleet with its prices and types.
    pub fleet: Arc<Fleet>,
    /// What zones offer, by account and region.
    pub offerings: BTreeMap<Scope, Arc<Vec<ZoneOffering>>>,
    /// How the sources are doing: those of the fleet, then those of savings.
    pub readings: Vec<Reading>,
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
    let mut readings = outcome.fleet.readings.clone();
    // The fleet tells of most of these sources as well: each scope counts once.
    for reading in &outcome.savings.readings {
        let same = |r: &Reading| r.source == reading.source && r.scope == reading.scope;
        if !readings.iter().any(same) {
            readings.push(reading.clone());
        }
    }
    unreadable(invocation, &outcome, &readings, source)?;
    let savings = work_out(invocation, &outcome);
    let offerings = outcome.savings.offerings.clone();
    Ok(Read { savings, fleet: outcome.fleet, offerings, readings })
}

/// What could be saved of what was read.
pub(in crate::cli) fn work_out(invocation: &Invocation, outcome: &Outcome) -> Savings {
    let now = invocation.options.now();
    let storage = volumes(invocation, outcome, now);
    picture(&SavingsInput {
        version: 1,
        now,
        fleet: &outcome.fleet,
        gpus: &outcome.gpus,
        storage: storage.as_ref(),
        facts: &outcome.savings,
        rules: &savings_rules::of(&invocation.config),
        tag_keys: &invocation.config.tag_keys,
    })
}

/// The volumes and snapshots that were read; `None` where none were.
fn volumes(invocation: &Invocation, outcome: &Outcome, now: Timestamp) -> Option<StorageFleet> {
    if outcome.storage.is_empty() {
        return None;
    }
    let instances: Vec<_> = outcome.fleet.rows.iter().map(|r| r.instance.clone()).collect();
    Some(storage::picture(&PictureInput {
        version: 1,
        now,
        facts: &outcome.storage,
        instances: &instances,
        tag_keys: &invocation.config.tag_keys,
    }))
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
    let lines: Vec<String> = troubles(&of_source).collect();
    if lines.is_empty() {
        return Ok(());
    }
    Err(CliError::Failed { exit: Exit::Unreadable, message: lines.join("\n") })
}

/// A line for each source that failed.
pub(super) fn troubles(readings: &[Reading]) -> impl Iterator<Item = String> {
    readings.iter().filter_map(|reading| {
        let SourceState::Failed(error) = &reading.state else { return None };
        let fix = if error.fix.is_empty() { String::new() } else { format!("; {}", error.fix) };
        Some(format!("{} {}: {error}{fix}", reading.source.word(), reading.scope))
    })
}
