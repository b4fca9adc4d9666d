//! Runs and steps from one pass over a list, in bounded memory.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::content;
use super::judge;
use super::metric;
use super::pattern::{self, Match, Pattern};
use super::table::{GroupSeen, SideFiles, StepSeen, row_bits, side_file};
use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::hash::FastMap;
use crate::domain::storage::{ObjectBatch, Run, Tier};

/// Most candidates (steps, directories and side files) held in memory: some 150 MB. Beyond it half of all
/// directories are dropped, chosen by a digest of their names, and again until the rest fits. Directories that
/// stay are complete, whatever the order of the list.
pub const MAX_CANDIDATES: usize = 500_000;

/// Fold over a list of objects that recognises training runs.
#[derive(Debug)]
pub struct RunFold {
    listed_ms: i64,
    has_dates: bool,
    /// By [`Pattern`], then by directory.
    groups: [FastMap<Box<[u8]>, GroupSeen>; Pattern::ALL.len()],
    sides: FastMap<Box<[u8]>, SideFiles>,
    /// Only directories whose digest begins with so many zero bits are looked at.
    level: u32,
    candidates: usize,
    max_candidates: usize,
    hasher: FixedState,
}

/// Training runs found in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRuns {
    /// The runs, most bytes first.
    pub runs: Vec<Run>,
    /// What was not examined and why, one sentence each; empty when everything was.
    pub notes: Vec<String>,
}

impl RunFold {
    /// A fold for a list, with [`MAX_CANDIDATES`].
    pub fn new(info: &ListInfo) -> Self {
        Self::with_bound(info, MAX_CANDIDATES)
    }

    /// A fold with another limit of candidates; folds that are merged need the same limit.
    pub fn with_bound(info: &ListInfo, max_candidates: usize) -> Self {
        Self {
            listed_ms: info.listed_ms,
            has_dates: info.columns.dates,
            groups: Default::default(),
            sides: FastMap::default(),
            level: 0,
            candidates: 0,
            max_candidates,
            hasher: FixedState::default(),
        }
    }

    /// The runs found in all rows.
    pub fn finish(self) -> FoundRuns {
        let mut notes = Vec::new();
        if self.level > 0 {
            notes.push(format!(
                "more than {} directories and steps look like checkpoints: only 1 of {} \
                 directories, chosen by chance, was looked at; the others stay untouched. Narrow \
                 the list with --prefix",
                self.max_candidates,
                1u64 << self.level.min(63),
            ));
        }
        let over = self.groups.iter().flat_map(FastMap::values).filter(|g| g.is_over).count();
        if over > 0 {
            notes.push(format!(
                "{over} directories have more than {} numbered entries: no runs, untouched",
                super::table::MAX_STEPS
            ));
        }
        let mut runs: Vec<Run> = Vec::new();
        for (pattern, groups) in Pattern::ALL.into_iter().zip(&self.groups) {
            for (parent, group) in groups {
                let sides = self.sides.get(parent);
                let seen = judge::Seen { pattern, parent, group, sides };
                runs.extend(judge::run(&seen, self.listed_ms, self.has_dates));
            }
        }
        runs.sort_by(|a, b| {
            b.bytes
                .cmp(&a.bytes)
                .then_with(|| a.prefix.cmp(&b.prefix))
                .then(a.family.cmp(&b.family))
        });
        FoundRuns { runs, notes }
    }

    fn is_in(&self, parent: &[u8]) -> bool {
        self.level == 0 || self.hasher.hash_one(parent).leading_zeros() >= self.level
    }

    fn take_step(&mut self, key: &[u8], found: &Match, row: Row) {
        let parent = &key[..found.parent_end];
        if !self.is_in(parent) {
            return;
        }
        let groups = &mut self.groups[found.pattern as usize];
        let group = match groups.get_mut(parent) {
            Some(group) => group,
            None => {
                self.candidates += 1;
                groups.entry(parent.into()).or_default()
            }
        };
        if group.is_over {
            return;
        }
        let token = &key[found.parent_end..found.token_end];
        let before = group.steps.len();
        let step = group.steps.entry(found.step).or_insert_with(|| StepSeen::new(token));
        step.share_token(token);
        step.bytes = step.bytes.saturating_add(row.size);
        step.objects += 1;
        step.newest_ms = step.newest_ms.max(row.modified_ms);
        step.add_tier(row.tier, row.size);
        let rest = &key[found.rest..];
        let mut bits = content::bits(rest) | row.bits;
        if found.is_temporary {
            bits |= content::TEMPORARY;
        }
        if let Some(shard) = content::shard(rest, &self.hasher) {
            step.add_shards(shard, 1);
        }
        if found.pattern == Pattern::StepEquals {
            let end = memchr::memchr(b'/', &key[found.parent_end..])
                .map_or(key.len(), |slash| found.parent_end + slash);
            let name = &key[found.parent_end..end];
            if memchr::memmem::find(name, b"--").is_some()
                || memchr::memmem::find(name, b"consumed_samples=").is_some()
            {
                bits |= content::NEMO;
            }
            bits |= content::LOOKS | content::MARK;
            if let Some((name, value)) = metric::find(name) {
                step.add_metric((value, value));
                group.metrics.add(name);
            }
        }
        step.looks += u64::from(bits & content::LOOKS != 0);
        step.bits |= bits;
        let inner = pattern::nested(key, found.rest);
        group.is_nested |= inner.is_some_and(|n| n != found.step);
        if group.steps.len() > before && !group.check_size() {
            self.candidates += 1;
        }
    }

    fn take_side(&mut self, key: &[u8], modified_ms: i64) {
        let start = memchr::memrchr(b'/', key).map_or(0, |slash| slash + 1);
        let (parent, name) = key.split_at(start);
        let Some(step) = side_file(name) else { return };
        if !self.is_in(parent) {
            return;
        }
        if let Some(sides) = self.sides.get_mut(parent) {
            sides.add(name, modified_ms, step);
        } else {
            self.candidates += 1;
            self.sides.entry(parent.into()).or_default().add(name, modified_ms, step);
        }
    }

    /// Lets directories go until the rest fits.
    fn fit(&mut self) {
        while self.candidates > self.max_candidates && self.level < 63 {
            self.level += 1;
            self.drop_out();
        }
    }

    /// Lets go what is not looked at any more, and counts what is left.
    fn drop_out(&mut self) {
        let (level, hasher) = (self.level, &self.hasher);
        let stays = |parent: &[u8]| hasher.hash_one(parent).leading_zeros() >= level;
        let mut count = 0;
        for groups in &mut self.groups {
            groups.retain(|parent, _| stays(parent));
            count += groups.values().map(GroupSeen::candidates).sum::<usize>();
        }
        self.sides.retain(|parent, _| stays(parent));
        self.candidates = count + self.sides.len();
    }
}

/// Columns of a row besides its key.
#[derive(Clone, Copy)]
struct Row {
    size: u64,
    modified_ms: i64,
    tier: Tier,
    bits: u32,
}

impl Fold for RunFold {
    fn take(&mut self, batch: &ObjectBatch) {
        for (i, flags) in batch.flags.iter().enumerate() {
            // Versions that are not current, and markers of deletion, are no steps.
            if !flags.is_current() {
                continue;
            }
            let key = batch.keys.get(i);
            let modified_ms = batch.modified_ms.get(i).copied().unwrap_or(i64::MIN);
            match pattern::find(key) {
                Some(found) => {
                    let row = Row {
                        size: batch.sizes.get(i).copied().unwrap_or(0),
                        modified_ms,
                        tier: batch.tiers.get(i).copied().unwrap_or(Tier::Unknown),
                        bits: row_bits(*flags, modified_ms),
                    };
                    self.take_step(key, &found, row);
                }
                None => self.take_side(key, modified_ms),
            }
            if self.candidates > self.max_candidates {
                self.fit();
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.level = self.level.max(other.level);
        for (mine, theirs) in self.groups.iter_mut().zip(other.groups) {
            for (parent, group) in theirs {
                mine.entry(parent).or_default().add(group);
            }
        }
        for (parent, sides) in other.sides {
            let mine = self.sides.entry(parent).or_default();
            for (name, (modified_ms, step)) in sides.0 {
                mine.add(&name, modified_ms, step);
            }
        }
        self.drop_out();
        self.fit();
    }
}
