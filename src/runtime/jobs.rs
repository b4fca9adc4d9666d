//! The jobs that are kept, asked beside the screen by the tab that shows them, and the sources that tell of more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::runtime::Handle;

use super::Running;
use crate::analyze::jobs::READ_EVERY;
use crate::app::{Level, LogEntry, Msg};
use crate::bus::{kept_readings, read_jobs};
use crate::cli::invocation::Invocation;
use crate::cli::job_sources::job_settings;
use crate::cli::jobs::{JobsBeside, READ_WITHIN, read_kept};
use crate::config::Env;
use crate::domain::{Reading, SourceError};
use crate::fleet::gpu::GpuFleet;
use crate::source::ledger::Ledger;
use crate::tabs::jobs::picture::{JobsPicture, JobsQuestion};

/// A round with what was answered in it.
type Answer = (u64, Arc<JobsPicture>);

/// Jobs in memory, shared with the tasks that ask them.
#[derive(Clone, Default)]
pub(super) struct JobsAsked {
    /// Number of the newest question.
    newest: Arc<AtomicU64>,
    /// The last answer and the round that it is of; `None` before the first.
    held: Arc<Mutex<Option<Answer>>>,
    seen: Arc<Mutex<Seen>>,
    /// Held while sources are read: two readings at once would ask each of them twice.
    reading: Arc<tokio::sync::Mutex<()>>,
}

/// What was read beside.
#[derive(Default)]
struct Seen {
    /// GPUs with their telemetry; `None` before the first.
    gpus: Option<Arc<GpuFleet>>,
    /// How the sources were read last.
    readings: Arc<[Reading]>,
    /// What was said of them, so that each is said once.
    told: Vec<String>,
}

impl JobsAsked {
    /// Takes note of the newest telemetry.
    pub(super) fn measure_by(&self, gpus: &Arc<GpuFleet>) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).gpus = Some(gpus.clone());
    }

    /// Takes note of how sources were read; returns what is to be said of them now.
    fn take(&self, readings: Vec<Reading>, said: Vec<String>) -> Vec<String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.readings = readings.into();
        let news = said.iter().filter(|text| !seen.told.contains(text)).cloned().collect();
        seen.told = said;
        news
    }
}

impl Running {
    /// Asks the jobs that are kept on a thread of its own.
    pub(super) fn ask_jobs(&self, question: JobsQuestion) {
        let number = self.jobs.newest.fetch_add(1, Ordering::Relaxed) + 1;
        let (jobs, messages) = (self.jobs.clone(), self.messages.clone());
        let (invocation, cache, now) = (self.invocation.clone(), self.cache.clone(), self.now());
        let on = Handle::current();
        tokio::task::spawn_blocking(move || {
            let mut held = jobs.held.lock().unwrap_or_else(PoisonError::into_inner);
            if jobs.newest.load(Ordering::Relaxed) != number {
                return;
            }
            let known = held.as_ref().filter(|(round, _)| *round == question.round);
            let answer = match known.map(|(_, picture)| picture.clone()) {
                Some(picture) if picture.by == question.by => Ok(picture),
                Some(picture) => Ok(Arc::new(picture.by(question.by))),
                None => {
                    let (gpus, readings) = {
                        let seen = jobs.seen.lock().unwrap_or_else(PoisonError::into_inner);
                        (seen.gpus.clone().unwrap_or_default(), seen.readings.clone())
                    };
                    let beside = JobsBeside { cache: &cache, on: &on, gpus: &gpus, readings, now };
                    read_kept(&invocation, beside)
                        .map(|read| Arc::new(JobsPicture::of(read, question.by)))
                        .map_err(|error| error.to_string())
                }
            };
            *held = answer.as_ref().ok().map(|picture| (question.round, picture.clone()));
            drop(held);
            // The screen may be gone already; there is nobody left to tell.
            let _ = messages.blocking_send(Msg::Jobs(question, answer));
        });
    }

    /// Reads the configured sources of jobs every now and then, for those who show who holds what, until the guard is dropped;
    /// the Jobs tab asks for more. Offline, and without a source, nobody is asked.
    pub(super) fn read_job_sources_in_background(&self) -> Option<tokio_util::sync::DropGuard> {
        let has_sources = job_settings(&self.invocation, &Env::of_process(), None)
            .is_ok_and(|settings| !settings.is_empty());
        if !has_sources || self.invocation.options.offline {
            return None;
        }
        let every = Duration::try_from(READ_EVERY).ok()?;
        let stop = tokio_util::sync::CancellationToken::new();
        let (jobs, messages) = (self.jobs.clone(), self.messages.clone());
        let (invocation, stopped) = (self.invocation.clone(), stop.clone());
        let ledger = self.invocation.ledger(&self.cache);
        tokio::spawn(async move {
            loop {
                if let Ok(turn) = jobs.reading.clone().try_lock_owned() {
                    let now = invocation.options.now();
                    let reading = read_sources(&jobs, &invocation, &ledger, now);
                    // What was read before the end is kept.
                    let (_, log) = tokio::select! {
                        read = reading => read,
                        () = stopped.cancelled() => return,
                    };
                    drop(turn);
                    for entry in log {
                        let _ = messages.send(Msg::Log(entry)).await;
                    }
                }
                tokio::select! {
                    () = tokio::time::sleep(every) => {}
                    () = stopped.cancelled() => return,
                }
            }
        });
        Some(stop.drop_guard())
    }

    /// Reads the configured sources of jobs on a task of its own; offline nobody is asked.
    pub(super) fn read_job_sources(&self) {
        let (jobs, messages) = (self.jobs.clone(), self.messages.clone());
        let (invocation, now) = (self.invocation.clone(), self.now());
        let ledger = self.invocation.ledger(&self.cache);
        tokio::spawn(async move {
            let turn = jobs.reading.clone().lock_owned().await;
            let (has_news, log) = read_sources(&jobs, &invocation, &ledger, now).await;
            drop(turn);
            for entry in log {
                let _ = messages.send(Msg::Log(entry)).await;
            }
            let _ = messages.send(Msg::JobSources { has_news }).await;
        });
    }
}

/// Reads the configured sources of jobs; returns whether something may be new, and what is to be said. Offline nobody is asked.
async fn read_sources(
    jobs: &JobsAsked,
    invocation: &Invocation,
    ledger: &Ledger,
    now: Timestamp,
) -> (bool, Vec<LogEntry>) {
    let entry = |level, message: String| LogEntry {
        at: now,
        level,
        source: None,
        scope: None,
        message,
        fix: String::new(),
    };
    let mut log = Vec::new();
    let mut has_news = false;
    match job_settings(invocation, &Env::of_process(), Some(ledger)) {
        Ok(settings) if invocation.options.offline => {
            let of = settings.clone();
            let kept = tokio::task::spawn_blocking(move || kept_readings(&of)).await;
            has_news = !settings.is_empty();
            jobs.take(kept.unwrap_or_default(), Vec::new());
        }
        Ok(settings) if settings.is_empty() => {}
        Ok(settings) => {
            let (mut readings, mut said) = (Vec::new(), Vec::new());
            for outcome in read_jobs(&settings, now, READ_WITHIN).await {
                let reading = outcome.reading;
                let name = format!("{} {}", reading.source.word(), reading.scope.account);
                let notes = outcome.notes.iter().map(|note| format!("{name}: {note}"));
                said.extend(notes);
                let failed = reading.failed().map(SourceError::with_fix);
                said.extend(failed.map(|error| format!("{name}: {error}")));
                readings.push(reading);
            }
            has_news = true;
            let news = jobs.take(readings, said);
            log.extend(news.into_iter().map(|text| entry(Level::Warn, text)));
        }
        Err(error) => {
            let news = jobs.take(Vec::new(), vec![error.to_string()]);
            log.extend(news.into_iter().map(|text| entry(Level::Error, text)));
        }
    }
    (has_news, log)
}
