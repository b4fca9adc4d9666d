//! What happened to the nodes of attempts about when they failed: XID errors, Spot capacity that was taken back, nodes that went
//! down.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::FastMap;
use crate::domain::gpu::{XidOrigin, xid};
use crate::domain::jobs::{
    AttemptView, Gpus, JobNode, JobSource, JobState, NodeEvent, NodeEventKind as Kind, Packed,
};

/// How long before the end something may have happened that ended it, milliseconds: where one rank dies the others wait for it as
/// long as `PyTorch` lets a collective of NCCL wait by default (`init_process_group`, 10 minutes), and are dumped and aborted then.
const BEFORE_MS: i64 = 15 * 60_000;

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

/// A job, by source, cluster and id; of parts side by side that of all of them, of children that of their parent.
type JobOf<'a> = (JobSource, &'a str, &'a str);

/// Places of events, the oldest first.
type Places = Vec<u32>;

/// Who has a name or an address; `None` for several clusters.
type Owners<'a> = FastMap<&'a str, Option<(JobSource, &'a str)>>;

/// Events by the names of their nodes.
struct Events<'a> {
    all: &'a [NodeEvent],
    /// Those of clusters.
    of_cluster: FastMap<NodeOf<'a>, Places>,
    /// Those of hosts, by each of their names.
    of_host: FastMap<&'a str, Places>,
    /// What schedulers know of nodes.
    nodes: FastMap<NodeOf<'a>, Vec<&'a JobNode>>,
    /// Clusters that have a node of this name, or of this address.
    owners: Owners<'a>,
}

impl<'a> Events<'a> {
    fn of(events: &'a [NodeEvent], nodes: &'a [JobNode]) -> Self {
        let mut all = Self {
            all: events,
            of_cluster: FastMap::default(),
            of_host: FastMap::default(),
            nodes: FastMap::default(),
            owners: FastMap::default(),
        };
        let mut order: Places = (0..events.len() as u32).collect();
        order.sort_by_key(|place| events[*place as usize].at);
        for place in order {
            let event = &events[place as usize];
            for host in &event.hosts {
                match &event.cluster {
                    Some((source, cluster)) => {
                        all.of_cluster.entry((*source, cluster, host)).or_default().push(place);
                    }
                    None => all.of_host.entry(host).or_default().push(place),
                }
            }
        }
        for node in nodes {
            let of = (node.source, &*node.cluster);
            all.nodes.entry((of.0, of.1, &node.name)).or_default().push(node);
            for name in [Some(&node.name), node.private_ip.as_ref()].into_iter().flatten() {
                let other = |known: &mut Option<_>| *known = known.filter(|known| *known == of);
                all.owners.entry(name).and_modify(other).or_insert(Some(of));
            }
        }
        all
    }

    fn get(&self, place: u32) -> &'a NodeEvent {
        &self.all[place as usize]
    }

    /// What happened to a node of an attempt that ended at `end`, from a moment to another, milliseconds; each once.
    fn to(&self, of: &AttemptView<'_>, node: &str, end: i64, (from, to): (i64, i64)) -> Places {
        let key: NodeOf<'_> = (of.source, of.cluster, node);
        let mut found = Places::new();
        let mut add = |places: Option<&Places>| {
            let Some(places) = places else { return };
            let at = |place: &u32| self.get(*place).at.as_millisecond();
            let begin = places.partition_point(|place| at(place) < from);
            found.extend(places[begin..].iter().take_while(|place| at(place) <= to));
        };
        add(self.of_cluster.get(&key));
        let is_own = |name: &str| !matches!(self.owners.get(name), Some(None));
        let mut ids: Vec<&str> = Vec::new();
        for known in self.nodes.get(&key).into_iter().flatten() {
            // Other instances have the name, and the address, at other times.
            let until = known.seen_until.as_millisecond().saturating_add(GONE_FOR_MS);
            if known.seen_from.as_millisecond() <= end && end <= until {
                ids.extend(known.instance_id.as_deref());
                let address = known.private_ip.as_deref().filter(|address| is_own(address));
                known.instance_id.as_deref().into_iter().chain(address).for_each(|name| {
                    add(self.of_host.get(name));
                });
            }
        }
        if is_own(node) {
            let short = node.split_once('.').map(|(short, _)| short);
            let short = short.filter(|short| !is_number(short) && is_own(short));
            [Some(node), short].into_iter().flatten().for_each(|name| add(self.of_host.get(name)));
        }
        // What names another instance is of another node that has the name.
        found.retain(|place| {
            let named = self.get(*place).hosts.iter().filter(|host| host.starts_with("i-"));
            let mut named = named.peekable();
            ids.is_empty() || named.peek().is_none() || named.any(|id| ids.contains(&&**id))
        });
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// True for the first part of an address.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The job that an attempt is of.
fn job_of<'a>(of: &AttemptView<'a>) -> JobOf<'a> {
    let job = of.parent.or(of.parts_of).map_or(of.job, |job| &**job);
    (of.source, of.cluster, job)
}

/// False for what holds no GPU: no XID is of it.
fn may_hold_gpus(of: &AttemptView<'_>) -> bool {
    of.gpus.is_none_or(|gpus| gpus > Gpus::ZERO)
}

/// Something that may have ended an attempt.
struct Candidate<'a> {
    event: u32,
    node: &'a Arc<str>,
    before_ms: i64,
}

/// By place of the attempt, what happened to one of its nodes about when it failed. An XID is of one job alone: where another that did
/// not end well held the node at that moment, nobody knows whose it was.
pub(super) fn happened(
    all: &Packed,
    nodes: &[JobNode],
    events: &[NodeEvent],
) -> FastMap<usize, Evidence> {
    if events.is_empty() {
        return FastMap::default();
    }
    let known = Events::of(events, nodes);
    let is_xid = |place: u32| matches!(known.get(place).kind, Kind::Xid(_));
    let mut found: Vec<(usize, Vec<Candidate<'_>>)> = Vec::new();
    // XIDs by the node on which somebody failed then.
    let mut xids: FastMap<NodeOf<'_>, BTreeSet<u32>> = FastMap::default();
    for (place, of) in all.views().enumerate() {
        let Some(end) = of.ended_at.filter(|_| super::class::has_failed(of.state)) else {
            continue;
        };
        let (start, end) = (of.started_at.unwrap_or(end).as_millisecond(), end.as_millisecond());
        let window = (start.max(end.saturating_sub(BEFORE_MS)), end.saturating_add(AFTER_MS));
        let mut own = Vec::new();
        for node in of.nodes.iter().take(NODES_AT_MOST) {
            for event in known.to(&of, node, end, window) {
                let before_ms = end.saturating_sub(known.get(event).at.as_millisecond());
                if is_xid(event) {
                    if before_ms < -XID_AFTER_MS || !may_hold_gpus(&of) {
                        continue;
                    }
                    xids.entry((of.source, of.cluster, node)).or_default().insert(event);
                }
                own.push(Candidate { event, node, before_ms });
            }
        }
        if !own.is_empty() {
            found.push((place, own));
        }
    }
    let claims = claims(all, &known, &xids);
    let is_own = |of: &Candidate<'_>| claims.get(&of.event).is_none_or(|jobs| jobs.len() == 1);
    let best = found.into_iter().filter_map(|(place, own)| {
        let own = own.into_iter().filter(is_own);
        let key = |of: &Candidate<'_>| (rank(known.get(of.event).kind), of.before_ms.abs());
        let Candidate { event, node, before_ms } = own.min_by_key(key)?;
        let event = known.get(event).clone();
        Some((place, Evidence { event, node: node.clone(), before_ms }))
    });
    best.collect()
}

/// By XID, the jobs that held the node then, or had just left it, and did not end well: one of them it was.
fn claims<'a>(
    all: &'a Packed,
    known: &Events<'_>,
    xids: &FastMap<NodeOf<'_>, BTreeSet<u32>>,
) -> FastMap<u32, BTreeSet<JobOf<'a>>> {
    let mut claims: FastMap<u32, BTreeSet<JobOf<'_>>> = FastMap::default();
    if xids.is_empty() {
        return claims;
    }
    for of in all.views() {
        let is_in_question = !matches!(of.state, JobState::Completed | JobState::Queued);
        let Some(start) = of.started_at.filter(|_| is_in_question && may_hold_gpus(&of)) else {
            continue;
        };
        let end = of.ended_at.map_or(i64::MAX, Timestamp::as_millisecond);
        for node in of.nodes.iter().take(NODES_AT_MOST) {
            for event in xids.get(&(of.source, of.cluster, node)).into_iter().flatten() {
                let at = known.get(*event).at;
                if at >= start && at.as_millisecond() <= end.saturating_add(XID_AFTER_MS) {
                    claims.entry(*event).or_default().insert(job_of(&of));
                }
            }
        }
    }
    claims
}

/// What explains most comes first.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::SpotInterruption => 0,
        Kind::Xid(code) if is_of_hardware(code) => 1,
        Kind::Unhealthy => 2,
        Kind::Xid(code) if is_of_program(code) => 3,
        Kind::Down => 4,
        Kind::Drained => 5,
        Kind::Xid(_) => 6,
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
