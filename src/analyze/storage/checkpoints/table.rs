//! What is held of each candidate while a list is read.

use std::collections::BTreeMap;

use super::content::{self, Shard};
use super::metric::Better;
use crate::domain::hash::FastMap;
use crate::domain::storage::Tier;

/// Most steps of a run; more are shards of a data set named by numbers, since no training writes so many.
pub const MAX_STEPS: usize = 50_000;

/// Most sets of shards of a step that are counted apart; shards of further sets are not counted.
const MAX_SHARD_SETS: usize = 6;

/// Side files kept of a directory.
const MAX_SIDE_FILES: usize = 32;

/// Objects of one step, counted while a list is read.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSeen {
    /// Common beginning of the step's names below the directory of the run.
    pub token: Box<[u8]>,
    /// Bytes of all objects.
    pub bytes: u64,
    /// Number of objects.
    pub objects: u64,
    /// Number of objects that look like checkpoint files.
    pub looks: u64,
    /// Time of the newest object, ms since 1970; `i64::MIN` without one.
    pub newest_ms: i64,
    /// Bits of [`super::content`] of all objects together.
    pub bits: u32,
    /// Number of files of each set of shards; `None` when there are too many sets.
    pub shards: Option<Vec<(Shard, u32)>>,
    /// Bytes by storage tier.
    pub tiers: Vec<(Tier, u64)>,
    /// Lowest and highest value of the metric in the names; `None` without one.
    pub metric: Option<(f64, f64)>,
}

impl StepSeen {
    /// An empty step whose names begin with `token`.
    pub fn new(token: &[u8]) -> Self {
        Self {
            token: token.into(),
            bytes: 0,
            objects: 0,
            looks: 0,
            newest_ms: i64::MIN,
            bits: 0,
            shards: Some(Vec::new()),
            tiers: Vec::new(),
            metric: None,
        }
    }

    /// Shortens the common beginning to what `token` shares with it.
    pub fn share_token(&mut self, token: &[u8]) {
        if *self.token != *token {
            let same = self.token.iter().zip(token).take_while(|(a, b)| a == b).count();
            self.token = self.token[..same].into();
        }
    }

    /// Adds bytes of one tier.
    pub fn add_tier(&mut self, tier: Tier, bytes: u64) {
        match self.tiers.iter_mut().find(|(t, _)| *t == tier) {
            Some((_, sum)) => *sum = sum.saturating_add(bytes),
            None => self.tiers.push((tier, bytes)),
        }
    }

    /// Adds `count` files of a set of shards.
    pub fn add_shards(&mut self, shard: Shard, count: u32) {
        let Some(sets) = &mut self.shards else { return };
        if let Some((_, n)) = sets.iter_mut().find(|(s, _)| *s == shard) {
            *n = n.saturating_add(count);
        } else if sets.len() < MAX_SHARD_SETS {
            sets.push((shard, count));
        } else {
            self.shards = None;
        }
    }

    /// Extends the range of the metric.
    pub fn add_metric(&mut self, (low, high): (f64, f64)) {
        self.metric = Some(match self.metric {
            None => (low, high),
            Some((l, h)) => (l.min(low), h.max(high)),
        });
    }

    fn add(&mut self, other: Self) {
        self.share_token(&other.token);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.objects += other.objects;
        self.looks += other.looks;
        self.newest_ms = self.newest_ms.max(other.newest_ms);
        self.bits |= other.bits;
        for (tier, bytes) in other.tiers {
            self.add_tier(tier, bytes);
        }
        match other.shards {
            Some(sets) => sets.into_iter().for_each(|(s, n)| self.add_shards(s, n)),
            None => self.shards = None,
        }
        if let Some(metric) = other.metric {
            self.add_metric(metric);
        }
    }
}

/// Steps of one pattern in one directory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupSeen {
    /// Steps by number.
    pub steps: FastMap<u64, StepSeen>,
    /// More than [`MAX_STEPS`] steps; they are no longer held.
    pub is_over: bool,
    /// Steps contain steps of other numbers, so these are directories of runs, not steps.
    pub is_nested: bool,
    /// Metrics in the names of the steps.
    pub metrics: MetricNames,
}

/// Metrics in the names of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricNames {
    /// The alphabetically first name with its direction; `None` without a metric.
    pub first: Option<(Box<[u8]>, Better)>,
    /// More than one metric, so values cannot be compared.
    pub is_mixed: bool,
}

impl MetricNames {
    /// Adds a metric by its name.
    pub fn add(&mut self, name: &[u8]) {
        match &self.first {
            Some((known, _)) if **known == *name => {}
            Some((known, _)) => {
                self.is_mixed = true;
                if name < &**known {
                    self.first = Some((name.into(), better(name)));
                }
            }
            None => self.first = Some((name.into(), better(name))),
        }
    }
}

fn better(name: &[u8]) -> Better {
    std::str::from_utf8(name).map_or(Better::Unknown, super::metric::better)
}

impl GroupSeen {
    /// Drops the steps of a group that has too many; true when it did.
    pub fn check_size(&mut self) -> bool {
        let is_over = self.steps.len() > MAX_STEPS;
        if is_over {
            self.is_over = true;
            self.steps = FastMap::default();
        }
        is_over
    }

    /// Number of candidates by which the group counts towards the memory limit. A dropped group counts in full, since
    /// the sum must not depend on the order of the list.
    pub fn candidates(&self) -> usize {
        1 + if self.is_over { MAX_STEPS } else { self.steps.len() }
    }

    /// Merges the same group of another fold.
    pub fn add(&mut self, other: Self) {
        self.is_over |= other.is_over;
        self.is_nested |= other.is_nested;
        if let Some((name, _)) = &other.metrics.first {
            self.metrics.add(name);
        }
        self.metrics.is_mixed |= other.metrics.is_mixed;
        if self.is_over {
            self.steps = FastMap::default();
            return;
        }
        for (number, step) in other.steps {
            match self.steps.entry(number) {
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(step);
                }
                std::collections::hash_map::Entry::Occupied(mut there) => there.get_mut().add(step),
            }
        }
        self.check_size();
    }
}

/// Pointer and side files of a directory: name → (time in ms since 1970, step named in it or `None`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideFiles(pub BTreeMap<Box<[u8]>, (i64, Option<u64>)>);

impl SideFiles {
    /// Adds a file; of the same name the newest time stays.
    pub fn add(&mut self, name: &[u8], modified_ms: i64, step: Option<u64>) {
        self.0
            .entry(name.into())
            .and_modify(|known| known.0 = known.0.max(modified_ms))
            .or_insert((modified_ms, step));
        if self.0.len() > MAX_SIDE_FILES {
            self.0.pop_last();
        }
    }
}

/// Step named in the name of a pointer or side file (`Some(None)`: it names none); `None` for other files.
pub fn side_file(name: &[u8]) -> Option<Option<u64>> {
    match name {
        b"latest"
        | b"checkpoint"
        | b"last.ckpt"
        | b"latest.ckpt"
        | b"latest.pt"
        | b"best.ckpt"
        | b"latest_checkpointed_iteration.txt"
        | b"latest_checkpoint.txt"
        | b"last_checkpoint"
        | b"latest_iteration.txt" => Some(None),
        _ if name.ends_with(b"-last.ckpt") => {
            let at = memchr::memmem::rfind(name, b"step=").map(|at| at + 5);
            let digits = at.map(|at| {
                name[at..]
                    .iter()
                    .take_while(|b| b.is_ascii_digit())
                    .take(12)
                    .fold(0, |n, d| n * 10 + u64::from(d - b'0'))
            });
            Some(digits)
        }
        _ => None,
    }
}

/// Bits for what is wrong with a row: a bad size or date, a hold, no date.
pub fn row_bits(flags: crate::domain::storage::ObjectFlags, modified_ms: i64) -> u32 {
    use crate::domain::storage::ObjectFlags as F;
    let mut bits = 0;
    if flags.any(F::BAD_SIZE) {
        bits |= content::MALFORMED;
    }
    if flags.any(F::BAD_DATE) || modified_ms == i64::MIN {
        bits |= content::UNDATED;
    }
    if flags.any(F::LOCKED | F::REPLICA) {
        bits |= content::HELD;
    }
    bits
}
