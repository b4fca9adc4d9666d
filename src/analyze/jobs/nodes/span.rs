//! What a stretch of time costs at a price that changes.

use crate::domain::bill::Usd;

/// Milliseconds in an hour.
const HOUR: u64 = 3_600_000;

/// Dollars per hour from a moment (milliseconds since 1970) until the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// From when.
    pub from: i64,
    /// Dollars per hour; `None` = unknown.
    pub usd_per_hour: Option<Usd>,
}

/// Dollars of the stretch from `from` to `to` in which `step` holds. Stretches that follow each other add up to the one that
/// they are together, to the last digit: each is the difference of two amounts since the step began.
pub fn usd(step: &Step, from: i64, to: i64) -> Option<Usd> {
    let price = step.usd_per_hour?;
    let since = |at: i64| {
        let ms = u64::try_from(at.saturating_sub(step.from)).unwrap_or_default();
        price.prorated(ms, HOUR)
    };
    Some(since(to.max(from)) - since(from))
}
