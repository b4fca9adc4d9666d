//! What happened to the nodes of attempts about when they failed: XID errors, Spot capacity that was taken back, nodes that went
//! down.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::FastMap;
use crate::domain::gpu::{XidOrigin, xid};
use crate::domain::jobs::{
    AttemptView, Gpus, JobNode, JobSource, NodeEvent, NodeEventKind as Kind, Packed,
};

/// How long before the end something may have happened that ended it, milliseconds: where one rank dies the others wait for it as
/// long as `PyTorch` lets a collective of NCCL wait by default (`init_process_group`, 10 minutes).
const BEFORE_MS: i64 = 10 * 60_000;

/// How long after the end an XID may show: samples are up to a minute apart, and so are the looks at them.
const XID_AFTER_MS: i64 = 2 * 60_000;

/// How long after the end anything else may: health checks of nodes run each five minutes.
const AFTER_MS: i64 = 5 * 60_000;

/// How long after the last reading that had a node its instance still stands for it, milliseconds.
const GONE_FOR_MS: i64 = 3_600_000;

/// Nodes of an attempt that are looked at.
const NODES_AT_MOST: usize = 1_024;

/// What happened to a node of an attempt about when it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What happened, and when.
    pub event: NodeEvent,
    /// Name of the node, as the attempt has it.
    pub node: Arc<str>,
    /// Milliseconds from then to the end of the attempt; negative = after it.
    pub before_ms: i64,
}

/// A node, by source, cluster and name.
type NodeOf<'a> = (JobSource, &'a str, &'a str);

/// A job, by source, cluster and id; of parts side by side that of all of them.
type JobOf<'a> = (JobSource, &'a str, &'a str);

/// Events by the names of their nodes.
struct Events<'a> {
    /// Those of clusters.
    of_cluster: FastMap<NodeOf<'a>, Vec<&'a NodeEvent>>,
    /// Those of hosts, by each of their names.
    of_host: FastMap<&'a str, Vec<&'a NodeEvent>>,
    /// What schedulers know of nodes.
    nodes: FastMap<NodeOf<'a>, Vec<&'a JobNode>>,
    /// Clusters that have a node of this name; `None` for several.
    clusters: FastMap<&'a str, Option<(JobSource, &'a str)>>,
}

impl<'a> Events<'a> {
    fn of(events: &'a [NodeEvent], nodes: &'a [JobNode]) -> Self {
        let mut all = Self {
            of_cluster: FastMap::default(),
            of_host: FastMap::default(),
            nodes: FastMap::default(),
            clusters: FastMap::default(),
        };
        for event in events {
            for host in &event.hosts {
                match &event.cluster {
                    Some((source, cluster)) => {
                        all.of_cluster.entry((*source, cluster, host)).or_default().push(event);
                    }
                    None => all.of_host.entry(host).or_default().push(event),
                }
            }
        }
        for node in nodes {
            let of = (node.source, &*node.cluster);
            all.nodes.entry((of.0, of.1, &node.name)).or_default().push(node);
            let other = |known: &mut Option<_>| *known = known.filter(|known| *known == of);
            all.clusters.entry(&node.name).and_modify(other).or_insert(Some(of));
        }
        all
    }

    /// What happened to a node that an attempt held when it ended, at whatever time.
    fn to(&self, of: &AttemptView<'_>, node: &str, end: i64) -> Vec<&'a NodeEvent> {
        let key: NodeOf<'_> = (of.source, of.cluster, node);
        let mut found = self.of_cluster.get(&key).cloned().unwrap_or_default();
        let mut add = |name: &str| found.extend(self.of_host.get(name).into_iter().flatten());
        let mut is_known = false;
        for known in self.nodes.get(&key).into_iter().flatten() {
            // Other instances have the name, and the address, at other times.
            let until = known.seen_until.as_millisecond().saturating_add(GONE_FOR_MS);
            if known.seen_from.as_millisecond() <= end && end <= until {
                is_known |= known.instance_id.is_some();
                known.instance_id.iter().chain(&known.private_ip).for_each(|name| add(name));
            }
        }
        // Without an instance the name has to do, unless two clusters have it.
        if !is_known && !matches!(self.clusters.get(node), Some(None)) {
            add(node);
            if let Some((short, _)) = node.split_once('.').filter(|(of, _)| !is_number(of)) {
                add(short);
            }
        }
        found
    }
}

/// True for the first part of an address.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// By place of the attempt, what happened to one of its nodes about when it failed. An XID is of one job alone: where several that
/// failed then held the node, nobody knows whose it was.
pub(super) fn happened(
    all: &Packed,
    nodes: &[JobNode],
    events: &[NodeEvent],
) -> FastMap<usize, Evidence> {
    if events.is_empty() {
        return FastMap::default();
    }
    let known = Events::of(events, nodes);
    let mut found: Vec<(usize, JobOf<'_>, Vec<Evidence>)> = Vec::new();
    // By event: the jobs that failed by it, if it was it.
    let mut claims: FastMap<&NodeEvent, BTreeSet<JobOf<'_>>> = FastMap::default();
    for (place, of) in all.views().enumerate() {
        let Some(end) = of.ended_at.filter(|_| super::class::has_failed(of.state)) else {
            continue;
        };
        let start = of.started_at.unwrap_or(end);
        let job = of.parts_of.map_or(of.job, |job| &**job);
        let job: JobOf<'_> = (of.source, of.cluster, job);
        let mut own = Vec::new();
        for node in of.nodes.iter().take(NODES_AT_MOST) {
            for event in known.to(&of, node, end.as_millisecond()) {
                let holds_gpus = of.gpus.is_none_or(|gpus| gpus > Gpus::ZERO);
                let is_xid = matches!(event.kind, Kind::Xid(_));
                let Some(before_ms) = before(event, start, end) else { continue };
                if is_xid && holds_gpus {
                    claims.entry(event).or_default().insert(job);
                }
                if !is_xid || holds_gpus {
                    own.push(Evidence { event: event.clone(), node: node.clone(), before_ms });
                }
            }
        }
        if !own.is_empty() {
            found.push((place, job, own));
        }
    }
    let is_own = |of: &Evidence| claims.get(&of.event).is_none_or(|jobs| jobs.len() == 1);
    let best = found.into_iter().filter_map(|(place, _, own)| {
        let own = own.into_iter().filter(is_own);
        Some((place, own.min_by_key(|of| (rank(of.event.kind), of.before_ms.abs()))?))
    });
    best.collect()
}

/// Milliseconds from an event to the end of an attempt; `None` for one that has nothing to do with it.
fn before(event: &NodeEvent, start: Timestamp, end: Timestamp) -> Option<i64> {
    let after = if matches!(event.kind, Kind::Xid(_)) { XID_AFTER_MS } else { AFTER_MS };
    let ms = end.as_millisecond().saturating_sub(event.at.as_millisecond());
    ((-after..=BEFORE_MS).contains(&ms) && event.at >= start).then_some(ms)
}

/// What explains most comes first.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::SpotInterruption => 0,
        Kind::Xid(code) if is_of_hardware(code) => 1,
        Kind::Unhealthy => 2,
        Kind::Xid(code) if is_of_program(code) => 3,
        Kind::Down => 4,
        Kind::Xid(_) => 5,
        Kind::Drained => 6,
    }
}

/// True for an XID by which a GPU, its memory, its links or its driver ends the work on it.
pub(super) fn is_of_hardware(code: u16) -> bool {
    // A contained ECC error ends the program, and leaves the GPU as it is.
    xid(code.into()).is_some_and(|of| of.is_fatal || of.code == 94)
}

/// True for an XID of the program on the GPU. 45 cleans up after something else.
pub(super) fn is_of_program(code: u16) -> bool {
    xid(code.into()).is_some_and(|of| of.origin == XidOrigin::Application && of.code != 45)
}
