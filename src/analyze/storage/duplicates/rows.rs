//! What is kept of an object to compare it: 32 bytes, in buckets by size.

use super::dirs::DirId;
use crate::domain::storage::{Etag, Tier};

/// Bits of a size: S3's largest object, 50 TB, needs 46.
pub(super) const SIZE_BITS: u32 = 46;

/// Number of parts of an object whose `ETag` is no digest.
const NO_TAG: u64 = (1 << 14) - 1;

/// A moment that is not known.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// An object, packed. Equal sizes meet in the same bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    /// Size (46 bits), parts of the `ETag` (14), tier (4): sorts by size, then by parts.
    packed: u64,
    /// 64 bits of the `ETag`'s digest. Two different ones are taken for the same at a chance of
    /// one in 2⁶⁴ per pair of objects of the very same size and number of parts.
    pub(super) content: u64,
    /// Hash of the last part of the key.
    pub(super) name: u64,
    /// Directory.
    pub(super) dir: DirId,
    /// Last modified, seconds since 1970; [`UNKNOWN`].
    pub(super) when: u32,
}

impl Row {
    pub(super) fn new(
        size: u64,
        etag: Option<Etag>,
        tier: Tier,
        name: u64,
        dir: DirId,
        when: u32,
    ) -> Self {
        let (parts, content) = match etag {
            Some(tag) => (u64::from(tag.parts), (tag.md5 >> 64) as u64 ^ tag.md5 as u64),
            None => (NO_TAG, 0),
        };
        let packed = size << 18 | parts << 4 | tier.index() as u64;
        Self { packed, content, name, dir, when }
    }

    pub(super) fn size(&self) -> u64 {
        self.packed >> 18
    }

    pub(super) fn tier(&self) -> Tier {
        Tier::ALL.get((self.packed & 15) as usize).copied().unwrap_or(Tier::Unknown)
    }

    /// Parts of the `ETag`, 0 for a digest of the whole; `None` when it tells nothing.
    pub(super) fn parts(&self) -> Option<u64> {
        Some(self.packed >> 4 & NO_TAG).filter(|p| *p != NO_TAG)
    }

    /// What equal content has in common, when the `ETag` tells: size, parts, digest.
    pub(super) fn digest(&self) -> Option<(u64, u64)> {
        self.parts().map(|_| (self.packed >> 4, self.content))
    }

    /// True when the `ETags` of two objects cannot tell whether they are the same: one tells
    /// nothing, or they were cut into different parts.
    pub(super) fn may_equal(&self, other: &Self) -> bool {
        match (self.parts(), other.parts()) {
            (Some(a), Some(b)) => a != b,
            _ => true,
        }
    }
}

/// Steps of sizes, four to a doubling: what is let go, when memory is short, goes by steps.
pub(super) const STEPS: usize = SIZE_BITS as usize * 4;

/// The step of a size.
pub(super) fn step(size: u64) -> usize {
    if size < 4 {
        return size as usize;
    }
    let exponent = size.ilog2();
    (exponent * 4 + (size >> (exponent - 2) & 3) as u32) as usize
}

/// The smallest size of a step.
pub(super) fn step_floor(step: usize) -> u64 {
    if step < 8 {
        return (step as u64).min(4);
    }
    (4 + step as u64 % 4) << (step / 4 - 2)
}

/// Number of buckets: what is sorted at once is a fraction of all.
const BUCKETS: usize = 256;

/// Rows in buckets. All rows of a size are in one.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) buckets: Vec<Vec<Row>>,
    len: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Self { buckets: vec![Vec::new(); BUCKETS], len: 0 }
    }
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, row: Row) {
        // The high bits of a product are those that depend on all bits of the factor.
        let at = row.size().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        let bucket = &mut self.buckets[at as usize];
        if bucket.len() == bucket.capacity() {
            // By a quarter and not by twice: what is spare counts in the bound of memory.
            bucket.reserve_exact(bucket.len() / 4 + 64);
        }
        bucket.push(row);
        self.len += 1;
    }

    /// Takes over the rows of another, with the numbers that their directories have here.
    pub(super) fn absorb(&mut self, other: Self, dir: impl Fn(DirId) -> DirId) {
        for (mine, mut others) in self.buckets.iter_mut().zip(other.buckets) {
            others.iter_mut().for_each(|row| row.dir = dir(row.dir));
            if mine.is_empty() {
                *mine = others;
            } else {
                mine.reserve_exact(others.len());
                mine.append(&mut others);
            }
        }
        self.len += other.len;
    }

    /// Keeps what is at least of this size.
    pub(super) fn keep_from(&mut self, size: u64) {
        self.len = 0;
        for bucket in &mut self.buckets {
            bucket.retain(|r| r.size() >= size);
            self.len += bucket.len();
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Row> {
        self.buckets.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.buckets.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_32_bytes_and_gives_back_what_it_was_made_of() {
        assert_eq!(size_of::<Row>(), 32);
        let tag = Etag { md5: 0x0123_4567_89ab_cdef_0011_2233_4455_6677, parts: 10_000 };
        let size = 50_000_000_000_000;
        for tier in Tier::ALL {
            let row = Row::new(size, Some(tag), tier, 7, 3, 9);
            assert_eq!((row.size(), row.tier(), row.parts()), (size, tier, Some(10_000)));
            let blank = Row::new(size, None, tier, 7, 3, 9);
            assert_eq!((blank.size(), blank.tier(), blank.parts()), (size, tier, None));
            assert!(blank.may_equal(&row) && row.may_equal(&blank) && !row.may_equal(&row));
        }
    }

    #[test]
    fn steps_ascend_with_sizes() {
        let mut sizes: Vec<u64> = (0..2_000).collect();
        sizes.extend((11..SIZE_BITS).flat_map(|e| {
            let base = 1u64 << e;
            [base - 1, base, base + base / 4, base + base / 2, base + base / 2 + 1]
        }));
        sizes.sort_unstable();
        for pair in sizes.windows(2) {
            assert!(step(pair[0]) <= step(pair[1]), "{pair:?}");
        }
        for size in sizes {
            assert!(step(size) < STEPS);
            assert!(step_floor(step(size)) <= size, "{size}");
            assert_eq!(step(step_floor(step(size))), step(size), "{size}");
        }
    }
}
