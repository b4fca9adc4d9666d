//! Metric streams of CloudWatch, which send metrics out of it as they come.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// CloudWatch namespace of what streams tell of themselves.
pub const METRIC_STREAMS: &str = "AWS/CloudWatch/MetricStreams";

/// A metric stream. All text in it is clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricStream {
    /// Name of the stream, unique in an account and region.
    pub name: Arc<str>,
    /// Time of creation; `None` when unknown.
    pub created_at: Option<Timestamp>,
    /// False where it was stopped, and costs nothing.
    pub is_running: bool,
    /// Metric updates that it sends a day; `None` when unknown.
    pub updates_per_day: Option<f64>,
}

/// The metric streams of an account and region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricStreams {
    /// Time when the list was read.
    pub taken_at: Timestamp,
    /// All streams, in the order of the list.
    pub streams: Vec<MetricStream>,
}

/// Mean of the values of days; `None` without a day, and where a value makes no sense.
pub fn mean_of_days(points: &[(Timestamp, f64)]) -> Option<f64> {
    let is_known = |value: f64| value.is_finite() && value >= 0.0;
    if points.is_empty() || !points.iter().all(|(_, value)| is_known(*value)) {
        return None;
    }
    Some(points.iter().map(|(_, value)| value).sum::<f64>() / points.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_without_sense_makes_the_mean_unknown_and_no_day_is_not_nothing() {
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(mean_of_days(&[(at, 2.0), (at, 4.0), (at, 0.0)]), Some(2.0));
        assert_eq!(mean_of_days(&[(at, 0.0)]), Some(0.0));
        for odd in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(mean_of_days(&[(at, 2.0), (at, odd)]), None);
        }
        assert_eq!(mean_of_days(&[]), None);
    }
}
