//! A row of sacct as an attempt.

use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use super::super::error::LineError;
use super::super::status;
use super::super::time::{Clock, forwards, span};
use super::jobstats;
use super::layout::Layout;
use super::nodes;
use super::tres::{Tres, memory_mib};
use crate::domain::jobs::{Attempt, AttemptId, Cause, Gpus, JobSource, JobState};
use crate::domain::text::clean;

/// A job cannot run longer than its limit by more than this, seconds: Slurm ends it. One that does is over, and the books do
/// not know it.
const BEYOND_LIMIT: i64 = 3_600;

/// Minutes of a limit from which on it is none: Slurm's numbers for what is not set, and for what has no end.
const NO_LIMIT: i64 = 0xffff_fffe;

/// Keys of a JSON comment that name the project, and where the checkpoints are.
const PROJECT: &[&str] = &["project"];
const CHECKPOINT: &[&str] = &["checkpoint_uri", "checkpoint", "ckpt"];

/// A row.
pub(super) struct Row<'a> {
    layout: &'a Layout,
    fields: &'a [String],
}

/// What a row tells beside its attempt.
pub(super) struct Told {
    /// True where it has a resource `gres/gpu`, held or asked for.
    pub tells_gpus: bool,
    /// True where it says that the job was queued again before.
    pub was_requeued: bool,
    /// Path of its log; empty where none is told.
    pub log: String,
}

impl<'a> Row<'a> {
    pub(super) fn new(layout: &'a Layout, fields: &'a [String]) -> Self {
        Self { layout, fields }
    }

    /// Value of a column; empty where the text lacks it.
    fn get(&self, name: &str) -> &'a str {
        let place = self.layout.place(name);
        place.and_then(|place| self.fields.get(place)).map_or("", |value| value.trim())
    }

    fn text(&self, name: &str) -> Option<Arc<str>> {
        Some(self.get(name)).filter(|value| !value.is_empty()).map(|value| clean(value).into())
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.get(name).parse().ok()
    }

    /// Limit of its time; `None` without one.
    fn limit_minutes(&self) -> Option<i64> {
        self.number("TimelimitRaw").filter(|minutes| (1..NO_LIMIT).contains(minutes))
    }

    /// True for a step, whose time is part of that of its job.
    pub(super) fn is_step(&self) -> bool {
        self.get("JobID").contains('.') || self.get("JobIDRaw").contains('.')
    }

    /// The attempt. Err where what is needed is missing or makes no sense.
    pub(super) fn attempt(&self, clock: &Clock) -> Result<(Attempt, Told), LineError> {
        let job = self.text("JobID").or_else(|| self.text("JobIDRaw"));
        let job = job.ok_or(LineError::Empty("JobID"))?;
        let word = self.text("State").ok_or(LineError::Empty("State"))?;
        let submitted = clock.moment("Submit", self.get("Submit"))?;
        let mut state = self.state(&word);
        // Slurm may say when a job is expected to start.
        let is_queued = state == JobState::Queued;
        let started = if is_queued { None } else { clock.moment("Start", self.get("Start"))? };
        let ended = if is_queued { None } else { clock.moment("End", self.get("End"))? };
        forwards(started, ended)?;
        if state.is_over() && started.is_some() && ended.is_none() {
            return Err(LineError::NoEnd(state.word()));
        }
        let mut seen_until = None;
        if !state.is_over() && ended.is_none() {
            seen_until = self.seen_until(started);
            let limit = self.limit_minutes().map(|minutes| minutes.saturating_mul(60));
            let ran = self.number("ElapsedRaw").unwrap_or_default();
            if state == JobState::Running
                && limit.is_some_and(|l| ran > l.saturating_add(BEYOND_LIMIT))
            {
                state = JobState::Doubtful;
            }
        }
        let key = submitted.or(started).map(|at| at.as_millisecond().to_string());
        let id = AttemptId {
            source: JobSource::Slurm,
            cluster: self.text("Cluster").unwrap_or_default(),
            raw: self.text("JobIDRaw").unwrap_or_else(|| job.clone()),
            key: key.unwrap_or_default().into(),
        };
        let (held, asked) = (Tres::of(self.get("AllocTRES")), Tres::of(self.get("ReqTRES")));
        let comment: Json = serde_json::from_str(self.get("Comment")).unwrap_or_default();
        let said = |keys: &[&str]| {
            let value = keys.iter().find_map(|key| comment.get(key)?.as_str());
            value.filter(|value| !value.is_empty()).map(|value| Arc::from(&*clean(value)))
        };
        let mut attempt = Attempt::new(id, job.clone(), state, word.clone());
        attempt.parts_of = job.split_once('+').map(|(base, _)| base.into());
        attempt.name = self.text("JobName");
        attempt.user = self.text("User");
        attempt.team = self.text("Account");
        attempt.project = said(PROJECT).or_else(|| self.text("WCKey"));
        attempt.queue = self.text("Partition");
        attempt.checkpoint = said(CHECKPOINT);
        attempt.cause = status::cause(state, &word, self.exit(state));
        (attempt.submitted_at, attempt.started_at) = (submitted, started);
        (attempt.ended_at, attempt.seen_until) = (ended, seen_until);
        // Without the column nothing but nodes is known to keep it.
        let eligible = match self.layout.place("Eligible") {
            Some(_) => clock.moment("Eligible", self.get("Eligible"))?,
            None => submitted,
        };
        attempt.eligible_at = eligible.map(|at| submitted.map_or(at, |from| from.max(at)));
        attempt.wait_reason =
            self.text("Reason").filter(|reason| !reason.eq_ignore_ascii_case("none"));
        attempt.nodes = nodes::names(self.get("NodeList"));
        let count = |name| self.number(name).and_then(|n| u32::try_from(n).ok());
        attempt.node_count = held.nodes.or_else(|| count("NNodes"));
        // What a job holds is told by AllocTRES alone: an exclusive one asks for no GPU and holds all.
        let is_told = !self.get("AllocTRES").is_empty();
        attempt.gpus = held.gpus.or_else(|| is_told.then_some(Gpus::ZERO));
        let is_asked = !self.get("ReqTRES").is_empty();
        attempt.asked_gpus = asked.gpus.or_else(|| is_asked.then_some(Gpus::ZERO));
        attempt.cpus = held.cpus.or_else(|| count("AllocCPUS")).or_else(|| count("NCPUS"));
        attempt.memory_mib = held.memory_mib.or_else(|| memory_mib(self.get("AllocMem")));
        attempt.gpu_model = held.model.or(asked.model).map(|model| clean(model).into());
        attempt.time_limit_ms =
            self.limit_minutes().and_then(|minutes| minutes.checked_mul(60_000));
        let names_all = attempt.node_count.is_none_or(|n| n as usize == attempt.nodes.len());
        // Of one that runs it is not the last word.
        if names_all && state.is_over() {
            let usage = jobstats::usage(self.get("AdminComment"), &attempt.nodes);
            attempt.usage = usage.map(Box::new);
        }
        let told = Told {
            tells_gpus: held.gpus.is_some() || asked.gpus.is_some(),
            was_requeued: self.number("Restarts").is_some_and(|restarts| restarts > 0),
            log: self.log(),
        };
        Ok((attempt, told))
    }

    /// Path of its log: of the errors, else of the output, in its working directory. Empty where none is told, and where its pattern was
    /// not expanded (`sacct --expand-patterns`).
    fn log(&self) -> String {
        let named = [self.get("StdErr"), self.get("StdOut")];
        let path = named.into_iter().find(|path| !path.is_empty()).unwrap_or_default();
        let directory = self.get("WorkDir");
        match path.is_empty() || path.contains('%') {
            true => String::new(),
            false => Path::new(directory).join(path).display().to_string(),
        }
    }

    /// State by Slurm's word alone, never by the exit code; a step that failed is seen by the derived one.
    fn state(&self, word: &str) -> JobState {
        match status::state(word) {
            JobState::Completed if self.derived().is_some() => JobState::CompletedStepFailed,
            state => state,
        }
    }

    fn derived(&self) -> Option<Cause> {
        status::exit(self.get("DerivedExitCode"))
            .and_then(|(code, signal)| Cause::of_exit(code, signal))
    }

    fn exit(&self, state: JobState) -> Option<Cause> {
        if state == JobState::CompletedStepFailed {
            return self.derived();
        }
        status::exit(self.get("ExitCode")).and_then(|(code, signal)| Cause::of_exit(code, signal))
    }

    /// When the text was written, by a job that runs: Slurm leaves suspension out of what elapsed.
    fn seen_until(&self, started: Option<Timestamp>) -> Option<Timestamp> {
        let ran = self.number("ElapsedRaw").filter(|ran| *ran >= 0)?;
        let suspended = span(self.get("Suspended")).unwrap_or_default();
        let held = SignedDuration::from_secs(ran.checked_add(suspended)?);
        started?.checked_add(held).ok()
    }
}
