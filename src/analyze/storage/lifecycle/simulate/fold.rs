//! The pass over a list: objects become counts.

use std::collections::HashMap;

use super::compiled::Rules;
use super::result::{self, Simulated};
use super::{Assumptions, DAY_MS, midnight_after};
use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{Lifecycle, ObjectBatch, ObjectFlags, S3Prices, Tier};

/// Kind of an object, as far as rules distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// A current version.
    Current,
    /// A current version without a version id: what suspended versioning overwrites.
    CurrentNull,
    /// A current version under Object Lock.
    CurrentLocked,
    /// A noncurrent version.
    Noncurrent,
    /// A noncurrent version under Object Lock.
    NoncurrentLocked,
    /// Its date or size cannot be: nothing is done to it.
    Unknown,
}

/// Objects to which the same happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Group {
    /// Longest prefix of a rule; `u32::MAX` for none.
    pub(super) prefix: u32,
    pub(super) size: u16,
    pub(super) tier: Tier,
    pub(super) kind: Kind,
    /// Day of creation, rounded up to midnight, days since 1970; older ones than matter are one.
    pub(super) day: i32,
}

/// Number and bytes of alike objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    /// Bytes by which they are smaller than 128 KiB, in all.
    pub(super) padding: u64,
}

/// Days that the longest minimum duration of a class looks back.
const LONGEST_MINIMUM: i64 = 180;

/// Simulation while objects are counted. Memory grows with the prefixes of the rules, the tiers and the days
/// that matter to them, not with the objects.
#[derive(Clone, Debug)]
pub struct SimulationFold {
    lifecycle: Lifecycle,
    rules: Rules,
    assumptions: Assumptions,
    listed_ms: i64,
    start: i64,
    oldest: i64,
    has_versions: bool,
    groups: HashMap<Group, Count, foldhash::fast::FixedState>,
    delete_markers: u64,
}

impl SimulationFold {
    /// A simulation of `lifecycle` on a list, which begins at the first midnight UTC after the list was made.
    pub fn new(lifecycle: &Lifecycle, info: &ListInfo, assumptions: Assumptions) -> Self {
        let rules = Rules::new(lifecycle);
        let start = midnight_after(info.listed_ms);
        Self {
            lifecycle: lifecycle.clone(),
            oldest: start - rules.longest.max(LONGEST_MINIMUM) - 1,
            rules,
            assumptions: Assumptions { months: assumptions.months.min(120), ..assumptions },
            listed_ms: info.listed_ms,
            start,
            has_versions: info.columns.versions,
            groups: HashMap::default(),
            delete_markers: 0,
        }
    }

    /// Runs the simulation. Without `prices` all dollars are `None`.
    pub fn finish(self, prices: Option<&S3Prices>) -> Simulated {
        // In one order, so that sums of dollars do not depend on that of the rows.
        let mut groups: Vec<(Group, Count)> = self.groups.into_iter().collect();
        groups.sort_unstable_by_key(|(group, _)| *group);
        let list = result::List {
            lifecycle: &self.lifecycle,
            rules: &self.rules,
            groups: &groups,
            start: self.start,
            delete_markers: self.delete_markers,
            has_versions: self.has_versions,
        };
        result::play_all(&list, self.assumptions, prices)
    }

    fn kind(&self, batch: &ObjectBatch, i: usize, flags: ObjectFlags) -> Kind {
        let modified = batch.modified_ms.get(i).copied().unwrap_or(i64::MIN);
        let is_bad = flags.any(ObjectFlags::BAD_SIZE | ObjectFlags::BAD_DATE)
            || modified == i64::MIN
            || modified > self.listed_ms;
        let is_locked = flags.any(ObjectFlags::LOCKED);
        if is_bad {
            Kind::Unknown
        } else if flags.any(ObjectFlags::NONCURRENT) {
            if is_locked { Kind::NoncurrentLocked } else { Kind::Noncurrent }
        } else if is_locked {
            Kind::CurrentLocked
        } else if i < batch.versions.len() && !matches!(batch.versions.get(i), b"" | b"null") {
            Kind::Current
        } else {
            Kind::CurrentNull
        }
    }
}

impl Fold for SimulationFold {
    fn take(&mut self, batch: &ObjectBatch) {
        for i in 0..batch.len() {
            let flags = batch.flags.get(i).copied().unwrap_or_default();
            if flags.any(ObjectFlags::DELETE_MARKER) {
                self.delete_markers += 1;
                continue;
            }
            let size = batch.sizes[i];
            let kind = self.kind(batch, i, flags);
            let prefix = self.rules.prefix_of(batch.keys.get(i));
            // What no rule touches, and what is not known, has no day that matters.
            let day = if prefix.is_none() || kind == Kind::Unknown {
                0
            } else {
                let modified = batch.modified_ms.get(i).copied().unwrap_or(self.listed_ms);
                let day = midnight_after(modified.min(self.start * DAY_MS));
                day.max(self.oldest) as i32
            };
            let tier = batch.tiers.get(i).copied().unwrap_or(Tier::Unknown);
            let group = Group {
                prefix: prefix.unwrap_or(u32::MAX),
                size: self.rules.size_class(size),
                tier,
                kind,
                day,
            };
            let count = self.groups.entry(group).or_default();
            count.objects += 1;
            count.bytes += size;
            count.padding += SMALL_OBJECT.saturating_sub(size);
        }
    }

    fn merge(&mut self, other: Self) {
        self.delete_markers += other.delete_markers;
        for (group, count) in other.groups {
            let mine = self.groups.entry(group).or_default();
            mine.objects += count.objects;
            mine.bytes += count.bytes;
            mine.padding += count.padding;
        }
    }
}
