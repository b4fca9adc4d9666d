//! Attempts as rules see them: in little room, with what began and ended when.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use super::short::Short;
use super::{HOUR_MS, ReplayKey, ReplayTerms, Replayed};
use crate::analyze::jobs::class::{CauseClass, CauseFrom};
use crate::analyze::jobs::costed::{Costed, restart_ms, usual};
use crate::analyze::jobs::lost::Amount;
use crate::analyze::jobs::repeats::{has_failed, script, sweep_key, words_of};
use crate::domain::jobs::{Attempt, Dict, JobSource, JobState};
use crate::whatif::supply::spot::best_interval;

/// What the end of an attempt tells of its script and of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It failed by itself.
    Failed,
    /// It completed.
    Completed,
    /// Others ended it: preempted, cancelled.
    Neither,
    /// Nobody knows how it ended.
    Unknown,
}

impl Outcome {
    fn of(of: &Attempt) -> Self {
        match of.state {
            _ if has_failed(of) => Self::Failed,
            JobState::Completed | JobState::CompletedStepFailed => Self::Completed,
            JobState::Preempted | JobState::Cancelled => Self::Neither,
            _ => Self::Unknown,
        }
    }
}

/// Nodes to which a failure is put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blamed {
    /// None: its cause is known and no hardware, or it did not fail.
    None,
    /// All of its nodes.
    All,
    /// The one to which something happened.
    One(u32),
}

/// An attempt that began.
pub(super) struct Tried {
    /// Number of its script; of one without a name that of its job.
    pub work: u32,
    /// Number of the sweep that it may be a member of, from 1; `None` for none.
    pub sweep: Option<NonZeroU32>,
    /// Place of its key in [`History::keys`].
    pub key: u32,
    /// Places of its nodes in [`History::on`], from and to.
    on: (u32, u32),
    /// Nodes to which its failure is put down.
    pub blamed: Blamed,
    /// How it ended.
    pub outcome: Outcome,
    /// Its state.
    pub state: JobState,
    /// For how long it held nodes, milliseconds, 0 or more; below 0 where that is unknown.
    held_ms: i64,
    /// What it held.
    held: Short,
    /// What of it came to nothing.
    lost: Short,
    /// True where a checkpoint may have saved some of it.
    pub is_upper_bound: bool,
    /// True where it is in sums: over, in the days that count, and known for how long it held how many GPUs.
    pub counts: bool,
}

impl Tried {
    /// Places of its nodes in [`History::on`].
    pub fn places(&self) -> Range<usize> {
        self.on.0 as usize..self.on.1 as usize
    }

    /// For how long it held nodes, milliseconds; `None` = unknown.
    pub fn held_ms(&self) -> Option<i64> {
        (self.held_ms >= 0).then_some(self.held_ms)
    }

    /// What it held.
    pub fn held(&self) -> Amount {
        self.held.get()
    }

    /// What of it came to nothing.
    pub fn lost(&self) -> Amount {
        self.lost.get()
    }
}

/// Which of the things that happen at one moment comes first: what ended is known to what begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// The end of one that failed.
    Failed,
    /// Any other end.
    Ended,
    /// A beginning.
    Began,
    /// The end of one that failed at the moment at which it began.
    FailedAtOnce,
    /// Any other end at the moment of the beginning.
    EndedAtOnce,
}

/// A beginning or an end. In the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// When, milliseconds since 1970.
    pub at: i64,
    turn: Turn,
    /// Place of the attempt in [`History::all`].
    pub place: u32,
}

impl Event {
    /// True for a beginning.
    pub fn is_begin(&self) -> bool {
        self.turn == Turn::Began
    }
}

/// All attempts that began.
pub(super) struct History {
    /// The attempts.
    pub all: Vec<Tried>,
    /// Numbers of their nodes, one attempt after the other.
    pub on: Vec<u32>,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of scripts, and of jobs without a name.
    pub works: usize,
    /// Number of what may be a sweep.
    pub sweeps: usize,
    /// What rows are made by.
    pub by: ReplayKey,
    /// Values of what rows are made by.
    pub keys: Vec<Option<Arc<str>>>,
    /// What began and ended, in the order of time.
    pub events: Vec<Event>,
    /// From and to when nodes that are drained count, milliseconds since 1970.
    pub counted: (i64, i64),
    /// What rules are replayed over.
    pub of: Replayed,
}

/// What is tried again as the same.
#[derive(PartialEq, Eq, Hash)]
enum Work {
    /// Source, cluster, user and name.
    Script(JobSource, Arc<str>, Option<Arc<str>>, Arc<str>),
    /// Source, cluster and id of a job without a name.
    Job(JobSource, Arc<str>, Arc<str>),
}

/// Makes a history of attempts, one after the other, in any order.
pub(super) struct Reader {
    terms: ReplayTerms,
    since: i64,
    now: i64,
    all: Vec<Tried>,
    on: Vec<u32>,
    events: Vec<Event>,
    works: Dict<Work>,
    sweeps: Dict<String>,
    nodes: Dict<(JobSource, Arc<str>, Arc<str>)>,
    keys: Dict<Option<Arc<str>>>,
    restarts: Vec<i64>,
    /// Time that runs with GPUs held nodes, milliseconds, and how many of them came to nothing.
    ran: (u64, u64),
    of: Replayed,
}

impl Reader {
    /// Nothing yet.
    pub fn new(terms: ReplayTerms, now: Timestamp) -> Self {
        let now = now.as_millisecond();
        let before = |days: u32| now.saturating_sub(i64::from(days) * 24 * HOUR_MS);
        let mut keys = Dict::default();
        // All attempts together have a row without any too.
        if terms.by == ReplayKey::All {
            keys.id(None);
        }
        Self {
            terms,
            since: terms.days.map_or(i64::MIN, before),
            now,
            all: Vec::new(),
            on: Vec::new(),
            events: Vec::new(),
            works: Dict::default(),
            sweeps: Dict::default(),
            nodes: Dict::default(),
            keys,
            restarts: Vec::new(),
            ran: (0, 0),
            of: Replayed::default(),
        }
    }

    /// Adds an attempt. One that never began changes nothing.
    pub fn add(&mut self, row: &Costed) {
        let of = &row.attempt;
        self.restarts.extend(restart_ms(of.started_at, of.first_step_at));
        let Some(start) = of.started_at.map(Timestamp::as_millisecond) else { return };
        let end = of.ended_at.map(|end| end.as_millisecond().max(start));
        // An end of which nobody tells may be in these days.
        let is_in = end.is_none_or(|end| self.since <= end);
        let is_over = of.state.is_over() && is_in;
        let counts = is_over && end.is_some() && row.held.gpu_time.is_some();
        self.of.unknown_gpus += u64::from(is_over && !counts);
        self.of.unknown_outcome += u64::from(of.state == JobState::Unknown && is_in);
        if counts {
            self.count(row);
        }
        let from = self.on.len() as u32;
        for node in of.nodes.iter() {
            let node = self.node(of, node);
            self.on.push(node);
        }
        let tried = Tried {
            work: self.works.id(work(of)),
            sweep: sweep_key(of).and_then(|key| NonZeroU32::new(self.sweeps.id(key) + 1)),
            key: self.keys.id(key(of, self.terms.by)),
            on: (from, self.on.len() as u32),
            blamed: self.blamed(row),
            outcome: Outcome::of(of),
            state: of.state,
            held_ms: of.held_ms().unwrap_or(-1),
            held: Short::of(row.held),
            lost: Short::of(row.lost),
            is_upper_bound: row.lost_is_upper_bound,
            counts,
        };
        self.happen(start, end, tried.outcome);
        self.all.push(tried);
    }

    /// Adds the beginning and the end of the next attempt.
    fn happen(&mut self, start: i64, end: Option<i64>, outcome: Outcome) {
        let place = self.all.len() as u32;
        self.events.push(Event { at: start, turn: Turn::Began, place });
        let Some(end) = end else { return };
        let turn = match (end > start, outcome == Outcome::Failed) {
            (true, true) => Turn::Failed,
            (true, false) => Turn::Ended,
            (false, true) => Turn::FailedAtOnce,
            (false, false) => Turn::EndedAtOnce,
        };
        self.events.push(Event { at: end, turn, place });
    }

    fn node(&mut self, of: &Attempt, name: &Arc<str>) -> u32 {
        self.nodes.id((of.id.source, of.id.cluster.clone(), name.clone()))
    }

    fn blamed(&mut self, row: &Costed) -> Blamed {
        let may_be = matches!(row.class, Some(CauseClass::Hardware | CauseClass::Unknown));
        if !may_be || !has_failed(&row.attempt) {
            return Blamed::None;
        }
        let is_told = row.cause_from.is_some_and(CauseFrom::is_of_node);
        match row.evidence.as_ref().filter(|_| is_told) {
            Some(evidence) => Blamed::One(self.node(&row.attempt, &evidence.node)),
            None => Blamed::All,
        }
    }

    /// Adds one that counts to what rules are replayed over.
    fn count(&mut self, row: &Costed) {
        let sums = &mut self.of;
        sums.attempts += 1;
        sums.lost += row.lost.gpu_time.unwrap_or_default();
        sums.lost_usd += row.lost.usd.unwrap_or_default();
        sums.priced += u64::from(row.held.usd.is_some_and(|usd| !usd.is_zero()));
        sums.unpriced += u64::from(row.held.usd.is_none());
        sums.upper_bounds += u64::from(row.lost_is_upper_bound);
        if row.held.gpu_time.is_some_and(|time| !time.is_zero()) {
            let held_ms = row.attempt.held_ms().unwrap_or_default();
            self.ran.0 = self.ran.0.saturating_add(held_ms.unsigned_abs());
            self.ran.1 += u64::from(row.attempt.state.is_lost());
        }
    }

    /// All of them, in the order of time.
    pub fn finish(mut self) -> History {
        self.events.sort_unstable();
        self.of.restart_ms = usual(self.restarts);
        let hours = |ms: u64| ms as f64 / HOUR_MS as f64;
        let (ran_ms, losses) = self.ran;
        self.of.hours_to_failure = (losses > 0).then(|| hours(ran_ms) / losses as f64);
        let write = hours(self.terms.checkpoint_ms.unsigned_abs());
        let best = self.of.hours_to_failure.and_then(|mean| best_interval(write, 1.0 / mean));
        self.of.best_minutes = best.map(|hours| hours * 60.0).filter(|minutes| *minutes > 0.0);
        History {
            nodes: self.nodes.items().len(),
            works: self.works.items().len(),
            sweeps: self.sweeps.items().len(),
            by: self.terms.by,
            keys: self.keys.items().to_vec(),
            all: self.all,
            on: self.on,
            events: self.events,
            counted: (self.since, self.now),
            of: self.of,
        }
    }
}

fn work(of: &Attempt) -> Work {
    let (source, cluster) = (of.id.source, of.id.cluster.clone());
    match &of.name {
        Some(name) => Work::Script(source, cluster, of.user.clone(), name.clone()),
        None => Work::Job(source, cluster, of.job.clone()),
    }
}

/// Value of what rows are made by; `None` for all together, and where nobody tells.
fn key(of: &Attempt, by: ReplayKey) -> Option<Arc<str>> {
    match by {
        ReplayKey::All => None,
        ReplayKey::User => of.user.clone(),
        ReplayKey::Team => of.team.clone(),
        ReplayKey::Script => script(of).map(|script| words_of(script).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_with_its_beginning_and_its_end_takes_little_room() {
        // Millions of them are kept at once.
        assert!(size_of::<Tried>() <= 88, "{}", size_of::<Tried>());
        assert_eq!(size_of::<Event>(), 16);
    }
}
