//! The calculator of failed runs, filled from attempts.

use jiff::Timestamp;

use crate::analyze::jobs::{Costed, TaxSums};
use crate::domain::HOURS_PER_MONTH;
use crate::domain::jobs::JobState;
use crate::whatif::levers::FailedRuns;

/// Hours that attempts have to cover, so that a month can be told from them.
const LEAST_HOURS: f64 = 24.0;

/// What the calculator begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct RunsCalculator {
    /// Shares of the GPU time by how attempts ended, what of each came to nothing, and dollars of a month of 730 h.
    pub runs: FailedRuns,
    /// When the first attempt began, and the last one ended or was seen.
    pub from: Timestamp,
    /// See `from`.
    pub to: Timestamp,
    /// Attempts that cost something of which the dollars are not known.
    pub unpriced: u64,
    /// Attempts of which the GPU time is not known.
    pub without_gpu_time: u64,
}

/// How an attempt ended, as the calculator tells them apart.
#[derive(Clone, Copy)]
enum End {
    Failed,
    Cancelled,
    TimedOut,
}

fn end(state: JobState) -> Option<End> {
    match state {
        JobState::Cancelled => Some(End::Cancelled),
        JobState::TimedOut => Some(End::TimedOut),
        state if state.is_lost() => Some(End::Failed),
        _ => None,
    }
}

/// Fills the calculator from attempts. `None` where they cover less than a day, and where no GPU time is known.
pub fn failed_runs(rows: &[Costed]) -> Option<RunsCalculator> {
    let (mut total, mut ends) = (TaxSums::default(), [TaxSums::default(); 3]);
    let (mut failed_ms, mut failures) = (0_i64, 0_u32);
    for row in rows {
        let sums = TaxSums::of(row);
        total += &sums;
        let Some(end) = end(row.attempt.state) else { continue };
        ends[end as usize] += &sums;
        if let (End::Failed, Some(ms)) = (end, row.attempt.held_ms().filter(|ms| *ms > 0)) {
            (failed_ms, failures) = (failed_ms.saturating_add(ms), failures + 1);
        }
    }
    let attempts = || rows.iter().map(|row| &row.attempt);
    let from = attempts().filter_map(|of| of.started_at).min()?;
    let to = attempts().filter_map(|of| of.ended_at.or(of.seen_until)).max()?;
    let hours = to.duration_since(from).as_secs_f64() / 3600.0;
    if hours < LEAST_HOURS {
        return None;
    }
    let share = |end: End| ends[end as usize].gpu_time.share_of(total.gpu_time);
    // What nothing of ended so weighs as usual.
    let weight = |end: End, usual: Option<f64>| ends[end as usize].lost_share().or(usual);
    let usual = FailedRuns::default();
    let usd = total.usd_known().filter(|usd| !usd.is_zero());
    let runs = FailedRuns {
        monthly_usd: usd.map(|usd| usd.to_f64() / hours * HOURS_PER_MONTH),
        failed_share: Some(share(End::Failed)?),
        cancelled_share: share(End::Cancelled),
        timeout_share: share(End::TimedOut),
        failed_weight: weight(End::Failed, usual.failed_weight),
        cancelled_weight: weight(End::Cancelled, usual.cancelled_weight),
        timeout_weight: weight(End::TimedOut, usual.timeout_weight),
        hours_to_failure: (failures > 0)
            .then(|| failed_ms as f64 / 3_600_000.0 / f64::from(failures)),
        ..usual
    };
    let TaxSums { unpriced, without_gpu_time, .. } = total;
    Some(RunsCalculator { runs, from, to, unpriced, without_gpu_time })
}
