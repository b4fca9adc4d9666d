//! What the fleet burnt: written down while it is looked at, and told as what changed since.
//!
//! The world's pictures are the only witness: between two of them, at most ten minutes apart, the first one's rates are
//! taken to hold. An account counts while all of its regions answer; other time is not seen, and no sum fills it. The
//! demo, tapes and what runs offline have no past of their own: nothing is written and nothing is told.

mod marks;
mod meter;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::Shared;
use crate::cache::decode;
use crate::domain::{BurnOfDay, BurnPast, Hour, SharePast, SourceId, SourceState};
use crate::fleet::{Fleet, FleetShares};
use marks::{Mark, Marks};
pub use meter::Meter;

/// How often what was seen is written down: what a kill loses is not seen.
const WRITE_EVERY: Duration = Duration::from_mins(1);
/// How often the instances themselves are remembered: a few hundred kilobytes in a large fleet.
const MARK_EVERY: Duration = Duration::from_mins(10);
/// Days that are told.
const TOLD_DAYS: i32 = 14;

/// The past of the fleet that is shown.
pub(super) struct Burn {
    meter: Meter,
    /// What earlier runs left; `None` until it was read.
    marks: Option<Marks>,
    /// Shares by hour, as they were written last.
    shares: SharePast,
    written: Option<Instant>,
    marked: Option<Instant>,
}

impl Burn {
    /// `None` where there is no past: the demo, a tape, offline; and where the caller meters.
    pub fn new(shared: &Shared) -> Option<Self> {
        let settings = &shared.settings;
        let is_own = settings.has_past(shared.tape.is_some()) && !settings.meters;
        is_own.then(|| Self {
            meter: Meter::default(),
            marks: None,
            shares: SharePast::default(),
            written: None,
            marked: None,
        })
    }

    /// Takes a picture in. What is known of the past then, where it is time to say it: `is_last` for the last picture of
    /// the run.
    pub async fn see(
        &mut self,
        shared: &Shared,
        fleet: &Fleet,
        is_last: bool,
    ) -> Option<Arc<BurnPast>> {
        let now = shared.now();
        self.meter.see(fleet, now);
        let is_due = |at: Option<Instant>, every| at.is_none_or(|at| at.elapsed() >= every);
        // Before every account has answered, what is missing would seem to be gone.
        if !is_whole(fleet) || !(is_last || is_due(self.written, WRITE_EVERY)) {
            return None;
        }
        self.written = Some(Instant::now());
        shared.cache.add_burn(self.meter.take()).await;
        let key = format!("{}/marks", shared.settings.summary_key);
        if self.marks.is_none() {
            let kept = shared.cache.summary(&key).await;
            self.marks = Some(kept.and_then(|bytes| decode(&bytes)).unwrap_or_default());
        }
        let marks = self.marks.as_mut()?;
        let since = marks.since(fleet, now);
        if is_last || is_due(self.marked, MARK_EVERY) {
            self.marked = Some(Instant::now());
            marks.note(Mark::of(fleet, now));
            if let Ok(bytes) = postcard::to_stdvec(marks) {
                shared.cache.put_summary(&key, bytes).await;
            }
            self.shares = note_shares(shared, fleet, now).await;
        }
        let today = Hour::containing(now).day();
        let accounts: HashSet<&str> = accounts(fleet).collect();
        let mut days = shared.cache.load_burn(today - TOLD_DAYS + 1).await;
        days.retain(|day| accounts.contains(&*day.account));
        let days = BurnOfDay::of(&days, accounts.len());
        Some(Arc::new(BurnPast { days, since, today, shares: self.shares.clone() }))
    }
}

/// Writes down the shares of the hour, beside those that this process and others wrote before; returns all of them.
async fn note_shares(shared: &Shared, fleet: &Fleet, now: Timestamp) -> SharePast {
    let key = format!("{}/shares", shared.settings.summary_key);
    let kept = shared.cache.summary(&key).await;
    let mut shares: SharePast = kept.and_then(|bytes| decode(&bytes)).unwrap_or_default();
    let running = fleet.rows.iter().filter(|row| row.instance.state.is_billed());
    let seen = FleetShares::of(running.map(|row| &**row));
    shares.note(Hour::containing(now), seen.kept());
    if let Ok(bytes) = postcard::to_stdvec(&shares) {
        shared.cache.put_summary(&key, bytes).await;
    }
    shares
}

/// The accounts whose inventory is shown.
fn accounts(fleet: &Fleet) -> impl Iterator<Item = &str> {
    fleet.readings.iter().filter(|r| r.source == SourceId::Ec2).map(|r| &*r.scope.account)
}

/// True when every inventory is there as of now.
fn is_whole(fleet: &Fleet) -> bool {
    let mut all = fleet.readings.iter().filter(|r| r.source == SourceId::Ec2).peekable();
    all.peek().is_some() && all.all(|r| r.state == SourceState::Live)
}

/// `then` lies at least `hours` before `now`.
fn is_hours_ago(then: Timestamp, now: Timestamp, hours: i64) -> bool {
    now.duration_since(then) >= SignedDuration::from_hours(hours)
}
