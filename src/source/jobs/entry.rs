//! A row with burntop's own columns as an attempt.

use std::str::FromStr;
use std::sync::Arc;

use super::claims::{SILENT, claimed, in_job};
use super::columns::{Column as C, JOB_LABELS, Values};
use super::error::LineError;
use super::status;
use super::time::{Clock, SAID, forwards};
use crate::domain::jobs::{Attempt, AttemptId, Cause, Gpus, JobSource, JobState};
use crate::domain::text::{clean, clean_to};

/// The attempt of a row. Err where what is needed is missing or makes no sense.
pub(super) fn attempt(values: &Values, clock: &Clock) -> Result<Attempt, LineError> {
    let get = |column: C| values[column as usize].trim();
    let text = |column: C| -> Option<Arc<str>> {
        Some(get(column)).filter(|text| !text.is_empty()).map(|text| clean(text).into())
    };
    let moment = |column: C| clock.moment(column.name(), get(column));
    let needed = |column: C| text(column).ok_or(LineError::Empty(column.name()));

    let (job, word) = (needed(C::Id)?, needed(C::Status)?);
    let state = status::state(&word);
    let (submitted, started, ended) = (moment(C::Submit)?, moment(C::Start)?, moment(C::End)?);
    forwards(started, ended)?;
    if state.is_over() && started.is_some() && ended.is_none() {
        return Err(LineError::NoEnd(state.word()));
    }
    if started.is_none() && ended.is_some() && state != JobState::Cancelled {
        return Err(LineError::NoStart(state.word()));
    }
    let gpus = number::<f64>(C::Gpus, get(C::Gpus))?
        .map(|gpus| Gpus::from_f64(gpus).ok_or_else(|| wrong(C::Gpus, get(C::Gpus))));
    let gpus = gpus.transpose()?;
    let instance_type = text(C::InstanceType);
    let memory_gib = number::<f64>(C::MemoryGib, get(C::MemoryGib))?;
    let memory_mib = memory_gib.map(|gib| {
        let mib = gib * 1024.0;
        (0.0..1e12)
            .contains(&mib)
            .then_some(mib as u64)
            .ok_or_else(|| wrong(C::MemoryGib, get(C::MemoryGib)))
    });
    let exit = match get(C::Exit) {
        "" => None,
        text => Some(status::exit(text).ok_or_else(|| wrong(C::Exit, text))?),
    };
    let cause = exit.and_then(|(code, signal)| Cause::of_exit(code, signal));

    let ms = |at: jiff::Timestamp| Arc::<str>::from(at.as_millisecond().to_string());
    let key = text(C::Attempt).or_else(|| submitted.or(started).map(ms));
    let id = AttemptId {
        source: JobSource::File,
        cluster: text(C::Cluster).unwrap_or_default(),
        raw: job.clone(),
        key: key.unwrap_or_default(),
    };
    let mut attempt = Attempt::new(id, job, state, word.clone());
    attempt.parent = text(C::Parent).filter(|parent| *parent != attempt.job);
    attempt.name = text(C::Name);
    attempt.user = text(C::User);
    attempt.team = text(C::Team);
    attempt.project = text(C::Project);
    attempt.tracker = text(C::Tracker);
    attempt.cause = status::cause(state, &word, cause);
    attempt.reason = text(C::Reason);
    (attempt.submitted_at, attempt.started_at, attempt.ended_at) = (submitted, started, ended);
    attempt.eligible_at = moment(C::Eligible)?.or(submitted);
    attempt.nodes = nodes(get(C::Nodes));
    let listed = u32::try_from(attempt.nodes.len()).ok().filter(|listed| *listed > 0);
    attempt.node_count = number(C::Count, get(C::Count))?.or(listed);
    attempt.gpus = gpus;
    let has_nodes = attempt.node_count.is_some() && instance_type.is_some();
    let labels = JOB_LABELS.map(|column| (column.name(), get(column)));
    attempt.in_job = in_job(labels.into_iter()).map(Box::new);
    if gpus.is_none() && !has_nodes && started.is_some() && attempt.in_job.is_none() {
        return Err(LineError::NoGpus);
    }
    attempt.cpus = number(C::Cpus, get(C::Cpus))?;
    attempt.memory_mib = memory_mib.transpose()?;
    attempt.gpu_model = text(C::GpuModel);
    attempt.instance_type = instance_type;
    attempt.region = text(C::Region);
    attempt.checkpoint = text(C::Checkpoint);
    attempt.saved_at = moment(C::SavedAt)?;
    attempt.first_step_at = moment(C::FirstStepAt)?;
    attempt.predictions = number(C::Predictions, get(C::Predictions))?;
    if let Some(seen) = moment(C::Seen)?.filter(|_| state == JobState::Running) {
        attempt.seen_until = Some(seen);
        if clock.is_longer_ago(seen, SILENT) {
            attempt.state = JobState::Doubtful;
        }
    }
    if attempt.in_job.is_some() {
        // What it held is told by the job: of ranks with a run each every one says the same GPUs.
        attempt.state_source = claimed(&word);
        (attempt.gpus, attempt.cpus, attempt.memory_mib) = (None, None, None);
        (attempt.nodes, attempt.node_count, attempt.instance_type) = (Arc::default(), None, None);
    }
    Ok(attempt)
}

/// Path of the log of a row; empty where none is told.
pub(super) fn log(values: &Values) -> &str {
    values[C::Log as usize].trim()
}

/// Names of nodes, between blanks, commas or semicolons.
fn nodes(text: &str) -> Arc<[Arc<str>]> {
    let names = text.split([' ', ',', ';']).filter(|name| !name.is_empty());
    names.take(Attempt::NODES_AT_MOST).map(|name| Arc::from(&*clean(name))).collect()
}

fn number<T: FromStr>(column: C, text: &str) -> Result<Option<T>, LineError> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| wrong(column, text))
}

fn wrong(column: C, text: &str) -> LineError {
    LineError::Number { field: column.name(), text: clean_to(text, SAID).into_owned() }
}
