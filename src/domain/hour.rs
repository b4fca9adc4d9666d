//! Hours of the epoch: the grid on which metrics are kept and judged.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A whole UTC hour, counted from 1970-01-01T00:00Z. Hour 0 covers 00:00:00 ≤ t < 01:00:00.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
/// A whole UTC hour, counted from 1970-01-01T00:00Z. Hour 0 covers 00:00:00 ≤ t < 01:00:00.
pub struct Hour(pub i32);

impl Hour {
    /// Hour that contains `t`.
    pub fn containing(t: Timestamp) -> Self {
        Self(t.as_second().div_euclid(3600) as i32)
    }

    /// The first hour that begins at or after `t`.
    pub fn at_or_after(t: Timestamp) -> Self {
        let h = Self::containing(t);
        if h.start() == t { h } else { Self(h.0 + 1) }
    }

    /// First moment of the hour.
    pub fn start(self) -> Timestamp {
        Timestamp::from_second(i64::from(self.0) * 3600).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The moment the hour ends (the start of the next one).
    pub fn end(self) -> Timestamp {
        Self(self.0 + 1).start()
    }

    /// The UTC day the hour lies in, counted from the epoch.
    pub fn day(self) -> i32 {
        self.0.div_euclid(24)
    }

    /// The hour `n` hours later (earlier when negative).
    #[must_use]
    pub fn plus(self, n: i32) -> Self {
        Self(self.0.saturating_add(n))
    }
}

/// A half-open range of hours, `from ≤ h < to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HourRange {
    /// First hour in the range.
    pub from: Hour,
    /// First hour after the range.
    pub to: Hour,
}

impl HourRange {
    /// The last `hours` closed hours before `now`: the hour that is still running is not in it.
    pub fn last_closed(now: Timestamp, hours: u32) -> Self {
        let to = Hour::containing(now);
        Self { from: to.plus(-(hours as i32)), to }
    }

    /// Number of hours; 0 when the range is empty or inverted.
    pub fn len(self) -> usize {
        usize::try_from(self.to.0 - self.from.0).unwrap_or(0)
    }

    /// True when no hour lies in the range.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The part of the range at or after `h`.
    #[must_use]
    pub fn since(self, h: Hour) -> Self {
        Self { from: self.from.max(h).min(self.to), to: self.to }
    }
}
