//! CloudWatch's daily figures of buckets: bytes by storage type, objects, and reads where request
//! metrics are switched on.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use aws_sdk_cloudwatch::types as cw;
use jiff::civil::Date;

use super::calls::LIST_METRICS;
use super::limit::Api;
use super::{AwsProvider, metrics};
use crate::domain::SourceError;
use crate::domain::daily::{DAY_S, day_of, midnight};
use crate::source::provider::{GpuDimensions, Page, Statistic};
use crate::source::storage::{SizeMetric, SizePoints, SizeSeries};

const NAMESPACE: &str = "AWS/S3";

/// In this order they are listed. Downloads have the filters of reads.
const METRICS: [SizeMetric; 3] = [SizeMetric::Bytes, SizeMetric::Objects, SizeMetric::Reads];

/// CloudWatch's name of the metric and of its second dimension, and the statistic of a day.
fn names(metric: SizeMetric) -> (&'static str, &'static str, Statistic) {
    match metric {
        SizeMetric::Bytes => ("BucketSizeBytes", "StorageType", Statistic::Average),
        SizeMetric::Objects => ("NumberOfObjects", "StorageType", Statistic::Average),
        SizeMetric::Reads => ("GetRequests", "FilterId", Statistic::Sum),
        SizeMetric::Downloads => ("BytesDownloaded", "FilterId", Statistic::Sum),
    }
}

/// One page of the bucket series in a region (`ListMetrics`), one metric after the other, because the namespace holds
/// dozens of others. The token begins with the index of the metric. Err when the call fails.
pub async fn series(
    aws: &AwsProvider,
    region: &Arc<str>,
    token: Option<String>,
) -> Result<Page<SizeSeries>, SourceError> {
    let (at, token) = token.as_deref().and_then(|t| t.split_once(':')).unwrap_or(("0", ""));
    let at: usize = at.parse().unwrap_or(0);
    let Some(metric) = METRICS.get(at).copied() else {
        return Ok(Page::last(Vec::new()));
    };
    let _permit = aws.enter(Api::MetricList, region, 0).await;
    let client = aws.clients().await.cloudwatch(region);
    let answer = client
        .list_metrics()
        .namespace(NAMESPACE)
        .metric_name(names(metric).0)
        .set_next_token(Some(token.to_owned()).filter(|t| !t.is_empty()))
        .send()
        .await
        .map_err(|e| aws.failed(&LIST_METRICS, region, &e))?;
    let items = answer.metrics().iter().filter_map(|m| one(m, metric)).collect();
    let next = match answer.next_token.filter(|t| !t.is_empty()) {
        Some(next) => Some(format!("{at}:{next}")),
        None if at + 1 < METRICS.len() => Some(format!("{}:", at + 1)),
        None => None,
    };
    Ok(Page::new(items, next))
}

/// `None` for what has other dimensions. The storage type stays as it was said, known or not.
fn one(raw: &cw::Metric, metric: SizeMetric) -> Option<SizeSeries> {
    let GpuDimensions(dimensions) = metrics::exact(raw)?;
    let find = |key: &str| dimensions.iter().find(|(n, _)| &**n == key).map(|(_, v)| v.clone());
    let (bucket, dimension) = (find("BucketName")?, find(names(metric).1)?);
    (dimensions.len() == 2).then_some(SizeSeries { bucket, metric, dimension })
}

/// Daily values of `series` for `days`, in one `GetMetricData` request. Err when the call fails.
pub async fn data(
    aws: &AwsProvider,
    region: &Arc<str>,
    series: &[SizeSeries],
    days: Range<Date>,
) -> Result<Vec<SizePoints>, SourceError> {
    let Some((from, to)) = midnight(days.start).zip(midnight(days.end)) else {
        return Ok(Vec::new());
    };
    let asked = series.iter().enumerate().map(|(i, s)| {
        let (name, dimension, statistic) = names(s.metric);
        let dimensions = GpuDimensions(vec![
            ("BucketName".into(), Arc::clone(&s.bucket)),
            (dimension.into(), Arc::clone(&s.dimension)),
        ]);
        metrics::stat_query(i, (NAMESPACE, name), metrics::pairs(&dimensions), statistic, DAY_S)
    });
    let seconds = to.as_second().saturating_sub(from.as_second());
    let points = series.len() as u64 * u64::try_from(seconds / i64::from(DAY_S)).unwrap_or(0);
    let answers = metrics::request(aws, region, asked.collect(), (from, to), points).await?;
    Ok(answers
        .into_iter()
        .map(|answer| {
            let mut by_day: BTreeMap<Date, f64> = BTreeMap::new();
            for (at, value) in answer.points {
                if value.is_finite() && value >= 0.0 {
                    by_day.insert(day_of(at), value);
                }
            }
            SizePoints {
                query: answer.query,
                points: by_day.into_iter().collect(),
                complete: answer.complete,
            }
        })
        .collect())
}
