//! One reading of one source: from where the last one ended, kept whole or not at all.

use std::collections::{BTreeSet, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use jiff::{SignedDuration, Timestamp};

use crate::cache::{Jobs, JobsRound};
use crate::domain::format::span;
use crate::domain::jobs::{Attempt, AttemptId, GpuHolder, JobNode, JobsName, JobsReading};
use crate::domain::{ErrorKind, SourceError};
use crate::source::jobs::live::{Forgotten, JobWindow, JobsRead, LiveJobs};

/// The longest a reading may take, whatever the time-outs of the source say.
const LIMIT: Duration = Duration::from_mins(5);

/// How a reading went.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Progress {
    /// Share of what was asked for, 0–1.
    pub coverage: f32,
    /// What is odd, a sentence each.
    pub notes: Vec<String>,
    /// The first refusal of a part.
    pub refusal: Option<SourceError>,
    /// Names of the clusters that were read.
    pub clusters: Vec<Arc<str>>,
    /// True where a part of the past is left for the next reading, and this one came nearer to it.
    pub is_behind: bool,
}

/// The share that is said to be there of an answer of which a part was refused that nobody can count.
pub(super) const NOT_WHOLE: f32 = 0.99;

/// Reads a source, and keeps what it says. Err when nothing could be read, or kept.
pub(super) async fn round(
    source: &dyn LiveJobs,
    store: &Jobs,
    first: SignedDuration,
    now: Timestamp,
) -> Result<Progress, SourceError> {
    let name = source.name().clone();
    let of = name.clone();
    let last = blocking(store, move |store| store.reading(&of)).await?;
    let window = window(last.as_ref(), first, now);
    let mut read = guarded(source, &window, &name).await?;
    if let Some(forgotten) = read.forgotten.take() {
        let closed = closed(store, &name, &read, forgotten).await?;
        read.attempts.extend(closed);
    }
    // What an earlier reading completed stays complete, whatever fails in this one.
    let known = last.as_ref().map_or(window.since, |last| last.complete_until.min(now));
    let until = read.complete_until.unwrap_or(now).min(now).max(known);
    let is_behind = until < now;
    let is_open = |of: &&Attempt| !of.state.is_over() && of.ended_at.is_none();
    let open = read.attempts.iter().filter(is_open);
    // What was open and did not come again is still asked for.
    let before = last.as_ref().and_then(|last| last.open_since).filter(|_| is_behind);
    let open_since = open.filter_map(begun).chain(before).chain(read.open_since).min();
    let reading = JobsReading {
        name: name.clone(),
        taken_at: now,
        first_at: None,
        complete_until: until,
        open_since,
    };
    let clusters: BTreeSet<&Arc<str>> = read
        .attempts
        .iter()
        .map(|attempt| &attempt.id.cluster)
        .filter(|cluster| !cluster.is_empty())
        .collect();
    let progress = Progress {
        coverage: coverage(&read, &window, until),
        clusters: clusters.into_iter().cloned().collect(),
        is_behind: is_behind && until > known,
        ..Progress::default()
    };
    let JobsRead { attempts, nodes, hyperpod, mut holders, events, mut notes, refusal, .. } = read;
    if let Some(holders) = &mut holders {
        holders.extend(unheld(&nodes, holders, now));
    }
    notes.truncate(JobsRead::NOTES_AT_MOST);
    blocking(store, move |store| {
        store.put_round(&JobsRound {
            reading: &reading,
            attempts: &attempts,
            nodes: &nodes,
            hyperpod: &hyperpod,
            holders: holders.as_deref(),
            events: &events,
        })
    })
    .await?;
    Ok(Progress { notes, refusal, ..progress })
}

/// What says of each cluster of these nodes that nobody holds a GPU of it, where that is so.
fn unheld(nodes: &[JobNode], holders: &[GpuHolder], now: Timestamp) -> Vec<GpuHolder> {
    let held: BTreeSet<_> = holders.iter().map(|of| (of.source, &*of.cluster)).collect();
    let clusters: BTreeSet<_> = nodes.iter().map(|node| (node.source, &node.cluster)).collect();
    let unheld =
        clusters.into_iter().filter(|(source, cluster)| !held.contains(&(*source, cluster)));
    unheld.map(|(source, cluster)| GpuHolder::nobody(source, cluster.clone(), now)).collect()
}

/// Attempts that were open and of which the source tells no more, closed.
async fn closed(
    store: &Jobs,
    name: &JobsName,
    read: &JobsRead,
    forgotten: Forgotten,
) -> Result<Vec<Attempt>, SourceError> {
    let (kind, cluster) = (name.kind, forgotten.cluster.clone());
    let open = blocking(store, move |store| store.open(kind, &cluster)).await?;
    let told: HashSet<&AttemptId> = read.attempts.iter().map(|attempt| &attempt.id).collect();
    let gone = open.into_iter().filter(|attempt| !told.contains(&attempt.id));
    Ok(gone.filter_map(|attempt| forgotten.close(attempt)).collect())
}

/// What is to be read now.
fn window(last: Option<&JobsReading>, first: SignedDuration, now: Timestamp) -> JobWindow {
    let back = |from: Timestamp, by| from.checked_sub(by).unwrap_or(Timestamp::UNIX_EPOCH);
    // A reading of the future: somebody set the clock back.
    let known = last.map(|last| last.complete_until.min(now));
    let since = known.map_or_else(|| back(now, first), |until| back(until, JobWindow::OVERLAP));
    JobWindow { since, until: now, open_since: last.and_then(|last| last.open_since) }
}

fn begun(attempt: &Attempt) -> Option<Timestamp> {
    attempt.submitted_at.or(attempt.started_at)
}

fn coverage(read: &JobsRead, window: &JobWindow, until: Timestamp) -> f32 {
    let all = window.until.duration_since(window.since).as_secs_f64().max(1.0);
    let share = (until.duration_since(window.since).as_secs_f64() / all).clamp(0.0, 1.0) as f32;
    if read.refusal.is_some() { share.min(NOT_WHOLE) } else { share }
}

/// A reading under a limit. A defect that ends it is a failure like any other.
async fn guarded(
    source: &dyn LiveJobs,
    window: &JobWindow,
    name: &JobsName,
) -> Result<JobsRead, SourceError> {
    let read = AssertUnwindSafe(source.read(window)).catch_unwind();
    match tokio::time::timeout(LIMIT, read).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(SourceError::new(
            ErrorKind::Other,
            "burntop:jobs",
            "reading the jobs ended in a defect of burntop",
            "please report it with the crash file in the state directory",
        )),
        Err(_) => Err(late(name, LIMIT)),
    }
}

/// Error for a reading that took too long.
pub(super) fn late(name: &JobsName, limit: Duration) -> SourceError {
    let limit = span(i64::try_from(limit.as_secs()).unwrap_or(i64::MAX));
    let operation = format!("{}:jobs", name.kind.word());
    let message = format!("{}: no answer within {limit}", name.name);
    let fix = "check the network path to it; burntop tries again by itself";
    SourceError::new(ErrorKind::Timeout, &operation, &message, fix)
}

/// Runs a request of the store off the workers.
pub(super) async fn blocking<T: Send + 'static>(
    store: &Jobs,
    work: impl FnOnce(&Jobs) -> Result<T, crate::cache::JobsError> + Send + 'static,
) -> Result<T, SourceError> {
    let store = store.clone();
    let failed = |message: &str| SourceError::new(ErrorKind::Other, "burntop:jobs", message, "");
    match tokio::task::spawn_blocking(move || work(&store)).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(failed(&error.to_string())),
        Err(_) => Err(failed("what was read could not be kept")),
    }
}
