//! Who holds instances and GPUs now, by what is kept of the last reading of each source of jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::zombies::{HeldGpus, ZombieInput, covered_holders, with_holders};
use crate::domain::jobs::{Attempt, GpuHolder, JobNode, JobSource, JobState, Packed};
use crate::fleet::{GpuFleet, GpuRow, HeldBy, HeldInstances, HeldNode};

/// Time between two readings of a source while nobody looks at jobs; twice as old a reading tells nothing of now.
pub const READ_EVERY: SignedDuration = SignedDuration::from_mins(5);

/// True where what was read at a moment tells of now: twice [`READ_EVERY`] ago at most.
pub fn tells_of_now(read_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(read_at) <= READ_EVERY * 2
}

/// Names of jobs and users of one instance that are kept.
const NAMES_AT_MOST: usize = 64;

/// Who holds the GPUs of a cluster, as one reading found it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldReading {
    source: JobSource,
    cluster: Arc<str>,
    at: Timestamp,
    holders: Vec<GpuHolder>,
}

impl HeldReading {
    /// Who holds GPUs, by cluster. One of which nothing is told is not there: its GPUs are in use.
    pub fn by_cluster(holders: Vec<GpuHolder>) -> Vec<Self> {
        let mut all: BTreeMap<(JobSource, Arc<str>), Vec<GpuHolder>> = BTreeMap::new();
        for holder in holders {
            all.entry((holder.source, holder.cluster.clone())).or_default().push(holder);
        }
        let reading = |((source, cluster), holders): (_, Vec<GpuHolder>)| {
            let at = holders.iter().map(|holder| holder.at).max()?;
            let holders = holders.into_iter().filter(|holder| !holder.is_nobody()).collect();
            Some(Self { source, cluster, at, holders })
        };
        all.into_iter().filter_map(reading).collect()
    }

    /// For those who look for holders, where the source is read each `every`.
    pub fn borrowed(&self, every: SignedDuration) -> HeldGpus<'_> {
        let Self { source, cluster, at, holders } = self;
        HeldGpus { source: *source, cluster, at: *at, every, holders }
    }
}

/// What is kept of who holds nodes and GPUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptHolders {
    /// Nodes of clusters.
    pub nodes: Vec<JobNode>,
    /// Who holds GPUs, one reading a cluster.
    pub held: Vec<HeldReading>,
    /// Attempts that run.
    pub running: Vec<Attempt>,
}

/// A node of a cluster.
type NodeKey<'a> = (JobSource, &'a str, &'a str);

/// Who holds a node, as it is gathered.
struct Gathered<'a> {
    node: Option<&'a JobNode>,
    jobs: BTreeSet<&'a Arc<str>>,
    users: BTreeSet<&'a Arc<str>>,
    has_unnamed: bool,
    read_at: Timestamp,
}

impl KeptHolders {
    /// True where nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.running.is_empty()
    }

    /// GPUs with job and user of who holds them, where telemetry does not tell and a reading that is not too old does.
    pub fn named(&self, gpus: &GpuFleet, now: Timestamp) -> Vec<Arc<GpuRow>> {
        let held: Vec<HeldGpus<'_>> =
            self.held.iter().map(|reading| reading.borrowed(READ_EVERY)).collect();
        let none = Packed::default();
        with_holders(&ZombieInput { gpus, nodes: &self.nodes, held: &held, attempts: &none, now })
    }

    /// Who holds instances: the jobs that hold GPUs of their nodes, and the attempts that run there. What was read longer ago
    /// than twice [`READ_EVERY`] is left out.
    pub fn instances(&self, now: Timestamp) -> HeldInstances {
        let held: Vec<HeldGpus<'_>> =
            self.held.iter().map(|reading| reading.borrowed(READ_EVERY)).collect();
        let mut all: BTreeMap<NodeKey<'_>, Gathered<'_>> = BTreeMap::new();
        for (node, holder) in covered_holders(&self.nodes, &held, now) {
            let key = (node.source, &*node.cluster, &*node.name);
            let of = all.entry(key).or_insert_with(|| Gathered::of(Some(node), holder.at));
            of.add(holder.job.as_ref().or(holder.raw.as_ref()), holder.user.as_ref(), holder.at);
        }
        let newest = newest_nodes(&self.nodes, now);
        for attempt in &self.running {
            let Some(at) = attempt.seen_until.filter(|at| tells_of_now(*at, now)) else { continue };
            if attempt.state != JobState::Running || attempt.in_job.is_some() {
                continue;
            }
            for name in attempt.nodes.iter() {
                let key = (attempt.id.source, &*attempt.id.cluster, &**name);
                let node = || newest.get(&key).copied();
                let of = all.entry(key).or_insert_with(|| Gathered::of(node(), at));
                of.add(Some(&attempt.job), attempt.user.as_ref(), at);
            }
        }
        HeldInstances::of(all.into_iter().map(|(key, of)| of.node(key)).collect())
    }
}

/// The newest instance behind each name, of those of which something tells of now.
fn newest_nodes(nodes: &[JobNode], now: Timestamp) -> BTreeMap<NodeKey<'_>, &JobNode> {
    let mut newest: BTreeMap<NodeKey<'_>, &JobNode> = BTreeMap::new();
    for node in nodes.iter().filter(|node| tells_of_now(node.seen_until, now)) {
        let of = newest.entry((node.source, &node.cluster, &node.name)).or_insert(node);
        if node.seen_until > of.seen_until {
            *of = node;
        }
    }
    newest
}

impl<'a> Gathered<'a> {
    /// Nobody yet.
    fn of(node: Option<&'a JobNode>, read_at: Timestamp) -> Self {
        let (jobs, users) = (BTreeSet::new(), BTreeSet::new());
        Self { node, jobs, users, has_unnamed: false, read_at }
    }

    /// Takes a holder in.
    fn add(&mut self, job: Option<&'a Arc<str>>, user: Option<&'a Arc<str>>, at: Timestamp) {
        match job {
            Some(job) => {
                self.jobs.insert(job);
            }
            None => self.has_unnamed = true,
        }
        self.users.extend(user);
        self.read_at = self.read_at.min(at);
    }

    /// The node of that key with who holds it.
    fn node(self, (_, _, name): NodeKey<'a>) -> HeldNode {
        let names = |all: BTreeSet<&Arc<str>>| -> Vec<Arc<str>> {
            all.into_iter().take(NAMES_AT_MOST).cloned().collect()
        };
        let address = self.node.and_then(|node| node.private_ip.clone());
        HeldNode {
            instance_id: self.node.and_then(|node| node.instance_id.clone()),
            names: std::iter::once(Arc::from(name)).chain(address).collect(),
            seen_until: self.node.map_or(self.read_at, |node| node.seen_until),
            by: Arc::new(HeldBy {
                jobs: names(self.jobs),
                users: names(self.users),
                has_unnamed: self.has_unnamed,
                read_at: self.read_at,
            }),
        }
    }
}
