//! A job of Batch as attempts: each entry of its attempts is one, and so is what waits or runs now.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::account_jobs::{clean, cluster_of};
use super::super::sagemaker::jobs::JobTagKeys;
use super::asked::Asked;
use super::hosts::ContainerHost;
use super::outcome::{outcome, wait_reason};
use super::wire::{AttemptDetail, Container, Job, Task, moment};
use crate::domain::Tags;
use crate::domain::jobs::{Attempt, AttemptId, JobSource, JobState};
use crate::source::jobs::status;

/// From when on a job that somebody ended outlived its last attempt.
const OUTLIVED: SignedDuration = SignedDuration::from_secs(10);

/// The same of one that nobody ended. Batch itself gives up what waits after ten minutes at the earliest.
const GIVEN_UP: SignedDuration = SignedDuration::from_mins(10);

/// An attempt with the container instance that it is on.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The attempt.
    pub attempt: Attempt,
    /// Where it is; `None` where that is not told: on Fargate, and before it got a place.
    pub host: Option<ContainerHost>,
}

/// What is known of the instances of a queue, by its compute environments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behind {
    /// True where some are Spot capacity, false where none is; `None` = unknown.
    pub is_spot: Option<bool>,
    /// The one instance type that all of them have; `None` where there are several, and where it is unknown.
    pub instance_type: Option<Arc<str>>,
}

/// What is known beside a job.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Region.
    pub region: &'a Arc<str>,
    /// Now.
    pub now: Timestamp,
    /// Tag keys of whose a job is.
    pub keys: &'a JobTagKeys,
    /// Instances of its queue.
    pub behind: &'a Behind,
    /// The array or multi-node job of which it is a child; tells what the child does not.
    pub parent: Option<&'a Job>,
}

/// Name of the queue of a job, by its ARN; `None` without one.
pub fn queue(job: &Job) -> Option<&str> {
    job.job_queue.as_deref()?.rsplit('/').next()
}

/// The attempts of a job; of a multi-node job whose nodes are not listed those of all its nodes together. None without an id.
pub fn attempts(job: &Job, around: &Around<'_>) -> Vec<Found> {
    let Some(base) = base(job, around) else { return Vec::new() };
    let told = job.attempts.as_deref().unwrap_or_default();
    let is_over = job.is_over();
    // Where Batch lists the one that runs, what it lists has no end.
    let goes_on = !is_over && told.last().is_some_and(|last| moment(last.stopped_at).is_none());
    let (ended, current) = told.split_at(told.len() - usize::from(goes_on));
    // One that waited to be tried again is not listed: without it here, it would be kept as waiting for ever.
    let waited_again = waited_again(job, ended.last());
    let mut all = Vec::new();
    let mut queued_at = moment(job.created_at);
    for (number, one) in ended.iter().enumerate() {
        let is_last = is_over && !waited_again && number + 1 == ended.len();
        let mut found = numbered(&base, number, queued_at);
        let of = &mut found.attempt;
        let end = outcome(job, Some(one), is_last, around.behind.is_spot);
        if !is_last {
            of.state_source = "FAILED".into();
        }
        (of.state, of.cause, of.reason) = (end.state, end.cause, end.reason);
        of.started_at = moment(one.started_at);
        of.ended_at = moment(one.stopped_at).or(moment(job.stopped_at).filter(|_| is_last));
        found.put(host(one.container.as_ref(), one.task_properties.as_deref()));
        queued_at = found.attempt.ended_at.or(queued_at);
        all.push(found);
    }
    if is_over && !ended.is_empty() && !waited_again {
        return all;
    }
    let mut found = numbered(&base, ended.len(), queued_at);
    let of = &mut found.attempt;
    let first = current.first();
    // On the job stands the start of an attempt before until this one runs.
    let started = first.and_then(|of: &AttemptDetail| moment(of.started_at));
    let started = started.or_else(|| moment(job.started_at));
    let after = ended.last().and_then(|before| moment(before.stopped_at));
    of.started_at = started.filter(|at| after.is_none_or(|after| *at >= after));
    if is_over {
        // What stands on the job is of the attempt before.
        let nothing = AttemptDetail::default();
        let one = waited_again.then_some(&nothing);
        let end = outcome(job, one, true, around.behind.is_spot);
        (of.state, of.cause, of.reason) = (end.state, end.cause, end.reason);
        of.ended_at = moment(job.stopped_at);
    } else {
        of.state = status::state(&of.state_source);
        of.seen_until = Some(around.now);
    }
    if of.state == JobState::Queued {
        of.started_at = None;
        of.wait_reason = wait_reason(job);
    } else if !waited_again {
        let tasks = job.ecs_properties.as_ref().and_then(|of| of.task_properties.as_deref());
        let of_job = || host(job.container.as_ref(), tasks);
        let of_attempt =
            first.and_then(|one| host(one.container.as_ref(), one.task_properties.as_deref()));
        found.put(of_attempt.or_else(of_job));
    }
    all.push(found);
    all
}

/// True for a job that failed while it waited to be tried again after `last`.
fn waited_again(job: &Job, last: Option<&AttemptDetail>) -> bool {
    let is_failed = job.status.as_deref() == Some("FAILED");
    let before = last.and_then(|last| moment(last.stopped_at)).filter(|_| is_failed);
    let most = if job.is_ended() { OUTLIVED } else { GIVEN_UP };
    let outlived =
        |before| moment(job.stopped_at).is_some_and(|at| at.duration_since(before) > most);
    before.is_some_and(outlived)
}

impl Found {
    /// Notes where it is. Of a multi-node job as a whole one node tells nothing of the others.
    fn put(&mut self, host: Option<ContainerHost>) {
        let is_alone = self.attempt.node_count == Some(1);
        self.host = host.filter(|_| is_alone);
        self.attempt.nodes = self.host.iter().map(|host| host.name.clone()).collect();
    }
}

/// What all attempts of a job have in common; `None` without an id.
fn base(job: &Job, around: &Around<'_>) -> Option<Attempt> {
    let id = job.id()?;
    let parent = around.parent;
    // Nodes of a multi-node job run side by side; before they are there the first stands for all.
    let whole = job.has_nodes().then_some(id);
    let parts_of = whole.or_else(|| parent.filter(|of| of.has_nodes())?.id());
    let raw: Arc<str> = match whole {
        Some(id) => format!("{id}#0").into(),
        None => id.into(),
    };
    let arn = job.job_arn.as_deref();
    let id = AttemptId {
        source: JobSource::Batch,
        cluster: cluster_of(arn, around.region),
        raw: raw.clone(),
        key: Arc::default(),
    };
    let word = job.status.as_deref().and_then(clean).unwrap_or_default();
    let mut of = Attempt::new(id, raw, JobState::Unknown, word);
    of.parts_of = parts_of.map(Arc::from);
    of.name = job.job_name.as_deref().and_then(clean);
    of.queue = queue(job).and_then(clean);
    of.region = Some(around.region.clone());
    let mut tags = [Some(job), parent].into_iter().flatten().filter_map(|of| of.tags.as_ref());
    if let Some(tags) = tags.find(|tags| !tags.is_empty()) {
        around.keys.label(&Tags::from_raw(tags), &mut of);
    }
    let timeout = job.timeout.as_ref().or_else(|| parent?.timeout.as_ref());
    let seconds = timeout.and_then(|of| of.attempt_duration_seconds);
    of.time_limit_ms = seconds.filter(|s| *s > 0).and_then(|s| s.checked_mul(1_000));
    let nodes = job.node_properties.as_ref();
    let asked = match whole {
        Some(_) => nodes.and_then(Asked::of_nodes),
        None => Asked::of_job(job, parent),
    };
    if let Some(asked) = asked {
        (of.gpus, of.cpus, of.memory_mib) = (asked.gpus, asked.cpus, asked.memory_mib);
    }
    let is_fargate = job.platform_capabilities.iter().flatten().any(|word| word == "FARGATE");
    if !is_fargate {
        of.node_count = match whole {
            Some(_) => nodes.and_then(|of| of.num_nodes),
            None => Some(1),
        };
        let told = job.container.as_ref().and_then(|of| of.instance_type.as_deref());
        let only = || around.behind.instance_type.clone();
        of.instance_type = told.and_then(clean).or_else(only);
    }
    // What waits for other jobs waits for no node.
    let mut those = [Some(job), parent].into_iter().flatten();
    let is_free = those.all(|of| of.depends_on.as_ref().is_none_or(Vec::is_empty));
    of.eligible_at = moment(job.created_at).filter(|_| is_free);
    Some(of)
}

/// An attempt by its place, queued at a moment.
fn numbered(base: &Attempt, number: usize, queued_at: Option<Timestamp>) -> Found {
    let mut attempt = base.clone();
    attempt.id.key = number.to_string().into();
    attempt.submitted_at = queued_at;
    if number > 0 {
        attempt.eligible_at = queued_at;
    }
    Found { attempt, host: None }
}

/// The container instance that a container, or a task, is on.
fn host(container: Option<&Container>, tasks: Option<&[Task]>) -> Option<ContainerHost> {
    let of_container = container.and_then(|of| of.container_instance_arn.as_deref());
    let of_task = || tasks?.first()?.container_instance_arn.as_deref();
    ContainerHost::of(of_container.or_else(of_task)?)
}
