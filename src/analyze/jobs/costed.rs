//! Attempts with what they cost: numbered, parts side by side as one, and no hour twice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::class::{CauseClass, CauseFrom, class};
use super::happened::{Evidence, happened};
use super::lost::{Amount, CancelledWeight, lost};
use super::nodes::{Book, Held, Holder, KnownNodes, Ledger, NodeCost, TypeFrom, sweep};
use super::price::{NodeType, NodeTypes, PriceFrom, gpus, usd};
use super::saved::{Checkpoints, KnownRun, Salvage, saved};
use super::tax::{Summing, Tax, TaxKey};
use super::trackers::labelled;
use crate::domain::hash::FastMap;
use crate::domain::jobs::{Attempt, AttemptView, GpuTime, JobSource, JobState, Packed};

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
    /// What tells the class; `None` for what did not fail, and where nobody tells.
    pub cause_from: Option<CauseFrom>,
    /// What happened to one of its nodes about when it failed; `None` where nothing is known to have.
    pub evidence: Option<Evidence>,
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
pub fn costs(attempts: impl Into<Packed>, input: &CostInput<'_>) -> Costs {
    let mut rows = Vec::new();
    let nodes = each(attempts.into(), input, &mut |row, _| rows.push(row));
    without_children(&mut rows);
    let mut rows = side_by_side(rows);
    rows.sort_by_cached_key(|row| {
        (row.attempt.started_at.or(row.attempt.submitted_at), row.attempt.job.clone())
    });
    Costs { rows, nodes }
}

/// Sums of attempts by a key, without a row of each: for the many attempts of years.
pub fn taxed(attempts: impl Into<Packed>, input: &CostInput<'_>, key: TaxKey) -> Tax {
    let mut sums = Summing::new(key);
    each_row(attempts, input, &mut |row| sums.add(row));
    sums.finish()
}

/// Hands each attempt with what it cost to `take`, without a row of each at once; those that others have to do with come last.
pub(super) fn each_row(
    attempts: impl Into<Packed>,
    input: &CostInput<'_>,
    take: &mut dyn FnMut(&Costed),
) {
    let mut tied = Vec::new();
    each(attempts.into(), input, &mut |row, is_tied| {
        if is_tied { tied.push(row) } else { take(&row) }
    });
    without_children(&mut tied);
    side_by_side(tied).iter().for_each(take);
}

/// Jobs that have to do with others.
struct Ties {
    /// Those that others name as their parent.
    parents: HashSet<JobKey>,
    /// Those of which an attempt names a parent: which of them names it must not matter.
    children: HashSet<JobKey>,
}

impl Ties {
    fn of(all: &Packed) -> Self {
        let mut ties = Self { parents: HashSet::new(), children: HashSet::new() };
        for of in all.views() {
            if let Some(parent) = of.parent {
                ties.parents.insert((of.source, of.cluster.clone(), parent.clone()));
                ties.children.insert((of.source, of.cluster.clone(), of.job.into()));
            }
        }
        ties
    }

    /// True for an attempt of a job among `jobs`.
    fn is_in(jobs: &HashSet<JobKey>, of: &AttemptView<'_>) -> bool {
        let key = || -> JobKey { (of.source, of.cluster.clone(), of.job.into()) };
        !jobs.is_empty() && jobs.contains(&key())
    }

    fn is_parent(&self, of: &AttemptView<'_>) -> bool {
        Self::is_in(&self.parents, of)
    }

    /// True for a parent, a child, and a part that ran beside others.
    fn has(&self, of: &AttemptView<'_>) -> bool {
        of.parts_of.is_some() || self.is_parent(of) || Self::is_in(&self.children, of)
    }
}

/// Hands each attempt with its costs to `take`, and whether others have to do with it: a parent, its children, parts side by
/// side. These are complete only together. Returns the nodes.
fn each(all: Packed, input: &CostInput<'_>, take: &mut dyn FnMut(Costed, bool)) -> Vec<NodeCost> {
    let book = Book::new(input.known, input.types);
    let mut all = labelled(all);
    all.sort();
    in_doubt(&mut all);
    let types = TypeTable::of(&mut all, &book);
    let ties = Ties::of(&all);
    // A parent's time includes that of its children, who hold the nodes.
    let holders = |place: usize| {
        let attempt = all.view(place);
        (!attempt.nodes.is_empty() && !ties.is_parent(&attempt)).then(|| Holder {
            attempt,
            node: types.get(place),
            type_from: types.told_by(place).unwrap_or(TypeFrom::Attempt),
        })
    };
    let Ledger { nodes, held } = sweep(&book, all.len(), &holders);
    priced(&all, &types, &held, input, &mut |place, row| take(row, ties.has(&all.view(place))));
    nodes
}

/// A job runs once at a time: one that began again does not run in its former attempt.
fn in_doubt(all: &mut Packed) {
    let mut has_begun_later = false;
    for place in (0..all.len()).rev() {
        has_begun_later &= all.are_of_one_job(place, place + 1);
        let of = all.view(place);
        let is_open = of.state == JobState::Running && of.ended_at.is_none();
        let has_begun = of.started_at.is_some();
        if is_open && has_begun_later {
            all.set_state(place, JobState::Doubtful);
        }
        has_begun_later |= has_begun;
    }
}

/// Instance types of attempts, each looked up once.
struct TypeTable {
    types: Vec<Option<NodeType>>,
    /// By attempt: its type, and what tells it.
    of: Vec<(u32, Option<TypeFrom>)>,
}

impl TypeTable {
    /// Looks the types up, and writes type and region into the attempts that lack them. Whether whole nodes or a share of them are
    /// held is told by what the source said of GPUs: these are not written.
    fn of(all: &mut Packed, book: &Book<'_>) -> Self {
        let mut known: FastMap<(Option<Arc<str>>, Arc<str>), u32> = FastMap::default();
        let mut table = Self { types: vec![None], of: Vec::with_capacity(all.len()) };
        for at in 0..all.len() {
            let Some((name, region, from)) = book.place(&all.view(at)) else {
                table.of.push((0, None));
                continue;
            };
            let place = *known.entry((region.clone(), name.clone())).or_insert_with(|| {
                table.types.push(book.node_type(region.as_deref(), &name));
                table.types.len() as u32 - 1
            });
            table.of.push((place, Some(from)));
            all.set_type(at, name, region);
        }
        table
    }

    fn get(&self, attempt: usize) -> Option<&NodeType> {
        let (place, _) = self.of.get(attempt)?;
        self.types.get(*place as usize)?.as_ref()
    }

    /// What tells the type of an attempt.
    fn told_by(&self, attempt: usize) -> Option<TypeFrom> {
        self.of.get(attempt)?.1
    }
}

/// Hands each attempt with its place and what it cost to `take`, in their order.
fn priced(
    all: &Packed,
    types: &TypeTable,
    held: &[Option<Held>],
    input: &CostInput<'_>,
    take: &mut dyn FnMut(usize, Costed),
) {
    let nexts = nexts(all);
    let usual_restart = usual_restart(all);
    let checkpoints = Checkpoints::new(input.runs);
    let mut happened = happened(all, input.known.nodes, input.known.events);
    let mut number = 0;
    for (place, next) in nexts.into_iter().enumerate() {
        let is_again = place.checked_sub(1).is_some_and(|before| all.are_of_one_job(before, place));
        number = if is_again { number + 1 } else { 1 };
        let mut of = all.get(place);
        let next = next.map(|next| all.get(next as usize));
        let found = checkpoints.of(&of);
        let saved = saved(&of, found.as_ref(), next.as_ref());
        let restart = next.map_or(0, |next| {
            restart_ms(next.started_at, next.first_step_at).unwrap_or(usual_restart)
        });
        let node = types.get(place);
        let own = held.get(place).copied().flatten();
        let ms = of.held_ms();
        let usd = match own {
            Some(held) => (!held.is_unpriced && ms.is_some()).then(|| held.usd.rounded(10)),
            // Whole nodes or a share of them: by what the source told.
            None => of.billed_ms.or(ms).and_then(|ms| usd(&of, node, ms)),
        };
        of.gpus = gpus(&of, node);
        if of.gpu_model.is_none() {
            of.gpu_model = node.and_then(|node| node.model.clone());
        }
        let gpu_time = match ms {
            Some(0) => Some(GpuTime::ZERO),
            ms => ms.zip(of.gpus).map(|(ms, gpus)| gpus.held_for(ms)),
        };
        let held = Amount { gpu_time, usd };
        let queue = of.queue.as_deref().unwrap_or_default();
        let is_by_hand = of.state == JobState::TimedOut
            && input.is_interactive.is_some_and(|is| is(&of.id.cluster, queue));
        let (lost, lost_is_upper_bound) = match is_by_hand {
            true => (Amount::ZERO, false),
            false => lost(&of, held, &saved, restart, input.weight),
        };
        let evidence = happened.remove(&place);
        let class = class(&of, evidence.as_ref());
        let told_price = || of.node_usd_per_hour.and(usd).map(|_| PriceFrom::List);
        let list_price = || usd.and(node).map(|node| node.from);
        let row = Costed {
            number,
            parts: 1,
            held,
            lost,
            lost_is_upper_bound,
            waited: of.waited_ms().zip(of.gpus).map(|(ms, gpus)| gpus.held_for(ms)),
            used: input.used.and_then(|used| used(&of)),
            class: class.map(|(class, _)| class),
            cause_from: class.and_then(|(_, from)| from),
            evidence,
            type_from: types.told_by(place),
            price_from: own
                .and_then(|held| held.price_from)
                .or_else(told_price)
                .or_else(list_price),
            is_scaled: own.is_some_and(|held| held.is_scaled),
            salvage: saved.salvage,
            saved_at: saved.at,
            saved_step: saved.step,
            delta_bytes: found.map(|found| found.delta_bytes()),
            attempt: of,
        };
        take(place, row);
    }
}

/// Time from the start of an attempt to its first step, milliseconds; `None` where nobody tells.
pub(super) fn restart_ms(start: Option<Timestamp>, first_step: Option<Timestamp>) -> Option<i64> {
    Some(first_step?.as_millisecond().saturating_sub(start?.as_millisecond()).max(0))
}

/// Median of that time, for those that do not tell; 0 where nobody does.
fn usual_restart(all: &Packed) -> i64 {
    let told = all.views().filter_map(|of| restart_ms(of.started_at, of.first_step_at));
    usual(told.collect())
}

/// Median of times, the lower one of two in the middle; 0 of none.
pub(super) fn usual(mut known: Vec<i64>) -> i64 {
    let middle = known.len().saturating_sub(1) / 2;
    match known.is_empty() {
        true => 0,
        false => *known.select_nth_unstable(middle).1,
    }
}

/// By attempt, the one that took its work up again: the next of its job, else the next that writes where it wrote.
fn nexts(all: &Packed) -> Vec<Option<u32>> {
    let next_of_job = |place: usize| {
        let is_next = all.are_of_one_job(place, place + 1);
        (is_next && all.view(place + 1).started_at.is_some()).then_some(place as u32 + 1)
    };
    let mut nexts: Vec<Option<u32>> = (0..all.len()).map(next_of_job).collect();
    let mut by_prefix: HashMap<&Arc<str>, Vec<(Timestamp, u32)>> = HashMap::new();
    for (place, of) in all.views().enumerate() {
        if let (Some(prefix), Some(start)) = (of.checkpoint, of.started_at) {
            by_prefix.entry(prefix).or_default().push((start, place as u32));
        }
    }
    by_prefix.values_mut().for_each(|all| all.sort_unstable());
    if by_prefix.is_empty() {
        return nexts;
    }
    for (place, of) in all.views().enumerate() {
        let (None, Some(prefix), Some(end)) = (nexts[place], of.checkpoint, of.ended_at) else {
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
    // A rank that loses its GPU takes the others along: theirs tell no more than that.
    let is_of_node = |from: Option<CauseFrom>| from.is_some_and(CauseFrom::is_of_node);
    let tells_more = is_of_node(part.cause_from) && !is_of_node(all.cause_from);
    if of.state.is_lost() && (!to.state.is_lost() || tells_more) {
        (all.class, all.cause_from, all.evidence) = (part.class, part.cause_from, part.evidence);
    }
    if of.state.is_lost() && !to.state.is_lost() {
        (to.state, to.state_source, to.cause) = (of.state, of.state_source, of.cause);
    }
    all.used = all.used.zip(part.used).map(|(a, b)| a + b);
    all.is_scaled |= part.is_scaled;
    to.gpus = to.gpus.zip(of.gpus).map(|(a, b)| a + b);
    to.cpus = to.cpus.zip(of.cpus).map(|(a, b)| a.saturating_add(b));
    to.memory_mib = to.memory_mib.zip(of.memory_mib).map(|(a, b)| a.saturating_add(b));
    to.node_count = to.node_count.zip(of.node_count).map(|(a, b)| a.saturating_add(b));
    to.time_limit_ms = to.time_limit_ms.zip(of.time_limit_ms).map(|(a, b)| a.max(b));
    to.usage = to.usage.take().zip(of.usage).map(|(a, b)| Box::new(a.plus(*b)));
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
