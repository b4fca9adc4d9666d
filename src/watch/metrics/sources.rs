//! What sources answered, and how old it is.

use std::collections::BTreeSet;

use super::families::{SOURCE_AGE, SOURCE_COVERAGE, SOURCE_UP};
use super::input::MetricsInput;
use super::instances::fold;
use super::kept::Kept;
use super::page::Page;
use crate::domain::{Reading, SourceState};

/// Ranks a scope in which a source fails before every scope that burns.
const FAILS: f64 = 1e15;

/// Adds a series per source and scope. Scopes beyond the limit are one: those where nothing fails and that burn least.
pub(super) fn add(page: &mut Page, input: &MetricsInput<'_>) {
    if input.readings.is_empty() {
        return;
    }
    let failing = input.readings.iter().map(|reading| {
        let weight = if reading.failed().is_some() { FAILS } else { 0.0 };
        (scope(reading), weight)
    });
    let read: BTreeSet<[&str; 2]> = input.readings.iter().map(scope).collect();
    let burning = input.fleet.rows.iter().filter_map(|row| {
        let at = [&*row.instance.scope.account, &*row.instance.scope.region];
        read.contains(&at).then(|| (at, row.usd_per_hour().unwrap_or(0.0)))
    });
    let kept = Kept::costliest(input.most_values, failing.chain(burning));
    fold(page, "source_scope", kept.folded());
    for reading in input.readings {
        let [account, region] = kept.shown(scope(reading));
        let labels = &[reading.source.word(), &*account, &*region];
        let age = reading.taken_at.map(|at| input.now.duration_since(at).as_secs_f64());
        page.set(&SOURCE_AGE, labels, age);
        let (up, coverage) = match reading.state {
            SourceState::Live => (Some(1.0), Some(f64::from(reading.coverage))),
            SourceState::Failed(_) => (Some(0.0), None),
            SourceState::Cached | SourceState::Loading => (None, None),
        };
        page.set(&SOURCE_UP, labels, up);
        page.set(&SOURCE_COVERAGE, labels, coverage);
    }
}

fn scope(reading: &Reading) -> [&str; 2] {
    [&reading.scope.account, &reading.scope.region]
}
