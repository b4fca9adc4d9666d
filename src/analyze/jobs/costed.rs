//! Attempts with what they cost: numbered, parts side by side as one, and no hour twice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::class::{CauseClass, class};
use super::lost::{Amount, CancelledWeight, lost};
use super::nodes::{Book, Held, Holder, KnownNodes, Ledger, NodeCost, TypeFrom, sweep};
use super::price::{NodeType, NodeTypes, PriceFrom, gpus, usd};
use super::saved::{Checkpoints, KnownRun, Salvage, saved};
use super::tax::{Summing, Tax, TaxKey};
use super::trackers::labelled;
use crate::domain::jobs::{Attempt, GpuTime, JobSource, JobState};

/// Levels of parents that are followed.
const PARENTS_AT_MOST: usize = 32;

/// An attempt with what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Costed {
    /// The attempt; of parts that ran side by side their sum.
    pub attempt: Attempt,
    /// Number of the attempt among those of its job, from 1.
    pub number: u32,
    /// Number of parts that ran side by side; 1 for most.
    pub parts: u32,
    /// What was held: all that counts.
    pub held: Amount,
    /// What of it came to nothing.
    pub lost: Amount,
    /// True where a checkpoint may have saved some of it.
    pub lost_is_upper_bound: bool,
    /// GPU time that it waited for; `None` where nobody says.
    pub waited: Option<GpuTime>,
    /// GPU time in which its GPUs worked, by kept telemetry; `None` where that does not cover it.
    pub used: Option<GpuTime>,
    /// Class of the cause; `None` for what did not fail.
    pub class: Option<CauseClass>,
    /// What tells the instance type; `None` where it is unknown.
    pub type_from: Option<TypeFrom>,
    /// Kind of price that the dollars rest on; `None` where there is none.
    pub price_from: Option<PriceFrom>,
    /// True where attempts together asked for more of a node than it has: the dollars were scaled.
    pub is_scaled: bool,
    /// What is known of its checkpoints.
    pub salvage: Salvage,
    /// When the last complete checkpoint that counts was written; `None` = none is known.
    pub saved_at: Option<Timestamp>,
    /// Its step; `None` where nobody tells.
    pub saved_step: Option<u64>,
    /// Bytes that differences instead of whole checkpoints would save, least and most; `None` where no checkpoints lie.
    pub delta_bytes: Option<(u64, u64)>,
}

/// A job, by source, cluster and id.
type JobKey = (JobSource, Arc<str>, Arc<str>);

fn job_key(of: &Attempt, job: &Arc<str>) -> JobKey {
    (of.id.source, of.id.cluster.clone(), job.clone())
}

/// Tells of a queue (cluster, queue) whether people work by hand in it.
pub type InteractiveQueues<'a> = dyn Fn(&str, &str) -> bool + 'a;

/// GPU time in which the GPUs of an attempt worked; `None` where nothing covers it.
pub type WorkedTime<'a> = dyn Fn(&Attempt) -> Option<GpuTime> + 'a;

/// What attempts are costed by.
#[derive(Clone, Copy)]
pub struct CostInput<'a> {
    /// Instance types with their prices.
    pub types: &'a NodeTypes<'a>,
    /// What is known of nodes.
    pub known: KnownNodes<'a>,
    /// Training runs that the Storage side found.
    pub runs: &'a [KnownRun<'a>],
    /// Tells a queue (cluster, queue) in which people work by hand: a time limit there is no failure. `None` = none is.
    pub is_interactive: Option<&'a InteractiveQueues<'a>>,
    /// GPU time in which the GPUs of an attempt worked, by kept telemetry; `None` = nobody measures.
    pub used: Option<&'a WorkedTime<'a>>,
    /// Share of cancelled attempts that counts as lost.
    pub weight: CancelledWeight,
}

/// Attempts and nodes with their costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// Attempts, in the order of their start, those without one first.
    pub rows: Vec<Costed>,
    /// Nodes, by source, cluster and name.
    pub nodes: Vec<NodeCost>,
}

/// Attempts and nodes with their costs.
pub fn costs(attempts: Vec<Attempt>, input: &CostInput<'_>) -> Costs {
    let mut rows = Vec::with_capacity(attempts.len());
    let nodes = each(attempts, input, &mut |row, _| rows.push(row));
    without_children(&mut rows);
    let mut rows = side_by_side(rows);
    rows.sort_by_cached_key(|row| {
        (row.attempt.started_at.or(row.attempt.submitted_at), row.attempt.job.clone())
    });
    Costs { rows, nodes }
}

/// Sums of attempts by a key, without a row of each: for the many attempts of years.
pub fn taxed(attempts: Vec<Attempt>, input: &CostInput<'_>, key: TaxKey) -> Tax {
    let mut sums = Summing::new(key);
    let mut tied = Vec::new();
    each(attempts, input, &mut |row, is_tied| {
        if is_tied { tied.push(row) } else { sums.add(&row) }
    });
    without_children(&mut tied);
    side_by_side(tied).iter().for_each(|row| sums.add(row));
    sums.finish()
}

/// Hands each attempt with its costs to `take`, and whether others have to do with it: a parent, its children, parts side by
/// side. These are complete only together. Returns the nodes.
fn each(
    attempts: Vec<Attempt>,
    input: &CostInput<'_>,
    take: &mut dyn FnMut(Costed, bool),
) -> Vec<NodeCost> {
    let book = Book::new(input.known, input.types);
    let mut all = ordered(labelled(attempts));
    in_doubt(&mut all);
    let types = TypeTable::of(&mut all, &book);
    let parents: HashSet<JobKey> =
        all.iter().filter_map(|of| Some(job_key(of, of.parent.as_ref()?))).collect();
    let is_parent = |of: &Attempt| !parents.is_empty() && parents.contains(&job_key(of, &of.job));
    let holders = holders(&all, &types, &is_parent);
    let Ledger { nodes, held } = sweep(&book, &holders);
    drop(holders);
    // All attempts of a job that has a parent: which of them names it must not matter.
    let children: HashSet<JobKey> =
        all.iter().filter(|of| of.parent.is_some()).map(|of| job_key(of, &of.job)).collect();
    priced(&all, &types, &held, input, &mut |row| {
        let of = &row.attempt;
        let is_child = !children.is_empty() && children.contains(&job_key(of, &of.job));
        let is_tied = is_child || of.parts_of.is_some() || is_parent(of);
        take(row, is_tied);
    });
    nodes
}

/// Attempts by job, each job's in the order in which they ran.
fn ordered(mut all: Vec<Attempt>) -> Vec<Attempt> {
    let order = |a: &Attempt, b: &Attempt| {
        let job = |of: &Attempt| (of.id.source, of.submitted_at.or(of.started_at), of.started_at);
        let (at, bt) = (job(a), job(b));
        (at.0.cmp(&bt.0))
            .then_with(|| a.id.cluster.cmp(&b.id.cluster))
            .then_with(|| a.job.cmp(&b.job))
            .then_with(|| (at.1, at.2).cmp(&(bt.1, bt.2)))
            .then_with(|| (&a.id.raw, &a.id.key).cmp(&(&b.id.raw, &b.id.key)))
    };
    if !all.is_sorted_by(|a, b| order(a, b).is_le()) {
        all.sort_by(order);
    }
    all
}

/// A job runs once at a time: one that began again does not run in its former attempt.
fn in_doubt(all: &mut [Attempt]) {
    for job in all.chunk_by_mut(Attempt::is_of_same_job) {
        let mut has_begun_later = false;
        for attempt in job.iter_mut().rev() {
            let is_open = attempt.state == JobState::Running && attempt.ended_at.is_none();
            if is_open && has_begun_later {
                attempt.state = JobState::Doubtful;
            }
            has_begun_later |= attempt.started_at.is_some();
        }
    }
}

/// Instance types of attempts, each looked up once.
struct TypeTable {
    types: Vec<Option<Arc<NodeType>>>,
    /// By attempt: its type, and what tells it.
    of: Vec<(u32, Option<TypeFrom>)>,
}

impl TypeTable {
    /// Looks the types up, and writes type, region and GPU model into the attempts that lack them. Whether whole nodes or a
    /// share of them are held is told by what the source said of GPUs: these are not written.
    fn of(all: &mut [Attempt], book: &Book<'_>) -> Self {
        let mut known: HashMap<(Option<Arc<str>>, Arc<str>), u32> = HashMap::new();
        let mut table = Self { types: vec![None], of: Vec::with_capacity(all.len()) };
        for attempt in all {
            let Some((name, region, from)) = book.place(attempt) else {
                table.of.push((0, None));
                continue;
            };
            let place = *known.entry((region.clone(), name.clone())).or_insert_with(|| {
                table.types.push(book.node_type(region.as_deref(), &name).map(Arc::new));
                table.types.len() as u32 - 1
            });
            table.of.push((place, Some(from)));
            (attempt.instance_type, attempt.region) = (Some(name), region);
        }
        table
    }

    fn get(&self, attempt: usize) -> Option<&Arc<NodeType>> {
        let (place, _) = self.of.get(attempt)?;
        self.types.get(*place as usize)?.as_ref()
    }
}

/// Those that hold nodes. A parent's time includes that of its children, who hold the nodes.
fn holders<'a>(
    all: &'a [Attempt],
    types: &TypeTable,
    is_parent: &dyn Fn(&Attempt) -> bool,
) -> Vec<Option<Holder<'a>>> {
    let holder = |(place, attempt): (usize, &'a Attempt)| {
        let type_from = types.of.get(place).and_then(|(_, from)| *from);
        (!attempt.nodes.is_empty() && !is_parent(attempt)).then(|| Holder {
            attempt,
            node: types.get(place).cloned(),
            type_from: type_from.unwrap_or(TypeFrom::Attempt),
        })
    };
    all.iter().enumerate().map(holder).collect()
}

/// Hands each attempt with what it cost to `take`, in their order.
fn priced(
    all: &[Attempt],
    types: &TypeTable,
    held: &[Option<Held>],
    input: &CostInput<'_>,
    take: &mut dyn FnMut(Costed),
) {
    let nexts = nexts(all);
    let usual_restart = usual_restart(all);
    let checkpoints = Checkpoints::new(input.runs);
    let mut number = 0;
    for (place, of) in all.iter().enumerate() {
        let is_again = place.checked_sub(1).is_some_and(|before| all[before].is_of_same_job(of));
        number = if is_again { number + 1 } else { 1 };
        let next = nexts.get(place).and_then(|next| all.get((*next)? as usize));
        let found = checkpoints.of(of);
        let saved = saved(of, found.as_ref(), next);
        let restart = next.map_or(0, |next| restart_ms(next).unwrap_or(usual_restart));
        let node = types.get(place).map(Arc::as_ref);
        let own = held.get(place).copied().flatten();
        let ms = of.held_ms();
        let usd = match own {
            Some(held) => (!held.is_unpriced && ms.is_some()).then(|| held.usd.rounded(10)),
            // Whole nodes or a share of them: by what the source told.
            None => of.billed_ms.or(ms).and_then(|ms| usd(of, node, ms)),
        };
        let mut attempt = of.clone();
        attempt.gpus = gpus(of, node);
        if attempt.gpu_model.is_none() {
            attempt.gpu_model = node.and_then(|node| node.model.clone());
        }
        let gpu_time = match ms {
            Some(0) => Some(GpuTime::ZERO),
            ms => ms.zip(attempt.gpus).map(|(ms, gpus)| gpus.held_for(ms)),
        };
        let held = Amount { gpu_time, usd };
        let queue = of.queue.as_deref().unwrap_or_default();
        let is_by_hand = of.state == JobState::TimedOut
            && input.is_interactive.is_some_and(|is| is(&of.id.cluster, queue));
        let (lost, lost_is_upper_bound) = match is_by_hand {
            true => (Amount::ZERO, false),
            false => lost(&attempt, held, &saved, restart, input.weight),
        };
        let told_price = || of.node_usd_per_hour.and(usd).map(|_| PriceFrom::List);
        let list_price = || usd.and(node).map(|node| node.from);
        take(Costed {
            number,
            parts: 1,
            held,
            lost,
            lost_is_upper_bound,
            waited: of.waited_ms().zip(attempt.gpus).map(|(ms, gpus)| gpus.held_for(ms)),
            used: input.used.and_then(|used| used(&attempt)),
            class: class(of),
            type_from: types.of.get(place).and_then(|(_, from)| *from),
            price_from: own
                .and_then(|held| held.price_from)
                .or_else(told_price)
                .or_else(list_price),
            is_scaled: own.is_some_and(|held| held.is_scaled),
            salvage: saved.salvage,
            saved_at: saved.at,
            saved_step: saved.step,
            delta_bytes: found.map(|found| found.delta_bytes()),
            attempt,
        });
    }
}

/// Time from the start of an attempt to its first step, milliseconds; `None` where nobody tells.
fn restart_ms(of: &Attempt) -> Option<i64> {
    let (start, first) = (of.started_at?, of.first_step_at?);
    Some(first.as_millisecond().saturating_sub(start.as_millisecond()).max(0))
}

/// Median of that time, for those that do not tell; 0 where nobody does.
fn usual_restart(all: &[Attempt]) -> i64 {
    let mut known: Vec<i64> = all.iter().filter_map(restart_ms).collect();
    let middle = known.len().saturating_sub(1) / 2;
    match known.is_empty() {
        true => 0,
        false => *known.select_nth_unstable(middle).1,
    }
}

/// By attempt, the one that took its work up again: the next of its job, else the next that writes where it wrote.
fn nexts(all: &[Attempt]) -> Vec<Option<u32>> {
    let mut nexts: Vec<Option<u32>> = (0..all.len())
        .map(|place| {
            let later = all.get(place + 1)?;
            (all[place].is_of_same_job(later) && later.started_at.is_some())
                .then_some(place as u32 + 1)
        })
        .collect();
    let mut by_prefix: HashMap<&Arc<str>, Vec<(Timestamp, u32)>> = HashMap::new();
    for (place, of) in all.iter().enumerate() {
        if let (Some(prefix), Some(start)) = (&of.checkpoint, of.started_at) {
            by_prefix.entry(prefix).or_default().push((start, place as u32));
        }
    }
    by_prefix.values_mut().for_each(|all| all.sort_unstable());
    for (place, of) in all.iter().enumerate() {
        let (None, Some(prefix), Some(end)) = (nexts[place], &of.checkpoint, of.ended_at) else {
            continue;
        };
        let Some(those) = by_prefix.get(prefix) else { continue };
        let after = those.partition_point(|(start, _)| *start < end);
        nexts[place] =
            those[after..].iter().map(|(_, next)| *next).find(|next| *next as usize != place);
    }
    nexts
}

/// Takes the time of children out of that of their parents: what a parent holds beyond them stays.
fn without_children(rows: &mut [Costed]) {
    if rows.iter().all(|row| row.attempt.parent.is_none()) {
        return;
    }
    let parents: HashMap<JobKey, Option<JobKey>> = rows
        .iter()
        .map(|row| {
            let of = &row.attempt;
            (job_key(of, &of.job), of.parent.as_ref().map(|parent| job_key(of, parent)))
        })
        .collect();
    let is_circle = |of: &JobKey| {
        let mut above = parents.get(of).and_then(Option::as_ref);
        for _ in 0..PARENTS_AT_MOST {
            match above {
                None => return false,
                Some(key) if key == of => return true,
                Some(key) => above = parents.get(key).and_then(Option::as_ref),
            }
        }
        true
    };
    let mut children: HashMap<JobKey, GpuTime> = HashMap::new();
    for row in rows.iter() {
        let of = &row.attempt;
        let Some(parent) = of.parent.as_ref().map(|parent| job_key(of, parent)) else { continue };
        if !is_circle(&job_key(of, &of.job)) {
            *children.entry(parent).or_default() += row.held.gpu_time.unwrap_or_default();
        }
    }
    for row in rows {
        let key = job_key(&row.attempt, &row.attempt.job);
        let (Some(below), Some(own)) = (children.get_mut(&key), row.held.gpu_time) else {
            continue;
        };
        let rest = own.less(*below);
        *below = below.less(own);
        let (by, of) = rest.ratio(own);
        if of > 0 {
            let usd = |usd: Option<crate::domain::bill::Usd>| usd.map(|usd| usd.prorated(by, of));
            let lost = row.lost.gpu_time.map(|time| time.part(by, of));
            row.lost = Amount { gpu_time: lost, usd: usd(row.lost.usd) };
            row.held = Amount { gpu_time: Some(rest), usd: usd(row.held.usd) };
        }
    }
}

/// Parts of a job that ran side by side as one row each attempt.
fn side_by_side(rows: Vec<Costed>) -> Vec<Costed> {
    let mut out: Vec<Costed> = Vec::with_capacity(rows.len());
    let mut places: HashMap<(JobKey, u32), usize> = HashMap::new();
    for mut row in rows {
        let Some(job) = row.attempt.parts_of.clone() else {
            out.push(row);
            continue;
        };
        let key = (job_key(&row.attempt, &job), row.number);
        if let Some(place) = places.get(&key) {
            join(&mut out[*place], row);
        } else {
            row.attempt.job = job;
            places.insert(key, out.len());
            out.push(row);
        }
    }
    out
}

/// Adds a part to those before it. The state of one that is lost is the state of all.
fn join(all: &mut Costed, part: Costed) {
    let (to, of) = (&mut all.attempt, part.attempt);
    all.parts += 1;
    all.held = all.held.plus(part.held);
    all.lost = all.lost.plus(part.lost);
    all.lost_is_upper_bound |= part.lost_is_upper_bound;
    all.waited = all.waited.zip(part.waited).map(|(a, b)| a + b);
    if of.state.is_lost() && !to.state.is_lost() {
        (to.state, to.state_source, to.cause) = (of.state, of.state_source, of.cause);
        all.class = part.class;
    }
    all.used = all.used.zip(part.used).map(|(a, b)| a + b);
    all.is_scaled |= part.is_scaled;
    to.gpus = to.gpus.zip(of.gpus).map(|(a, b)| a + b);
    to.cpus = to.cpus.zip(of.cpus).map(|(a, b)| a.saturating_add(b));
    to.memory_mib = to.memory_mib.zip(of.memory_mib).map(|(a, b)| a.saturating_add(b));
    to.node_count = to.node_count.zip(of.node_count).map(|(a, b)| a.saturating_add(b));
    to.started_at = [to.started_at, of.started_at].into_iter().flatten().min();
    to.ended_at = to.ended_at.zip(of.ended_at).map(|(a, b)| a.max(b));
    let mut nodes = to.nodes.to_vec();
    nodes.extend(of.nodes.iter().filter(|node| !to.nodes.contains(*node)).cloned());
    nodes.truncate(Attempt::NODES_AT_MOST);
    to.nodes = nodes.into();
    if to.gpu_model != of.gpu_model {
        to.gpu_model = None;
    }
}
