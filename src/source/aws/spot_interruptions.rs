//! Spot instances that EC2 took back.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use futures_util::future::join_all;
use jiff::Timestamp;

use super::AwsProvider;
use super::calls::DESCRIBE_INSTANCES;
use super::limit::Api;
use super::volumes::stopped_since;
use crate::domain::jobs::{NodeEvent, NodeEventKind};
use crate::domain::text::is_id;
use crate::domain::{Regions, SourceError, SourceId, text};
use crate::source::jobs::live::{EventsRead, NodeEvents};
use crate::source::pages::Pages;
use crate::source::provider::Page;

/// The most that `DescribeInstances` gives at once.
const PAGE: i32 = 1_000;

/// States of an instance that is gone or will be; EC2 tells of one that is terminated for about an hour.
const GONE: [&str; 4] = ["shutting-down", "terminated", "stopping", "stopped"];

/// EC2's reasons for what it did itself.
const REASONS: [&str; 2] = ["Server.SpotInstanceTermination", "Server.SpotInstanceShutdown"];

/// Spot instances that EC2 took back, of an account.
pub struct SpotInterruptions {
    name: Arc<str>,
    aws: Arc<AwsProvider>,
    regions: Regions,
}

impl SpotInterruptions {
    /// Of an account in these regions, under a clean name. Asks nobody anything.
    pub fn new(name: &str, aws: Arc<AwsProvider>, regions: Regions) -> Self {
        Self { name: text::clean(name).into(), aws, regions }
    }

    /// One page of those that are going or gone. Err when the call fails.
    async fn page(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<NodeEvent>, SourceError> {
        let filter = |name: &str, values: &[&str]| {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            ec2::Filter::builder().name(name).set_values(Some(values)).build()
        };
        let _permit = self.aws.enter(Api::Ec2, region, 0).await;
        let client = self.aws.clients().await.ec2(region);
        let answer = client
            .describe_instances()
            .filters(filter("instance-lifecycle", &["spot"]))
            .filters(filter("instance-state-name", &GONE))
            .max_results(PAGE)
            .set_next_token(token)
            .send()
            .await
            .map_err(|e| self.aws.failed(&DESCRIBE_INSTANCES, region, &e))?;
        let all = answer.reservations().iter().flat_map(ec2::Reservation::instances);
        Ok(Page::new(all.filter_map(interruption).collect(), answer.next_token))
    }

    async fn region(&self, region: &Arc<str>) -> Result<Vec<NodeEvent>, SourceError> {
        let pages = Pages::of(DESCRIBE_INSTANCES.action, region);
        pages.all(|token| self.page(region, token)).await
    }
}

/// When EC2 took an instance back; `None` for one that somebody ended, and where EC2 does not say when.
fn interruption(raw: &ec2::Instance) -> Option<NodeEvent> {
    let code = raw.state_reason()?.code()?;
    REASONS.contains(&code).then_some(())?;
    let id = raw.instance_id().filter(|id| is_id(id))?;
    let at = stopped_since(raw.state_transition_reason()?)?;
    Some(NodeEvent {
        cluster: None,
        hosts: vec![id.into()],
        gpu: None,
        kind: NodeEventKind::SpotInterruption,
        at,
        words: Some(text::clean(code).into()),
    })
}

#[async_trait::async_trait]
impl NodeEvents for SpotInterruptions {
    fn name(&self) -> (SourceId, Arc<str>) {
        (SourceId::Ec2, self.name.clone())
    }

    async fn read(&self, _: Timestamp, _: Timestamp) -> Result<EventsRead, SourceError> {
        let regions = self.aws.those(&self.regions).await?;
        let asked: Vec<_> = regions.iter().map(|region| self.region(region)).collect();
        let mut read = EventsRead::default();
        let mut is_answered = false;
        for answer in join_all(asked).await {
            match answer {
                Ok(events) => {
                    is_answered = true;
                    // All that EC2 still tells: what a region refused the last time is there yet.
                    read.events.extend(events);
                }
                Err(error) => read.refusal = read.refusal.or(Some(error)),
            }
        }
        match read.refusal {
            Some(error) if !is_answered => Err(error),
            refusal => Ok(EventsRead { refusal, ..read }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: Option<&str>, words: Option<&str>) -> Option<String> {
        let reason = ec2::StateReason::builder().set_code(code.map(str::to_owned)).build();
        let raw = ec2::Instance::builder()
            .instance_id("i-0a")
            .state_reason(reason)
            .set_state_transition_reason(words.map(str::to_owned));
        interruption(&raw.build()).map(|of| format!("{} {}", of.hosts[0], of.at))
    }

    #[test]
    fn what_ec2_took_back_is_told_with_its_time_and_what_somebody_ended_is_not() {
        let words = Some("Service initiated (2026-11-20 10:00:30 GMT)");
        let expected = Some("i-0a 2026-11-20T10:00:30Z".to_owned());
        assert_eq!(told(Some("Server.SpotInstanceTermination"), words), expected);
        assert_eq!(told(Some("Server.SpotInstanceShutdown"), words), expected);
        assert_eq!(told(Some("Client.UserInitiatedShutdown"), words), None);
        assert_eq!(told(Some("Server.InternalError"), words), None);
        assert_eq!(told(None, words), None);
        // Without a time nobody knows whose end it was.
        assert_eq!(told(Some("Server.SpotInstanceTermination"), Some("")), None);
        assert_eq!(told(Some("Server.SpotInstanceTermination"), None), None);
    }
}
