//! CloudWatch: which GPU series exist, and hourly data.

use std::sync::Arc;

use aws_sdk_cloudwatch::types as cw;
use jiff::Timestamp;

use super::calls::{GET_METRIC_DATA, LIST_METRICS};
use super::limit::{self, Api};
use super::{AwsProvider, time};
use crate::domain::{HourRange, SourceError, text};
use crate::source::pages::Pages;
use crate::source::planner::gpu;
use crate::source::provider::{
    GpuDimensions, GpuMetric, MetricKey, MetricQuery, MetricResult, Page, Statistic,
};

/// CloudWatch namespace of EC2's metrics.
pub(super) const EC2_NAMESPACE: &str = "AWS/EC2";
/// CloudWatch namespace of EBS volumes.
pub(super) const EBS_NAMESPACE: &str = "AWS/EBS";

/// CloudWatch namespace of the CloudWatch agent.
pub(super) const AGENT_NAMESPACE: &str = "CWAgent";
const AGENT_GPU_METRIC: &str = "nvidia_smi_utilization_gpu";

/// One page of the agent's GPU series, of all hosts or those with the dimension `only` (name, value). `RecentlyActive`
/// is not set: an agent that died days ago is part of the evidence (CloudWatch lists series with data in the last two
/// weeks). Err when the call fails.
pub async fn list(
    aws: &AwsProvider,
    region: &Arc<str>,
    only: Option<(&str, &str)>,
    token: Option<String>,
) -> Result<Page<GpuMetric>, SourceError> {
    let _permit = aws.enter(Api::MetricList, region, 0).await;
    let client = aws.clients().await.cloudwatch(region);
    let only = only
        .map(|(name, value)| vec![cw::DimensionFilter::builder().name(name).value(value).build()]);
    let answer = client
        .list_metrics()
        .namespace(AGENT_NAMESPACE)
        .metric_name(AGENT_GPU_METRIC)
        .set_dimensions(only)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&LIST_METRICS, region, &e))?;
    let series = answer.metrics().iter().filter_map(gpu_metric).collect();
    Ok(Page::new(gpu::distinct(series), answer.next_token))
}

/// `None` for roll-ups over GPUs or hosts, which would hide a busy GPU behind idle ones. Names
/// and values must come back exactly as they are, so a series whose dimensions hold characters
/// that burntop would replace is left out; CloudWatch accepts only printable ASCII anyway.
fn gpu_metric(raw: &cw::Metric) -> Option<GpuMetric> {
    let GpuDimensions(dimensions) = exact(raw)?;
    let find = |key: &str| dimensions.iter().find(|(n, _)| &**n == key).map(|(_, v)| v.clone());
    let index = find("index")?.parse().ok()?;
    let (instance, host) = (find("InstanceId"), find("host"));
    (instance.is_some() || host.is_some()).then_some(GpuMetric {
        instance,
        host,
        index,
        dimensions: GpuDimensions(dimensions),
    })
}

/// Dimensions of a series; `None` when cleaning would change them, so that they could not be queried.
pub(super) fn exact(raw: &cw::Metric) -> Option<GpuDimensions> {
    let mut dimensions: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    for dimension in raw.dimensions() {
        let (name, value) = (dimension.name()?, dimension.value()?);
        if text::clean(name) != name || text::clean(value) != value {
            return None;
        }
        dimensions.push((name.into(), value.into()));
    }
    Some(GpuDimensions(dimensions))
}

/// Hourly values of `queries` in `range`. Err when the request fails.
pub async fn data(
    aws: &AwsProvider,
    region: &Arc<str>,
    queries: &[MetricQuery],
    range: HourRange,
) -> Result<Vec<MetricResult>, SourceError> {
    let points = limit::metric_points(queries.len(), range, (aws.now)());
    let asked = queries.iter().enumerate().map(|(i, q)| metric_query(i, q, 3600)).collect();
    request(aws, region, asked, (range.from.start(), range.to.start()), points).await
}

/// One `GetMetricData` request with all its pages. Err when any page fails: a partial answer would look like missing
/// datapoints. `points` is its weight against the datapoint limit.
pub(super) async fn request(
    aws: &AwsProvider,
    region: &Arc<str>,
    asked: Vec<cw::MetricDataQuery>,
    (from, to): (Timestamp, Timestamp),
    points: u64,
) -> Result<Vec<MetricResult>, SourceError> {
    if asked.is_empty() || from >= to {
        return Ok(Vec::new());
    }
    let client = aws.clients().await.cloudwatch(region);
    let mut merged = Merged::new(asked.len());
    let mut pages = Pages::of(GET_METRIC_DATA.action, region);
    while let Some(token) = pages.ask() {
        // CloudWatch counts the datapoints of a request once, not again for each page.
        let points = if token.is_none() { points } else { 0 };
        let _permit = aws.enter(Api::MetricData, region, points).await;
        let page = client
            .get_metric_data()
            .set_metric_data_queries(Some(asked.clone()))
            .start_time(time::to_sdk(from))
            .end_time(time::to_sdk(to))
            .scan_by(cw::ScanBy::TimestampAscending)
            .set_next_token(token)
            .send()
            .await
            .map_err(|e| aws.failed(&GET_METRIC_DATA, region, &e))?;
        merged.add(page.metric_data_results());
        if !page.messages().is_empty() {
            // Said of the request as a whole ("not all metrics were read"): nothing that is
            // absent proves anything.
            let codes: Vec<&str> = page.messages().iter().filter_map(|m| m.code()).collect();
            tracing::warn!(%region, ?codes, "CloudWatch restricts its answer");
            merged.restricted = true;
        }
        pages.follow(page.next_token)?;
    }
    Ok(merged.finish())
}

/// Query for periods of `period_s` seconds. Its id is `index` behind a letter, because ids must begin with one.
pub(super) fn metric_query(
    index: usize,
    query: &MetricQuery,
    period_s: i32,
) -> cw::MetricDataQuery {
    let (name, dimensions) = match &query.key {
        MetricKey::Ec2 { metric } => {
            ((EC2_NAMESPACE, *metric), vec![dimension("InstanceId", &query.instance)])
        }
        MetricKey::Volume { metric, volume } => {
            ((EBS_NAMESPACE, *metric), vec![dimension("VolumeId", volume)])
        }
        MetricKey::AgentGpu { dimensions } => {
            ((AGENT_NAMESPACE, AGENT_GPU_METRIC), pairs(dimensions))
        }
    };
    stat_query(index, name, dimensions, query.statistic, period_s)
}

/// Dimensions as the SDK takes them.
pub(super) fn pairs(dimensions: &GpuDimensions) -> Vec<cw::Dimension> {
    dimensions.0.iter().map(|(name, value)| dimension(name, value)).collect()
}

/// Query for one statistic of a metric in periods of `period_s` seconds.
pub(super) fn stat_query(
    index: usize,
    metric: (&str, &str),
    dimensions: Vec<cw::Dimension>,
    statistic: Statistic,
    period_s: i32,
) -> cw::MetricDataQuery {
    let statistic = match statistic {
        Statistic::Average => "Average",
        Statistic::Maximum => "Maximum",
        Statistic::Sum => "Sum",
    };
    named_query(index, metric, dimensions, statistic, period_s)
}

/// Query for a statistic by CloudWatch's name of it.
pub(super) fn named_query(
    index: usize,
    (namespace, name): (&str, &str),
    dimensions: Vec<cw::Dimension>,
    statistic: &str,
    period_s: i32,
) -> cw::MetricDataQuery {
    let metric = cw::Metric::builder()
        .namespace(namespace)
        .metric_name(name)
        .set_dimensions(Some(dimensions))
        .build();
    let stat = cw::MetricStat::builder().metric(metric).period(period_s).stat(statistic);
    cw::MetricDataQuery::builder()
        .id(format!("m{index}"))
        .metric_stat(stat.build())
        .return_data(true)
        .build()
}

fn dimension(name: &str, value: &str) -> cw::Dimension {
    cw::Dimension::builder().name(name).value(value).build()
}

/// The pages of one request, joined by query.
struct Merged {
    results: Vec<Option<Partial>>,
    restricted: bool,
}

#[derive(Default)]
struct Partial {
    points: Vec<(Timestamp, f64)>,
    status: Option<cw::StatusCode>,
    mangled: bool,
}

impl Merged {
    fn new(queries: usize) -> Self {
        Self { results: std::iter::repeat_with(|| None).take(queries).collect(), restricted: false }
    }

    fn add(&mut self, page: &[cw::MetricDataResult]) {
        for result in page {
            let index = result.id().and_then(|id| id.strip_prefix('m')?.parse::<usize>().ok());
            let Some(slot) = index.and_then(|i| self.results.get_mut(i)) else { continue };
            let partial = slot.get_or_insert_default();
            let (times, values) = (result.timestamps(), result.values());
            partial.mangled |= times.len() != values.len();
            for (time, value) in times.iter().zip(values) {
                match time::from_sdk(time) {
                    Some(at) => partial.points.push((at, *value)),
                    None => partial.mangled = true,
                }
            }
            // `PartialData` announces another page; what the last page says of a series counts.
            partial.status = result.status_code().cloned();
        }
    }

    fn finish(self) -> Vec<MetricResult> {
        let restricted = self.restricted;
        self.results
            .into_iter()
            .enumerate()
            .filter_map(|(query, partial)| {
                let Partial { points, status, mangled } = partial?;
                let complete = status == Some(cw::StatusCode::Complete) && !mangled && !restricted;
                Some(MetricResult { query, points, complete })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Signal;
    use crate::source::planner::signal_query;

    fn raw(pairs: &[(&str, &str)]) -> cw::Metric {
        cw::Metric::builder()
            .set_dimensions(Some(pairs.iter().map(|(n, v)| dimension(n, v)).collect()))
            .build()
    }

    #[test]
    fn both_shapes_of_the_agent_are_read_and_roll_ups_are_not() {
        let by_id = gpu_metric(&raw(&[
            ("InstanceId", "i-1"),
            ("ImageId", "ami-1"),
            ("InstanceType", "p4d.24xlarge"),
            ("index", "7"),
            ("name", "NVIDIA A100-SXM4-40GB"),
            ("arch", "Ampere"),
        ]))
        .unwrap();
        assert_eq!((by_id.instance.as_deref(), by_id.index), (Some("i-1"), 7));
        assert_eq!(by_id.dimensions.0.len(), 6);
        let by_host =
            gpu_metric(&raw(&[("host", "ip-10-0-0-1"), ("index", "0"), ("name", "T4")])).unwrap();
        assert_eq!((by_host.instance, by_host.host.as_deref()), (None, Some("ip-10-0-0-1")));
        for roll_up in [
            &[("InstanceId", "i-1")][..],
            &[("index", "0"), ("name", "T4")][..],
            &[("InstanceId", "i-1"), ("index", "all")][..],
            &[("InstanceId", "i-1"), ("index", "0"), ("name", "T4\u{202e}")][..],
        ] {
            assert_eq!(gpu_metric(&raw(roll_up)), None, "{roll_up:?}");
        }
    }

    #[test]
    fn a_query_is_hourly_with_its_own_dimensions() {
        let id: Arc<str> = "i-9".into();
        let query = signal_query(&id, Signal::NetworkIn, None).unwrap();
        let built = metric_query(12, &query, 3600);
        assert_eq!(built.id(), Some("m12"));
        let stat = built.metric_stat().unwrap();
        assert_eq!((stat.period(), stat.stat()), (Some(3600), Some("Sum")));
        let metric = stat.metric().unwrap();
        assert_eq!(
            (metric.namespace(), metric.metric_name()),
            (Some("AWS/EC2"), Some("NetworkIn"))
        );
        assert_eq!(metric.dimensions()[0].value(), Some("i-9"));
        let dims = GpuDimensions(vec![("host".into(), "h".into()), ("index".into(), "3".into())]);
        let gpu = metric_query(0, &signal_query(&id, Signal::GpuMax(3), Some(&dims)).unwrap(), 60);
        let metric = gpu.metric_stat().unwrap().metric().unwrap();
        assert_eq!((metric.namespace(), metric.dimensions().len()), (Some("CWAgent"), 2));
    }

    fn result(id: &str, hours: &[i64], status: Option<cw::StatusCode>) -> cw::MetricDataResult {
        cw::MetricDataResult::builder()
            .id(id)
            .set_timestamps(Some(
                hours.iter().map(|h| aws_smithy_types::DateTime::from_secs(h * 3600)).collect(),
            ))
            .set_values(Some(hours.iter().map(|h| *h as f64).collect()))
            .set_status_code(status)
            .build()
    }

    #[test]
    fn pages_of_a_series_merge_and_its_last_word_counts() {
        let mut merged = Merged::new(6);
        merged.add(&[
            result("m0", &[1, 2], Some(cw::StatusCode::PartialData)),
            result("m1", &[1], Some(cw::StatusCode::PartialData)),
            result("m2", &[], Some(cw::StatusCode::InternalError)),
            result("m3", &[], Some(cw::StatusCode::Forbidden)),
            result("m4", &[], None),
            result("m9", &[1], Some(cw::StatusCode::Complete)),
            result("x", &[1], Some(cw::StatusCode::Complete)),
        ]);
        merged.add(&[result("m0", &[3], Some(cw::StatusCode::Complete))]);
        let results = merged.finish();
        let seen: Vec<(usize, usize, bool)> =
            results.iter().map(|r| (r.query, r.points.len(), r.complete)).collect();
        assert_eq!(
            seen,
            [(0, 3, true), (1, 1, false), (2, 0, false), (3, 0, false), (4, 0, false)]
        );
    }

    #[test]
    fn an_unequal_pair_or_a_message_on_the_request_proves_nothing() {
        let mut merged = Merged::new(2);
        let lame = cw::MetricDataResult::builder()
            .id("m0")
            .timestamps(aws_smithy_types::DateTime::from_secs(0))
            .status_code(cw::StatusCode::Complete)
            .build();
        merged.add(&[lame, result("m1", &[1], Some(cw::StatusCode::Complete))]);
        assert_eq!(merged.finish().iter().map(|r| r.complete).collect::<Vec<_>>(), [false, true]);
        let mut merged = Merged::new(1);
        merged.add(&[result("m0", &[1], Some(cw::StatusCode::Complete))]);
        merged.restricted = true;
        assert!(!merged.finish()[0].complete);
    }
}
