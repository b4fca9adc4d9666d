//! A job of SageMaker as an attempt. A name is used once: each job is one attempt.

use std::sync::Arc;

use jiff::Timestamp;

use super::super::super::account_jobs::{clean, cluster_of};
use super::wire::{Limits, Machines, Processing, Training};
use crate::domain::jobs::{Attempt, AttemptId, Cause, Gpus, JobSource, JobState};
use crate::domain::text;
use crate::source::catalogue;

/// What the id of a tuning job begins with: a training job may have its name.
const TUNING: &str = "tuning/";

/// The limit of a job that asks for none, seconds: a day.
const LIMIT_BY_DEFAULT: i64 = 86_400;

/// Longest reason that SageMaker gives, characters.
const REASON_AT_MOST: usize = 1_024;

/// Kinds of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Training jobs.
    Training,
    /// Processing jobs.
    Processing,
}

impl Kind {
    /// Word for the queue of an attempt.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Processing => "processing",
        }
    }
}

/// A job with the instances that it held.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Kind.
    pub kind: Kind,
    /// The attempt, without a price.
    pub attempt: Attempt,
    /// Instance types with the number of their instances; empty where they are not all told.
    pub machines: Vec<(Arc<str>, u32)>,
    /// ARN; `None` where it is not told, or is none.
    pub arn: Option<String>,
}

/// What both kinds tell of a job.
struct Told<'a> {
    kind: Kind,
    name: Option<&'a str>,
    arn: Option<&'a str>,
    word: Option<&'a str>,
    machines: Option<&'a Machines>,
    reason: Option<&'a str>,
    experiment: Option<&'a str>,
    limits: Option<&'a Limits>,
}

/// A training job as of `now`. `None` without a name.
pub fn training(job: &Training, region: &Arc<str>, now: Timestamp) -> Option<Job> {
    let told = Told {
        kind: Kind::Training,
        name: job.training_job_name.as_deref(),
        arn: job.training_job_arn.as_deref(),
        word: job.training_job_status.as_deref(),
        machines: job.resource_config.as_ref(),
        reason: job.failure_reason.as_deref(),
        experiment: job.experiment_config.as_ref().and_then(|of| of.experiment_name.as_deref()),
        limits: job.stopping_condition.as_ref(),
    };
    let mut found = told.job(region)?;
    let attempt = &mut found.attempt;
    let detail = job.secondary_status.as_deref().unwrap_or_default();
    let ended_as = match detail {
        _ if !attempt.state.is_over() => None,
        "MaxRuntimeExceeded" | "MaxWaitTimeExceeded" => {
            Some((JobState::TimedOut, Cause::TimeLimit))
        }
        "Interrupted" => Some((JobState::Preempted, Cause::Preempted)),
        _ => None,
    };
    if let Some((state, cause)) = ended_as {
        (attempt.state, attempt.cause) = (state, Some(cause));
        attempt.state_source = detail.into();
    }
    let billed = job.billable_time_in_seconds;
    attempt.started_at = job.training_start_time;
    // While it runs, and where it is billed all the same, the first stretch on instances tells.
    if attempt.started_at.is_none() && (!attempt.state.is_over() || billed > Some(0)) {
        let stretches = job.secondary_status_transitions.iter().flatten();
        let on_instances = |word: Option<&str>| matches!(word, Some("Starting" | "Training"));
        let first = stretches.filter(|of| on_instances(of.status.as_deref()));
        attempt.started_at = first.filter_map(|of| of.start_time).min();
    }
    let retained = job
        .warm_pool_status
        .as_ref()
        .and_then(|of| of.resource_retained_billable_time_in_seconds)
        .unwrap_or_default();
    let billed = billed.filter(|_| attempt.state.is_over());
    let ms = |seconds: u64| i64::try_from(seconds.saturating_add(retained).saturating_mul(1_000));
    attempt.billed_ms = billed.and_then(|seconds| ms(seconds).ok());
    let place = job.checkpoint_config.as_ref().and_then(|of| of.s3_uri.as_deref());
    attempt.checkpoint = place.and_then(clean);
    // The tuning job holds nothing beside those that it started: it is no attempt itself.
    let tuning = job.tuning_job_arn.as_deref().and_then(|arn| arn.rsplit('/').next());
    attempt.parent = tuning.and_then(clean).map(|name| format!("{TUNING}{name}").into());
    finish(attempt, job.creation_time, job.training_end_time, now);
    Some(found)
}

/// A processing job as of `now`. `None` without a name. No time is told for which it is billed.
pub fn processing(job: &Processing, region: &Arc<str>, now: Timestamp) -> Option<Job> {
    let told = Told {
        kind: Kind::Processing,
        name: job.processing_job_name.as_deref(),
        arn: job.processing_job_arn.as_deref(),
        word: job.processing_job_status.as_deref(),
        machines: job.processing_resources.as_ref().and_then(|of| of.cluster_config.as_ref()),
        reason: job.failure_reason.as_deref(),
        experiment: job.experiment_config.as_ref().and_then(|of| of.experiment_name.as_deref()),
        limits: job.stopping_condition.as_ref(),
    };
    let mut found = told.job(region)?;
    found.attempt.started_at = job.processing_start_time;
    finish(&mut found.attempt, job.creation_time, job.processing_end_time, now);
    Some(found)
}

impl Told<'_> {
    fn job(&self, region: &Arc<str>) -> Option<Job> {
        let name = self.name.and_then(clean)?;
        // A training and a processing job may have one name.
        let job = match self.kind {
            Kind::Training => name.clone(),
            Kind::Processing => format!("processing/{name}").into(),
        };
        let id = AttemptId {
            source: JobSource::SageMaker,
            cluster: cluster_of(self.arn, region),
            raw: job.clone(),
            key: Arc::default(),
        };
        let word = self.word.unwrap_or_default();
        let state = match word {
            "Completed" => JobState::Completed,
            "Failed" => JobState::Failed,
            "Stopped" => JobState::Cancelled,
            "InProgress" | "Stopping" => JobState::Running,
            _ => JobState::Unknown,
        };
        let mut attempt = Attempt::new(id, job, state, clean(word).unwrap_or_default());
        let reason = self.reason.map(str::trim).filter(|reason| !reason.is_empty());
        attempt.cause = match state {
            JobState::Cancelled => Some(Cause::Cancelled),
            JobState::Failed => reason.and_then(exit_code),
            _ => None,
        };
        attempt.reason = reason.map(|reason| text::clean_to(reason, REASON_AT_MOST).into());
        attempt.name = Some(name);
        attempt.queue = Some(self.kind.word().into());
        attempt.region = Some(region.clone());
        attempt.tracker = self.experiment.and_then(clean);
        // Who asks for no limit gets one of a day, and the Python SDK writes the same number: that is nobody's wish.
        let limit = self.limits.and_then(|of| of.max_runtime_in_seconds);
        let limit = limit.filter(|seconds| *seconds > 0 && *seconds != LIMIT_BY_DEFAULT);
        attempt.time_limit_ms = limit.and_then(|seconds| seconds.checked_mul(1_000));
        let machines = self.machines.and_then(machines).unwrap_or_default();
        if !machines.is_empty() {
            let all = machines.iter().fold(0_u32, |sum, (_, count)| sum.saturating_add(*count));
            attempt.node_count = Some(all);
            match &machines[..] {
                [(of, _)] => attempt.instance_type = Some(of.clone()),
                several => attempt.gpus = gpus(several),
            }
        }
        // It is sent back: one that is unsafe is left alone.
        let arn = self.arn.filter(|arn| text::is_id(arn)).map(str::to_owned);
        Some(Job { kind: self.kind, attempt, machines, arn })
    }
}

/// Times that both kinds have; what runs without a start waits.
fn finish(
    attempt: &mut Attempt,
    submitted: Option<Timestamp>,
    ended: Option<Timestamp>,
    now: Timestamp,
) {
    (attempt.submitted_at, attempt.eligible_at) = (submitted, submitted);
    attempt.ended_at = ended.filter(|_| attempt.state.is_over());
    if attempt.state == JobState::Running {
        match attempt.started_at {
            Some(_) => attempt.seen_until = Some(now),
            None => attempt.state = JobState::Queued,
        }
    }
}

/// Instance types and their numbers, each type once; `None` where one of them is not told.
fn machines(of: &Machines) -> Option<Vec<(Arc<str>, u32)>> {
    let groups = of.instance_groups.as_deref().unwrap_or_default();
    let all: Vec<(Option<&str>, Option<u32>)> = match groups {
        [] => vec![(of.instance_type.as_deref(), of.instance_count)],
        groups => {
            groups.iter().map(|of| (of.instance_type.as_deref(), of.instance_count)).collect()
        }
    };
    let mut found: Vec<(Arc<str>, u32)> = Vec::new();
    for (name, count) in all {
        let (name, count) = (name.and_then(clean)?, count?);
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None => found.push((name, count)),
        }
    }
    Some(found)
}

/// GPUs of instances of several types; `None` where the catalogue lacks one of them.
fn gpus(machines: &[(Arc<str>, u32)]) -> Option<Gpus> {
    let of_type = |(name, count): &(Arc<str>, u32)| {
        let spec = catalogue::type_spec(name.strip_prefix("ml.")?)?;
        Some(spec.accelerator.as_ref().map_or(0.0, |of| of.equivalents) * f64::from(*count))
    };
    let all = machines.iter().map(of_type).sum::<Option<f64>>()?;
    Gpus::from_f64(all)
}

/// Cause of the exit code that a reason names: `AlgorithmError: , exit code: 137`, `ExitCode 1`.
fn exit_code(reason: &str) -> Option<Cause> {
    let reason = reason.to_ascii_lowercase();
    let after = ["exit code: ", "exitcode "].into_iter().find_map(|words| {
        let at = reason.find(words)?;
        reason.get(at + words.len()..)
    })?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    Cause::of_exit(after.get(..end)?.parse().ok()?, 0)
}
