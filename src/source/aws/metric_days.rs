//! CloudWatch: one value a day of a metric that the user named.

use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;

use super::{AwsProvider, metrics};
use crate::domain::SourceError;
use crate::domain::daily::{DAY_S, DayMetric, midnight};
use crate::source::provider::{GpuDimensions, MetricResult};

/// Values of the days, each at the begin of its day, in one `GetMetricData` request. `None` where the answer does not have
/// the metric. Err when the call fails.
pub async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    metric: &DayMetric,
    days: &Range<Date>,
) -> Result<Option<MetricResult>, SourceError> {
    let Some((from, to)) = midnight(days.start).zip(midnight(days.end)) else { return Ok(None) };
    let name = (&*metric.namespace, &*metric.metric);
    let dimensions = metrics::pairs(&GpuDimensions(metric.dimensions.clone()));
    let asked = metrics::named_query(0, name, dimensions, metric.statistic.word(), DAY_S);
    let seconds = to.as_second().saturating_sub(from.as_second());
    let points = u64::try_from(seconds / i64::from(DAY_S)).unwrap_or(0);
    let answers = metrics::request(aws, region, vec![asked], (from, to), points).await?;
    Ok(answers.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Cbor, Reply, Server};
    use super::*;
    use crate::domain::daily::DayStatistic;
    use crate::source::Provider as _;

    fn metric() -> DayMetric {
        DayMetric {
            namespace: "Serving".into(),
            metric: "Predictions".into(),
            dimensions: vec![("Model".into(), "ranker".into())],
            statistic: DayStatistic::SampleCount,
        }
    }

    fn days() -> Range<Date> {
        "2026-11-01".parse().unwrap().."2026-11-04".parse().unwrap()
    }

    #[tokio::test]
    async fn days_are_asked_for_by_their_own_name_and_dimensions() {
        let server = Server::start(|_, request| {
            for text in ["Serving", "Predictions", "Model", "ranker", "SampleCount"] {
                assert!(request.mentions(text), "{text}: {request:?}");
            }
            let result = Cbor::Map(vec![
                ("Id", Cbor::Text("m0")),
                ("StatusCode", Cbor::Text("Complete")),
                (
                    "Timestamps",
                    Cbor::List(vec![Cbor::Time(1_793_491_200), Cbor::Time(1_793_664_000)]),
                ),
                ("Values", Cbor::List(vec![Cbor::Float(12.0), Cbor::Float(f64::NAN)])),
            ]);
            Reply::cbor(&Cbor::Map(vec![("MetricDataResults", Cbor::List(vec![result]))]))
        });
        let found = server.provider().metric_days(&"eu-west-1".into(), &metric(), &days()).await;
        let found = found.unwrap().unwrap();
        assert!(found.complete);
        let times: Vec<String> = found.points.iter().map(|(at, _)| at.to_string()).collect();
        assert_eq!(times, ["2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z"]);
        assert!((found.points[0].1 - 12.0).abs() < 1e-12 && found.points[1].1.is_nan());
        assert!(server.seen()[0].is_for("eu-west-1"));
    }

    #[tokio::test]
    async fn a_metric_of_which_nothing_is_said_is_not_nothing() {
        let server = Server::start(|_, _| {
            Reply::cbor(&Cbor::Map(vec![("MetricDataResults", Cbor::List(vec![]))]))
        });
        let aws = server.provider();
        let found = aws.metric_days(&"us-east-1".into(), &metric(), &days()).await.unwrap();
        assert_eq!(found, None);
        let none = days().start..days().start;
        assert_eq!(aws.metric_days(&"us-east-1".into(), &metric(), &none).await.unwrap(), None);
        assert_eq!(server.seen().len(), 1, "no days, no call");
    }
}
