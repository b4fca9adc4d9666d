//! Sources of jobs: each is asked on its own, from where its last reading ended, and what it answers is kept.
//!
//! Nothing is held here: whoever shows jobs reads what is kept, and is told when that has changed.

mod round;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::account::report;
use super::readings::{Outcome, cached};
use super::wake::Wake;
use super::world::Update;
use super::{Event, Shared};
use crate::cache::Jobs;
use crate::domain::jobs::{JobSource, JobsName};
use crate::domain::{Reading, SourceState};
use crate::source::jobs::live::LiveJobs;
use round::{Progress, round};

/// A reading that is behind goes on after this, so that a scheduler has time for others.
const GO_ON_AFTER: Duration = Duration::from_secs(2);

/// Where jobs are read, and where they are kept.
#[derive(Clone, Default)]
pub struct JobsSettings {
    /// Sources; none without a place to keep what they say.
    pub sources: Vec<Arc<dyn LiveJobs>>,
    /// What is kept; `None` = nothing is read.
    pub store: Option<Jobs>,
    /// How far the first reading of a source goes back.
    pub first: SignedDuration,
}

/// Who told which cluster: two that have one name are taken for one.
#[derive(Default)]
pub(super) struct Clusters(Mutex<HashMap<(JobSource, Arc<str>), Arc<str>>>);

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

/// Reads every source again and again until the bus stops; with `only_once` once.
pub(super) async fn run(
    shared: Arc<Shared>,
    updates: mpsc::Sender<Update>,
    events: mpsc::Sender<Event>,
    only_once: bool,
) {
    let settings = shared.settings.jobs.clone();
    let Some(store) = settings.store else { return };
    remember(&store, &settings.sources, &updates).await;
    if shared.settings.offline {
        return;
    }
    let clusters = Arc::new(Clusters::default());
    let mut tasks = tokio::task::JoinSet::new();
    for source in settings.sources {
        let reader = Reader {
            shared: shared.clone(),
            source,
            store: store.clone(),
            first: settings.first,
            updates: updates.clone(),
            events: events.clone(),
            clusters: clusters.clone(),
            told: Vec::new(),
        };
        tasks.spawn(reader.run(only_once));
    }
    drop((updates, events));
    while tasks.join_next().await.is_some() {}
}

/// Tells when each source was read in an earlier run.
async fn remember(store: &Jobs, sources: &[Arc<dyn LiveJobs>], updates: &mpsc::Sender<Update>) {
    for source in sources {
        let name = source.name().clone();
        let Some(id) = name.source() else { continue };
        let (of, scope) = (store.clone(), name.scope());
        let kept = tokio::task::spawn_blocking(move || of.reading(&name)).await;
        if let Ok(Ok(Some(kept))) = kept {
            let reading = cached(id, &scope, Some(kept.taken_at));
            let _ = updates.send(Update::Remembered(reading)).await;
        }
    }
}

/// The task of one source.
struct Reader {
    shared: Arc<Shared>,
    source: Arc<dyn LiveJobs>,
    store: Jobs,
    first: SignedDuration,
    updates: mpsc::Sender<Update>,
    events: mpsc::Sender<Event>,
    clusters: Arc<Clusters>,
    /// Sentences of the last reading, so that each is told once.
    told: Vec<String>,
}

impl Reader {
    async fn run(mut self, only_once: bool) {
        let mut wake = Wake::new(&self.shared);
        loop {
            wake.begin();
            self.report(Outcome::Loading).await;
            let found = round(&*self.source, &self.store, self.first, self.shared.now()).await;
            let goes_on = match found {
                Ok(progress) => {
                    wake.worked();
                    let is_behind = progress.is_behind;
                    self.tell(progress).await;
                    if only_once {
                        return;
                    }
                    wake.wait(if is_behind { GO_ON_AFTER } else { self.source.every() }).await
                }
                Err(error) => {
                    self.report(Outcome::Bad(Arc::new(error))).await;
                    if only_once {
                        return;
                    }
                    wake.pause().await
                }
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Tells how a reading went, and what has changed.
    async fn tell(&mut self, progress: Progress) {
        let Progress { coverage, mut notes, refusal, clusters, has_news, .. } = progress;
        notes.extend(self.clusters.claim(self.source.name(), &clusters));
        self.report(Outcome::Good { coverage }).await;
        notes.extend(refusal.map(|error| error.with_fix()));
        let (Some(source), scope) = (self.source.name().source(), self.source.name().scope())
        else {
            return;
        };
        for message in notes.iter().filter(|note| !self.told.contains(note)).cloned() {
            let (at, scope) = (self.shared.now(), scope.clone());
            let _ = self.events.send(Event::Note { at, source, scope, message }).await;
        }
        self.told = notes;
        if has_news {
            let _ = self.events.send(Event::JobsChanged).await;
        }
    }

    async fn report(&self, outcome: Outcome) {
        let name = self.source.name();
        if let Some(source) = name.source() {
            report(&self.updates, source, name.scope(), outcome).await;
        }
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
    futures_util::future::join_all(all).await.into_iter().flatten().collect()
}

/// The readings that are kept of these sources, without asking them.
pub fn kept_readings(settings: &JobsSettings) -> Vec<Reading> {
    let Some(store) = &settings.store else { return Vec::new() };
    let all = settings.sources.iter().filter_map(|source| {
        let name = source.name();
        let kept = store.reading(name).ok().flatten()?;
        Some(cached(name.source()?, &name.scope(), Some(kept.taken_at)))
    });
    all.collect()
}
