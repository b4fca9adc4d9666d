//! Nodes of a cluster, and who holds their GPUs.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::attempt::Row;
use super::devices::NodeDevices;
use super::wire::Node;
use crate::domain::jobs::{GpuHolder, Gpus, JobNode, JobSource, JobState};
use crate::domain::text::clean;

/// Labels of the instance type and of the region, the present ones first.
const TYPES: [&str; 2] = ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];
const REGIONS: [&str; 2] =
    ["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"];

/// A node with what its accelerators are.
pub(super) struct KnownNode {
    pub node: JobNode,
    pub devices: NodeDevices,
}

/// A node as the cluster knows it; `None` without a name.
pub(super) fn known(
    node: &Node,
    cluster: &Arc<str>,
    region: Option<&Arc<str>>,
    now: Timestamp,
) -> Option<KnownNode> {
    let name = node.metadata.name.as_deref().filter(|name| !name.is_empty())?;
    let devices = NodeDevices::of(node);
    let label = |keys: &[&str]| keys.iter().find_map(|key| node.metadata.label(key));
    let text = |value: &str| Arc::from(clean(value));
    let made = node.metadata.creation_timestamp.as_deref();
    let made = made.and_then(|text| text.parse::<Timestamp>().ok()).filter(|at| *at <= now);
    let addresses = node.status.addresses.iter().flatten();
    let mut internal = addresses.filter(|of| of.kind == "InternalIP");
    let node = JobNode {
        source: JobSource::Kubernetes,
        cluster: cluster.clone(),
        name: text(name),
        instance_id: node.spec.provider_id.as_deref().and_then(instance_id).map(Arc::from),
        instance_type: label(&TYPES).map(text),
        private_ip: internal.find_map(|of| address(&of.address)),
        region: label(&REGIONS).map(text).or_else(|| region.cloned()),
        gpus: devices.gpus,
        seen_from: made.unwrap_or(now),
        seen_until: now,
    };
    Some(KnownNode { node, devices })
}

/// Id of the instance in `aws:///us-east-1a/i-0123456789abcdef0`, and in HyperPod's `…/sagemaker/cluster/hyperpod-x-i-0123…`; `None`
/// where it names none.
fn instance_id(provider: &str) -> Option<&str> {
    let last = provider.strip_prefix("aws://")?.rsplit('/').next()?;
    let digits = last.strip_prefix("i-").or_else(|| last.rsplit_once("-i-").map(|(_, id)| id))?;
    let is_id = (8..=17).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    is_id.then(|| &last[last.len() - digits.len() - 2..])
}

/// An address by which an instance can be found.
fn address(value: &str) -> Option<Arc<str>> {
    let ip: IpAddr = value.trim().parse().ok()?;
    (!ip.is_loopback() && !ip.is_unspecified()).then(|| ip.to_string().into())
}

/// Gives each attempt what its node tells: GPUs that are shared by turns, and the region.
pub(super) fn told_by_nodes(rows: &mut [Row], nodes: &[KnownNode]) {
    let by_name: HashMap<&str, &KnownNode> =
        nodes.iter().map(|known| (&*known.node.name, known)).collect();
    for row in rows {
        let known = row.attempt.nodes.first().and_then(|node| by_name.get(&**node));
        let Some(known) = known else { continue };
        row.attempt.gpus = row.devices.gpus(Some(&known.devices));
        if known.node.region.is_some() {
            row.attempt.region.clone_from(&known.node.region);
        }
    }
}

/// Who holds GPUs now: pods that are on a node, whatever they do there.
pub(super) fn holders(rows: &[Row], now: Timestamp) -> Vec<GpuHolder> {
    let holds = |row: &&Row| {
        matches!(row.attempt.state, JobState::Running | JobState::Unknown)
            && row.attempt.gpus.is_none_or(|gpus| gpus > Gpus::ZERO)
    };
    let held = rows.iter().filter(holds).filter_map(|row| {
        let of = &row.attempt;
        Some(GpuHolder {
            source: JobSource::Kubernetes,
            cluster: of.id.cluster.clone(),
            node: of.nodes.first()?.clone(),
            gpus: of.gpus,
            indexes: None,
            raw: Some(of.id.raw.clone()),
            job: Some(of.job.clone()),
            user: of.user.clone(),
            at: now,
        })
    });
    held.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instance_is_told_by_the_provider() {
        for (provider, id) in [
            ("aws:///us-east-1a/i-0123456789abcdef0", Some("i-0123456789abcdef0")),
            (
                "aws:///usw2-az2/sagemaker/cluster/hyperpod-x1y2-i-0123456789abcdef0",
                Some("i-0123456789abcdef0"),
            ),
            ("aws:///us-east-1a/i-01234567", Some("i-01234567")),
            ("aws:///us-east-1a/fargate-ip-10-0-0-1.ec2.internal", None),
            ("aws:///us-east-1a/i-0123456789ABCDEF0", None),
            ("gce://project/zone/i-0123456789abcdef0", None),
            ("", None),
        ] {
            assert_eq!(instance_id(provider), id, "{provider}");
        }
    }
}
