//! Days, UTC, and metrics of CloudWatch by the day.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::bill::words;

/// Seconds of a day.
pub const DAY_S: i32 = 86_400;

/// Begin of a day, UTC; `None` beyond what a timestamp can be.
pub fn midnight(day: Date) -> Option<Timestamp> {
    day.to_zoned(TimeZone::UTC).map(|at| at.timestamp()).ok()
}

/// The day, UTC, of a moment.
pub fn day_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

words! {
    /// What CloudWatch makes of the samples of a day.
    DayStatistic {
        /// Their total.
        Sum = "Sum",
        /// Their number.
        SampleCount = "SampleCount",
        /// Their mean.
        Average = "Average",
        /// The least of them.
        Minimum = "Minimum",
        /// The greatest of them.
        Maximum = "Maximum",
    }
}

/// A metric of CloudWatch of which each day has one value. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayMetric {
    /// Namespace, such as `Serving`.
    pub namespace: Arc<str>,
    /// Name of the metric, such as `Predictions`.
    pub metric: Arc<str>,
    /// All of its dimensions, name and value; CloudWatch knows no series by a part of them.
    pub dimensions: Vec<(Arc<str>, Arc<str>)>,
    /// Statistic of a day.
    pub statistic: DayStatistic,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_its_midnight_and_holds_its_last_second() {
        let day: Date = "2026-02-28".parse().unwrap();
        let begin = midnight(day).unwrap();
        assert_eq!(begin.to_string(), "2026-02-28T00:00:00Z");
        assert_eq!(day_of(begin), day);
        let last = Timestamp::from_second(begin.as_second() + i64::from(DAY_S) - 1).unwrap();
        assert_eq!(day_of(last), day);
    }
}
