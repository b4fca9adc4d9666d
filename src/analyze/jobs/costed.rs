//! Attempts with what they cost: numbered, parts side by side as one, and no hour twice.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::lost::{Amount, CancelledWeight, lost};
use super::price::{NodeTypes, gpus, usd};
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
}

/// A job, by source, cluster and id.
type JobKey = (JobSource, Arc<str>, Arc<str>);

fn job_key(of: &Attempt, job: &Arc<str>) -> JobKey {
    (of.id.source, of.id.cluster.clone(), job.clone())
}

/// Attempts with their costs, in the order of their start, those without one first.
pub fn costed(attempts: &[Attempt], types: &NodeTypes<'_>, weight: CancelledWeight) -> Vec<Costed> {
    let mut all: Vec<&Attempt> = attempts.iter().collect();
    let order = |a: &Attempt| {
        (a.id.source, a.id.cluster.clone(), a.job.clone(), a.submitted_at.or(a.started_at))
    };
    all.sort_by_cached_key(|a| (order(a), a.started_at, a.id.raw.clone(), a.id.key.clone()));
    let mut rows = Vec::with_capacity(all.len());
    for job in all.chunk_by(|a, b| job_key(a, &a.job) == job_key(b, &b.job)) {
        of_job(job, types, weight, &mut rows);
    }
    without_children(&mut rows);
    let mut rows = side_by_side(rows);
    let when = |row: &Costed| row.attempt.started_at.or(row.attempt.submitted_at);
    rows.sort_by(|a, b| when(a).cmp(&when(b)).then_with(|| a.attempt.job.cmp(&b.attempt.job)));
    rows
}

/// The attempts of one job, in their order.
fn of_job(
    job: &[&Attempt],
    types: &NodeTypes<'_>,
    weight: CancelledWeight,
    rows: &mut Vec<Costed>,
) {
    for (place, of) in job.iter().enumerate() {
        let mut attempt = (*of).clone();
        let later = &job[place + 1..];
        // A job runs once at a time: one that began again does not run in its former attempt.
        let is_open = attempt.state == JobState::Running && attempt.ended_at.is_none();
        if is_open && later.iter().any(|next| next.started_at.is_some()) {
            attempt.state = JobState::Doubtful;
        }
        let node = attempt.instance_type.as_deref();
        let node = node.and_then(|name| types(attempt.region.as_deref(), name));
        attempt.gpus = gpus(&attempt, node.as_ref());
        if attempt.gpu_model.is_none() {
            attempt.gpu_model = node.as_ref().and_then(|node| node.model.clone());
        }
        let ms = attempt.held_ms();
        let gpu_time = match ms {
            Some(0) => Some(GpuTime::ZERO),
            ms => ms.zip(attempt.gpus).map(|(ms, gpus)| gpus.held_for(ms)),
        };
        // Whole nodes or a share of them: by what the source told.
        let usd = ms.and_then(|ms| usd(of, node.as_ref(), ms));
        let held = Amount { gpu_time, usd };
        let begins = |next: &&Attempt| -> Option<(Timestamp, Timestamp)> {
            Some((next.started_at?, next.first_step_at?))
        };
        let (lost, lost_is_upper_bound) =
            lost(&attempt, held, later.first().and_then(begins), weight);
        let waited = attempt.waited_ms().zip(attempt.gpus).map(|(ms, gpus)| gpus.held_for(ms));
        let number = place as u32 + 1;
        rows.push(Costed { attempt, number, parts: 1, held, lost, lost_is_upper_bound, waited });
    }
}

/// Takes the time of children out of that of their parents: what a parent holds beyond them stays.
fn without_children(rows: &mut [Costed]) {
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
    }
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
