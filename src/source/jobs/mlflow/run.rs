//! A run of MLflow as an attempt.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::claims::{SILENT, claimed, in_job};
use super::super::status;
use super::answers::{self, Pair, Run, RunForm};
use crate::domain::format::counted;
use crate::domain::jobs::{Attempt, AttemptId, JobSource, JobState};
use crate::domain::text::{self, clean_to};

/// Clocks may differ so much; what lies further in the future is no time.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);

/// Longest name, characters.
const NAME_AT_MOST: usize = 256;

/// What is known of an experiment.
pub(super) struct Experiment {
    name: Option<Arc<str>>,
    team: Option<Arc<str>>,
}

impl Experiment {
    pub fn of(told: &answers::Experiment) -> Self {
        let team = tag(told.tags.as_deref().unwrap_or_default(), "team");
        Self { name: some(&told.name.0), team }
    }
}

/// Runs of one reading.
pub(super) struct Found<'a> {
    /// Name of the source, for the cluster: ids of runs are a server's own.
    source: Arc<str>,
    experiments: &'a HashMap<Arc<str>, Experiment>,
    now: Timestamp,
    attempts: Vec<Attempt>,
    ids: BTreeSet<Arc<str>>,
    /// Pages that were answered.
    pub pages: usize,
    /// What stood in the place of a run.
    unreadable: usize,
    /// Runs with times that cannot be.
    mistimed: Odd,
    /// Runs with a state that is not known.
    unknown: Odd,
    /// Runs that say RUNNING and logged nothing for [`SILENT`].
    silent: Odd,
    /// Runs that name no job of a scheduler.
    alone: Odd,
}

/// Runs that are odd: their number, and one of them.
#[derive(Default)]
struct Odd {
    count: usize,
    first: Option<Arc<str>>,
}

impl Odd {
    fn add(&mut self, which: &Arc<str>) {
        self.count += 1;
        self.first.get_or_insert_with(|| which.clone());
    }

    /// What is odd about them, with their number and one of them; `None` for none.
    fn said(&self, one: &str, many: &str) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(format!("{} ({first} for one)", counted(self.count, one, many)))
    }
}

impl<'a> Found<'a> {
    pub fn new(
        source: Arc<str>,
        experiments: &'a HashMap<Arc<str>, Experiment>,
        now: Timestamp,
    ) -> Self {
        Self {
            source,
            experiments,
            now,
            attempts: Vec::new(),
            ids: BTreeSet::new(),
            pages: 0,
            unreadable: 0,
            mistimed: Odd::default(),
            unknown: Odd::default(),
            silent: Odd::default(),
            alone: Odd::default(),
        }
    }

    /// Number of runs so far.
    pub fn len(&self) -> usize {
        self.attempts.len()
    }

    /// Takes in a run; returns when it ended.
    pub fn add(&mut self, told: RunForm) -> Option<Timestamp> {
        let RunForm::Run(told) = told else {
            self.unreadable += 1;
            return None;
        };
        let Run { info, data } = *told;
        if !text::is_id(&info.run_id.0) {
            self.unreadable += 1;
            return None;
        }
        let job: Arc<str> = info.run_id.0.as_str().into();
        let moment = |ms: Option<i64>| ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        let (started, ended) = (moment(info.start_time.0), moment(info.end_time.0));
        // A run that is resumed while it is read is on two pages.
        if !self.ids.insert(job.clone()) {
            return ended;
        }
        let data = data.unwrap_or_default();
        let tags = data.tags.unwrap_or_default();
        let params = data.params.unwrap_or_default();
        let word = &info.status.0;
        let state = status::state(word);
        let id = AttemptId {
            source: JobSource::MlFlow,
            cluster: self.source.clone(),
            raw: job.clone(),
            key: Arc::default(),
        };
        let mut attempt = Attempt::new(id, job.clone(), state, claimed(word));
        attempt.parent = tag(&tags, "mlflow.parentRunId").filter(|parent| *parent != job);
        attempt.name = some(&info.run_name.0).or_else(|| tag(&tags, "mlflow.runName"));
        attempt.user = tag(&tags, "mlflow.user").or_else(|| some(&info.user_id.0));
        let experiment = self.experiments.get(&*info.experiment_id.0);
        attempt.team = tag(&tags, "team").or_else(|| experiment?.team.clone());
        attempt.project = tag(&tags, "project");
        let experiment = experiment.and_then(|of| of.name.clone());
        attempt.tracker = match (experiment, &attempt.name) {
            (Some(experiment), Some(name)) => Some(format!("{experiment}/{name}").into()),
            (experiment, name) => experiment.or_else(|| name.clone()),
        };
        attempt.checkpoint = some(&info.artifact_uri.0).filter(|uri| uri.starts_with("s3://"));
        let labels = tags.iter().chain(&params).map(|pair| (&*pair.key.0, &*pair.value.0));
        attempt.in_job = in_job(labels).map(Box::new);
        if attempt.in_job.is_none() {
            self.alone.add(&job);
        }
        if state == JobState::Unknown {
            self.unknown.add(&attempt.state_source);
        }
        let latest = self.now.checked_add(AHEAD).unwrap_or(self.now);
        let is_ahead = [started, ended].into_iter().flatten().any(|at| at > latest);
        if is_ahead || started.zip(ended).is_some_and(|(start, end)| end < start) {
            self.mistimed.add(&job);
            if state == JobState::Running {
                attempt.state = JobState::Doubtful;
            }
            self.attempts.push(attempt);
            return ended.filter(|_| !is_ahead);
        }
        (attempt.started_at, attempt.ended_at) = (started, ended.filter(|_| state.is_over()));
        if state == JobState::Running {
            let logged = data.metrics.iter().flatten().filter_map(|of| moment(of.timestamp.0));
            let sign = logged.filter(|at| *at <= latest).chain(started).max();
            attempt.seen_until = sign;
            if sign.is_none_or(|at| self.now.duration_since(at) > SILENT) {
                attempt.state = JobState::Doubtful;
                self.silent.add(&job);
            }
        }
        self.attempts.push(attempt);
        ended
    }

    /// Attempts, and what is odd about them.
    pub fn close(self) -> (Vec<Attempt>, Vec<String>) {
        let unreadable = (self.unreadable > 0)
            .then(|| counted(self.unreadable, "run could not be read", "runs could not be read"));
        let mistimed = self.mistimed.said(
            "run has a time in the future or ends before it starts",
            "runs have a time in the future or end before they start",
        );
        let mistimed = mistimed.map(|runs| format!("{runs}: its times are left out"));
        let unknown = self
            .unknown
            .said("run has a state that is not known", "runs have states that are not known");
        let silent = self.silent.said(
            "run says RUNNING and logged nothing for a day",
            "runs say RUNNING and logged nothing for a day",
        );
        let silent = silent.map(|runs| format!("{runs}: doubtful, a killed one says so for ever"));
        let alone = self
            .alone
            .said("run names no job of a scheduler", "runs name no job of a scheduler")
            .map(|runs| {
                format!(
                    "{runs}: what it held is unknown, and its state a claim; the tag SLURM_JOB_ID, \
                     KUBERNETES_POD, SM_TRAINING_JOB or RAY_SUBMISSION_ID names the job"
                )
            });
        let notes = [unreadable, mistimed, unknown, silent, alone].into_iter().flatten();
        (self.attempts, notes.collect())
    }
}

/// A clean text; `None` for an empty one.
fn some(told: &str) -> Option<Arc<str>> {
    let told = told.trim();
    (!told.is_empty()).then(|| Arc::from(&*clean_to(told, NAME_AT_MOST)))
}

/// Value of a tag; `None` where it is not set.
fn tag(tags: &[Pair], key: &str) -> Option<Arc<str>> {
    some(&tags.iter().find(|pair| pair.key.0 == key)?.value.0)
}
