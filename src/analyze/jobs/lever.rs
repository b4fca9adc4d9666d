//! Inputs of the failed-runs simulator from what jobs took.

use jiff::Timestamp;

use super::costed::Costed;
use super::tax::TaxSums;
use crate::domain::HOURS_PER_MONTH;
use crate::domain::jobs::{GpuTime, JobState};
use crate::whatif::levers::FailedRuns;

/// Shortest span that a month is told from, hours.
#[cfg_attr(not(test), allow(dead_code, reason = "the key of the tab fills the simulator by it"))]
const HOURS_AT_LEAST: f64 = 24.0;

/// Inputs of the failed-runs simulator: dollars a month, shares of the GPU time by how attempts ended, what of them was lost, the
/// mean length of failed ones. `None` where no attempt has GPU time, or all of it lies within a day.
#[cfg_attr(not(test), allow(dead_code, reason = "the key of the tab fills the simulator by it"))]
pub fn failed_runs(rows: &[Costed]) -> Option<FailedRuns> {
    let sums = |is: &dyn Fn(JobState) -> bool| {
        let mut sums = TaxSums::default();
        rows.iter().filter(|row| is(row.attempt.state)).for_each(|row| sums += &TaxSums::of(row));
        sums
    };
    let all = sums(&|_| true);
    let failed = sums(&|state| state.is_lost() && state != JobState::TimedOut);
    let (late, cancelled) =
        (sums(&|state| state == JobState::TimedOut), sums(&|state| state == JobState::Cancelled));
    let hours = span_hours(rows).filter(|hours| *hours >= HOURS_AT_LEAST)?;
    let share = |of: GpuTime| of.share_of(all.gpu_time);
    let weight = |of: &TaxSums, usual: f64| Some(of.lost_share().unwrap_or(usual));
    let lengths = rows.iter().filter(|row| row.attempt.state.is_lost());
    let lengths: Vec<f64> = lengths
        .filter_map(|row| row.attempt.held_ms().filter(|ms| *ms > 0))
        .map(|ms| ms as f64 / 3.6e6)
        .collect();
    let mean = |all: &[f64]| (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64);
    Some(FailedRuns {
        monthly_usd: all.usd_known().map(|usd| usd.to_f64() / hours * HOURS_PER_MONTH),
        failed_share: Some(share(failed.gpu_time)?),
        cancelled_share: share(cancelled.gpu_time),
        timeout_share: share(late.gpu_time),
        failed_weight: weight(&failed, 1.0),
        cancelled_weight: weight(&cancelled, 0.0),
        timeout_weight: weight(&late, 1.0),
        hours_to_failure: mean(&lengths),
        ..FailedRuns::default()
    })
}

/// Hours from the first start to the last end; `None` without any.
#[cfg_attr(not(test), allow(dead_code, reason = "the key of the tab fills the simulator by it"))]
fn span_hours(rows: &[Costed]) -> Option<f64> {
    let starts = rows.iter().filter_map(|row| row.attempt.started_at);
    let ends = |row: &Costed| row.attempt.ended_at.or(row.attempt.seen_until);
    let end: Timestamp = rows.iter().filter_map(ends).max()?;
    let hours = end.duration_since(starts.min()?).as_secs_f64() / 3600.0;
    (hours > 0.0).then_some(hours)
}
