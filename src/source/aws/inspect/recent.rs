//! What instances did in the last minutes, measured anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use jiff::Timestamp;

use super::gpus;
use crate::domain::{Instance, Known, Recent, RecentSeries, Scope, Signal};
use crate::source::aws::{AwsProvider, metrics};
use crate::source::planner::{MAX_POINTS, MAX_QUERIES, signal_query};
use crate::source::provider::{MetricKey, MetricQuery, MetricResult};

/// Seconds per datapoint of EC2 with basic monitoring, and of what the agent's series are asked
/// in: its own interval is configured on the host, and the maximum of five minutes loses nothing.
const PERIOD_S: i32 = 300;

/// Seconds per datapoint of EC2 with detailed monitoring.
const DETAILED_S: i32 = 60;

/// One series to fetch.
struct Wanted {
    /// Index of the instance.
    of: usize,
    query: MetricQuery,
    period_s: i32,
}

/// Metrics of each instance between `from` and `to`, in the order of `instances`; each comes with its number of GPU
/// devices. An instance whose series could not be read is an Err.
pub async fn read(
    aws: &AwsProvider,
    scope: &Scope,
    instances: &[(Arc<Instance>, u32)],
    from: Timestamp,
    to: Timestamp,
) -> Vec<Known<Recent>> {
    let from = aligned(from);
    let gpus = gpus::series(aws, scope, instances).await;
    let mut answers: Vec<Known<Recent>> = instances
        .iter()
        .zip(&gpus)
        .map(|((instance, _), gpus)| match gpus {
            Ok(_) => Ok(Recent { id: Arc::clone(&instance.id), from, to, series: Vec::new() }),
            Err(error) => Err(Arc::clone(error)),
        })
        .collect();
    let wanted: Vec<Wanted> = instances
        .iter()
        .zip(gpus)
        .enumerate()
        .filter_map(|(of, ((instance, _), gpus))| Some((of, instance, gpus.ok()?)))
        .flat_map(|(of, instance, gpus)| {
            let period_s = if instance.detailed_monitoring { DETAILED_S } else { PERIOD_S };
            let host = [Signal::CpuMean, Signal::CpuMax, Signal::NetworkIn, Signal::NetworkOut];
            let id = &instance.id;
            let host = host.into_iter().filter_map(|s| signal_query(id, s, None));
            let host = host.map(|query| Wanted { of, query, period_s }).collect::<Vec<_>>();
            let gpus = gpus
                .iter()
                .filter_map(|g| signal_query(id, Signal::GpuMax(g.index), Some(&g.dimensions)));
            let gpus = gpus.map(|query| Wanted { of, query, period_s: PERIOD_S });
            host.into_iter().chain(gpus).collect::<Vec<_>>()
        })
        .collect();
    let batches = batches(&wanted, from, to);
    let asked = join_all(batches.iter().map(async |(batch, points)| {
        let queries = batch.iter().enumerate();
        let queries = queries.map(|(i, w)| metrics::metric_query(i, &w.query, w.period_s));
        let queries = queries.collect();
        metrics::request(aws, &scope.region, queries, (from, to), *points).await
    }));
    let mut series: Vec<BTreeMap<Signal, RecentSeries>> =
        instances.iter().map(|_| BTreeMap::new()).collect();
    for ((batch, _), answer) in batches.iter().zip(asked.await) {
        match answer {
            Ok(results) => take(batch, results, &mut series),
            Err(error) => {
                let error = Arc::new(error);
                for wanted in *batch {
                    answers[wanted.of] = Err(Arc::clone(&error));
                }
            }
        }
    }
    for (answer, series) in answers.iter_mut().zip(series) {
        if let Ok(recent) = answer {
            recent.series = series.into_values().collect();
        }
    }
    answers
}

/// The start of the period that holds `time`: CloudWatch would round by itself, and differently
/// for old data.
fn aligned(time: Timestamp) -> Timestamp {
    let second = time.as_second();
    Timestamp::from_second(second - second.rem_euclid(i64::from(PERIOD_S))).unwrap_or(time)
}

/// The series in the order in which they come, cut where one call is full; with datapoints.
fn batches(wanted: &[Wanted], from: Timestamp, to: Timestamp) -> Vec<(&[Wanted], u64)> {
    let seconds = u64::try_from(to.as_second() - from.as_second()).unwrap_or(0);
    let mut out = Vec::new();
    let (mut start, mut points) = (0, 0);
    for (i, one) in wanted.iter().enumerate() {
        let more = seconds.div_ceil(one.period_s as u64);
        if i > start && (i - start == MAX_QUERIES || points + more > MAX_POINTS as u64) {
            out.push((&wanted[start..i], points));
            (start, points) = (i, 0);
        }
        points += more;
    }
    if start < wanted.len() {
        out.push((&wanted[start..], points));
    }
    out
}

/// Puts the answers of a call where they belong. A series that was asked for and not answered is
/// there, empty and incomplete.
fn take(batch: &[Wanted], results: Vec<MetricResult>, into: &mut [BTreeMap<Signal, RecentSeries>]) {
    let mut by_query: BTreeMap<usize, MetricResult> =
        results.into_iter().map(|r| (r.query, r)).collect();
    for (i, wanted) in batch.iter().enumerate() {
        let (points, complete) =
            by_query.remove(&i).map_or_else(|| (Vec::new(), false), |r| (r.points, r.complete));
        let source = match wanted.query.key {
            MetricKey::Ec2 { .. } => metrics::EC2_NAMESPACE,
            MetricKey::Volume { .. } => metrics::EBS_NAMESPACE,
            MetricKey::AgentGpu { .. } => metrics::AGENT_NAMESPACE,
        };
        // A GPU may have several series (by id and by host, before and after a change of the
        // agent's dimensions): together they are what it did.
        let signal = wanted.query.signal;
        let series = into[wanted.of].entry(signal).or_insert_with(|| RecentSeries {
            signal,
            source: source.into(),
            period_s: wanted.period_s.unsigned_abs(),
            points: Vec::new(),
            complete: true,
        });
        series.complete &= complete;
        series.points = merged(std::mem::take(&mut series.points), points);
    }
}

/// In the order of time, one value per period: the highest, or one that makes no sense where
/// there is one, so that it is seen.
fn merged(mut points: Vec<(Timestamp, f64)>, more: Vec<(Timestamp, f64)>) -> Vec<(Timestamp, f64)> {
    points.extend(more);
    points.sort_by_key(|p| p.0);
    points.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        let senseless = |v: f64| !v.is_finite() || v < 0.0;
        if same && !senseless(kept.1) && (senseless(later.1) || later.1 > kept.1) {
            kept.1 = later.1;
        }
        same
    });
    points
}
