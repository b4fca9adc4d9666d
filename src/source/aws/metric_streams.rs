//! CloudWatch: the list of metric streams.

use std::sync::Arc;

use aws_sdk_cloudwatch::types as cw;

use super::calls::LIST_METRIC_STREAMS;
use super::inventory::clean;
use super::limit::Api;
use super::{AwsProvider, time};
use crate::domain::{MetricStream, SourceError};

/// All metric streams of a region; what they send is asked for elsewhere. Err when a page cannot be read.
pub async fn read(aws: &AwsProvider, region: &Arc<str>) -> Result<Vec<MetricStream>, SourceError> {
    let client = aws.clients().await.cloudwatch(region);
    let ask = |token| client.list_metric_streams().set_next_token(token).send();
    let of = (Api::MetricList, &LIST_METRIC_STREAMS);
    let all = aws.all_pages(of, region, ask, |page| (page.entries, page.next_token)).await?;
    Ok(all.iter().filter_map(stream).collect())
}

/// `None` for a stream without a name. One whose state is not known is taken to run: it may cost something.
fn stream(raw: &cw::MetricStreamEntry) -> Option<MetricStream> {
    Some(MetricStream {
        name: clean(Some(raw.name()?)),
        created_at: raw.creation_date().and_then(time::from_sdk),
        is_running: raw.state() != Some("stopped"),
        updates_per_day: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Cbor, Reply, Server};
    use crate::source::Provider as _;

    #[tokio::test]
    async fn streams_come_on_all_pages_with_their_state() {
        let server = Server::start(|_, request| {
            assert!(request.path.ends_with("/operation/ListMetricStreams"), "{request:?}");
            let entry = |name: &'static str, state: &'static str| {
                Cbor::Map(vec![
                    ("Name", Cbor::Text(name)),
                    ("State", Cbor::Text(state)),
                    ("CreationDate", Cbor::Time(1_700_000_000)),
                ])
            };
            let page = match request.mentions("more") {
                false => vec![
                    ("Entries", Cbor::List(vec![entry("to-dashboards", "running")])),
                    ("NextToken", Cbor::Text("more")),
                ],
                true => vec![(
                    "Entries",
                    Cbor::List(vec![
                        entry("a\u{1b}[2J\u{202e}b", "stopped"),
                        Cbor::Map(vec![("State", Cbor::Text("running"))]),
                    ]),
                )],
            };
            Reply::cbor(&Cbor::Map(page))
        });
        let found = server.provider().metric_streams(&"1".into(), &"us-east-1".into()).await;
        let found = found.unwrap();
        assert_eq!(found.len(), 2, "one has no name: {found:?}");
        assert_eq!((&*found[0].name, found[0].is_running), ("to-dashboards", true));
        assert_eq!(found[0].created_at, Some("2023-11-14T22:13:20Z".parse().unwrap()));
        assert!(!found[1].is_running && !found[1].name.contains('\u{1b}'));
        assert_eq!(found[0].updates_per_day, None, "the list does not tell");
    }
}
