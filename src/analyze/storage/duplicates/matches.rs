//! Which objects are copies of which: one bucket of rows at a time.
//!
//! In every class of equal objects one is the original, the others are extra, and each extra object
//! is extra once: sums over all matches count nothing twice. The original is in the directory that
//! is oldest (by its oldest object, then by its path), so that all files of a copied directory
//! agree about which of the two is the copy.

use std::collections::HashMap;

use super::rows::Row;
use super::tree::{Rank, Tree};
use crate::domain::hash::FastHasher;
use crate::domain::storage::{Confidence, Tier};

/// Smallest object compared by name and size alone, bytes (1 MiB): smaller ones have equal sizes by chance, and
/// cost little.
pub const NAMES_FROM: u64 = 1 << 20;

/// Smallest object compared by size alone, bytes (100 MiB).
pub const SIZES_FROM: u64 = 100 << 20;

/// Most originals that are tried for an object whose `ETag` differs from the first.
const TRIES: usize = 8;

/// Extra objects of one directory that have their original in another (or the same).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// Directory of the original.
    pub(super) original: Rank,
    /// Directory of the copies.
    pub(super) copy: Rank,
    /// Number of objects.
    pub(super) objects: u32,
    /// Their bytes.
    pub(super) bytes: u64,
    /// Tier that they are billed in.
    pub(super) tier: Tier,
    /// Confidence that they are copies.
    pub(super) confidence: Confidence,
}

/// Equal objects of a class in one directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) dir: Rank,
    /// How many; with [`LAST`] set where the class ends.
    count: u32,
    pub(super) size: u64,
}

/// Bit of the last member of a class.
const LAST: u32 = 1 << 31;

impl Member {
    pub(super) fn count(&self) -> u64 {
        u64::from(self.count & !LAST)
    }

    pub(super) fn is_last(&self) -> bool {
        self.count & LAST != 0
    }
}

/// Copies found by one way of comparing.
#[derive(Debug, Default)]
pub(super) struct Matches {
    pub(super) list: Vec<Match>,
    /// Classes with their members, one after the other.
    pub(super) members: Vec<Member>,
    /// Classes by [`Confidence`].
    pub(super) classes: [u64; 4],
}

impl Matches {
    /// Adds a class: its members sorted by directory.
    fn class(&mut self, members: impl Iterator<Item = (Rank, u64)>) {
        let start = self.members.len();
        for (dir, size) in members {
            match self.members[start..].last_mut() {
                Some(last) if last.dir == dir => last.count = (last.count + 1).min(LAST - 1),
                _ => self.members.push(Member { dir, count: 1, size }),
            }
        }
        if let Some(last) = self.members[start..].last_mut() {
            last.count |= LAST;
        }
    }

    fn extra(&mut self, original: Rank, row: &Row, confidence: Confidence) {
        let same = |m: &Match| {
            m.original == original
                && m.copy == row.dir
                && m.tier == row.tier()
                && m.confidence == confidence
                && m.objects < u32::MAX
        };
        match self.list.last_mut().filter(|m| same(m)) {
            Some(last) => {
                last.objects += 1;
                last.bytes += row.size();
            }
            None => self.list.push(Match {
                original,
                copy: row.dir,
                objects: 1,
                bytes: row.size(),
                tier: row.tier(),
                confidence,
            }),
        }
    }
}

/// Two numbers as one, of which the high bits depend on all.
fn mixed(a: u64, b: u64) -> u64 {
    (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Moves what is wanted to the front, and says how much it is.
fn to_front(rows: &mut [Row], wanted: impl Fn(&Row) -> bool) -> usize {
    let mut front = 0;
    for at in 0..rows.len() {
        if wanted(&rows[at]) {
            rows.swap(at, front);
            front += 1;
        }
    }
    front
}

/// Moves those to the front that may have one of equal digest, and says how many they are: all others
/// are alone with theirs, or have none, and need not be sorted. One in eight of those that are alone
/// comes along.
fn equal_digests_first(rows: &mut [Row]) -> usize {
    let slots = (rows.len() * 8).next_power_of_two().max(64);
    let slot = |row: &Row| {
        let (size, content) = row.digest()?;
        // As many high bits as it takes.
        let slot = (mixed(size, content) >> (64 - slots.ilog2())) as usize;
        Some((slot / 64, 1u64 << (slot % 64)))
    };
    let (mut once, mut twice) = (vec![0u64; slots / 64], vec![0u64; slots / 64]);
    for (word, bit) in rows.iter().filter_map(slot) {
        twice[word] |= once[word] & bit;
        once[word] |= bit;
    }
    to_front(rows, |row| slot(row).is_some_and(|(word, bit)| twice[word] & bit != 0))
}

/// Moves those to the front that may have one of equal size and name whose `ETag` leaves open whether
/// it is the same, and says how many they are: see [`Row::may_equal`].
fn equal_names_first(rows: &mut [Row]) -> usize {
    const MANY: u16 = u16::MAX;
    let slots = (rows.len() * 4).next_power_of_two().max(64);
    let slot = |row: &Row| (mixed(row.size(), row.name) >> (64 - slots.ilog2())) as usize;
    // The number of parts that all rows of a slot have, plus two; one for a row without any.
    let mut told = vec![0u16; slots];
    for row in rows.iter() {
        let parts = row.parts().map_or(1, |parts| parts as u16 + 2);
        let told = &mut told[slot(row)];
        *told = match *told {
            0 => parts,
            same if same == parts && parts != 1 => same,
            _ => MANY,
        };
    }
    to_front(rows, |row| told[slot(row)] == MANY)
}

/// Equal `ETag` and size: levels A and B. Takes the extra objects out of the bucket.
pub(super) fn by_digest(rows: &mut Vec<Row>, tree: &Tree, least: Confidence, out: &mut Matches) {
    let shared = equal_digests_first(rows);
    rows[..shared].sort_unstable_by_key(|r| (r.digest(), r.dir, r.when, r.name, r.tier()));
    let mut is_extra = vec![false; shared];
    let mut start = 0;
    for class in rows[..shared].chunk_by(|a, b| a.digest() == b.digest()) {
        let at = start;
        start += class.len();
        let Some(parts) = class[0].parts().filter(|_| class.len() > 1) else { continue };
        let confidence = if parts == 0 { Confidence::A } else { Confidence::B };
        if confidence > least {
            continue;
        }
        let Some(original) = class.iter().map(|r| r.dir).min_by_key(|d| tree.age(*d)) else {
            continue;
        };
        out.classes[confidence as usize] += 1;
        out.class(class.iter().map(|r| (r.dir, r.size())));
        // The oldest object of the original's directory comes first of those in it.
        let mut kept = false;
        for (i, row) in class.iter().enumerate() {
            if row.dir == original && !kept {
                kept = true;
            } else {
                is_extra[at + i] = true;
                out.extra(original, row, confidence);
            }
        }
    }
    // The flags are those of the first; what stands behind them stays.
    let mut flags = is_extra.iter();
    rows.retain(|_| !flags.next().copied().unwrap_or(false));
}

/// Equal size and name where the `ETag` cannot tell: level C. Takes the extra objects out of the
/// bucket.
///
/// Steps of one run have the same names and sizes by nature, and where they are encrypted with KMS
/// nothing tells them apart: directories whose paths differ in digits alone are never copies of
/// each other here. Where a name occurs in several steps on either side, the digits must agree:
/// step 500 may be a copy of step 500.
pub(super) fn by_name(rows: &mut Vec<Row>, tree: &Tree, out: &mut Matches) {
    rows.retain(|r| r.size() >= NAMES_FROM);
    let shared = equal_names_first(rows);
    rows[..shared].sort_unstable_by_key(|r| {
        (r.size(), r.name, r.dir, r.when, r.parts(), r.content, r.tier())
    });
    let mut gone: Vec<Row> = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for class in rows[..shared].chunk_by(|a, b| (a.size(), a.name) == (b.size(), b.name)) {
        if class.len() > 1 {
            found.clear();
            in_names(class, tree, &mut found);
            emit(class, &mut found, Confidence::C, out, &mut gone);
        }
    }
    take_out(rows, gone);
}

/// Pairs (original, copy) of a class of equal names and sizes, by their places in it.
fn in_names(class: &[Row], tree: &Tree, found: &mut Vec<(usize, usize)>) {
    // Series, oldest first; within, by digits.
    let mut ages: HashMap<u64, (u32, Rank), FastHasher> = HashMap::default();
    for row in class {
        let age = tree.age(row.dir);
        ages.entry(tree.series(row.dir)).and_modify(|a| *a = age.min(*a)).or_insert(age);
    }
    if ages.len() < 2 {
        return;
    }
    let key = |i: usize| {
        let dir = class[i].dir;
        let series = tree.series(dir);
        (ages.get(&series).copied(), series, tree.digits(dir), tree.age(dir), i)
    };
    let mut order: Vec<usize> = (0..class.len()).collect();
    order.sort_by_cached_key(|i| key(*i));
    let groups: Vec<&[usize]> =
        order.chunk_by(|a, b| tree.series(class[*a].dir) == tree.series(class[*b].dir)).collect();
    for (g, group) in groups.iter().enumerate().skip(1) {
        for copy in *group {
            let digits = tree.digits(class[*copy].dir);
            let original = groups[..g].iter().take(TRIES).find_map(|older| {
                let i = if older.len() == 1 && group.len() == 1 {
                    0
                } else {
                    older.partition_point(|o| tree.digits(class[*o].dir) < digits)
                };
                let original = *older.get(i)?;
                let agrees = older.len() == 1 && group.len() == 1
                    || tree.digits(class[original].dir) == digits;
                (agrees && class[original].may_equal(&class[*copy])).then_some(original)
            });
            found.extend(original.map(|o| (o, *copy)));
        }
    }
}

/// Equal size alone, and large: level D. Never within a directory nor within a series.
pub(super) fn by_size(rows: &mut Vec<Row>, tree: &Tree, out: &mut Matches) {
    rows.retain(|r| r.size() >= SIZES_FROM);
    rows.sort_unstable_by_key(|r| {
        (r.size(), tree.age(r.dir), r.when, r.name, r.parts(), r.content, r.tier())
    });
    let mut gone = Vec::new();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for class in rows.chunk_by(|a, b| a.size() == b.size()) {
        found.clear();
        let mut originals: Vec<usize> = Vec::new();
        for (i, row) in class.iter().enumerate() {
            let series = tree.series(row.dir);
            let other = |o: &usize| tree.series(class[*o].dir) != series;
            match originals.iter().find(|o| other(o) && class[**o].may_equal(row)) {
                Some(original) => found.push((*original, i)),
                None if originals.len() < TRIES && originals.iter().all(other) => originals.push(i),
                None => {}
            }
        }
        emit(class, &mut found, Confidence::D, out, &mut gone);
    }
}

/// Writes down pairs of a class: stars of an original and its copies.
fn emit(
    class: &[Row],
    found: &mut [(usize, usize)],
    confidence: Confidence,
    out: &mut Matches,
    gone: &mut Vec<Row>,
) {
    found.sort_unstable();
    for star in found.chunk_by(|a, b| a.0 == b.0) {
        let original = &class[star[0].0];
        out.classes[confidence as usize] += 1;
        let mut dirs: Vec<Rank> = star.iter().map(|(_, copy)| class[*copy].dir).collect();
        dirs.push(original.dir);
        dirs.sort_unstable();
        out.class(dirs.into_iter().map(|d| (d, original.size())));
        for (_, copy) in star {
            out.extra(original.dir, &class[*copy], confidence);
            gone.push(class[*copy]);
        }
    }
}

/// Takes rows out of a bucket.
fn take_out(rows: &mut Vec<Row>, mut gone: Vec<Row>) {
    if gone.is_empty() {
        return;
    }
    gone.sort_unstable();
    rows.sort_unstable();
    let mut at = 0;
    rows.retain(|r| {
        let hit = gone.get(at) == Some(r);
        at += usize::from(hit);
        !hit
    });
}
