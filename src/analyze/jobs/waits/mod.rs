//! Queue waits beside idle GPUs: who waited for GPUs while others stood idle, and why.
//!
//! In each hour the GPUs that nobody held through all of it are given, on paper, to those that waited, the longest first. Who
//! would have got nodes had room; who would have got as many GPUs but not on enough nodes waits for fragmentation; who would not
//! waits for a shortage. Where the scheduler itself says that a limit kept it waiting, that counts.

mod idle;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::nodes::{Book, KnownNodes};
use super::price::NodeTypes;
use crate::domain::FastMap;
use crate::domain::bill::words;
use crate::domain::jobs::{AttemptView, Gpus, JobSource, JobState, Packed};
use idle::{Cluster, ClusterKey, FirstRead, GPU, HOUR_MS, Hours, Idle, NodeHours};

words! {
    /// Why an attempt waited for GPUs.
    WaitKind {
        /// The scheduler says that a limit (quota, QOS, licences, tasks of an array at once) kept it waiting.
        Limit = "limit",
        /// As many GPUs stood idle, on as many nodes as it asks for.
        Room = "room",
        /// As many stood idle, on too many nodes.
        Fragmented = "fragmented",
        /// Fewer stood idle.
        Shortage = "shortage",
        /// Nobody knows what stood idle.
        Unknown = "unknown",
    }
}

words! {
    /// What waits are summed by.
    WaitKey {
        /// The hour, and the cluster.
        Hour = "hour",
        /// The cluster.
        Cluster = "cluster",
        /// The queue of a cluster.
        Queue = "queue",
        /// The user.
        User = "user",
        /// The team.
        Team = "team",
    }
}

/// What waits, and node groups, are made of.
#[derive(Clone, Copy)]
pub struct WaitInput<'a> {
    /// Attempts, each part of a job by itself.
    pub attempts: &'a Packed,
    /// What is known of nodes.
    pub known: KnownNodes<'a>,
    /// Instance types with their prices.
    pub types: &'a NodeTypes<'a>,
    /// When a source was read first, where it forgets what ended; `None` for one whose attempts tell from when on they are known.
    pub first_read: FirstRead<'a>,
    /// What was before is left out; of waits what was before the hour that this is in.
    pub since: Timestamp,
    /// Now.
    pub now: Timestamp,
}

/// Waits of an hour, a cluster, a queue, a user or a team.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitRow {
    /// Beginning of the hour, UTC; `None` by another key.
    pub hour: Option<Timestamp>,
    /// Hours of it until now; 0 by another key.
    pub hours: f64,
    /// Hours of it of which it is known what stood idle; 0 by another key.
    pub told_hours: f64,
    /// Where its cluster was read; `None` by user or team.
    pub source: Option<JobSource>,
    /// Cluster; `None` by user or team, and where none is named.
    pub cluster: Option<Arc<str>>,
    /// Queue, user or team; `None` by another key, and where attempts have none.
    pub key: Option<Arc<str>>,
    /// Attempts that waited for GPUs.
    pub attempts: u32,
    /// Attempts of them of which nobody knows how many GPUs they wait for: they are in no GPU-hours.
    pub unknown_gpu_attempts: u32,
    /// Users that waited. Those whose user is not known are one.
    pub users: u32,
    /// Hours in which a user waited for one job or for several, over all users.
    pub user_hours: f64,
    /// GPU-hours that were waited for, by [`WaitKind`].
    pub gpu_hours: [f64; WaitKind::ALL.len()],
    /// GPU-hours that nobody held in the hour; `None` by another key than the hour, and where that is not known.
    pub idle_gpu_hours: Option<f64>,
    /// GPU-hours that stood idle while they were waited for, each counted once; `None` where nobody knows of any hour what did.
    pub beside_gpu_hours: Option<f64>,
    /// Their dollars; `None` where they are not known, or one of them has no price.
    pub usd: Option<f64>,
}

impl WaitRow {
    /// GPU-hours that were waited for.
    pub fn waited(&self) -> f64 {
        self.gpu_hours.iter().sum()
    }

    /// GPU-hours that were waited for, of a kind.
    pub fn of_kind(&self, kind: WaitKind) -> f64 {
        self.gpu_hours[kind as usize]
    }
}

/// Reasons of Slurm, and the last two of Kueue, by which a job waits for a limit and not for nodes, by how they begin.
/// `MaxGRESPerAccount` and its like are limits of a QOS.
const LIMITS: [&str; 9] = [
    "Assoc",
    "QOS",
    "Licenses",
    "JobArrayTaskLimit",
    "Max",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "WaitingForQuota",
    "Inadmissible",
];

/// Reasons of Slurm by which nodes are not there to be given, whatever looks idle.
const GONE: [&str; 4] = ["ReqNodeNotAvail", "NodeDown", "PartitionDown", "PartitionInactive"];

fn begins(reason: Option<&Arc<str>>, with: &[&str]) -> bool {
    reason.is_some_and(|reason| with.iter().any(|word| reason.starts_with(word)))
}

/// An attempt that waits.
struct Wait<'a> {
    of: AttemptView<'a>,
    from: i64,
    to: i64,
    /// Millionths of GPUs of one task; `None` = unknown.
    gpus: Option<u64>,
    nodes: u64,
    /// Tasks of an array that wait as one row.
    tasks: u32,
    /// The most of them that may run at once.
    at_once: u32,
    is_limit: bool,
}

/// Most tasks of an array that are gone through.
const TASKS_AT_MOST: u32 = 1_000;

/// Tasks of an array that waits as one, `33_[0-9,12%1]`, and the most of them that may run at once; 1 for any other job.
fn tasks(job: &str) -> (u32, u32) {
    let ranges = job.split_once("_[").and_then(|(_, rest)| rest.strip_suffix(']'));
    let Some(ranges) = ranges else { return (1, 1) };
    let (ranges, at_once) = match ranges.split_once('%') {
        Some((ranges, most)) => (ranges, most.parse().ok()),
        None => (ranges, None),
    };
    let count = |range: &str| -> Option<u32> {
        let (range, step) = range.split_once(':').unwrap_or((range, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last, step): (u32, u32, u32) =
            (first.parse().ok()?, last.parse().ok()?, step.parse().ok()?);
        last.checked_sub(first)?.checked_div(step)?.checked_add(1)
    };
    let sum = ranges.split(',').try_fold(0_u32, |sum, range| sum.checked_add(count(range)?));
    let tasks = sum.unwrap_or(1).clamp(1, TASKS_AT_MOST);
    (tasks, at_once.unwrap_or(tasks).min(tasks))
}

/// Up to when each cluster was seen, by anything that is known of it: of what waits nobody knows more.
fn seen_until<'a>(
    attempts: &'a Packed,
    known: &KnownNodes<'a>,
) -> FastMap<ClusterKey<'a>, Timestamp> {
    let mut seen: FastMap<ClusterKey<'a>, Timestamp> = FastMap::default();
    let mut see = |key: ClusterKey<'a>, at: Timestamp| {
        let last = seen.entry(key).or_insert(at);
        *last = at.max(*last);
    };
    for node in known.nodes {
        see((node.source, &node.cluster), node.seen_until);
    }
    for of in attempts.views() {
        let moments = [of.submitted_at, of.started_at, of.ended_at, of.seen_until];
        moments.into_iter().flatten().for_each(|at| see((of.source, of.cluster), at));
    }
    seen
}

/// `None` for one that waited for no GPUs or before these hours, where nobody knows since when it did, and for runs of trackers:
/// what these wait for is no node of a scheduler.
fn wait<'a>(of: &AttemptView<'a>, seen: Timestamp, hours: Hours) -> Option<Wait<'a>> {
    if of.is_run() {
        return None;
    }
    let from = of.eligible_at?.as_millisecond();
    let end = of.started_at.or(of.ended_at);
    let end = end.or((of.state == JobState::Queued).then_some(of.seen_until.unwrap_or(seen)))?;
    let to = end.as_millisecond();
    let gpus = of.asked_gpus.or(of.gpus).map(Gpus::millionths);
    let nodes = u64::from(of.node_count.unwrap_or(1).max(1));
    let (tasks, at_once) = tasks(of.job);
    let is_limit = begins(of.wait_reason, &LIMITS);
    let waits = from < to && to > hours.from && from < hours.to && gpus != Some(0);
    waits.then_some(Wait { of: *of, from, to, gpus, nodes, tasks, at_once, is_limit })
}

/// Nodes of queues, by source, cluster and queue. An attempt that was sent to several names them all.
type Pools<'a> = FastMap<(JobSource, &'a str, Option<&'a str>), BTreeSet<usize>>;

/// Parts of waits in an hour: place of the wait, from and to, milliseconds.
type Parts = Vec<(usize, i64, i64)>;

/// Waits by a key; hours the newest first, others by what was waited for.
pub fn waits(input: &WaitInput<'_>, key: WaitKey) -> Vec<WaitRow> {
    let hours = Hours::of(input.since.as_millisecond(), input.now.as_millisecond());
    let book = Book::new(input.known, input.types);
    let idle = Idle::of(input.known.nodes, input.attempts, &book, input.first_read, hours);
    let seen = seen_until(input.attempts, &input.known);
    let views = input.attempts.views();
    let mut waiting: Vec<Wait<'_>> = views
        .filter_map(|of| {
            let seen = seen.get(&(of.source, &**of.cluster)).copied();
            wait(&of, seen.unwrap_or(input.now).min(input.now), hours)
        })
        .collect();
    if waiting.is_empty() {
        return Vec::new();
    }
    let pools = pools(input.attempts, &idle);
    // Who has waited longest is first; those of a limit come last, for nothing idle would have helped them.
    waiting.sort_by_key(|wait| (wait.is_limit, wait.from));
    let mut by_hour: BTreeMap<(JobSource, &str, usize), Parts> = BTreeMap::new();
    for (place, wait) in waiting.iter().enumerate() {
        for (hour, from, to) in hours.parts(wait.from, wait.to) {
            let cluster = (wait.of.source, &**wait.of.cluster, hour);
            by_hour.entry(cluster).or_default().push((place, from, to));
        }
    }
    let mut sums = Sums { key, hours, rows: BTreeMap::new() };
    for ((source, name, hour), parts) in by_hour {
        let cluster = idle.cluster((source, name));
        let mut free = Free::of(cluster, hour);
        for (place, from, to) in parts {
            let wait = &waiting[place];
            let pool = pool_of(&pools, wait, free.nodes);
            // Beyond the last reading nobody knows what stood idle.
            let told = cluster.map_or(from, |of| of.told_until.clamp(from, to));
            let mut given = free.give(wait, &pool, told - from);
            given.by_kind[WaitKind::Unknown as usize] += wait.gpu_hours(to - told);
            sums.add(place, wait, (hour, from, to), given, cluster);
        }
    }
    sums.finish()
}

/// Which nodes a queue has is known by what ran there.
fn pools<'a>(attempts: &'a Packed, idle: &Idle<'a>) -> Pools<'a> {
    let mut pools = Pools::default();
    for of in attempts.views() {
        let queue = of.queue.map(|queue| &**queue);
        let places = of.nodes.iter().filter_map(|node| idle.place(of.source, of.cluster, node));
        pools.entry((of.source, &**of.cluster, queue)).or_default().extend(places);
    }
    pools
}

/// The nodes of the queue of a wait, or of several (`a,b`), whose GPUs are of the model that it asks for, as far as that is known.
fn pool_of(pools: &Pools<'_>, wait: &Wait<'_>, nodes: &[NodeHours]) -> Vec<usize> {
    let of = &wait.of;
    let one = |queue| pools.get(&(of.source, &**of.cluster, queue)).into_iter().flatten();
    let all: BTreeSet<usize> = match of.queue {
        Some(queues) => queues.split(',').flat_map(|queue| one(Some(queue))).copied().collect(),
        None => one(None).copied().collect(),
    };
    let fits = |node: &usize| match (&nodes[*node].model, of.gpu_model) {
        (Some(has), Some(wants)) => has.eq_ignore_ascii_case(wants),
        _ => true,
    };
    all.into_iter().filter(fits).collect()
}

impl Wait<'_> {
    /// GPU-hours that all of its tasks wait for in some milliseconds; 0 where nobody knows its GPUs.
    fn gpu_hours(&self, ms: i64) -> f64 {
        self.gpus.unwrap_or_default() as f64 / GPU * f64::from(self.tasks) * ms as f64
            / HOUR_MS as f64
    }
}

/// What stood idle beside a wait: GPU-hours, and their dollars; `None` where one of them has no price.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Beside {
    gpu_hours: f64,
    usd: Option<f64>,
}

/// What a wait would have got in an hour.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    by_kind: [f64; WaitKind::ALL.len()],
    /// `None` where nobody knows.
    beside: Option<Beside>,
}

/// What is left of the GPUs that stood idle through an hour.
struct Free<'a> {
    /// By node of the cluster; `None` of the whole where nobody knows, of one node where nobody knows its GPUs.
    left: Option<Vec<Option<u64>>>,
    nodes: &'a [NodeHours],
    hour: usize,
}

impl<'a> Free<'a> {
    fn of(cluster: Option<&'a Cluster>, hour: usize) -> Self {
        let nodes = cluster.map_or(&[][..], |of| &of.nodes);
        let is_known = cluster.is_some_and(|of| of.idle[hour].is_some());
        let left = is_known.then(|| nodes.iter().map(|node| node.hours[hour].free).collect());
        Self { left, nodes, hour }
    }

    /// Why it waits for `ms` of the hour; takes what it would have got.
    fn give(&mut self, wait: &Wait<'_>, pool: &[usize], ms: i64) -> Given {
        let mut given = Given::default();
        let one = wait.gpu_hours(ms) / f64::from(wait.tasks);
        let (Some(left), Some(gpus)) = (&mut self.left, wait.gpus) else {
            given.by_kind[wait.kind(WaitKind::Unknown) as usize] = one * f64::from(wait.tasks);
            return given;
        };
        // Tasks beyond those that may run at once wait for that.
        let mut tasks = wait.at_once;
        given.by_kind[WaitKind::Limit as usize] = one * f64::from(wait.tasks - tasks);
        let share = ms as f64 / HOUR_MS as f64;
        while tasks > 0 {
            let (kind, taken) = take(left, pool, gpus, wait);
            if kind != WaitKind::Unknown {
                let beside = given.beside.get_or_insert(Beside { gpu_hours: 0.0, usd: Some(0.0) });
                for (node, gpus) in taken {
                    let gpu_hours = gpus as f64 / GPU * share;
                    let price = self.nodes[node].hours[self.hour].price;
                    beside.gpu_hours += gpu_hours;
                    beside.usd = beside.usd.zip(price).map(|(usd, price)| usd + price * gpu_hours);
                }
            }
            // Who gets nothing changes nothing for the next.
            let is_last = matches!(kind, WaitKind::Shortage | WaitKind::Unknown);
            let count = if is_last { tasks } else { 1 };
            given.by_kind[wait.kind(kind) as usize] += one * f64::from(count);
            tasks -= count;
        }
        given
    }
}

impl Wait<'_> {
    /// Why it waits, where the scheduler says it, else `kind`.
    fn kind(&self, kind: WaitKind) -> WaitKind {
        if self.is_limit { WaitKind::Limit } else { kind }
    }
}

/// What a task would have got of what is `left`, taken out of it: by node.
fn take(
    left: &mut [Option<u64>],
    pool: &[usize],
    gpus: u64,
    wait: &Wait<'_>,
) -> (WaitKind, Vec<(usize, u64)>) {
    if pool.is_empty() {
        return (WaitKind::Unknown, Vec::new());
    }
    if begins(wait.of.wait_reason, &GONE) {
        return (WaitKind::Shortage, Vec::new());
    }
    let each = gpus.div_ceil(wait.nodes);
    let fits = pool.iter().filter(|node| left[**node].is_some_and(|free| free >= each));
    let fits: Vec<usize> = fits.take(wait.nodes as usize).copied().collect();
    if fits.len() as u64 == wait.nodes {
        let mut wanted = gpus;
        let taken = fits.into_iter().map(|node| {
            let taken = each.min(wanted);
            wanted -= taken;
            left[node] = left[node].map(|free| free - taken);
            (node, taken)
        });
        return (WaitKind::Room, taken.collect());
    }
    // A node of which nobody knows the GPUs may have been what it waits for, or not.
    if pool.iter().any(|node| left[*node].is_none()) {
        return (WaitKind::Unknown, Vec::new());
    }
    let total: u64 = pool.iter().filter_map(|node| left[*node]).sum();
    if total < gpus {
        return (WaitKind::Shortage, Vec::new());
    }
    let mut wanted = gpus;
    let mut taken = Vec::new();
    for node in pool {
        let Some(free) = left[*node].filter(|free| *free > 0 && wanted > 0) else { continue };
        let part = free.min(wanted);
        (left[*node], wanted) = (Some(free - part), wanted - part);
        taken.push((*node, part));
    }
    (WaitKind::Fragmented, taken)
}

/// Stretches in which a user waited.
type Stretches<'a> = BTreeMap<Option<&'a str>, Vec<(i64, i64)>>;

/// A row while it is summed.
#[derive(Default)]
struct Summing<'a> {
    row: WaitRow,
    waits: BTreeSet<usize>,
    of_unknown_gpus: BTreeSet<usize>,
    users: Stretches<'a>,
    has_unpriced: bool,
}

/// By hour the newest first; source and cluster; queue, user or team.
type RowKey<'a> = (Reverse<usize>, Option<ClusterKey<'a>>, Option<&'a str>);

/// Rows while they are summed.
struct Sums<'a> {
    key: WaitKey,
    hours: Hours,
    rows: BTreeMap<RowKey<'a>, Summing<'a>>,
}

impl<'a> Sums<'a> {
    fn add(
        &mut self,
        place: usize,
        wait: &Wait<'a>,
        (hour, from, to): (usize, i64, i64),
        given: Given,
        cluster: Option<&Cluster>,
    ) {
        let of = &wait.of;
        let at: ClusterKey<'a> = (of.source, of.cluster);
        let (at, key) = match self.key {
            WaitKey::Hour | WaitKey::Cluster => (Some(at), None),
            WaitKey::Queue => (Some(at), of.queue),
            WaitKey::User => (None, of.user),
            WaitKey::Team => (None, of.team),
        };
        let is_by_hour = self.key == WaitKey::Hour;
        let key = (Reverse(if is_by_hour { hour } else { 0 }), at, key.map(|key| &**key));
        let sum = self.rows.entry(key).or_default();
        sum.waits.insert(place);
        if wait.gpus.is_none() {
            sum.of_unknown_gpus.insert(place);
        }
        sum.users.entry(of.user.map(|user| &**user)).or_default().push((from, to));
        let row = &mut sum.row;
        if is_by_hour && row.hour.is_none() {
            let (begin, end) = self.hours.span(hour);
            let hours = |from: i64, to: i64| (to - from) as f64 / HOUR_MS as f64;
            row.hour = Timestamp::from_millisecond(begin).ok();
            row.hours = hours(begin, end);
            row.idle_gpu_hours = cluster.and_then(|of| of.idle[hour]);
            row.told_hours =
                cluster.map_or(0.0, |of| hours(begin, of.told_until.clamp(begin, end)));
        }
        for (sum, more) in row.gpu_hours.iter_mut().zip(given.by_kind) {
            *sum += more;
        }
        let Some(Beside { gpu_hours, usd }) = given.beside else { return };
        *row.beside_gpu_hours.get_or_insert(0.0) += gpu_hours;
        match usd {
            Some(usd) => *row.usd.get_or_insert(0.0) += usd,
            None => sum.has_unpriced = true,
        }
    }

    fn finish(self) -> Vec<WaitRow> {
        let mut rows: Vec<WaitRow> = Vec::with_capacity(self.rows.len());
        for ((_, at, key), sum) in self.rows {
            let mut row = sum.row;
            row.source = at.map(|(source, _)| source);
            row.cluster = at.map(|(_, name)| name).filter(|name| !name.is_empty()).map(Arc::from);
            row.key = key.map(Arc::from);
            let count = |all: &BTreeSet<usize>| u32::try_from(all.len()).unwrap_or(u32::MAX);
            row.attempts = count(&sum.waits);
            row.unknown_gpu_attempts = count(&sum.of_unknown_gpus);
            row.users = u32::try_from(sum.users.len()).unwrap_or(u32::MAX);
            row.user_hours = sum.users.into_values().map(union).sum::<f64>() / HOUR_MS as f64;
            row.usd = row.usd.filter(|_| !sum.has_unpriced);
            rows.push(row);
        }
        if self.key != WaitKey::Hour {
            rows.sort_by(|a, b| b.waited().total_cmp(&a.waited()));
        }
        rows
    }
}

/// Length of stretches together, each moment once, milliseconds.
fn union(mut stretches: Vec<(i64, i64)>) -> f64 {
    stretches.sort_unstable();
    let (mut sum, mut until) = (0, i64::MIN);
    for (from, to) in stretches {
        sum += (to - from.max(until)).max(0);
        until = until.max(to);
    }
    sum as f64
}
