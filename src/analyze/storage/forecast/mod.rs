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

/// Least days of history for a trend: four weeks.
pub const LEAST_DAYS: i64 = 28;

/// Days of history that are looked at: what was before half a year tells little of the next.
pub const MOST_DAYS: i64 = 183;

/// Least share of days with a size.
const COVERAGE: f64 = 0.6;

/// `BucketSizeBytes` comes a day or two late; older than this it has stopped.
const STALE_DAYS: i64 = 5;

/// How sizes grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// By the same bytes each month.
    Linear,
    /// By the same share each month.
    Exponential,
}

impl Growth {
    /// The name in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Exponential => "exponential",
        }
    }
}

/// A size to expect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Months of 730 h from the newest size on; 0 is now.
    pub month: u16,
    /// P10, bytes.
    pub low: f64,
    /// The trend, bytes.
    pub mid: f64,
    /// P90, bytes.
    pub high: f64,
}

/// Where a size is heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Day of the newest size.
    pub at: Date,
    /// That size, bytes.
    pub now: f64,
    /// Growth in the first month, bytes; negative where it shrinks.
    pub per_month: f64,
    /// How it grows.
    pub growth: Growth,
    /// Days of history that the trend is made of.
    pub days: u32,
    /// The day after which the trend began anew, and the bytes of that shift.
    pub shift: Option<(Date, f64)>,
    /// Month by month, from 0 on.
    pub curve: Vec<Expected>,
}

/// Why nothing can be said.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unforeseen {
    /// Nothing there.
    #[error("no daily sizes: CloudWatch has none for this bucket")]
    NoSizes,
    /// Not long enough.
    #[error("{days} days of sizes, a trend needs {LEAST_DAYS}")]
    TooShort {
        /// Days from the first to the newest.
        days: i64,
    },
    /// Not long enough since a shift.
    #[error(
        "{days} days since the size changed by {bytes:.3e} bytes on {on}, a trend needs {LEAST_DAYS}"
    )]
    TooShortSince {
        /// Days since.
        days: i64,
        /// The day.
        on: Date,
        /// By how much.
        bytes: f64,
    },
    /// Too many days without a size.
    #[error("sizes of {have} in {days} days, too few for a trend")]
    Gaps {
        /// Days with a size.
        have: usize,
        /// Days from the first to the newest.
        days: i64,
    },
    /// The newest is old.
    #[error("the newest size is {days} days old")]
    Stale {
        /// Days.
        days: i64,
    },
}

/// The sizes to expect for `months` months, from sizes by day (ascending) as of `today`. Sizes that
/// are negative or no number are left out.
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
