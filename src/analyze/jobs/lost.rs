//! How much of an attempt came to nothing.

use std::fmt;
use std::str::FromStr;

use super::saved::{Salvage, Saved};
use crate::domain::bill::Usd;
use crate::domain::jobs::{Attempt, GpuTime, JobState};

/// GPU time and dollars; each is `None` where it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// GPU time.
    pub gpu_time: Option<GpuTime>,
    /// Dollars.
    pub usd: Option<Usd>,
}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self { gpu_time: Some(GpuTime::ZERO), usd: Some(Usd::ZERO) };

    /// `by` ÷ `of` of it; all of it for an `of` of 0.
    #[must_use]
    pub fn part(self, by: u64, of: u64) -> Self {
        if by == of || of == 0 {
            return self;
        }
        Self {
            gpu_time: self.gpu_time.map(|time| time.part(by, of)),
            usd: self.usd.map(|usd| usd.prorated(by, of)),
        }
    }

    /// Both; unknown where one is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            gpu_time: self.gpu_time.zip(other.gpu_time).map(|(a, b)| a + b),
            usd: self.usd.zip(other.usd).map(|(a, b)| a + b),
        }
    }

    /// It less `other`, and nothing below that; unknown where one is.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            gpu_time: self.gpu_time.zip(other.gpu_time).map(|(a, b)| a.less(b)),
            usd: self.usd.zip(other.usd).map(|(a, b)| (a - b).max(Usd::ZERO)),
        }
    }
}

/// Share of cancelled attempts that counts as lost, in millionths: 0 by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CancelledWeight(u32);

impl CancelledWeight {
    /// All of it, in millionths.
    const ALL: u32 = 1_000_000;

    /// As a share, 0–1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ALL)
    }
}

/// A weight that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a number from 0 to 1 is wanted: 0 counts no cancelled hour as lost, 1 counts all")]
pub struct NoWeight;

impl FromStr for CancelledWeight {
    type Err = NoWeight;

    fn from_str(text: &str) -> Result<Self, NoWeight> {
        let share: f64 = text.parse().map_err(|_| NoWeight)?;
        let is_share = (0.0..=1.0).contains(&share);
        is_share.then(|| Self((share * f64::from(Self::ALL)).round() as u32)).ok_or(NoWeight)
    }
}

impl fmt::Display for CancelledWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.share())
    }
}

/// Milliseconds of an attempt that came to nothing, where its state says that it did, and whether they are an upper bound.
///
/// From the last complete checkpoint (or the start) to the end, and the time in which the next attempt came back to where
/// it was (`restart_ms`). Without a known checkpoint all of it, as an upper bound: one may have been written. One that the
/// next attempt did not use saved nothing.
fn lost_ms(of: &Attempt, saved: &Saved, restart_ms: i64) -> Option<(i64, bool)> {
    let held = of.held_ms()?;
    let is_upper_bound = held > 0 && saved.salvage != Salvage::Refuted;
    let (Some(start), Some(end)) = (of.started_at, of.ended_at) else {
        return Some((held, is_upper_bound));
    };
    let Some(at) = saved.at else { return Some((held, is_upper_bound)) };
    let since = end.as_millisecond().saturating_sub(at.max(start).as_millisecond()).max(0);
    Some((since.saturating_add(restart_ms).clamp(0, held), false))
}

/// Lost part of what was held by an attempt, and whether it is an upper bound.
pub(super) fn lost(
    of: &Attempt,
    held: Amount,
    saved: &Saved,
    restart_ms: i64,
    weight: CancelledWeight,
) -> (Amount, bool) {
    let weight = match of.state {
        JobState::Cancelled => weight.0,
        state if state.is_lost() => CancelledWeight::ALL,
        _ => 0,
    };
    if weight == 0 {
        return (Amount::ZERO, false);
    }
    let all_ms = of.held_ms().unwrap_or_default();
    let (ms, is_upper_bound) = lost_ms(of, saved, restart_ms).unwrap_or((all_ms, false));
    let part = |ms: i64| u64::try_from(ms).unwrap_or_default();
    let lost = if all_ms == 0 { held } else { held.part(part(ms), part(all_ms)) };
    (lost.part(weight.into(), CancelledWeight::ALL.into()), is_upper_bound)
}
