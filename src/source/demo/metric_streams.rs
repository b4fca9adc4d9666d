//! The metric stream of the demo. `docs/demo.md` describes it.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;

use super::calendar;
use super::places::{ACCOUNTS, REGIONS};
use crate::domain::daily::{DayMetric, DayStatistic, midnight};
use crate::domain::{Hour, METRIC_STREAMS, MetricStream};
use crate::source::provider::MetricResult;

/// Name of the stream.
const NAME: &str = "metrics-to-dashboards";
/// Account and region that it is in.
const PLACE: (usize, usize) = (1, 0);
/// Updates that it sends a day: 2,000 metrics each minute.
const UPDATES: f64 = 2_000.0 * 24.0 * 60.0;

/// Metric streams of an account and region.
pub(super) fn of(account: &str, region: &str, now: Timestamp) -> Vec<MetricStream> {
    let is_here = ACCOUNTS[PLACE.0].id == account && REGIONS[PLACE.1].code == region;
    let stream = || MetricStream {
        name: NAME.into(),
        created_at: Some(calendar::dated(Hour::containing(now), 320 * 24)),
        is_running: true,
        updates_per_day: None,
    };
    is_here.then(stream).into_iter().collect()
}

/// What it sends on days; `None` of any other metric.
pub(super) fn updates(metric: &DayMetric, days: &Range<Date>) -> Option<MetricResult> {
    let of_it = metric.dimensions.iter().any(|(_, name)| **name == *NAME);
    if !of_it || *metric.namespace != *METRIC_STREAMS || metric.statistic != DayStatistic::Sum {
        return None;
    }
    let all = days.start.series(jiff::Span::new().days(1));
    let points = all.take_while(|day| *day < days.end);
    let points = points.filter_map(|day| Some((midnight(day)?, UPDATES))).collect();
    Some(MetricResult { query: 0, points, complete: true })
}
