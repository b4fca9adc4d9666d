//! A pod as an attempt.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{SignedDuration, Timestamp};

use super::super::error::LineError;
use super::super::time::{Clock, forwards};
use super::devices::Devices;
use super::jobs::{Jobs, PartOf};
use super::outcome;
use super::wire::{Meta, Pod};
use super::{Keys, NAMESPACE};
use crate::domain::jobs::{Attempt, AttemptId, JobSource, JobState};
use crate::domain::text::{clean, clean_to};

/// Longest reason that is kept, characters.
pub(super) const REASON_AT_MOST: usize = 1_024;

/// Before this moment nothing of Kubernetes ran: times before it stand for none.
const NONE_BEFORE: i64 = 1_000_000_000;

/// Clocks of nodes and of the control plane may differ by so much.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_secs(60);

/// A pod that holds or held something, or waits for it.
pub(super) struct Row {
    /// The attempt; its GPUs are those that can be told without its node.
    pub attempt: Attempt,
    /// What it holds.
    pub devices: Devices,
    /// True where it is over and nobody tells when it ended.
    pub has_no_end: bool,
}

/// What is the same for all pods of a reading.
pub(super) struct Reading<'a> {
    pub cluster: Arc<str>,
    pub jobs: &'a Jobs,
    pub keys: &'a Keys,
    pub now: Timestamp,
    /// What ended before is kept already.
    pub since: Timestamp,
    /// Set once a pod that is not over is no attempt and holds devices that cannot be counted, or makes no sense: who holds the
    /// GPUs of its node is not known then.
    pub has_hidden_holders: &'a AtomicBool,
}

impl Reading<'_> {
    /// A pod as an attempt; `None` for one that is none: it holds nothing, it serves without accelerators, or it ended before the
    /// window. Err, with its name, where it makes no sense.
    pub fn row(&self, pod: &Pod) -> Option<Result<Row, (String, LineError)>> {
        let devices = Devices::of(&pod.spec);
        let part = PartOf::of(pod, self.jobs);
        let counts = devices.has_accelerators() || (part.is_job && devices.has_any());
        let is_over = matches!(pod.status.phase.as_deref(), Some("Succeeded" | "Failed"));
        if !counts {
            if devices.has_unknown && !is_over {
                self.has_hidden_holders.store(true, Ordering::Relaxed);
            }
            return None;
        }
        match self.made(pod, part, devices) {
            Ok(row) => {
                let ended = row.attempt.ended_at.filter(|_| row.attempt.state.is_over());
                (ended.is_none_or(|at| at >= self.since)).then_some(Ok(row))
            }
            Err(why) => {
                if !is_over {
                    self.has_hidden_holders.store(true, Ordering::Relaxed);
                }
                let of = |text: &Option<String>| clean(text.as_deref().unwrap_or("?")).into_owned();
                let name = format!("{}/{}", of(&pod.metadata.namespace), of(&pod.metadata.name));
                Some(Err((name, why)))
            }
        }
    }

    fn made(&self, pod: &Pod, part: PartOf, devices: Devices) -> Result<Row, LineError> {
        let meta = &pod.metadata;
        let uid = meta.uid.as_deref().map(clean).filter(|uid| !uid.is_empty());
        let uid = uid.ok_or(LineError::Empty("metadata.uid"))?;
        let submitted = self.moment("creationTimestamp", meta.creation_timestamp.as_deref())?;
        let started = self.started(pod)?.or(submitted.filter(|_| holds(pod)));
        let owner = meta.owner().and_then(|owner| self.jobs.get(owner.uid.as_deref()?));
        let failure = owner.and_then(|known| known.failure.as_ref());
        let is_over = matches!(pod.status.phase.as_deref(), Some("Succeeded" | "Failed"));
        let mut ended = if is_over { self.ended(pod)? } else { None };
        if let (Some(from), Some(to)) = (started, ended)
            && to < from
            && from.duration_since(to) <= CLOCKS_DIFFER
        {
            ended = Some(from);
        }
        forwards(started, ended)?;
        let outcome = outcome::of(pod, failure, ended);
        let id = AttemptId {
            source: JobSource::Kubernetes,
            cluster: self.cluster.clone(),
            raw: uid.into(),
            key: Arc::default(),
        };
        let mut attempt = Attempt::new(id, part.job, outcome.state, clean(&outcome.word).into());
        (attempt.parts_of, attempt.owner) = (part.parts_of, part.owner);
        attempt.name = Some(part.name);
        attempt.queue = Some(part.queue);
        attempt.user = noted(meta, self.keys.user.as_deref());
        attempt.team = noted(meta, self.keys.team.as_deref());
        attempt.project = noted(meta, self.keys.project.as_deref());
        attempt.checkpoint = noted(meta, self.keys.checkpoint.as_deref());
        attempt.cause = outcome.cause;
        let reason = outcome.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        attempt.reason = reason.map(|reason| clean_to(reason, REASON_AT_MOST).into());
        (attempt.submitted_at, attempt.eligible_at) = (submitted, submitted);
        attempt.started_at = started.filter(|_| outcome.state != JobState::Queued);
        attempt.ended_at = ended;
        let is_held = matches!(outcome.state, JobState::Running | JobState::Unknown);
        let is_open = is_held && started.is_some() && ended.is_none();
        let is_seen = is_open || outcome.state == JobState::Queued;
        attempt.seen_until = is_seen.then_some(self.now);
        let node = pod.spec.node_name.as_deref().filter(|node| !node.is_empty());
        if let Some(node) = node {
            attempt.nodes = [Arc::from(clean(node))].into();
            attempt.node_count = Some(1);
        }
        attempt.gpus = devices.gpus(None);
        (attempt.cpus, attempt.memory_mib) = (devices.cpus, devices.memory_mib);
        let deadlines = [pod.spec.active_deadline_seconds, owner.and_then(|of| of.deadline_s)];
        let deadline = deadlines.into_iter().flatten().filter(|seconds| *seconds > 0).min();
        attempt.time_limit_ms = deadline.and_then(|seconds| seconds.checked_mul(1_000));
        let has_no_end = is_over && started.is_some() && ended.is_none();
        Ok(Row { attempt, devices, has_no_end })
    }

    /// When it got its node: neither when it was made, which is the queue, nor when its containers started, which is after their
    /// images came.
    fn started(&self, pod: &Pod) -> Result<Option<Timestamp>, LineError> {
        let scheduled = pod.status.condition("PodScheduled").filter(|of| of.is_true());
        let scheduled = scheduled.and_then(|of| of.last_transition_time.as_deref());
        match self.moment("PodScheduled", scheduled)? {
            Some(at) => Ok(Some(at)),
            None => self.moment("startTime", pod.status.start_time.as_deref()),
        }
    }

    /// When its last container ended; where not all of them tell, when it was taken off its node.
    fn ended(&self, pod: &Pod) -> Result<Option<Timestamp>, LineError> {
        let mut last = None;
        for end in pod.status.ends() {
            last = last.max(self.moment("finishedAt", end.finished_at.as_deref())?);
        }
        if last.is_some() && pod.status.has_ended() {
            return Ok(last);
        }
        // Of containers on a node that was lost nobody tells an end: that of an init container is not theirs.
        for kind in ["DisruptionTarget", "Ready"] {
            let condition = pod.status.condition(kind);
            let condition = condition.filter(|of| of.is_true() == (kind == "DisruptionTarget"));
            let at = condition.and_then(|of| of.last_transition_time.as_deref());
            if let Some(at) = self.moment(kind, at)? {
                return Ok(last.max(Some(at)));
            }
        }
        if last.is_some() {
            return Ok(last);
        }
        self.moment("deletionTimestamp", pod.metadata.deletion_timestamp.as_deref())
    }

    /// A moment in a field; `None` where none is told. Err for what is no moment, or lies in the future.
    pub fn moment(
        &self,
        field: &'static str,
        text: Option<&str>,
    ) -> Result<Option<Timestamp>, LineError> {
        let Some(text) = text else { return Ok(None) };
        let at = Clock::new(None, self.now).moment(field, text)?;
        Ok(at.filter(|at| at.as_second() >= NONE_BEFORE))
    }
}

/// True for a pod that is on a node.
fn holds(pod: &Pod) -> bool {
    pod.spec.node_name.as_deref().is_some_and(|node| !node.is_empty())
}

/// Value of the label or annotation that is named; `namespace` means the namespace.
pub(super) fn noted(meta: &Meta, key: Option<&str>) -> Option<Arc<str>> {
    let value = match key? {
        NAMESPACE => meta.namespace.as_deref(),
        key => meta.noted(key),
    };
    value.map(str::trim).filter(|value| !value.is_empty()).map(|value| clean(value).into())
}
