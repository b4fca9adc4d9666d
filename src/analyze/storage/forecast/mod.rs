//! Where a bucket's size is heading, from its daily sizes in CloudWatch: the sprawl curve.
//!
//! **Trend.** The median of all slopes between two days that are whole weeks apart (Theil–Sen, Sen
//! 1968, on such pairs alone): a third of odd days does not move it, and neither does the rhythm
//! of a week. It is fitted to the bytes and to their logarithm; growth by a rate is taken only
//! where it fits clearly better, and where neither does, the band holds both. Where the curve starts is the trend plus what the last week lies
//! off it.
//!
//! **Level shifts.** A single big deletion or upload says nothing about growth: the trend begins
//! anew after it. Three or more are how the bucket lives, and the trend goes through them.
//!
//! **Band.** P10–P90 from what the weeks deviate from the trend. With ω² the variance that a day
//! adds in the long run (from sums over weeks) and n days of history, the variance h days ahead is
//! σ² + ω²·(h + 1.2·h²/n): noise of a day, the walk of h days, and that the slope itself is an
//! estimate (1.2: the variance of a fitted slope of a random walk against that of its mean,
//! Durlauf & Phillips 1988). Quantiles are Student's with as many degrees of freedom as weeks.
//! Sizes never fall below 0.

mod history;
mod trend;

#[cfg(test)]
mod tests;

use jiff::civil::Date;

pub use history::{mix, totals};
use trend::Fits;

/// Days in a month of 730 h.
pub const MONTH_DAYS: f64 = 730.0 / 24.0;

/// Fewest days of history for a trend: four weeks.
pub const LEAST_DAYS: i64 = 28;

/// Most days of history used: older ones say little about the next half year.
pub const MOST_DAYS: i64 = 183;

/// Least share of days with a size.
const COVERAGE: f64 = 0.6;

/// `BucketSizeBytes` comes a day or two late; older than this it has stopped.
const STALE_DAYS: i64 = 5;

/// Form of the trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// The same number of bytes each month.
    Linear,
    /// The same percentage each month.
    Exponential,
}

impl Growth {
    /// Name in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Exponential => "exponential",
        }
    }
}

/// Expected size at the end of a month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Months of 730 h after the newest size; 0 = that size's day.
    pub month: u16,
    /// The 10% quantile, bytes.
    pub low: f64,
    /// Trend, bytes.
    pub mid: f64,
    /// The 90% quantile, bytes.
    pub high: f64,
}

/// Trend of a bucket's size, with its band.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Day of the newest size.
    pub at: Date,
    /// Newest size, bytes.
    pub now: f64,
    /// Growth in the first month, bytes; negative = it shrinks.
    pub per_month: f64,
    /// Form of the trend.
    pub growth: Growth,
    /// Days of history used.
    pub days: u32,
    /// Day of the last level shift and its bytes, after which the trend begins; `None` without one.
    pub shift: Option<(Date, f64)>,
    /// Expected sizes, month by month from 0 on.
    pub curve: Vec<Expected>,
}

/// Why no forecast is made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unforeseen {
    /// There is no size.
    #[error("no daily sizes: CloudWatch has none for this bucket")]
    NoSizes,
    /// The history is too short.
    #[error("{days} days of sizes, a trend needs {LEAST_DAYS}")]
    TooShort {
        /// Days from the first to the newest size.
        days: i64,
    },
    /// The history since a level shift is too short.
    #[error(
        "{days} days since the size changed by {bytes:.3e} bytes on {on}, a trend needs {LEAST_DAYS}"
    )]
    TooShortSince {
        /// Days since the shift.
        days: i64,
        /// Day of the shift.
        on: Date,
        /// Bytes of the shift; negative where the bucket shrank.
        bytes: f64,
    },
    /// Too many days without a size.
    #[error("sizes of {have} in {days} days, too few for a trend")]
    Gaps {
        /// Days that have a size.
        have: usize,
        /// Days from the first to the newest size.
        days: i64,
    },
    /// The newest size is too old.
    #[error("the newest size is {days} days old")]
    Stale {
        /// Age of the newest size, days.
        days: i64,
    },
}

/// Forecast for `months` months, from bytes by day (ascending) as of `today`. Negative and non-finite sizes are
/// ignored. Fails where the history is too short, has gaps, or is old.
pub fn forecast(sizes: &[(Date, f64)], months: u16, today: Date) -> Result<Forecast, Unforeseen> {
    let history = history::recent(sizes);
    let (Some(first), Some(last)) = (history.first().copied(), history.last().copied()) else {
        return Err(Unforeseen::NoSizes);
    };
    let age = history::days_between(last.0, today);
    if age > STALE_DAYS {
        return Err(Unforeseen::Stale { days: age });
    }
    let shift = history::last_shift(&history);
    let history = shift.map_or(&history[..], |s| &history[s.from..]);
    let since = history.first().map_or(last.0, |p| p.0);
    let days = history::days_between(since, last.0) + 1;
    if days < LEAST_DAYS {
        return Err(match shift {
            Some(s) => Unforeseen::TooShortSince { days, on: s.on, bytes: s.bytes },
            None => Unforeseen::TooShort { days: history::days_between(first.0, last.0) + 1 },
        });
    }
    if (history.len() as f64) < COVERAGE * days as f64 {
        return Err(Unforeseen::Gaps { have: history.len(), days });
    }
    let points: Vec<(f64, f64)> = history
        .iter()
        .map(|(day, size)| (history::days_between(since, *day) as f64, *size))
        .collect();
    let fits = Fits::new(&points);
    let curve = (0..=months).map(|month| {
        let (low, mid, high) = fits.ahead(f64::from(month) * MONTH_DAYS);
        Expected { month, low, mid, high }
    });
    Ok(Forecast {
        at: last.0,
        now: last.1,
        per_month: fits.grows_by(MONTH_DAYS),
        growth: fits.growth,
        days: u32::try_from(days).unwrap_or(u32::MAX),
        shift: shift.map(|s| (s.on, s.bytes)),
        curve: curve.collect(),
    })
}
