//! Nodes of a cluster, and who holds their GPUs.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::attempt::Row;
use super::devices::{self, NodeDevices};
use super::wire::{Condition, Node};
use crate::domain::jobs::{
    GpuHolder, Gpus, JobNode, JobSource, JobState, NodeEvent, NodeEventKind,
};
use crate::domain::text::clean;

/// Labels of the instance type and of the region, the present ones first.
const TYPES: [&str; 2] = ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];
const REGIONS: [&str; 2] =
    ["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"];

/// The condition by which monitors of nodes (EKS's) tell of GPUs.
const GPUS_ARE_WELL: &str = "AcceleratedHardwareReady";

/// Its reason where the monitor does not reach DCGM.
const BLIND: &str = "DCGMError";

/// Taint of a node of which the AWS node termination handler knows that its Spot capacity is taken back.
const SPOT_TAINT: &str = "aws-node-termination-handler/spot-itn";

/// Labels of nodes that are read.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    TYPES.into_iter().chain(REGIONS).chain(devices::NODE_KEYS)
}

/// A node with what its accelerators are, and what happened to it.
pub(super) struct KnownNode {
    pub node: JobNode,
    pub devices: NodeDevices,
    pub events: Vec<NodeEvent>,
}

/// A node as the cluster knows it; `None` without a name.
pub(super) fn known(
    of: &Node,
    cluster: &Arc<str>,
    region: Option<&Arc<str>>,
    now: Timestamp,
) -> Option<KnownNode> {
    let name = of.metadata.name.as_deref().filter(|name| !name.is_empty())?;
    let devices = NodeDevices::of(of);
    let label = |keys: &[&str]| keys.iter().find_map(|key| of.metadata.label(key));
    let text = |value: &str| Arc::from(clean(value));
    let made = of.metadata.creation_timestamp.as_deref();
    let made = made.and_then(|text| text.parse::<Timestamp>().ok()).filter(|at| *at <= now);
    let addresses = of.status.addresses.iter().flatten();
    let mut internal = addresses.filter(|one| one.kind == "InternalIP");
    let node = JobNode {
        source: JobSource::Kubernetes,
        cluster: cluster.clone(),
        name: text(name),
        instance_id: of.spec.provider_id.as_deref().and_then(instance_id).map(Arc::from),
        instance_type: label(&TYPES).map(text),
        private_ip: internal.find_map(|one| address(&one.address)),
        region: label(&REGIONS).map(text).or_else(|| region.cloned()),
        gpus: devices.gpus,
        seen_from: made.unwrap_or(now),
        seen_until: now,
    };
    let events = events(of, &node, now);
    Some(KnownNode { node, devices, events })
}

/// What the cluster says of a node, as far as it says since when.
fn events(of: &Node, node: &JobNode, now: Timestamp) -> Vec<NodeEvent> {
    let moment = |text: Option<&str>| text?.parse::<Timestamp>().ok().filter(|at| *at <= now);
    let event = |kind, at, words: Option<String>| NodeEvent {
        cluster: Some((node.source, node.cluster.clone())),
        hosts: vec![node.name.clone()],
        gpu: None,
        kind,
        at,
        words: words.map(|words| clean(&words).into()),
    };
    let ill = |condition: &Condition| {
        let is_false = condition.status.as_deref() == Some("False");
        let kind = match condition.kind.as_str() {
            // A monitor that cannot look tells nothing of the hardware.
            GPUS_ARE_WELL if is_false && condition.reason.as_deref() != Some(BLIND) => {
                xid_of(condition).unwrap_or(NodeEventKind::Unhealthy)
            }
            "Ready" if !condition.is_true() => NodeEventKind::Down,
            _ => return None,
        };
        let at = moment(condition.last_transition_time.as_deref())?;
        let said = [&condition.reason, &condition.message].into_iter().flatten();
        let words: Vec<&str> = said.map(String::as_str).filter(|text| !text.is_empty()).collect();
        Some(event(kind, at, (!words.is_empty()).then(|| words.join(": "))))
    };
    let spot = of.spec.taints.iter().flatten().filter(|taint| taint.key == SPOT_TAINT);
    let spot = spot.map(|taint| {
        // Most of those who set it do not say when, and its node is gone two minutes later.
        let at = moment(taint.time_added.as_deref()).unwrap_or(now);
        event(NodeEventKind::SpotInterruption, at, None)
    });
    of.status.conditions.iter().flatten().filter_map(ill).chain(spot).collect()
}

/// The XID of a reason such as `NvidiaXID79Error`; `None` for another one.
fn xid_of(condition: &Condition) -> Option<NodeEventKind> {
    let (_, rest) = condition.reason.as_deref()?.split_once("XID")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok().map(NodeEventKind::Xid)
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
    for row in rows.iter_mut() {
        let known = row.attempt.nodes.first().and_then(|node| by_name.get(&**node));
        let Some(known) = known else { continue };
        row.attempt.gpus = row.devices.gpus(Some(&known.devices));
        if known.node.region.is_some() {
            row.attempt.region.clone_from(&known.node.region);
        }
    }
    // Of one that is said to hold a whole node all of its GPUs would count.
    for row in rows.iter_mut().filter(|row| row.attempt.gpus.is_none()) {
        row.attempt.node_count = None;
    }
}

/// Who holds GPUs now: pods that are on a node, whatever they do there.
pub(super) fn holders(rows: &[Row], now: Timestamp) -> Vec<GpuHolder> {
    let holds = |row: &&Row| {
        matches!(row.attempt.state, JobState::Running | JobState::Unknown)
            && row.attempt.ended_at.is_none()
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

    #[test]
    fn what_monitors_and_the_cluster_say_of_a_node_is_told_with_its_time() {
        let condition = |kind: &str, status: &str, reason: &str, at: &str| {
            serde_json::json!({"type": kind, "status": status, "reason": reason, "message": "",
                "lastTransitionTime": at})
        };
        let time = "2026-11-20T09:00:00Z";
        let node: Node = serde_json::from_value(serde_json::json!({
            "metadata": {"name": "ip-10-0-0-7"},
            "spec": {"taints": [
                {"key": "aws-node-termination-handler/spot-itn", "value": "spot-itn-0a1b"},
                {"key": "nvidia.com/gpu", "effect": "NoSchedule"}]},
            "status": {"conditions": [
                condition("AcceleratedHardwareReady", "False", "NvidiaXID79Error", time),
                condition("AcceleratedHardwareReady", "False", "NvidiaNVLinkError", time),
                condition("AcceleratedHardwareReady", "True", "NvidiaXID48Error", time),
                condition("AcceleratedHardwareReady", "Unknown", "NvidiaXID48Error", time),
                condition("AcceleratedHardwareReady", "False", "DCGMError", time),
                condition("Ready", "Unknown", "NodeStatusUnknown", time),
                condition("Ready", "False", "KubeletNotReady", "2027-01-01T00:00:00Z"),
                condition("Ready", "False", "KubeletNotReady", "yesterday"),
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", time)]},
        }))
        .unwrap();
        let known =
            known(&node, &"c".into(), None, "2026-11-20T10:00:00Z".parse().unwrap()).unwrap();
        let told: Vec<_> = known
            .events
            .iter()
            .map(|of| (of.kind, of.words.as_deref().unwrap_or_default()))
            .collect();
        let expected = [
            (NodeEventKind::Xid(79), "NvidiaXID79Error"),
            (NodeEventKind::Unhealthy, "NvidiaNVLinkError"),
            (NodeEventKind::Down, "NodeStatusUnknown"),
            (NodeEventKind::SpotInterruption, ""),
        ];
        assert_eq!(told, expected);
        assert!(known.events.iter().all(|of| &*of.hosts[0] == "ip-10-0-0-7"));
    }
}
