//! GPUs that stood idle on each node of a cluster, hour by hour.

use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::jobs::nodes::Book;
use crate::domain::FastMap;
use crate::domain::jobs::{AttemptView, JobNode, JobSource, Packed};

/// An hour, milliseconds.
pub(super) const HOUR_MS: i64 = 3_600_000;

/// A GPU in millionths.
pub(super) const GPU: f64 = 1e6;

/// Hours of UTC that are looked at, the last of which may be cut short.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hours {
    /// Beginning of the first, milliseconds since 1970.
    pub from: i64,
    /// End of the last.
    pub to: i64,
}

impl Hours {
    /// Hours from `since` to `now`, both milliseconds.
    pub fn of(since: i64, now: i64) -> Self {
        Self { from: since - since.rem_euclid(HOUR_MS), to: now }
    }

    /// Number of hours.
    pub fn len(self) -> usize {
        usize::try_from((self.to - self.from + HOUR_MS - 1) / HOUR_MS).unwrap_or_default()
    }

    /// Beginning and end of an hour.
    pub fn span(self, hour: usize) -> (i64, i64) {
        let from = self.from + hour as i64 * HOUR_MS;
        (from, (from + HOUR_MS).min(self.to))
    }

    /// The hours that a stretch touches, each with the part of the stretch in it.
    pub fn parts(self, from: i64, to: i64) -> impl Iterator<Item = (usize, i64, i64)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        let first = (from - self.from).div_euclid(HOUR_MS).max(0) as usize;
        (first..self.len()).map_while(move |hour| {
            let (begin, end) = self.span(hour);
            let part = (hour, begin.max(from), end.min(to));
            (part.1 < part.2).then_some(part)
        })
    }
}

/// A cluster, by source and name.
pub(super) type ClusterKey<'a> = (JobSource, &'a str);

/// A node in an hour that is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeHour {
    /// Millionths of GPUs that nobody held through all of it; `None` where nobody knows how many the node has.
    pub free: Option<u64>,
    /// Dollars of a GPU-hour; `None` where no price is known.
    pub price: Option<f64>,
}

/// A node.
#[derive(Debug)]
pub(super) struct NodeHours {
    /// Model of its GPUs; `None` = unknown.
    pub model: Option<Arc<str>>,
    /// By hour.
    pub hours: Vec<NodeHour>,
}

/// Idle GPUs of a cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    /// By node.
    pub nodes: Vec<NodeHours>,
    /// GPU-hours that nobody held, by hour, of nodes whose GPUs are known; `None` where that is not known.
    pub idle: Vec<Option<f64>>,
    /// Up to when it is known, milliseconds.
    pub told_until: i64,
}

/// What is known of all clusters.
#[derive(Debug, Default)]
pub(super) struct Idle<'a> {
    clusters: FastMap<ClusterKey<'a>, Cluster>,
    places: FastMap<(JobSource, &'a str, &'a str), usize>,
}

/// From when on it is known what ran on clusters of a source, where ends of attempts do not tell.
pub type FirstRead<'a> = &'a dyn Fn(JobSource) -> Option<Timestamp>;

impl<'a> Idle<'a> {
    /// Of the nodes that schedulers know, and the attempts that held them.
    pub fn of(
        nodes: &'a [JobNode],
        attempts: &'a Packed,
        book: &Book<'_>,
        first_read: FirstRead<'_>,
        hours: Hours,
    ) -> Self {
        let mut idle = Self::default();
        let mut all: Vec<Vec<&'a JobNode>> = Vec::new();
        let mut of_cluster: FastMap<ClusterKey<'a>, Vec<usize>> = FastMap::default();
        for node in nodes {
            let key = (node.source, &*node.cluster, &*node.name);
            let at = *idle.places.entry(key).or_insert_with(|| {
                all.push(Vec::new());
                of_cluster.entry((node.source, &*node.cluster)).or_default().push(all.len() - 1);
                all.len() - 1
            });
            all[at].push(node);
        }
        let mut holds = Holds::of(attempts, &idle.places, all.len(), hours);
        for (key, places) in of_cluster {
            let seen = places.iter().flat_map(|place| &all[*place]).map(|node| node.seen_until);
            let told_until = seen.max().map_or(hours.from, Timestamp::as_millisecond).min(hours.to);
            let known_from = match first_read(key.0) {
                Some(at) => at.as_millisecond(),
                None => holds.first_end.get(&key).copied().unwrap_or(i64::MAX),
            };
            let told = Hours { to: told_until.max(hours.from), ..hours };
            let is_told = |hour: usize| hour < told.len() && told.span(hour).0 >= known_from;
            let mut known: Vec<Option<f64>> =
                (0..hours.len()).map(|hour| is_told(hour).then_some(0.0)).collect();
            for (from, to) in holds.unnamed.get(&key).into_iter().flatten() {
                hours.parts(*from, *to).for_each(|(hour, ..)| known[hour] = None);
            }
            let mut of_nodes = Vec::with_capacity(places.len());
            for (within, place) in places.into_iter().enumerate() {
                let held = std::mem::take(&mut holds.of_nodes[place]);
                of_nodes.push(of_node(&all[place], held, book, told, &mut known));
                let node = all[place][0];
                idle.places.insert((node.source, &*node.cluster, &*node.name), within);
            }
            idle.clusters.insert(key, Cluster { nodes: of_nodes, idle: known, told_until });
        }
        idle
    }

    /// What is known of a cluster; `None` where its scheduler tells of no node.
    pub fn cluster(&self, key: ClusterKey<'a>) -> Option<&Cluster> {
        self.clusters.get(&key)
    }

    /// Place of a node in its cluster; `None` for one that its scheduler does not know.
    pub fn place(&self, source: JobSource, cluster: &'a str, node: &'a str) -> Option<usize> {
        self.places.get(&(source, cluster, node)).copied()
    }
}

/// A stretch in which an attempt holds a node, with as many millionths of GPUs; `None` = all of them.
#[derive(Clone, Copy, Debug)]
struct Hold {
    from: i64,
    to: i64,
    gpus: Option<u64>,
}

/// Who held what.
#[derive(Default)]
struct Holds<'a> {
    of_nodes: Vec<Vec<Hold>>,
    /// Stretches in which attempts held nodes of which nobody tells which, by cluster.
    unnamed: FastMap<ClusterKey<'a>, Vec<(i64, i64)>>,
    /// The earliest end of an attempt that is known, by cluster: of what ended before nothing is known.
    first_end: FastMap<ClusterKey<'a>, i64>,
}

impl<'a> Holds<'a> {
    fn of(
        attempts: &'a Packed,
        places: &FastMap<(JobSource, &'a str, &'a str), usize>,
        nodes: usize,
        hours: Hours,
    ) -> Self {
        let mut all = Self { of_nodes: vec![Vec::new(); nodes], ..Self::default() };
        // A child holds what its parent does, and a tracker tells of what a scheduler's job holds.
        let is_own = |of: &AttemptView<'_>| of.parent.is_none() && !of.is_run();
        for of in attempts.views().filter(is_own) {
            let Some(from) = of.started_at.map(Timestamp::as_millisecond) else { continue };
            let key = (of.source, &**of.cluster);
            if let Some(end) = of.ended_at.or(of.seen_until).map(Timestamp::as_millisecond) {
                let first = all.first_end.entry(key).or_insert(end);
                *first = end.min(*first);
            }
            // Of which nobody knows the end it goes on.
            let to = from.saturating_add(of.held_ms().unwrap_or(i64::MAX));
            if to <= from || to <= hours.from {
                continue;
            }
            let named = of.nodes.len();
            if named == 0 || of.node_count.is_some_and(|count| count as usize != named) {
                all.unnamed.entry(key).or_default().push((from, to));
                continue;
            }
            // GPUs that nobody tells are all of a node.
            let gpus = of.gpus.map(|gpus| gpus.millionths().div_ceil(named as u64));
            for name in of.nodes {
                if let Some(at) = places.get(&(of.source, &**of.cluster, &**name)) {
                    all.of_nodes[*at].push(Hold { from, to, gpus });
                }
            }
        }
        all
    }
}

/// A node through the hours that are told; adds what it had idle to those of its cluster that are `known`.
fn of_node(
    records: &[&JobNode],
    mut holds: Vec<Hold>,
    book: &Book<'_>,
    hours: Hours,
    known: &mut [Option<f64>],
) -> NodeHours {
    // Not up is not there: nothing idle.
    let nothing = NodeHour { free: Some(0), price: None };
    let mut node = NodeHours { model: None, hours: vec![nothing; known.len()] };
    let Some(first) = records.first() else { return node };
    let key = (first.source, first.cluster.clone(), first.name.clone());
    let windows = book.windows(&key);
    holds.sort_by_key(|hold| hold.from);
    let mut records = records.to_vec();
    records.sort_by_key(|record| record.seen_from);
    for (at, record) in records.iter().enumerate() {
        let up_from = record.seen_from.as_millisecond();
        // The later instance has the name from its beginning on.
        let next = records.get(at + 1).map_or(i64::MAX, |next| next.seen_from.as_millisecond());
        let up_to = record.seen_until.as_millisecond().min(next);
        let mut next = 0;
        let mut active: Vec<Hold> = Vec::new();
        for (hour, from, to) in hours.parts(up_from, up_to) {
            let window = windows.iter().find(|window| window.from <= from && from < window.to);
            let of_type = window.and_then(|window| window.node.as_deref());
            if let Some(model) = of_type.and_then(|of| of.model.as_ref()) {
                node.model = Some(model.clone());
            }
            active.retain(|hold| hold.to > from);
            while let Some(hold) = holds.get(next).filter(|hold| hold.from < to) {
                if hold.to > from {
                    active.push(*hold);
                }
                next += 1;
            }
            let Some(all) = record.gpus.or(of_type.map(|of| of.gpus)) else {
                node.hours[hour].free = None;
                continue;
            };
            let (least, idle) = within(&active, all.millionths(), (from, to));
            if let Some(sum) = &mut known[hour] {
                *sum += idle / GPU / HOUR_MS as f64;
            }
            // Up for a part of the hour is not there for who waits through it.
            if (from, to) == hours.span(hour) {
                let usd = window.and_then(|window| {
                    let step = window.prices.iter().rev().find(|step| step.from <= from);
                    step.or_else(|| window.prices.first())?.usd_per_hour
                });
                let price = usd.filter(|_| all.millionths() > 0);
                let price = price.map(|usd| usd.to_f64() / all.to_f64());
                node.hours[hour] = NodeHour { free: Some(least), price };
            }
        }
    }
    node
}

/// Millionths of GPUs that nobody held: at the fewest, and times milliseconds.
fn within(active: &[Hold], all: u64, (from, to): (i64, i64)) -> (u64, f64) {
    let ends = active.iter().flat_map(|hold| [hold.from, hold.to]);
    let mut moments: Vec<i64> = ends.filter(|at| (from..to).contains(at)).collect();
    moments.extend([from, to]);
    moments.sort_unstable();
    moments.dedup();
    let (mut least, mut sum) = (all, 0.0);
    for pair in moments.windows(2) {
        let held = active.iter().filter(|hold| hold.from <= pair[0] && hold.to > pair[0]);
        let held = held.fold(0_u64, |sum, hold| sum.saturating_add(hold.gpus.unwrap_or(all)));
        let free = all.saturating_sub(held);
        least = least.min(free);
        sum += free as f64 * (pair[1] - pair[0]) as f64;
    }
    (least, sum)
}
