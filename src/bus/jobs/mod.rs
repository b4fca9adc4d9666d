//! Sources of jobs: reports ask each on its own, from where its last reading ended, and what it answers is kept.
//!
//! Nothing is held here: whoever shows jobs reads what is kept.

mod events;
mod round;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{join, join_all};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::readings::cached;
use crate::cache::Jobs;
use crate::domain::jobs::{JobSource, JobsName};
use crate::domain::{Reading, Scope, SourceState};
use crate::source::jobs::live::{LiveJobs, NodeEvents};
use events::read_events;
use round::round;

/// Where jobs are read, and where they are kept.
#[derive(Clone, Default)]
pub struct JobsSettings {
    /// Sources; none without a place to keep what they say.
    pub sources: Vec<Arc<dyn LiveJobs>>,
    /// What tells of nodes beside them: why what ran there failed.
    pub events: Vec<Arc<dyn NodeEvents>>,
    /// What is kept; `None` = nothing is read.
    pub store: Option<Jobs>,
    /// How far the first reading of a source goes back.
    pub first: SignedDuration,
}

impl JobsSettings {
    /// True where nobody is asked.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.events.is_empty()
    }
}

/// Who told which cluster: two that have one name are taken for one.
#[derive(Default)]
struct Clusters(Mutex<ByCluster>);

/// Name of who told of a cluster first.
type ByCluster = HashMap<(JobSource, Arc<str>), Arc<str>>;

impl Clusters {
    /// Notes the clusters of a source; returns a sentence where another source has one of the same name.
    fn claim(&self, name: &JobsName, clusters: &[Arc<str>]) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clusters.iter().find_map(|cluster| {
            let key = (name.kind, cluster.clone());
            let first = known.entry(key).or_insert_with(|| name.name.clone());
            (*first != name.name).then(|| {
                format!(
                    "its cluster is called {cluster}, as that of {first}, and is taken for the same \
                     one; if it is another, set `cluster` of one of them"
                )
            })
        })
    }
}

/// How a source was read for a report.
#[derive(Clone, Debug, PartialEq)]
pub struct JobsOutcome {
    /// Its reading.
    pub reading: Reading,
    /// What is odd, a sentence each.
    pub notes: Vec<String>,
}

/// Reads every source once, side by side, each as far as it gets within `limit`. Sources without a kind in readings are none.
pub async fn read_jobs(
    settings: &JobsSettings,
    now: Timestamp,
    limit: Duration,
) -> Vec<JobsOutcome> {
    let Some(store) = &settings.store else { return Vec::new() };
    let clusters = Clusters::default();
    let all = settings.sources.iter().map(async |source| {
        let name = source.name();
        let id = name.source()?;
        let until = Instant::now() + limit;
        let mut reading = cached(id, &name.scope(), None);
        let mut notes = Vec::new();
        loop {
            let work = round(&**source, store, settings.first, now);
            match tokio::time::timeout_at(until, work).await {
                Ok(Ok(progress)) => {
                    reading.taken_at = Some(now);
                    (reading.coverage, reading.state) = (progress.coverage, SourceState::Live);
                    for note in progress.notes {
                        if !notes.contains(&note) {
                            notes.push(note);
                        }
                    }
                    notes.extend(clusters.claim(name, &progress.clusters));
                    notes.extend(progress.refusal.map(|error| error.with_fix()));
                    if progress.is_behind && Instant::now() < until {
                        continue;
                    }
                }
                Ok(Err(error)) => reading.state = SourceState::Failed(Arc::new(error)),
                // What was read before the time was up is kept.
                Err(_) if reading.taken_at.is_some() => {}
                Err(_) => {
                    let error = round::late(name, limit);
                    reading.state = SourceState::Failed(Arc::new(error));
                }
            }
            break;
        }
        if reading.taken_at.is_none() {
            let (of, name) = (store.clone(), name.clone());
            let kept = tokio::task::spawn_blocking(move || of.reading(&name)).await;
            reading.taken_at = kept.ok().and_then(Result::ok).flatten().map(|kept| kept.taken_at);
        }
        notes.dedup();
        Some(JobsOutcome { reading, notes })
    });
    let events = settings.events.iter();
    let events = events.map(|source| read_events(&**source, store, settings.first, now, limit));
    let (jobs, events) = join(join_all(all), join_all(events)).await;
    jobs.into_iter().flatten().chain(events).collect()
}

/// The readings that are kept of these sources, without asking them.
pub fn kept_readings(settings: &JobsSettings) -> Vec<Reading> {
    let Some(store) = &settings.store else { return Vec::new() };
    let all = settings.sources.iter().filter_map(|source| {
        let name = source.name();
        let kept = store.reading(name).ok().flatten()?;
        Some(cached(name.source()?, &name.scope(), Some(kept.taken_at)))
    });
    let events = settings.events.iter().filter_map(|source| {
        let (id, name) = source.name();
        let at = store.events_read(id, &name).ok().flatten()?;
        Some(cached(id, &Scope::account_wide(name), Some(at)))
    });
    all.chain(events).collect()
}
