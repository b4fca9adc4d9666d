//! Nodes of jobs: container instances of ECS, and which instance of EC2 each of them is.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::super::AwsProvider;
use super::super::account_jobs::clean;
use super::super::calls::DESCRIBE_CONTAINER_INSTANCES;
use super::super::json_api::{At, Host, Naming, Question, Read, Service, ask};
use super::super::limit::Api;
use super::super::time;
use super::attempt::Found;
use crate::domain::jobs::{Gpus, JobNode, JobSource};
use crate::domain::text::is_id;

/// Amazon ECS, called without its SDK crate.
pub const ECS: Service = Service {
    id: "ECS",
    naming: Naming::Header("AmazonEC2ContainerServiceV20141113"),
    signing_name: "ecs",
    // Reads of resources of a cluster: 100 at once, 20 a second (ECS API request throttling).
    api: Api::Own { service: "ecs", per_second: 5, burst: 10, in_flight: 2 },
    host,
    is_billed: false,
};

fn host(at: &At<'_>) -> Host {
    let name = if at.fips { "ecs-fips" } else { "ecs" };
    Host { name: format!("{name}.{}", at.region), signed_for: None }
}

/// Most container instances that one call describes.
const AT_ONCE: usize = 100;

/// States of a container instance whose instance is there.
const THERE: [&str; 3] = ["ACTIVE", "DRAINING", "REGISTERING"];

/// Container instance of ECS that an attempt is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerHost {
    /// ARN.
    arn: Arc<str>,
    /// Cluster of ECS.
    cluster: Arc<str>,
    /// Id in the cluster: the name of the node. No other container instance has it, and no instance has two.
    pub name: Arc<str>,
}

impl ContainerHost {
    /// The container instance of an ARN; `None` for one that names no cluster, as the first ones did, or is unsafe.
    pub fn of(arn: &str) -> Option<Self> {
        let place = arn.splitn(6, ':').nth(5).filter(|_| is_id(arn))?;
        let (cluster, name) = place.strip_prefix("container-instance/")?.split_once('/')?;
        let is_named = !cluster.is_empty() && !name.is_empty();
        is_named.then(|| Self { arn: arn.into(), cluster: cluster.into(), name: name.into() })
    }
}

/// Request for container instances of a cluster.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DescribeContainerInstances<'a> {
    cluster: &'a str,
    container_instances: &'a [&'a str],
}

impl Question for DescribeContainerInstances<'_> {
    const READ: Read = Read::of(&DESCRIBE_CONTAINER_INSTANCES, &ECS);
    type Answer = Described;
}

/// Those that ECS knows; of the others nothing is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Described {
    container_instances: Option<Vec<Instance>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Instance {
    container_instance_arn: Option<String>,
    ec2_instance_id: Option<String>,
    status: Option<String>,
    #[serde(default, deserialize_with = "time::from_json")]
    registered_at: Option<Timestamp>,
    attributes: Option<Vec<Attribute>>,
    registered_resources: Option<Vec<Resource>>,
}

#[derive(Debug, Deserialize)]
struct Attribute {
    name: Option<String>,
    value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    name: Option<String>,
    string_set_value: Option<Vec<IgnoredAny>>,
}

/// What attempts tell of the container instance that they are on.
struct Used<'a> {
    host: &'a ContainerHost,
    /// Cluster of the attempts.
    cluster: &'a Arc<str>,
    /// From when on it was used, as far as these attempts tell.
    from: Timestamp,
    /// Until when.
    until: Timestamp,
}

/// The nodes of attempts of a region, as far as ECS still knows them. What fails is a note: the attempts stay.
pub async fn nodes(
    aws: &AwsProvider,
    region: &Arc<str>,
    found: &[Found],
    now: Timestamp,
    notes: &mut Vec<String>,
) -> Vec<JobNode> {
    let mut clusters: BTreeMap<&str, BTreeMap<&str, Used<'_>>> = BTreeMap::new();
    for one in found {
        let Some(host) = &one.host else { continue };
        let of = &one.attempt;
        let from = of.started_at.unwrap_or(now);
        let until = of.ended_at.or(of.seen_until).unwrap_or(from).max(from);
        let hosts = clusters.entry(&host.cluster).or_default();
        let first = Used { host, cluster: &of.id.cluster, from, until };
        let used = hosts.entry(&host.arn).or_insert(first);
        (used.from, used.until) = (used.from.min(from), used.until.max(until));
    }
    let mut nodes = Vec::new();
    for (cluster, hosts) in &clusters {
        let all: Vec<&str> = hosts.keys().copied().collect();
        for container_instances in all.chunks(AT_ONCE) {
            let question = DescribeContainerInstances { cluster, container_instances };
            match ask(aws, region, &question).await {
                Ok(answer) => {
                    let all = answer.container_instances.unwrap_or_default();
                    nodes.extend(all.iter().filter_map(|of| node(of, hosts, region, now)));
                }
                // It went with its compute environment.
                Err(failed) if failed.code() == Some("ClusterNotFoundException") => break,
                Err(failed) => {
                    let why = "which instances jobs of AWS Batch run on is unknown";
                    notes.push(format!("{region}: {why}: {}", failed.error.with_fix()));
                    return nodes;
                }
            }
        }
    }
    nodes
}

fn node(
    of: &Instance,
    hosts: &BTreeMap<&str, Used<'_>>,
    region: &Arc<str>,
    now: Timestamp,
) -> Option<JobNode> {
    let used = hosts.get(of.container_instance_arn.as_deref()?)?;
    let is_there = of.status.as_deref().is_some_and(|word| THERE.contains(&word));
    let seen_from = of.registered_at.filter(|at| *at <= used.from).unwrap_or(used.from);
    let mut attributes = of.attributes.iter().flatten();
    let of_type = attributes.find(|one| one.name.as_deref() == Some("ecs.instance-type"));
    // Without the AMI for GPUs ECS knows of none, whatever the instance has.
    let mut resources = of.registered_resources.iter().flatten();
    let gpus = resources.find(|one| one.name.as_deref() == Some("GPU"));
    let gpus = gpus.and_then(|one| u32::try_from(one.string_set_value.as_ref()?.len()).ok());
    Some(JobNode {
        source: JobSource::Batch,
        cluster: used.cluster.clone(),
        name: used.host.name.clone(),
        instance_id: of.ec2_instance_id.as_deref().filter(|id| is_id(id)).map(Arc::from),
        instance_type: of_type.and_then(|one| clean(one.value.as_deref()?)),
        private_ip: None,
        region: Some(region.clone()),
        gpus: gpus.map(Gpus::whole),
        seen_from,
        seen_until: if is_there { now.max(seen_from) } else { used.until },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_named_by_its_id_in_the_cluster() {
        let arn = "arn:aws:ecs:us-east-1:123456789012:container-instance/gpu_Batch_1/0a1b2c";
        let host = ContainerHost::of(arn).unwrap();
        assert_eq!((&*host.cluster, &*host.name, &*host.arn), ("gpu_Batch_1", "0a1b2c", arn));
        for none in [
            "TBD",
            "arn:aws:ecs:us-east-1:123456789012:container-instance/0a1b2c",
            "arn:aws:ecs:us-east-1:123456789012:task/c/0a1b2c",
            "arn:aws:ecs:us-east-1:123456789012:container-instance/c/",
            "arn:aws:ecs:us-east-1:123456789012:container-instance/c/0a\u{202e}",
        ] {
            assert_eq!(ContainerHost::of(none), None, "{none}");
        }
    }
}
