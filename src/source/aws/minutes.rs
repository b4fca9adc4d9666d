//! CloudWatch by the minute: the series that are alive, and what they said last.

use std::sync::Arc;

use aws_sdk_cloudwatch::types as cw;

use super::calls::LIST_METRICS;
use super::limit::Api;
use super::{AwsProvider, metrics};
use crate::domain::SourceError;
use crate::source::provider::{
    GpuDimensions, MetricName, MetricResult, Minutes, Page, SeriesQuery,
};

/// One page of the series of `name` with data in the last three hours. Err when the call fails.
pub async fn series(
    aws: &AwsProvider,
    region: &Arc<str>,
    name: MetricName,
    token: Option<String>,
) -> Result<Page<GpuDimensions>, SourceError> {
    let _permit = aws.enter(Api::MetricList, region, 0).await;
    let client = aws.clients().await.cloudwatch(region);
    let answer = client
        .list_metrics()
        .namespace(name.namespace)
        .metric_name(name.metric)
        .recently_active(cw::RecentlyActive::Pt3H)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&LIST_METRICS, region, &e))?;
    let items = answer.metrics().iter().filter_map(metrics::exact).collect();
    Ok(Page::new(items, answer.next_token))
}

/// Values of `queries` in short periods, usually a minute. Err when the request fails.
pub async fn data(
    aws: &AwsProvider,
    region: &Arc<str>,
    queries: &[SeriesQuery],
    minutes: Minutes,
) -> Result<Vec<MetricResult>, SourceError> {
    let period_s = i32::try_from(minutes.period_s).unwrap_or(i32::MAX);
    let asked = queries.iter().enumerate().map(|(i, q)| {
        let name = (q.name.namespace, q.name.metric);
        metrics::stat_query(i, name, metrics::pairs(&q.dimensions), q.statistic, period_s)
    });
    let points = (queries.len() * minutes.points()) as u64;
    metrics::request(aws, region, asked.collect(), (minutes.from, minutes.to), points).await
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::source::Statistic;
    use crate::source::aws::testing::{Cbor, Reply, Server};
    use crate::source::provider::Provider as _;

    const NAME: MetricName =
        MetricName { namespace: "ContainerInsights", metric: "node_gpu_utilization" };

    fn region() -> Arc<str> {
        "us-east-1".into()
    }

    #[tokio::test]
    async fn living_series_are_listed_with_all_their_dimensions() {
        let dimension =
            |name, value| Cbor::Map(vec![("Name", Cbor::Text(name)), ("Value", Cbor::Text(value))]);
        let server = Server::start(move |_, request| {
            assert!(request.path.ends_with("/operation/ListMetrics"), "{}", request.path);
            for text in ["PT3H", NAME.namespace, NAME.metric] {
                assert!(request.mentions(text), "{text}");
            }
            let series = |pairs: Vec<Cbor>| {
                Cbor::Map(vec![
                    ("Namespace", Cbor::Text(NAME.namespace)),
                    ("MetricName", Cbor::Text(NAME.metric)),
                    ("Dimensions", Cbor::List(pairs)),
                ])
            };
            let good = [dimension("InstanceId", "i-1"), dimension("GpuDevice", "nvidia0")];
            let odd = [dimension("InstanceId", "i-1\u{202e}"), dimension("GpuDevice", "nvidia0")];
            let list = vec![series(good.into()), series(odd.into())];
            Reply::cbor(&Cbor::Map(vec![
                ("Metrics", Cbor::List(list)),
                ("NextToken", Cbor::Text("")),
            ]))
        });
        let page = server.provider().recent_series(&region(), NAME, None).await.unwrap();
        let want = GpuDimensions(vec![
            ("InstanceId".into(), "i-1".into()),
            ("GpuDevice".into(), "nvidia0".into()),
        ]);
        assert_eq!(page, Page::last(vec![want]));
    }

    #[tokio::test]
    async fn points_come_by_the_minute() {
        let server = Server::start(|_, request| {
            assert!(request.path.ends_with("/operation/GetMetricData"), "{}", request.path);
            assert!(request.mentions("Average") && request.mentions(NAME.metric));
            let times = [600, 660].map(Cbor::Time).into();
            let values = [12.5, f64::NAN].map(Cbor::Float).into();
            let result = Cbor::Map(vec![
                ("Id", Cbor::Text("m0")),
                ("Timestamps", Cbor::List(times)),
                ("Values", Cbor::List(values)),
                ("StatusCode", Cbor::Text("Complete")),
            ]);
            Reply::cbor(&Cbor::Map(vec![("MetricDataResults", Cbor::List(vec![result]))]))
        });
        let query = SeriesQuery {
            name: NAME,
            dimensions: GpuDimensions(vec![("InstanceId".into(), "i-1".into())]),
            statistic: Statistic::Average,
        };
        let at = |s| Timestamp::from_second(s).unwrap();
        let minutes = Minutes { from: at(0), to: at(900), period_s: 60 };
        assert_eq!(minutes.points(), 15);
        let got = server.provider().recent_data(&region(), &[query], minutes).await.unwrap();
        assert!(got.len() == 1 && got[0].complete);
        assert_eq!(got[0].points[0], (at(600), 12.5));
        assert!(got[0].points[1].1.is_nan(), "raw: judged as malformed later");
    }
}
