//! Nodes of a cluster and who holds their GPUs, from the records of its controller, in whatever form they came.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::SlurmSettings;
use super::gres::NodeGpus;
use crate::domain::jobs::{GpuHolder, Gpus, JobNode, JobSource, NodeEvent, NodeEventKind};
use crate::domain::text::clean;

/// A node as its controller knows it; texts as they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NodeRecord {
    /// Name.
    pub name: String,
    /// GPUs that it has.
    pub gpus: Option<NodeGpus>,
    /// GPUs that are held.
    pub used: Option<NodeGpus>,
    /// Address; a name where it has none.
    pub address: String,
    /// Words of its state.
    pub state: String,
    /// When it booted, seconds since 1970; 0 = unknown.
    pub booted: i64,
    /// Id of the instance; empty = unknown.
    pub instance_id: String,
    /// Type of the instance; empty = unknown.
    pub instance_type: String,
    /// Why it is drained or down; empty where nobody said.
    pub reason: String,
    /// When that was said, seconds since 1970; 0 = unknown.
    pub reason_at: i64,
}

/// GPUs that a job holds on a node; texts as they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct HeldRecord {
    /// Raw id of the job.
    pub raw: String,
    /// Id as it is shown.
    pub job: String,
    /// User.
    pub user: String,
    /// Name of the node.
    pub node: String,
    /// GPUs.
    pub gpus: NodeGpus,
}

/// What stands between the words of a state.
const BETWEEN_WORDS: [char; 8] = ['+', ',', '*', '~', '#', '$', '@', ' '];

/// Nodes and holders as the rest of burntop knows them. `held` = `None` where the jobs could not be listed: then holders have no
/// jobs. What a node says is held and no job of it names is held by nobody.
pub(super) fn joined(
    nodes: &[NodeRecord],
    held: Option<&[HeldRecord]>,
    cluster: &Arc<str>,
    settings: &SlurmSettings,
    now: Timestamp,
) -> (Vec<JobNode>, Vec<GpuHolder>) {
    let there: Vec<&NodeRecord> = nodes.iter().filter(|node| is_there(node)).collect();
    let mut holders: Vec<GpuHolder> = Vec::new();
    let mut named: HashMap<&str, u32> = HashMap::new();
    for record in held.unwrap_or_default().iter().filter(|record| record.gpus.count > 0) {
        let sum = named.entry(&record.node).or_default();
        *sum = sum.saturating_add(record.gpus.count);
        holders.push(GpuHolder {
            source: JobSource::Slurm,
            cluster: cluster.clone(),
            node: text(&record.node).unwrap_or_default(),
            gpus: Some(record.gpus.gpus()),
            indexes: record.gpus.indexes.clone(),
            raw: text(&record.raw),
            job: text(&record.job),
            user: text(&record.user),
            at: now,
        });
    }
    for node in &there {
        let Some(used) = &node.used else { continue };
        let by_jobs = named.get(node.name.as_str()).copied().unwrap_or_default();
        let left = used.count.saturating_sub(by_jobs);
        if left > 0 {
            holders.push(GpuHolder {
                source: JobSource::Slurm,
                cluster: cluster.clone(),
                node: text(&node.name).unwrap_or_default(),
                gpus: Some(Gpus::whole(left)),
                indexes: used.indexes.clone().filter(|_| by_jobs == 0),
                raw: None,
                job: None,
                user: None,
                at: now,
            });
        }
    }
    let nodes = there.into_iter().map(|node| JobNode {
        source: JobSource::Slurm,
        cluster: cluster.clone(),
        name: text(&node.name).unwrap_or_default(),
        instance_id: text(&node.instance_id),
        instance_type: text(&node.instance_type),
        private_ip: address(&node.address),
        region: settings.region.clone(),
        gpus: node.gpus.as_ref().map(NodeGpus::gpus),
        seen_from: booted(node.booted, now),
        seen_until: now,
    });
    (nodes.collect(), holders)
}

/// Nodes that are down or drained, by the reason that somebody set, from when it was set; without that time nobody knows when it
/// happened.
pub(super) fn events(nodes: &[NodeRecord], cluster: &Arc<str>, now: Timestamp) -> Vec<NodeEvent> {
    let of = |node: &NodeRecord| {
        let has = |start: &str| node.state.split(BETWEEN_WORDS).any(|word| is_kind(word, start));
        let kind = match (has("DOWN") || has("FAIL"), has("DRAIN")) {
            (true, _) => NodeEventKind::Down,
            (_, true) => NodeEventKind::Drained,
            _ => return None,
        };
        let at = Timestamp::from_second(node.reason_at).ok().filter(|_| node.reason_at > 0)?;
        Some(NodeEvent {
            cluster: Some((JobSource::Slurm, cluster.clone())),
            hosts: vec![text(&node.name)?],
            gpu: None,
            kind,
            at: Some(at).filter(|at| *at <= now)?,
            words: text(&node.reason),
        })
    };
    nodes.iter().filter_map(of).collect()
}

/// True for a word of a state of this kind: `DRAINED` and `DRAINING` are DRAIN, `POWERED_DOWN` is not DOWN.
fn is_kind(word: &str, start: &str) -> bool {
    word.get(..start.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(start))
}

/// False for a node of a cloud of which there is only the name.
fn is_there(node: &NodeRecord) -> bool {
    !node.name.is_empty() && !node.state.split(BETWEEN_WORDS).any(is_absent)
}

fn is_absent(word: &str) -> bool {
    word.eq_ignore_ascii_case("POWERED_DOWN") || word.eq_ignore_ascii_case("FUTURE")
}

/// Clean text; `None` for none, and for Slurm's words for none.
fn text(value: &str) -> Option<Arc<str>> {
    let value = value.trim();
    let is_none = matches!(value, "" | "(null)" | "None" | "N/A");
    (!is_none).then(|| clean(value).into())
}

/// An address by which an instance can be found.
fn address(value: &str) -> Option<Arc<str>> {
    let ip: IpAddr = value.trim().parse().ok()?;
    (!ip.is_loopback() && !ip.is_unspecified()).then(|| ip.to_string().into())
}

fn booted(seconds: i64, now: Timestamp) -> Timestamp {
    let at = Timestamp::from_second(seconds).ok().filter(|_| seconds > 0);
    at.filter(|at| *at <= now).unwrap_or(now)
}
