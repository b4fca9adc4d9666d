//! What tells of nodes beside the sources of jobs: asked from where its last reading ended, and what it says is kept.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::JobsOutcome;
use super::round::{NOT_WHOLE, blocking};
use crate::bus::readings::cached;
use crate::cache::Jobs;
use crate::domain::{ErrorKind, Reading, Scope, SourceError, SourceState};
use crate::source::jobs::live::NodeEvents;

/// How much of what was read is read again: what happened is told late.
const OVERLAP: SignedDuration = SignedDuration::from_mins(10);

/// Reads what happened to nodes by one source, as far as it gets within `limit`, and keeps it.
pub(super) async fn read_events(
    source: &dyn NodeEvents,
    store: &Jobs,
    first: SignedDuration,
    now: Timestamp,
    limit: Duration,
) -> JobsOutcome {
    let (id, name) = source.name();
    let mut reading = cached(id, &Scope::account_wide(name.clone()), None);
    let mut notes = Vec::new();
    let until = Instant::now() + limit;
    loop {
        let work = piece(source, store, first, now);
        let piece = tokio::time::timeout_at(until, work).await;
        match piece.unwrap_or_else(|_| Err(late(&reading, limit))) {
            Ok(piece) => {
                (reading.taken_at, reading.state) = (Some(now), SourceState::Live);
                reading.coverage = if piece.is_whole { 1.0 } else { NOT_WHOLE };
                notes.extend(piece.note);
                if piece.is_behind && Instant::now() < until {
                    continue;
                }
            }
            // What was read before is kept.
            Err(error) if error.kind == ErrorKind::Timeout && reading.taken_at.is_some() => {}
            Err(error) => reading.state = SourceState::Failed(Arc::new(error)),
        }
        break;
    }
    if reading.taken_at.is_none() {
        let last = blocking(store, move |store| store.events_read(id, &name)).await;
        reading.taken_at = last.ok().flatten();
    }
    notes.dedup();
    JobsOutcome { reading, notes }
}

/// How one request went.
struct Piece {
    is_whole: bool,
    /// True where a part of the past is left, and this request came nearer to it.
    is_behind: bool,
    note: Option<String>,
}

async fn piece(
    source: &dyn NodeEvents,
    store: &Jobs,
    first: SignedDuration,
    now: Timestamp,
) -> Result<Piece, SourceError> {
    let (id, name) = source.name();
    let of = name.clone();
    let last = blocking(store, move |store| store.events_read(id, &of)).await?;
    let back = |from: Timestamp, by| from.checked_sub(by).unwrap_or(from);
    let known = last.map(|at| at.min(now));
    let from = known.map_or_else(|| back(now, first), |at| back(at, OVERLAP));
    let read = source.read(from, now).await?;
    let until = read.complete_until.map_or(now, |at| at.min(now));
    let is_behind = until < now && until > known.unwrap_or(from);
    let piece = Piece {
        is_whole: until == now && read.refusal.is_none(),
        is_behind,
        note: read.refusal.map(|error| error.with_fix()),
    };
    let events = read.events;
    blocking(store, move |store| store.put_events((id, &name), &events, now, until)).await?;
    Ok(piece)
}

fn late(reading: &Reading, limit: Duration) -> SourceError {
    let operation = format!("{}:events", reading.source.word());
    let message = format!("{}: no answer within {} s", reading.scope.account, limit.as_secs());
    let fix = "check the network path to it; burntop tries again by itself";
    SourceError::new(ErrorKind::Timeout, &operation, &message, fix)
}
