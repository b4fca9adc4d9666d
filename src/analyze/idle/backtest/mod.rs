//! Verdicts tried on one's own past: which instances a policy would have called idle N days ago, with nothing but the
//! hours before that moment, and what became of them.
//!
//! * **Moments.** One a day back from now, on the hour. At each the policy judges as [`super::judge()`] does, so that a
//!   gap in coverage is no verdict, and never idle.
//! * **What became of them** is measured by one yardstick for all policies, the limits of [`Preset::Cautious`]: the
//!   first hour after the moment that reaches one, or the first day of network that does. A policy with laxer limits is
//!   measured by stricter ones. Hours count as idle only where the CPU and every GPU reported.
//! * **Spells.** An instance counts once from the first moment at which it is called idle until a moment at which the
//!   same policy sees use; moments without a verdict end no spell.
//! * **Lives.** Only the present life of an instance is judged, since its last launch. What was terminated is not among
//!   the instances at all. Both are counted where they are known of.
//!
//! Moments lie whole days apart, so each signal is summed up once per day ([`days`]), and a moment asks the sums. Where
//! a policy does not look at whole days, or a life begins within its window, [`super::judge()`]'s own survey is asked.

mod calls;
mod days;
mod outcome;
mod sums;
#[cfg(test)]
mod tests;

pub use sums::{Backtest, DayCount, Sums};

use std::cell::OnceCell;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::policy::Policy;
use super::preset::Preset;
use crate::domain::{Hour, HourRange, Instance, SeriesSet, Signal, TypeSpec};
use crate::whatif::Workers;

use calls::Call;
use days::Days;
use outcome::Aftermath;

/// Hours of a day.
const DAY: u32 = 24;
/// An instance that is called idle should stay so for this long, hours: what precision is measured by.
pub const HELD_HOURS: u32 = 24;
/// Hours that a stopped instance is paid for without work when it is needed again: it boots, fetches its images and
/// warms its caches. An assumption, said wherever it is counted.
pub const RESTART_HOURS: f64 = 0.5;
/// Most days looked back: how long CloudWatch keeps datapoints of an hour, less the longest window of a preset.
pub const MAX_DAYS: u32 = 455 - 14;
/// Instances in one piece of work.
const PIECE: usize = 64;

/// An instance and what is kept of it.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The instance as it is now.
    pub instance: &'a Instance,
    /// Its type; `None` when unknown: it is never called idle then.
    pub spec: Option<&'a TypeSpec>,
    /// Its series, as far as they are kept; hours outside [`Replay::range`] do no harm.
    pub series: &'a SeriesSet,
}

/// What became of an instance after it was called idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Idle until now.
    Idle,
    /// Idle until it was stopped or terminated.
    Ended,
    /// Use came after so many hours; 0 = in the first one.
    Woke {
        /// Hours from the moment to the first use.
        after_hours: u32,
    },
    /// No use was seen, but more than a tenth of the hours was not seen either.
    Unseen,
}

/// An uninterrupted time in which one policy would have called an instance idle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spell {
    /// The first moment of it.
    pub called_at: Hour,
    /// What became of the instance after that moment.
    pub outcome: Outcome,
    /// True when it stayed idle for [`HELD_HOURS`] or until it ended before; `None` where too few of these hours were
    /// seen.
    pub held: Option<bool>,
    /// Hours from the moment to the first use, the end or now in which the CPU and every GPU reported: the hours that a
    /// stop would have saved.
    pub idle_hours: u32,
}

/// One instance under one policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Moments at which it was called idle, or in use by enough hours to have been called idle without it.
    pub judged: u32,
    /// Days ago of the oldest of them; `None` without one.
    pub oldest_judged: Option<u32>,
    /// Days ago of the moments at which it was called idle, and what became of it since; the oldest first.
    pub called: Vec<(u32, Outcome)>,
    /// Its spells, the oldest first.
    pub spells: Vec<Spell>,
}

/// One instance under all policies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// One per policy, in their order.
    pub tracks: Vec<Track>,
    /// First hour with a CPU datapoint; `None` without any.
    pub first_hour: Option<Hour>,
    /// True when CPU datapoints lie before the last launch: of a life that is not judged.
    pub had_earlier_life: bool,
}

/// A replay of policies over the past.
#[derive(Clone, Debug)]
pub struct Replay {
    policies: Vec<Policy>,
    yardstick: Policy,
    now: Timestamp,
    days: u32,
}

impl Replay {
    /// Of `policies`, from each of the last `days` days (at most [`MAX_DAYS`]) on.
    pub fn new(policies: Vec<Policy>, now: Timestamp, days: u32) -> Self {
        let yardstick = Preset::Cautious.policy();
        Self { policies, yardstick, now, days: days.min(MAX_DAYS) }
    }

    /// The policies.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// Days looked back.
    pub fn days(&self) -> u32 {
        self.days
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The hours that the replay can use: the longest window of a policy before the oldest moment, to now.
    pub fn range(&self) -> HourRange {
        let window = self.policies.iter().map(Policy::window_hours).max().unwrap_or(0);
        HourRange::last_closed(self.now, (self.days + window.div_ceil(DAY)) * DAY)
    }

    /// Replays one instance.
    pub fn of(&self, past: &Past<'_>) -> Replayed {
        let launch = Hour::at_or_after(past.instance.launched_at);
        let cpu = past.series.get(Signal::CpuMean);
        let first = cpu.and_then(|s| s.values.iter().position(|v| !v.is_nan()).map(|i| (s, i)));
        let first_hour = first.map(|(s, i)| s.start.plus(i as i32));
        let mut out = Replayed {
            tracks: vec![Track::default(); self.policies.len()],
            first_hour,
            // The hour of the launch itself belongs to either life.
            had_earlier_life: first_hour.is_some_and(|first| first < launch.plus(-1)),
        };
        let Some(days) = Days::new(past, self.range()) else { return out };
        // Of what was never called idle nobody asks what became.
        let aftermath = OnceCell::new();
        for (policy, track) in self.policies.iter().zip(&mut out.tracks) {
            let calls = calls::calls(&days, past, policy, self.now, self.days);
            let window = policy.window_hours().div_ceil(DAY) as usize;
            *track = self.track(&calls, window, &days, &aftermath);
        }
        out
    }

    /// `calls` from the oldest moment on.
    fn track(
        &self,
        calls: &[Call],
        window: usize,
        days: &Days<'_>,
        aftermath: &OnceCell<Aftermath>,
    ) -> Track {
        let mut track = Track::default();
        let mut in_spell = false;
        for (call, ago) in calls.iter().zip((1..=self.days).rev()) {
            let is_judged = match call {
                Call::Idle => true,
                Call::Used => days.saw(days.count - ago as usize, window),
                Call::Unjudged => false,
            };
            if is_judged {
                track.judged += 1;
                track.oldest_judged = track.oldest_judged.or(Some(ago));
            }
            match call {
                Call::Unjudged => {}
                Call::Used => in_spell = false,
                Call::Idle => {
                    let at = days.count - ago as usize;
                    let aftermath = aftermath.get_or_init(|| Aftermath::new(days, &self.yardstick));
                    let after = aftermath.after(days, at);
                    track.called.push((ago, after.outcome));
                    if !in_spell {
                        track.spells.push(after);
                    }
                    in_spell = true;
                }
            }
        }
        track
    }

    /// Replays many instances, by pieces; the results are in their order.
    pub fn all(&self, pasts: &[Past<'_>], workers: &dyn Workers) -> Vec<Replayed> {
        let pieces: Vec<Mutex<Vec<Replayed>>> =
            pasts.chunks(PIECE).map(|_| Mutex::default()).collect();
        workers.each(pieces.len(), &|piece| {
            let part = &pasts[piece * PIECE..pasts.len().min((piece + 1) * PIECE)];
            let done = part.iter().map(|past| self.of(past)).collect();
            *pieces[piece].lock().unwrap_or_else(PoisonError::into_inner) = done;
        });
        let taken = |piece: Mutex<_>| piece.into_inner().unwrap_or_else(PoisonError::into_inner);
        pieces.into_iter().flat_map(taken).collect()
    }
}

/// `days` whole days before `now`.
fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(i64::from(days * DAY))).unwrap_or(now)
}
