//! A job of Ray as an attempt.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::claims::{claimed, in_job};
use super::super::status;
use super::answers::{Job, Loose};
use super::held::Holds;
use crate::domain::address::without_secrets;
use crate::domain::jobs::{Attempt, AttemptId, Cause, Gpus, JobSource, JobState};
use crate::domain::text::{self, clean_to};

/// Longest name, characters.
const NAME_AT_MOST: usize = 256;

/// What jobs are read beside.
pub(super) struct Cluster<'a> {
    /// Name of the cluster.
    pub name: &'a Arc<str>,
    /// Region of its nodes.
    pub region: Option<&'a Arc<str>>,
    /// What held GPUs; `None` = unknown.
    pub holds: Option<&'a Holds>,
    /// Now.
    pub now: Timestamp,
    /// What is later is no time.
    pub latest: Timestamp,
}

/// A job as an attempt, and what is odd about it.
pub(super) struct FoundJob {
    pub attempt: Attempt,
    /// True for times that cannot be.
    pub is_mistimed: bool,
    /// True for a state that is not known.
    pub is_unknown: bool,
    /// True where something with GPUs does not tell from when to when.
    pub is_untold: bool,
}

impl Cluster<'_> {
    /// A job; `None` without an id.
    pub fn attempt(&self, told: &Job) -> Option<FoundJob> {
        let usable = |id: &Option<String>| id.clone().filter(|id| text::is_id(id));
        let (job, submission) = (usable(&told.job_id), usable(&told.submission_id));
        let (job, submission) = (job.as_deref(), submission.as_deref());
        let raw: Arc<str> = submission.or(job)?.into();
        let word = told.status.as_deref().unwrap_or_default();
        let state = state(word);
        let begun = told.start_time.0;
        let id = AttemptId {
            source: JobSource::Ray,
            cluster: self.name.clone(),
            raw: raw.clone(),
            // A new head gives the same ids again.
            key: begun.map_or(String::new(), |ms| ms.to_string()).into(),
        };
        let mut attempt = Attempt::new(id, raw, state, claimed(word));
        attempt.region = self.region.cloned();
        let labels = Labels { told };
        attempt.name = labels.of("name").or_else(|| script(told.entrypoint.as_deref()?));
        attempt.user = labels.of("user");
        attempt.team = labels.of("team");
        attempt.project = labels.of("project");
        attempt.tracker = labels.of("experiment");
        attempt.checkpoint = labels.of("checkpoint_uri");
        attempt.in_job = in_job(labels.all()).map(Box::new);
        if state == JobState::Failed {
            let code = told.driver_exit_code.and_then(|code| u16::try_from(code).ok());
            attempt.cause = code.and_then(|code| Cause::of_exit(code, 0));
            attempt.reason = reason(told);
        }
        if state == JobState::Cancelled {
            attempt.cause = Some(Cause::Cancelled);
        }

        let moment = |ms: i64| Timestamp::from_millisecond(ms).ok();
        let (submitted, ended) = (begun.and_then(moment), told.end_time.0.and_then(moment));
        let is_ahead = [submitted, ended].into_iter().flatten().any(|at| at > self.latest);
        let is_mistimed = is_ahead || submitted.zip(ended).is_some_and(|(start, end)| end < start);
        let is_unknown = state == JobState::Unknown;
        let mut found = FoundJob { attempt, is_mistimed, is_unknown, is_untold: false };
        if is_mistimed {
            if state == JobState::Running {
                found.attempt.state = JobState::Doubtful;
            }
            return Some(found);
        }
        let attempt = &mut found.attempt;
        (attempt.submitted_at, attempt.eligible_at) = (submitted, submitted);
        if state == JobState::Queued {
            return Some(found);
        }
        // The time that it tells is that of its submission: the entrypoint began with its supervisor.
        let supervisor = submission.and_then(|id| self.holds?.supervisor(id));
        let began = supervisor.and_then(|of| of.started).or(submitted);
        let first = self.holds.and_then(|holds| holds.first_ms(job, submission)).and_then(moment);
        attempt.started_at = [began, first].into_iter().flatten().min();
        attempt.ended_at = ended.filter(|_| state.is_over());
        if state == JobState::Running {
            attempt.seen_until = Some(self.now);
            // Whoever would tell its end is dead.
            if supervisor.is_some_and(|of| !of.is_alive) {
                attempt.state = JobState::Doubtful;
            }
        }
        let until = attempt.ended_at.or(attempt.seen_until);
        let (Some(holds), Some(from), Some(to)) = (self.holds, attempt.started_at, until) else {
            return Some(found);
        };
        let held = holds.held(job, submission, (from.as_millisecond(), to.as_millisecond()));
        attempt.gpus = held.gpus;
        // Of one without GPUs nobody tells what part of a node it held.
        if held.gpus.is_some_and(|gpus| gpus > Gpus::ZERO) {
            attempt.node_count = u32::try_from(held.nodes.len()).ok().filter(|count| *count > 0);
            attempt.nodes = held.nodes.into_iter().take(Attempt::NODES_AT_MOST).collect();
        }
        found.is_untold = held.is_untold;
        Some(found)
    }
}

/// State of a word of Ray, whose STOPPED is cancelled.
fn state(word: &str) -> JobState {
    match word {
        "STOPPED" => JobState::Cancelled,
        word => status::state(word),
    }
}

/// What the user put beside a job: its metadata, then its environment.
struct Labels<'a> {
    told: &'a Job,
}

impl<'a> Labels<'a> {
    fn all(&self) -> impl Iterator<Item = (&'a str, &'a str)> + Clone + use<'a> {
        let of = |map: &'a BTreeMap<String, Loose>| map.iter();
        let environment = self.told.runtime_env.as_ref().and_then(|of| of.env_vars.as_ref());
        let maps = self.told.metadata.iter().chain(environment);
        maps.flat_map(of).map(|(key, value)| (&**key, &*value.0))
    }

    /// A label of the metadata; `None` where it is not set.
    fn of(&self, key: &str) -> Option<Arc<str>> {
        some(&self.told.metadata.as_ref()?.get(key)?.0)
    }
}

/// A clean text; `None` for an empty one.
fn some(told: &str) -> Option<Arc<str>> {
    let told = told.trim();
    let cut: String = told.chars().take(NAME_AT_MOST).collect();
    (!told.is_empty()).then(|| Arc::from(&*clean_to(&without_secrets(&cut), NAME_AT_MOST)))
}

/// The file that an entrypoint runs, without its directory: `train.py` of `python /srv/train.py --key …`, else its program. The
/// rest may hold secrets.
fn script(entrypoint: &str) -> Option<Arc<str>> {
    let is_script =
        |word: &&str| Path::new(word).extension().is_some_and(|of| of == "py" || of == "sh");
    let words = || entrypoint.split_whitespace();
    // `TOKEN=… torchrun`: what is set before the program may be a secret.
    let program = || words().find(|word| !word.contains('='));
    let word = words().find(is_script).or_else(program)?;
    some(word.rsplit('/').next()?)
}

/// What Ray writes to the log of a job before its entrypoint.
const ENTRYPOINT: &str = "Running entrypoint for job ";

/// What Ray writes to the log of a job by itself, at the end of a line.
const SETTING_UP: &str = "-- Runtime env is setting up.";

/// Why a job failed: what Ray says, and the last line of what the job said.
fn reason(told: &Job) -> Option<Arc<str>> {
    let message = told.message.as_deref()?;
    let (head, log) = message.split_once('\n').unwrap_or((message, ""));
    let head = head.split(", last available logs").next().unwrap_or_default();
    // The entrypoint may hold secrets. Ray writes it into the log, and of a job that ends at once after all that this one said.
    let (id, entrypoint) = (told.submission_id.as_deref(), told.entrypoint.as_deref());
    let (id, entrypoint) = (id.unwrap_or_default(), entrypoint.unwrap_or_default());
    // To the end of its line: a part of it would leave the rest.
    let own = format!("{ENTRYPOINT}{id}: {entrypoint}\n");
    let log = format!("{log}\n").replace(&own, "\n");
    // Written in another way, nobody knows where it ends.
    let said = log.split(ENTRYPOINT).next().unwrap_or_default();
    let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_end().ends_with(SETTING_UP);
    match said.lines().rfind(is_said) {
        Some(last) => some(&format!("{}: {}", head.trim(), last.trim())),
        None => some(head),
    }
}
