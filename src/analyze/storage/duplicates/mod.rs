//! Copies, prefix against prefix, in one pass over a list and in bounded memory.
//!
//! **How sure.** A: equal `ETag` of one piece (the MD5 of the content) and equal size. B: equal
//! `ETag` of several parts and equal size: the same content cut the same way. C: equal name and
//! size where the `ETag` cannot tell (other part size, SSE-KMS, SSE-C, no tag), 1 MiB or more: to
//! be verified. D: equal size alone, 100 MiB or more, only when asked for. Noncurrent versions,
//! delete markers, replicas and empty objects are never compared.
//!
//! **One pass.** [`Duplicates`] is a [`Fold`]: rows in any order, on as many threads as there are,
//! merged at the end; no second reading of the list is needed. It needs `ETags`, and the flag of
//! replicas (`Need { etags: true, holds: true, .. }`). 32 bytes are kept of an object, and
//! each directory once.
//!
//! **Bounded.** [`Limits`] says how many objects and directories are held. Beyond, the smallest
//! objects are let go, by size steps of a quarter of a doubling, until the rest fits: what is
//! compared is then "all objects from N bytes on", the same whatever the order of the rows, and
//! [`Found`] says N and what share of the bytes that is.
//!
//! It suggests; nothing here deletes.

mod contain;
mod dirs;
mod matches;
mod money;
mod rollup;
mod rows;
mod tree;

#[cfg(test)]
mod tests;

use super::{Fold, ListInfo};
use crate::domain::format;
use crate::domain::storage::{Confidence, ObjectBatch, ObjectFlags, PrefixPair, Tier};

use dirs::{DirId, Dirs};
use matches::Matches;
#[cfg(test)]
pub use matches::{NAMES_FROM, SIZES_FROM};
pub use money::usd_per_month;
use rollup::Group;
use rows::{Row, Rows, STEPS, UNKNOWN};
use tree::Tree;

/// How much is held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Objects, 32 bytes each.
    pub objects: usize,
    /// Directories, about 100 bytes each with their names.
    pub dirs: usize,
    /// Pairs that are reported, largest first.
    pub pairs: usize,
}

impl Default for Limits {
    /// 12 million objects and 3 million directories: under 1 GiB when all are in one fold. Each of
    /// several folds that are filled at the same time may hold as much until they are merged.
    fn default() -> Self {
        Self { objects: 12_000_000, dirs: 3_000_000, pairs: 1_000 }
    }
}

/// Rows whose directories are looked up together.
const GROUP: usize = 1_024;

/// Fold over a list of objects that finds copies at the end.
#[derive(Clone, Debug)]
pub struct Duplicates {
    limits: Limits,
    /// Whether the list says how objects are encrypted.
    encryption: bool,
    etags: bool,
    rows: Rows,
    dirs: Dirs,
    /// Objects and bytes seen that could be compared, by step of size.
    seen: Vec<(u64, u64)>,
    /// Objects smaller than this are let go.
    floor: u64,
}

impl Duplicates {
    /// A fold for a list. All folds of one list must have the same limits.
    pub fn new(info: &ListInfo, limits: Limits) -> Self {
        Self {
            limits,
            encryption: info.columns.encryption,
            etags: info.columns.etags,
            rows: Rows::default(),
            dirs: Dirs::default(),
            seen: vec![(0, 0); STEPS],
            floor: 1,
        }
    }

    /// Keeps row `i` of a batch, of this name and directory.
    fn keep(&mut self, batch: &ObjectBatch, i: usize, name: &[u8], dir: DirId) {
        let flags = batch.flags.get(i).copied().unwrap_or_default();
        let etag = batch.etags.get(i).copied();
        // Where the list says nothing of encryption every tag may be opaque: they are compared
        // all the same, and the notes say what that is worth.
        let is_opaque = self.encryption && flags.any(ObjectFlags::OPAQUE_ETAG);
        let etag = etag.filter(|e| !e.is_empty() && !is_opaque);
        let tier = batch.tiers.get(i).copied().unwrap_or(Tier::Unknown);
        let modified = batch.modified_ms.get(i).copied().unwrap_or(i64::MIN);
        let when = if flags.any(ObjectFlags::BAD_DATE) {
            UNKNOWN
        } else {
            u32::try_from(modified.div_euclid(1000)).unwrap_or(UNKNOWN)
        };
        self.rows.push(Row::new(batch.sizes[i], etag, tier, dirs::hash_of(name), dir, when));
    }

    /// Lets go of the smallest until the rest fits.
    fn fit(&mut self) {
        if self.rows.len() > self.limits.objects {
            let mut held = 0u64;
            let fits = |(_, n): &(usize, u64)| {
                held += n;
                held <= self.limits.objects as u64
            };
            let steps = self.seen.iter().map(|s| s.0).enumerate().rev();
            let lowest = steps.take_while(fits).last().map_or(STEPS, |(i, _)| i);
            self.raise(rows::step_floor(lowest));
        }
        if self.dirs.len() > self.limits.dirs {
            self.fit_dirs();
        }
    }

    fn raise(&mut self, floor: u64) {
        if floor > self.floor {
            self.floor = floor;
            self.rows.keep_from(floor);
        }
    }

    /// As many steps of size are let go as it takes for the directories of the rest to fit.
    fn fit_dirs(&mut self) {
        let mut top = vec![0u16; self.dirs.len()];
        for row in self.rows.iter() {
            let of = &mut top[row.dir as usize];
            *of = (*of).max(rows::step(row.size()) as u16);
        }
        // A directory comes after the one above it.
        for id in (1..top.len()).rev() {
            let above = self.dirs.parent(id as u32) as usize;
            top[above] = top[above].max(top[id]);
        }
        let mut by_step = vec![0usize; STEPS];
        for t in top.iter().filter(|t| **t > 0) {
            by_step[usize::from(*t)] += 1;
        }
        let mut held = 0;
        let fits = |(_, n): &(usize, usize)| {
            held += n;
            held <= self.limits.dirs
        };
        let lowest = by_step.iter().copied().enumerate().rev().take_while(fits).last();
        let lowest = lowest.map_or(STEPS, |(i, _)| i);
        self.raise(rows::step_floor(lowest));
        let marked: Vec<bool> = top.iter().map(|t| *t > 0 && usize::from(*t) >= lowest).collect();
        let now = self.dirs.keep(&marked);
        for row in self.rows.iter_mut() {
            row.dir = now[row.dir as usize];
        }
    }

    /// Copies with at least the confidence `least`.
    pub fn finish(mut self, least: Confidence) -> Found {
        self.fit();
        let tree = Tree::new(std::mem::take(&mut self.dirs), &mut self.rows);
        // One of each way of comparing: what a surer one has matched, the next does not see.
        let mut ways: [Matches; 3] = Default::default();
        for bucket in &mut self.rows.buckets {
            let mut rows = std::mem::take(bucket);
            matches::by_digest(&mut rows, &tree, least, &mut ways[0]);
            if least >= Confidence::C {
                matches::by_name(&mut rows, &tree, &mut ways[1]);
            }
            if least >= Confidence::D {
                matches::by_size(&mut rows, &tree, &mut ways[2]);
            }
        }
        let mut found = self.empty();
        for mut way in ways {
            found.count(&way);
            let mut groups = rollup::roll_up(&mut way.list, &tree);
            way.list = Vec::new();
            let rest = groups.split_off(groups.len().min(self.limits.pairs));
            found.left_out.0 += rest.len() as u64;
            found.left_out.1 += rest.iter().map(|g| g.bytes).sum::<u64>();
            let shared = contain::shared(&groups, &way.members, &tree);
            found.pairs.extend(groups.iter().zip(shared).map(|(g, s)| pair(g, s, &tree)));
        }
        // Within one way they are in this order already; the order is stable.
        found.pairs.sort_by_key(|p| std::cmp::Reverse(p.bytes));
        found
    }

    fn empty(&self) -> Found {
        let sum = |range: std::ops::Range<usize>| {
            self.seen[range].iter().fold((0, 0), |a, s| (a.0 + s.0, a.1 + s.1))
        };
        let from = rows::step(self.floor);
        Found {
            pairs: Vec::new(),
            levels: [Level::default(); 4],
            compared: sum(from..STEPS),
            too_small: sum(0..from),
            floor: self.floor,
            left_out: (0, 0),
            has_etags: self.etags,
            has_encryption: self.encryption,
        }
    }
}

impl Fold for Duplicates {
    fn take(&mut self, batch: &ObjectBatch) {
        const NEVER: u16 = ObjectFlags::NONCURRENT
            | ObjectFlags::DELETE_MARKER
            | ObjectFlags::REPLICA
            | ObjectFlags::BAD_SIZE;
        let (mut places, mut paths) = (Vec::with_capacity(GROUP), Vec::with_capacity(GROUP));
        let mut dirs = Vec::with_capacity(GROUP);
        for first in (0..batch.len()).step_by(GROUP) {
            places.clear();
            paths.clear();
            for i in first..batch.len().min(first + GROUP) {
                let flags = batch.flags.get(i).copied().unwrap_or_default();
                let size = batch.sizes[i];
                if size == 0 || size >= 1 << rows::SIZE_BITS || flags.any(NEVER) {
                    continue;
                }
                let seen = &mut self.seen[rows::step(size)];
                seen.0 += 1;
                seen.1 += size;
                if size >= self.floor {
                    let (dir, name) = dirs::split(batch.keys.get(i));
                    places.push((i, name));
                    paths.push(dir);
                }
            }
            self.dirs.intern_all(&paths, &mut dirs);
            for ((i, name), dir) in places.iter().zip(&dirs) {
                self.keep(batch, *i, name, *dir);
            }
            // What is held a group beyond the limits is let go here: how much that is follows from
            // what was seen, and not from when it is looked at.
            if self.rows.len() > self.limits.objects || self.dirs.len() > self.limits.dirs {
                self.fit();
            }
        }
    }

    fn merge(&mut self, mut other: Self) {
        for (a, b) in self.seen.iter_mut().zip(&other.seen) {
            a.0 += b.0;
            a.1 += b.1;
        }
        self.raise(other.floor);
        other.raise(self.floor);
        let now = self.dirs.absorb(&other.dirs);
        drop(other.dirs);
        self.rows.absorb(other.rows, |dir| now[dir as usize]);
        self.fit();
    }
}

/// A pair with its shares.
fn pair(group: &Group, shared: (u64, u64), tree: &Tree) -> PrefixPair {
    let (of_a, of_b) = tree.sides(group.a, group.b);
    let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
    let text = |r| String::from_utf8_lossy(&tree.path(r)).into_owned();
    let tiers = Tier::ALL.into_iter().map(|t| (t, group.tiers[t.index()]));
    PrefixPair {
        confidence: group.confidence,
        prefix_a: text(group.a),
        prefix_b: text(group.b),
        containment_a_in_b: share(shared.0, of_a),
        containment_b_in_a: share(shared.1, of_b),
        objects: group.objects,
        bytes: group.bytes,
        tiers: tiers.filter(|(_, b)| *b > 0).collect(),
        newest_ms: (tree.newest_ms(group.a), tree.newest_ms(group.b)),
    }
}

/// Sums of one level of confidence, object by object, before prefixes are rolled up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Number of classes of equal objects.
    pub groups: u64,
    /// Number of objects in them beyond the first of each.
    pub extra_objects: u64,
    /// Bytes of the extra objects.
    pub extra_bytes: u64,
}

/// Copies found in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Pairs of prefixes, most bytes first. An extra object is in one pair only, so bytes and dollars of all
    /// pairs add up. A pair of a prefix with itself stands for copies scattered within it.
    pub pairs: Vec<PrefixPair>,
    /// Sums by [`Confidence`].
    pub levels: [Level; 4],
    /// Objects and bytes that were compared.
    pub compared: (u64, u64),
    /// Objects and bytes that were not compared for lack of memory: all smaller than `floor`.
    pub too_small: (u64, u64),
    /// Smallest compared size, bytes.
    pub floor: u64,
    /// Number and bytes of pairs beyond [`Limits::pairs`].
    pub left_out: (u64, u64),
    has_etags: bool,
    has_encryption: bool,
}

impl Found {
    fn count(&mut self, way: &Matches) {
        for (level, classes) in self.levels.iter_mut().zip(way.classes) {
            level.groups += classes;
        }
        for m in &way.list {
            let level = &mut self.levels[m.confidence as usize];
            level.extra_objects += u64::from(m.objects);
            level.extra_bytes += m.bytes;
        }
    }

    /// Limits of the result that a reader must know, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.has_etags {
            out.push("The list has no ETags: only names and sizes were compared.".to_owned());
        } else if !self.has_encryption {
            out.push(
                "The list does not say how objects are encrypted: level A is sure only where no \
                 object is encrypted with KMS or a key of the customer's."
                    .to_owned(),
            );
        }
        if self.too_small.0 > 0 {
            let all = (self.compared.1 + self.too_small.1).max(1);
            out.push(format!(
                "Compared were objects of {} bytes and more, which hold {} of the bytes; {} \
                 smaller ones are beyond what is held in memory.",
                self.floor,
                format::percent(self.compared.1 as f64 / all as f64 * 100.0, 1),
                self.too_small.0
            ));
        }
        if self.left_out.0 > 0 {
            out.push(format!(
                "{} smaller pairs with {} bytes are not listed.",
                self.left_out.0, self.left_out.1
            ));
        }
        out
    }
}
