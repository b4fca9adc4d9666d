//! Groups of nodes: when these were up, when somebody held them, and what that cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::simulate::{Load, Unit};
use super::{BOOT_MINUTES, BOOTS_AT_LEAST, BootFrom, MINUTE_MS, NodeGroup, ScaledOver};
use crate::analyze::jobs::nodes::{Book, Window};
use crate::analyze::jobs::requests::percentile;
use crate::analyze::jobs::waits::WaitInput;
use crate::domain::FastMap;
use crate::domain::bill::Usd;
use crate::domain::jobs::{AttemptView, Gpus, JobNode, JobSource, Packed};

/// A stretch in which an attempt holds a node, milliseconds since 1970.
#[derive(Clone, Copy, Debug)]
struct Hold {
    from: i64,
    to: i64,
    /// Number of the attempt; [`UNNAMED`] for one of which nobody knows on which nodes it is.
    job: u32,
    /// From when on it waited for a node; the end of time where nobody tells.
    asked: i64,
}

/// Number of all attempts that do not name their nodes.
const UNNAMED: u32 = u32::MAX;

/// For how long before the nodes of a cluster its attempts may have been read, milliseconds: a reading ends after five minutes.
const READ_APART_MS: i64 = 10 * MINUTE_MS;

/// A node by its name.
struct Node<'a> {
    cluster: ClusterKey<'a>,
    record: &'a JobNode,
    /// GPUs, as far as the scheduler tells.
    gpus: Option<Gpus>,
    holds: Vec<Hold>,
    /// For how long attempts of each queue held it, milliseconds.
    queues: BTreeMap<Option<&'a str>, i64>,
}

impl<'a> Node<'a> {
    /// The queue whose jobs held it longest.
    fn queue(&self) -> Option<&'a str> {
        self.queues.iter().max_by_key(|(_, held)| **held).and_then(|(queue, _)| *queue)
    }
}

/// A cluster, by source and name.
type ClusterKey<'a> = (JobSource, &'a str);

/// What is known of a cluster.
#[derive(Default)]
struct Cluster {
    /// Its last reading.
    told_until: i64,
    /// The earliest end of an attempt that is known: of what ended before nothing is known.
    first_end: Option<i64>,
    /// Stretches in which attempts held nodes that are not named.
    unnamed: Vec<(i64, i64)>,
}

/// All nodes of all clusters whose schedulers tell of them.
#[derive(Default)]
struct Nodes<'a> {
    all: Vec<Node<'a>>,
    clusters: FastMap<ClusterKey<'a>, Cluster>,
    unnamed_attempts: u32,
}

impl<'a> Nodes<'a> {
    fn of(records: &'a [JobNode], attempts: &'a Packed, (since, now): (i64, i64)) -> Self {
        let mut nodes = Self::default();
        let mut places: FastMap<(JobSource, &'a str, &'a str), usize> = FastMap::default();
        for record in records {
            let cluster = (record.source, &*record.cluster);
            let place = *places.entry((cluster.0, cluster.1, &*record.name)).or_insert_with(|| {
                let (holds, queues) = (Vec::new(), BTreeMap::new());
                nodes.all.push(Node { cluster, record, gpus: None, holds, queues });
                nodes.all.len() - 1
            });
            let node = &mut nodes.all[place];
            node.gpus = node.gpus.max(record.gpus);
            let told = &mut nodes.clusters.entry(cluster).or_default().told_until;
            *told = record.seen_until.as_millisecond().min(now).max(*told);
        }
        // A child holds what its parent does, and a tracker tells of what a scheduler's job holds.
        let is_own = |of: &AttemptView<'_>| of.parent.is_none() && !of.is_run();
        for (job, of) in (0_u32..).zip(attempts.views()) {
            let Some(from) = of.started_at.filter(|_| is_own(&of)).map(Timestamp::as_millisecond)
            else {
                continue;
            };
            let Some(cluster) = nodes.clusters.get_mut(&(of.source, &**of.cluster)) else {
                continue;
            };
            if let Some(end) = of.ended_at.or(of.seen_until).map(Timestamp::as_millisecond) {
                cluster.first_end = Some(cluster.first_end.map_or(end, |first| first.min(end)));
            }
            // Of which nobody knows the end it goes on.
            let to = from.saturating_add(of.held_ms().unwrap_or(i64::MAX));
            if to <= from {
                continue;
            }
            // What ran when it was read ran as well when its nodes were, a little later.
            let is_open =
                of.ended_at.is_none() && to.saturating_add(READ_APART_MS) >= cluster.told_until;
            let to = if is_open { to.max(cluster.told_until) } else { to };
            let named = of.nodes.len();
            if named == 0 || of.node_count.is_some_and(|count| count as usize != named) {
                if to > since && from < now {
                    cluster.unnamed.push((from, to));
                    nodes.unnamed_attempts += 1;
                }
                continue;
            }
            let asked = of.eligible_at.or(of.submitted_at);
            let asked = asked.map_or(i64::MAX, Timestamp::as_millisecond);
            for name in of.nodes {
                let Some(at) = places.get(&(of.source, &**of.cluster, &**name)) else { continue };
                let node = &mut nodes.all[*at];
                let held = node.queues.entry(of.queue.map(|queue| &**queue)).or_default();
                *held = held.saturating_add(to.min(now).saturating_sub(from));
                if to > since && from < now {
                    node.holds.push(Hold { from, to, job, asked });
                }
            }
        }
        for cluster in nodes.clusters.values_mut() {
            cluster.unnamed = union(std::mem::take(&mut cluster.unnamed));
        }
        nodes
    }
}

/// Stretches that touch no other, in order.
fn union(mut all: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    all.sort_unstable();
    let mut apart: Vec<(i64, i64)> = Vec::new();
    for (from, to) in all {
        match apart.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => apart.push((from, to)),
        }
    }
    apart
}

/// Source, cluster, queue and instance type.
type GroupKey<'a> = (JobSource, &'a str, Option<&'a str>, Option<Arc<str>>);

/// Groups of nodes with GPUs, with what they were used for, by their names; nodes that are left out are counted.
pub(super) fn groups(
    input: &WaitInput<'_>,
    boot_ms: Option<i64>,
) -> (Vec<(NodeGroup, Load)>, ScaledOver) {
    let (since, now) = (input.since.as_millisecond(), input.now.as_millisecond());
    let mut nodes = Nodes::of(input.known.nodes, input.attempts, (since, now));
    let book = Book::new(input.known, input.types);
    let unnamed_attempts = nodes.unnamed_attempts;
    let mut over = ScaledOver { unnamed_attempts, ..ScaledOver::default() };
    let mut groups: BTreeMap<GroupKey<'_>, Gathered> = BTreeMap::new();
    for node in &mut nodes.all {
        let Some(cluster) = nodes.clusters.get(&node.cluster) else { continue };
        let known_from = match (input.first_read)(node.cluster.0) {
            Some(at) => at.as_millisecond(),
            None => cluster.first_end.unwrap_or(i64::MAX),
        };
        let told = (since.max(known_from), cluster.told_until);
        let unnamed = cluster.unnamed.iter();
        let asked = i64::MAX;
        node.holds.extend(unnamed.map(|(from, to)| Hold {
            from: *from,
            to: *to,
            job: UNNAMED,
            asked,
        }));
        node.holds.sort_unstable_by_key(|hold| (hold.from, hold.job));
        let record = node.record;
        let key = (record.source, record.cluster.clone(), record.name.clone());
        let mut is_unknown = false;
        for window in book.windows(&key).iter() {
            let up = (window.from.max(told.0), window.to.min(told.1));
            if up.0 >= up.1 {
                continue;
            }
            let of_type = || window.node.as_ref().map(|of| of.gpus);
            let Some(gpus) = node.gpus.or_else(of_type) else {
                is_unknown = true;
                continue;
            };
            if gpus == Gpus::ZERO {
                continue;
            }
            let (source, cluster) = node.cluster;
            let key = (source, cluster, node.queue(), window.instance_type.clone());
            let group = groups.entry(key).or_insert_with(|| Gathered::new(gpus, told));
            group.add(window, up, &node.holds);
        }
        over.unknown_gpu_nodes += u32::from(is_unknown);
    }
    let finished = groups.into_iter().map(|(key, group)| group.finish(key, boot_ms));
    (finished.collect(), over)
}

/// A group while its nodes are gone through.
struct Gathered {
    gpus: Gpus,
    /// From and to when it is replayed, milliseconds since 1970, as all moments here.
    told: (i64, i64),
    units: Vec<Unit>,
    /// Attempts that began stretches, see [`Unit::begun`].
    begun: Vec<u32>,
    /// Attempts that began on its nodes, one of several nodes as often.
    jobs: Vec<u32>,
    /// Attempts of them that waited until a node had come up.
    waited: Vec<u32>,
    /// Times from a node coming up to the beginning of the job that waited for it.
    boots: Vec<i64>,
    /// Nodes that were up as it begins, and held by nobody.
    idle: u32,
    nodes: u32,
    static_nodes: u32,
    starts: u32,
    /// When nodes came up (1) and went away (-1).
    changes: Vec<(i64, i32)>,
    stretches: Vec<i64>,
    scale_downs: Vec<i64>,
    up_ms: i64,
    held_ms: i64,
    priced_ms: u64,
    usd: Usd,
    empty_usd: Usd,
}

impl Gathered {
    fn new(gpus: Gpus, told: (i64, i64)) -> Self {
        Self {
            gpus,
            told,
            units: Vec::new(),
            begun: Vec::new(),
            jobs: Vec::new(),
            waited: Vec::new(),
            boots: Vec::new(),
            idle: 0,
            nodes: 0,
            static_nodes: 0,
            starts: 0,
            changes: Vec::new(),
            stretches: Vec::new(),
            scale_downs: Vec::new(),
            up_ms: 0,
            held_ms: 0,
            priced_ms: 0,
            usd: Usd::ZERO,
            empty_usd: Usd::ZERO,
        }
    }

    /// Adds a node that was up from one moment to another, with all that held its name, in the order of their beginnings.
    fn add(&mut self, window: &Window, (begin, end): (i64, i64), holds: &[Hold]) {
        let (since, until) = self.told;
        let has_come = window.from > since;
        let first = self.hold(window, (begin, end), holds);
        let (mut at, mut last_end) = (begin, None);
        let held = self.units[first..].iter().map(|unit| (unit.from, unit.to));
        for (from, to) in held {
            self.held_ms += to - from;
            if from > at {
                self.stretches.push(from - at);
                self.empty_usd += window.usd(at, from).0;
            }
            (at, last_end) = (to, Some(to));
        }
        if end > at {
            self.stretches.push(end - at);
            self.empty_usd += window.usd(at, end).0;
        }
        // What the last reading has still has not gone away.
        if let Some(last_end) = last_end.filter(|at| window.to < until && *at < end) {
            self.scale_downs.push(end - last_end);
        }
        let is_held_first = self.units.get(first).is_some_and(|unit| unit.from == begin);
        let is = |is: bool| u32::from(is);
        self.nodes += 1;
        self.starts += is(has_come);
        self.idle += is(!has_come && !is_held_first);
        self.static_nodes += is(!has_come && end == until);
        self.changes.extend([(begin, 1), (end, -1)]);
        self.up_ms += end - begin;
        let (usd, priced_ms) = window.usd(begin, end);
        self.usd += usd;
        self.priced_ms += priced_ms;
    }

    /// Adds the stretches in which a node was held; returns the place of its first one.
    fn hold(&mut self, window: &Window, (begin, end): (i64, i64), holds: &[Hold]) -> usize {
        let since = self.told.0;
        let has_come = window.from > since;
        let first = self.units.len();
        let mut has_booted = false;
        for hold in holds {
            if hold.from >= end {
                break;
            }
            let (from, to) = (hold.from.max(begin), hold.to.min(end));
            if to <= from {
                continue;
            }
            let begins = hold.job != UNNAMED && hold.from >= window.from && hold.from > since;
            if begins {
                self.jobs.push(hold.job);
            }
            let is_first = match self.units[first..].last_mut() {
                Some(unit) if from <= unit.to => {
                    unit.to = unit.to.max(to);
                    begins && from == unit.from
                }
                _ => {
                    let place = self.begun.len() as u32;
                    self.units.push(Unit { from, to, begun: place..place });
                    begins
                }
            };
            if !is_first {
                continue;
            }
            self.begun.push(hold.job);
            if let Some(unit) = self.units.last_mut() {
                unit.begun.end += 1;
            }
            // It came up while the job waited, and the job was the first on it: it came up for the job.
            if has_come && self.units.len() == first + 1 && hold.asked <= window.from {
                self.waited.push(hold.job);
                if !has_booted && from > window.from {
                    self.boots.push(from - window.from);
                }
                has_booted = true;
            }
        }
        first
    }

    fn finish(
        mut self,
        (source, cluster, queue, instance_type): GroupKey<'_>,
        boot_ms: Option<i64>,
    ) -> (NodeGroup, Load) {
        let (since, until) = self.told;
        for numbers in [&mut self.jobs, &mut self.waited] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let number = |job: u32| self.jobs.binary_search(&job).unwrap_or_else(|place| place) as u32;
        let begun = self.begun.iter().map(|job| number(*job)).collect();
        for unit in &mut self.units {
            unit.from -= since;
            unit.to -= since;
        }
        self.units.sort_by_key(|unit| (unit.from, unit.to));
        let mut ends: Vec<i64> = self.units.iter().map(|unit| unit.to).collect();
        ends.sort_unstable();
        let jobs = self.jobs.len() as u32;
        let span_ms = until - since;
        let seen = (self.boots.len() >= BOOTS_AT_LEAST).then_some(&self.boots);
        let seen = seen.and_then(|boots| percentile(boots.iter().copied(), 50));
        let (boot_ms, boot_from) = match (boot_ms, seen) {
            (Some(given), _) => (given, BootFrom::Given),
            (None, Some(seen)) => (seen, BootFrom::Observed),
            (None, None) => (BOOT_MINUTES * MINUTE_MS, BootFrom::Assumed),
        };
        let lengths = |percent| percentile(self.stretches.iter().copied(), percent);
        let group = NodeGroup {
            source,
            cluster: cluster.into(),
            queue: queue.map(Arc::from),
            instance_type,
            gpus: self.gpus,
            span_ms,
            nodes: self.nodes,
            static_nodes: self.static_nodes,
            up_at_once: at_once(self.changes, self.told),
            starts: self.starts,
            jobs,
            delayed: self.waited.len() as u32,
            up_ms: self.up_ms.unsigned_abs(),
            held_ms: self.held_ms.unsigned_abs(),
            priced_ms: self.priced_ms,
            usd: self.usd,
            empty_usd: self.empty_usd,
            stretches: self.stretches.len() as u32,
            stretch_ms: lengths(50).zip(lengths(95)),
            // AWS Batch tells of a host only while jobs that ran on it are read.
            scale_down_ms: percentile(self.scale_downs, 50).filter(|_| source != JobSource::Batch),
            boot_ms,
            boot_from,
        };
        let load = Load { span: span_ms, idle: self.idle, units: self.units, ends, begun, jobs };
        (group, load)
    }
}

/// Fewest and most nodes that were up at once, by when they came up and went away.
fn at_once(mut changes: Vec<(i64, i32)>, (since, until): (i64, i64)) -> (u32, u32) {
    changes.sort_unstable();
    let (mut at, mut up) = (since, 0_i32);
    let (mut fewest, mut most) = (i32::MAX, 0);
    // What changes at one moment changes at once.
    for (moment, by) in changes.into_iter().chain([(until, 0)]) {
        if moment > at {
            (fewest, most) = (fewest.min(up), most.max(up));
            at = moment;
        }
        up += by;
    }
    (fewest.min(most).max(0).unsigned_abs(), most.unsigned_abs())
}
