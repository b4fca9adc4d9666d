//! GPUs that a test scripts, through the running bus.

mod hours;
mod pictures;
mod scripted;
mod sweeps;
mod verdicts;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::super::tests::scripted as aws;
use super::super::{Event, Handle, Parts, Settings, once, start};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, GpuHours, OpenOptions};
use crate::domain::{
    ErrorKind, GpuHour, GpuIdentity, HostNames, Hour, Reading, Rung, SourceId, VerdictKind,
};
use crate::source::GpuSource;
use scripted::{Say, Scripted, sample};

/// 2026-11-21T03:07:00Z.
fn now() -> Timestamp {
    "2026-11-21T03:07:00Z".parse().unwrap()
}

fn cache() -> Cache {
    Cache::open(OpenOptions::in_memory(), now()).0
}

/// A bus without any account.
fn parts(sources: &[Arc<Scripted>], cache: &Cache) -> Parts {
    let mut parts = aws::no_accounts(cache, Arc::new(now));
    parts.settings = Settings { inventory_every_s: 60, billed: false, ..parts.settings };
    parts.gpu_sources = sources.iter().map(|s| s.clone() as Arc<dyn GpuSource>).collect();
    parts
}

/// A running bus and what it says.
struct Bus {
    handle: Handle,
    events: mpsc::Receiver<Event>,
}

impl Bus {
    fn start(parts: Parts) -> Self {
        let (sender, events) = mpsc::channel(64);
        Self { handle: start(parts, sender), events }
    }

    /// All that it says until `enough`; a minute at most, which is a failure.
    async fn until(&mut self, mut enough: impl FnMut(&[Event]) -> bool) -> Vec<Event> {
        let mut said = vec![];
        let all = async {
            while !enough(&said) {
                let more = tokio::time::timeout(Duration::from_millis(10), self.events.recv());
                match more.await {
                    Ok(Some(event)) => said.push(event),
                    Ok(None) => panic!("the bus has ended"),
                    Err(_) => {}
                }
            }
        };
        let waited = tokio::time::timeout(Duration::from_mins(1), all).await;
        assert!(waited.is_ok(), "{:?} {:?}", log(&said), said.len());
        said
    }

    /// Ends it, and waits until it has kept what it keeps.
    async fn stop(mut self) -> Vec<Event> {
        self.handle.stop();
        let mut said = vec![];
        while let Some(event) = self.events.recv().await {
            said.push(event);
        }
        said
    }
}

/// The last that was said of how a source does.
fn reading(said: &[Event], origin: &str) -> Option<Reading> {
    let fleets = said.iter().rev().filter_map(|e| match e {
        Event::Fleet(fleet) => Some(fleet),
        _ => None,
    });
    let newest = fleets.into_iter().next()?;
    newest.readings.iter().find(|r| *r.scope.account == *origin).cloned()
}

/// The word for how a source does.
fn state(said: &[Event], origin: &str) -> Option<&'static str> {
    reading(said, origin).map(|reading| reading.state.word())
}

/// The words of the log about sources: whom, and the kind of error.
fn log(said: &[Event]) -> Vec<(String, Option<ErrorKind>)> {
    said.iter()
        .filter_map(|e| match e {
            Event::Source { reading, error, .. } => {
                Some((reading.scope.to_string(), error.as_ref().map(|e| e.kind)))
            }
            _ => None,
        })
        .collect()
}
