//! Rules replayed over the attempts that are kept: what each would have saved of what was lost, and what it would have cost.
//!
//! | file | holds |
//! |---|---|
//! | `history` | attempts in little room, and what began and ended when |
//! | `short` | amounts in little room |
//! | `sums` | what a rule would have saved and cost, by key |
//! | `retries` | a script that failed so often in a row starts no more until a run of it completes |
//! | `drains` | nothing starts for a while on a node on which so many attempts failed |
//! | `checkpoints` | a checkpoint each so many minutes |
//! | `stops` | half of the members of a sweep stopped early |
//!
//! Each rule is replayed by itself: what several would have saved together is less than the sum.

mod checkpoints;
mod drains;
mod history;
mod retries;
mod short;
mod stops;
mod sums;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::costed::{CostInput, Costed, each_row};
use crate::domain::bill::{Usd, words};
use crate::domain::jobs::{GpuTime, Packed};
use history::{History, Reader};
use sums::ByKey;
pub use sums::ReplaySums;

/// Failures in a row after which a script is held.
const RETRIES: [u32; 4] = [1, 2, 3, 5];

/// Failures on a node after which it is drained.
const DRAINS: [u32; 3] = [1, 2, 3];

/// Minutes between checkpoints.
const MINUTES: [u32; 6] = [10, 20, 30, 60, 120, 240];

/// Part of their time at which half of the members of a sweep are stopped, percent.
const STOPS: [u32; 2] = [25, 50];

/// Minutes that writing a checkpoint takes where nobody says, as for Spot.
pub const CHECKPOINT_MINUTES: u32 = 5;

/// Hours within which failures on a node count together, and for which it is drained, where nobody says.
pub const DRAIN_HOURS: u32 = 24;

/// An hour, milliseconds.
const HOUR_MS: i64 = 3_600_000;

/// A minute, milliseconds.
const MINUTE_MS: i64 = 60_000;

words! {
    /// A rule that is replayed.
    ReplayRule {
        /// A script that failed so often in a row starts no more until a run of it completes.
        RetryLimit = "retry_limit",
        /// Nothing starts for a while on a node on which so many attempts failed.
        DrainAfter = "drain_after",
        /// A checkpoint each so many minutes.
        CheckpointEvery = "checkpoint_every",
        /// Half of the members of a sweep stopped at this part of their time.
        EarlyStopping = "early_stopping",
    }
}

words! {
    /// What rows of replays are made by.
    ReplayKey {
        /// All attempts together.
        All = "all",
        /// User.
        User = "user",
        /// Team.
        Team = "team",
        /// Cluster, user and name.
        Script = "script",
    }
}

impl ReplayRule {
    /// The settings that are replayed, in [`Self::unit`].
    pub const fn settings(self) -> &'static [u32] {
        match self {
            Self::RetryLimit => &RETRIES,
            Self::DrainAfter => &DRAINS,
            Self::CheckpointEvery => &MINUTES,
            Self::EarlyStopping => &STOPS,
        }
    }

    /// Unit of its settings.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::RetryLimit | Self::DrainAfter => "failures",
            Self::CheckpointEvery => "minutes",
            Self::EarlyStopping => "percent",
        }
    }

    /// True where it is known what the rule would have cost: which member of a sweep would have become the best nobody knows.
    pub const fn has_known_cost(self) -> bool {
        !matches!(self, Self::EarlyStopping)
    }
}

/// By what rules are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayTerms {
    /// What rows are made by.
    pub by: ReplayKey,
    /// Days before now: attempts that ended in them count, with all before them as their past. `None` = all that are kept.
    pub days: Option<u32>,
    /// For how long a run stands still to write a checkpoint, milliseconds.
    pub checkpoint_ms: i64,
    /// Within how long failures on a node count together, hours.
    pub within_hours: u32,
    /// For how long a node is drained, hours.
    pub drained_hours: u32,
}

impl Default for ReplayTerms {
    fn default() -> Self {
        Self {
            by: ReplayKey::All,
            days: None,
            checkpoint_ms: i64::from(CHECKPOINT_MINUTES) * MINUTE_MS,
            within_hours: DRAIN_HOURS,
            drained_hours: DRAIN_HOURS,
        }
    }
}

/// A rule with a setting, and what it would have done.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Rule, setting and key; unique.
    pub id: Arc<str>,
    /// The rule.
    pub rule: ReplayRule,
    /// The setting, in [`ReplayRule::unit`].
    pub setting: u32,
    /// Value of what rows are made by; `None` for all attempts together, and for those without one.
    pub key: Option<Arc<str>>,
    /// What it would have saved and cost.
    pub sums: ReplaySums,
    /// For how long nodes would have been drained, milliseconds of a node; `None` for other rules, and by user, team and script.
    pub drained_ms: Option<u64>,
}

impl Replay {
    /// Runs that completed and would have been forbidden; `None` for a rule that forbids none.
    pub fn forbidden_successes(&self) -> Option<u32> {
        (self.rule == ReplayRule::RetryLimit).then_some(self.sums.completed)
    }

    /// GPU time that it would have cost; `None` where nobody knows.
    pub fn cost(&self) -> Option<GpuTime> {
        self.rule.has_known_cost().then_some(self.sums.cost)
    }

    /// Dollars that it would have cost; `None` where nobody knows, and where nothing has a price.
    pub fn cost_usd(&self) -> Option<Usd> {
        self.sums.known(self.sums.cost_usd).filter(|_| self.rule.has_known_cost())
    }

    /// GPU-hours saved less those that it costs, below 0 where it costs more; `None` where its cost is unknown.
    pub fn net_gpu_hours(&self) -> Option<f64> {
        self.cost().map(|cost| self.sums.saved.hours() - cost.hours())
    }

    /// Dollars saved less those that it costs, below 0 where it costs more; `None` where its cost is unknown, and where nothing
    /// has a price.
    pub fn net_usd(&self) -> Option<Usd> {
        self.cost_usd().map(|cost| self.sums.saved_usd - cost)
    }
}

/// What rules were replayed over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Attempts that count: over, and known for how long they held how many GPUs.
    pub attempts: u64,
    /// What of them came to nothing.
    pub lost: GpuTime,
    /// The same in dollars, of those with a price.
    pub lost_usd: Usd,
    /// Attempts that cost something known.
    pub priced: u64,
    /// Attempts without a known price.
    pub unpriced: u64,
    /// Attempts of which what was lost is an upper bound.
    pub upper_bounds: u64,
    /// Attempts that are over and of which nobody knows their end or their GPUs: they are in no sum.
    pub unknown_gpus: u64,
    /// Attempts of which nobody knows how they ended: they are in no sum, and end a row of failures.
    pub unknown_outcome: u64,
    /// Time from a start to the first step of work, milliseconds: the median of the attempts that tell, 0 where none does.
    pub restart_ms: i64,
    /// Mean time between failures of a run with GPUs, hours, preemptions included; `None` where none failed.
    pub hours_to_failure: Option<f64>,
    /// Interval between checkpoints that loses least by that time, minutes (Young 1974); `None` where none failed.
    pub best_minutes: Option<f64>,
}

impl Replayed {
    /// Lost dollars; `None` where no attempt that cost something has a price.
    pub fn lost_usd_known(&self) -> Option<Usd> {
        (self.priced > 0 || self.unpriced == 0).then_some(self.lost_usd)
    }
}

/// Rules that were replayed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replays {
    /// A row per rule, setting and key, in the order of rules and settings, of keys what saves most first.
    pub rows: Vec<Replay>,
    /// What they were replayed over.
    pub of: Replayed,
}

/// Replays all rules over attempts with what they cost, as of `now`.
pub fn replays(rows: &[Costed], terms: &ReplayTerms, now: Timestamp) -> Replays {
    let mut reader = Reader::new(*terms, now);
    rows.iter().for_each(|row| reader.add(row));
    all(&reader.finish(), terms)
}

/// The same without a row of each attempt: for the many attempts of years.
pub fn replayed(
    attempts: impl Into<Packed>,
    input: &CostInput<'_>,
    terms: &ReplayTerms,
    now: Timestamp,
) -> Replays {
    let mut reader = Reader::new(*terms, now);
    each_row(attempts, input, &mut |row| reader.add(row));
    all(&reader.finish(), terms)
}

fn all(history: &History, terms: &ReplayTerms) -> Replays {
    let in_a_row = retries::in_a_row(history);
    let unstopped = stops::unstopped(history);
    let mut rows = Vec::new();
    for rule in ReplayRule::ALL {
        for setting in rule.settings().iter().copied() {
            let mut sums = ByKey::of(history);
            let mut drained_ms = None;
            match rule {
                ReplayRule::RetryLimit => retries::replay(history, &in_a_row, setting, &mut sums),
                ReplayRule::DrainAfter => {
                    drained_ms = Some(drains::replay(history, setting, terms, &mut sums));
                }
                ReplayRule::CheckpointEvery => {
                    checkpoints::replay(history, setting, terms.checkpoint_ms, &mut sums);
                }
                ReplayRule::EarlyStopping => {
                    stops::replay(history, &unstopped, setting, &mut sums);
                }
            }
            // A node is drained for all.
            let drained_ms = drained_ms.filter(|_| terms.by == ReplayKey::All);
            rows.extend(of_keys(rule, setting, &sums, history, drained_ms));
        }
    }
    Replays { rows, of: history.of }
}

/// Rows of a rule with a setting, what saves most first. A key of which it touches nothing has none.
fn of_keys(
    rule: ReplayRule,
    setting: u32,
    sums: &ByKey,
    history: &History,
    drained_ms: Option<u64>,
) -> Vec<Replay> {
    let is_shown = |sums: &ReplaySums| sums.attempts > 0 || history.by == ReplayKey::All;
    let row = |(key, sums): (&Option<Arc<str>>, &ReplaySums)| Replay {
        // A blank before a key that is there: none is not the empty text.
        id: match key {
            Some(key) => format!("{} {setting} {key}", rule.word()).into(),
            None => format!("{} {setting}", rule.word()).into(),
        },
        rule,
        setting,
        key: key.clone(),
        sums: *sums,
        drained_ms,
    };
    let keyed = history.keys.iter().zip(sums.sums()).filter(|(_, sums)| is_shown(sums));
    let mut rows: Vec<Replay> = keyed.map(row).collect();
    rows.sort_by(|a, b| {
        let by = |row: &Replay| (row.sums.saved_usd, row.sums.saved, row.sums.attempts);
        by(b).cmp(&by(a)).then_with(|| a.key.cmp(&b.key))
    });
    rows
}
