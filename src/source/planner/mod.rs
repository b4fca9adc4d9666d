//! The call planner over CloudWatch `GetMetricData`: what must be asked, in which calls, in which
//! order. Pure: the caller says what it wants and what it already has.
//!
//! Four rules make a big fleet cheap. Billing is per metric requested, not per datapoint, so
//! long windows are asked rarely. Up to five statistics of a metric are billed as one where one request
//! asks for them, so they travel together. Closed hours never change (beyond a short tail of late
//! datapoints), so they are asked once. And what is asked for at all follows the cascade of the
//! idle engine: signals that cannot change a verdict any more are not among the needs.

pub mod gpu;
pub mod signal;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::ledger::STATISTICS_PER_METRIC;
use super::provider::{MetricKey, MetricQuery};
use crate::domain::{Hour, HourRange};

pub use signal::{billed_signals, other_statistic, signal_query, volume_queries};

/// Queries per `GetMetricData` call (service limit, CloudWatch API reference).
pub const MAX_QUERIES: usize = 500;

/// Datapoints per `GetMetricData` call (service limit, CloudWatch API reference). The service
/// counts one per query and period even where a series is sparse.
pub const MAX_POINTS: usize = 100_800;

/// Closed hours at the end of the cached range that are queried again together with newer ones, because datapoints may
/// arrive late: agents buffer, and EC2's own metrics lag by minutes.
pub const REFETCH_HOURS: i32 = 2;

/// A series to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Query of the series.
    pub query: MetricQuery,
    /// Closed hours that are needed.
    pub wanted: HourRange,
    /// Hours that the cache already holds, with or without datapoints; `None` for none.
    pub fetched: Option<HourRange>,
    /// Priority: 0 is served first (rows on screen), up to 255.
    pub priority: u8,
}

/// One `GetMetricData` call within the limits of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Priority: the smallest number is sent first.
    pub priority: u8,
    /// Hours to query.
    pub range: HourRange,
    /// Up to [`MAX_QUERIES`] queries, with `range` at most [`MAX_POINTS`] datapoints. Statistics of one metric are
    /// adjacent.
    pub queries: Vec<MetricQuery>,
}

impl Batch {
    /// Number of metrics that AWS bills for the call.
    pub fn billed(&self) -> u64 {
        billed(&self.queries)
    }
}

/// The metric that a query asks a statistic of: whose, and which.
fn metric(query: &MetricQuery) -> (&str, &MetricKey) {
    (&*query.instance, &query.key)
}

/// Number of metrics that AWS bills for one call with these queries: one for up to five statistics of the same metric,
/// see [`STATISTICS_PER_METRIC`].
pub fn billed(queries: &[MetricQuery]) -> u64 {
    let mut statistics: HashMap<(&str, &MetricKey), usize> = HashMap::with_capacity(queries.len());
    for query in queries {
        *statistics.entry(metric(query)).or_default() += 1;
    }
    statistics.into_values().map(|n| n.div_ceil(STATISTICS_PER_METRIC) as u64).sum()
}

/// Hours of `wanted` that must be queried when `fetched` is cached: none while no new hour has closed, else the new
/// hours with the [`REFETCH_HOURS`] before them, and older hours that a longer window adds. The ranges are disjoint and
/// in order.
pub fn missing(wanted: HourRange, fetched: Option<HourRange>) -> Vec<HourRange> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let Some(have) = fetched.filter(|f| f.from < wanted.to && f.to > wanted.from && !f.is_empty())
    else {
        return vec![wanted];
    };
    let head = HourRange { from: wanted.from, to: have.from };
    let refetch = have.to.plus(-REFETCH_HOURS).max(have.from).max(wanted.from);
    let tail = HourRange { from: refetch, to: wanted.to };
    let mut ranges = Vec::with_capacity(2);
    if !head.is_empty() {
        ranges.push(head);
    }
    if have.to < wanted.to {
        ranges.push(tail);
    }
    ranges
}

/// All that is missing of one series, and how urgently.
struct Wish<'a> {
    query: &'a MetricQuery,
    priority: u8,
    ranges: Vec<HourRange>,
}

/// Priority, end and start of a range: the order of the calls.
type Order = (u8, Reverse<Hour>, Reverse<Hour>);

/// Groups needs into calls: equal ranges together, urgent ones first, every call within the service's limits, and no
/// hour of a series twice.
pub fn plan(needs: &[Need]) -> Vec<Batch> {
    let mut index: HashMap<&MetricQuery, usize> = HashMap::with_capacity(needs.len());
    let mut series: Vec<Wish> = Vec::with_capacity(needs.len());
    for need in needs {
        let ranges = missing(need.wanted, need.fetched);
        if ranges.is_empty() {
            continue;
        }
        let at = *index.entry(&need.query).or_insert_with(|| {
            let ranges = Vec::new();
            series.push(Wish { query: &need.query, priority: need.priority, ranges });
            series.len() - 1
        });
        let entry = &mut series[at];
        entry.priority = entry.priority.min(need.priority);
        entry.ranges.extend(ranges);
    }

    // A metric is asked for once, as soon as any of its statistics is wanted.
    let mut first: HashMap<(&str, &MetricKey), u8> = HashMap::with_capacity(series.len());
    for wish in &series {
        let at = first.entry(metric(wish.query)).or_insert(wish.priority);
        *at = wish.priority.min(*at);
    }

    // Newest hours first within a priority: they decide whether something is busy right now.
    let mut groups: BTreeMap<Order, Vec<&MetricQuery>> = BTreeMap::new();
    for Wish { query, priority, ranges } in series {
        let priority = first.get(&metric(query)).copied().unwrap_or(priority);
        for range in disjoint(ranges) {
            groups
                .entry((priority, Reverse(range.to), Reverse(range.from)))
                .or_default()
                .push(query);
        }
    }

    let mut batches = Vec::new();
    for ((priority, Reverse(to), Reverse(from)), queries) in groups {
        let queries = side_by_side(queries);
        for range in pieces(HourRange { from, to }) {
            let per_call = (MAX_POINTS / range.len()).clamp(1, MAX_QUERIES);
            batches.extend(calls(&queries, per_call).map(|chunk| Batch {
                priority,
                range,
                queries: chunk.iter().map(|&q| q.clone()).collect(),
            }));
        }
    }
    batches
}

/// The statistics of a metric beside its first; else the order stays.
fn side_by_side(queries: Vec<&MetricQuery>) -> Vec<&MetricQuery> {
    let mut of_metric: HashMap<(&str, &MetricKey), usize> = HashMap::with_capacity(queries.len());
    let mut metrics: Vec<Vec<&MetricQuery>> = Vec::with_capacity(queries.len());
    for query in queries {
        let at = *of_metric.entry(metric(query)).or_insert_with(|| {
            metrics.push(Vec::new());
            metrics.len() - 1
        });
        metrics[at].push(query);
    }
    metrics.into_iter().flatten().collect()
}

/// Parts of at most `per_call`. A metric is not cut apart where its statistics fit into one call: it
/// would be billed in both.
fn calls<'a, 'q>(
    queries: &'a [&'q MetricQuery],
    per_call: usize,
) -> impl Iterator<Item = &'a [&'q MetricQuery]> {
    let mut rest = queries;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = per_call.min(rest.len());
        if end < rest.len() && metric(rest[end - 1]) == metric(rest[end]) {
            let first = rest[..end].iter().rposition(|q| metric(q) != metric(rest[end]));
            end = first.map_or(end, |at| at + 1);
        }
        let (call, after) = rest.split_at(end);
        rest = after;
        Some(call)
    })
}

/// Sorts ranges and joins those that touch or overlap.
fn disjoint(mut ranges: Vec<HourRange>) -> Vec<HourRange> {
    ranges.sort_by_key(|r| r.from);
    let mut out: Vec<HourRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.from <= last.to => last.to = last.to.max(range.to),
            _ => out.push(range),
        }
    }
    out
}

/// Cuts a range so that one series of it fits into a call.
fn pieces(range: HourRange) -> impl Iterator<Item = HourRange> {
    (range.from.0..range.to.0).step_by(MAX_POINTS).map(move |from| HourRange {
        from: Hour(from),
        to: range.to.min(Hour(from).plus(MAX_POINTS as i32)),
    })
}

#[cfg(test)]
mod tests;
