//! Sums of a directory while a list is read: as [`Sums`], in half the memory, because the tiers
//! that a directory has no object in take no room.

use crate::domain::storage::sums::{AGE_BINS, SIZE_BINS, SMALL_OBJECT, age_bin};
use crate::domain::storage::{ObjectFlags, StorageClass, Sums, Tier};

/// An object of a list, with what sums need of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    /// Size, bytes.
    pub size: u64,
    /// Last modified, ms since 1970.
    pub modified_ms: i64,
    /// Storage tier it is billed in.
    pub tier: Tier,
    /// Bits of [`ObjectFlags`].
    pub flags: u16,
}

/// Objects, bytes and padding of one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OfTier {
    tier: Tier,
    objects: u64,
    bytes: u64,
    padding: u64,
}

/// Sums of one directory while the list is read, see the module.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// Bytes by size bin, by age bin; objects by size bin.
    size_bytes: [u64; SIZE_BINS],
    age_bytes: [u64; AGE_BINS],
    size_objects: [u64; SIZE_BINS],
    newest_ms: i64,
    oldest_ms: i64,
    /// The tier seen first: nearly always the only one.
    first: OfTier,
    /// The others.
    others: Vec<OfTier>,
    rare: Rare,
}

/// Sums that most directories lack.
#[derive(Clone, Copy, Debug, Default)]
struct Rare {
    monitored: u64,
    noncurrent_objects: u64,
    noncurrent_bytes: u64,
    delete_markers: u64,
    malformed: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            size_bytes: [0; SIZE_BINS],
            age_bytes: [0; AGE_BINS],
            size_objects: [0; SIZE_BINS],
            newest_ms: i64::MIN,
            oldest_ms: i64::MAX,
            first: OfTier::none(Tier::Standard),
            others: Vec::new(),
            rare: Rare::default(),
        }
    }
}

impl OfTier {
    fn none(tier: Tier) -> Self {
        Self { tier, objects: 0, bytes: 0, padding: 0 }
    }
}

/// `size_bin` by the number of bits of a size: all bounds are powers of two.
const BIN_OF_BITS: [u8; 65] = {
    let mut bins = [0; 65];
    let mut bits = 0;
    while bits <= 64 {
        // The largest size of so many bits.
        let size = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        let mut bin = 0;
        while bin < SIZE_BINS - 1 && crate::domain::storage::sums::SIZE_BOUNDS[bin] <= size {
            bin += 1;
        }
        bins[bits] = bin as u8;
        bits += 1;
    }
    bins
};

fn bin_of(size: u64) -> usize {
    usize::from(BIN_OF_BITS[(64 - size.leading_zeros()) as usize]).min(SIZE_BINS - 1)
}

impl Tally {
    fn tier(&mut self, tier: Tier) -> &mut OfTier {
        if self.first.tier == tier {
            return &mut self.first;
        }
        if self.first.objects == 0 {
            self.first.tier = tier;
            return &mut self.first;
        }
        let at = self.others.iter().position(|o| o.tier == tier).unwrap_or_else(|| {
            self.others.push(OfTier::none(tier));
            self.others.len() - 1
        });
        &mut self.others[at]
    }

    /// Counts one row, as [`Sums::count`] does. `listed_ms` = time of the list, ms since 1970.
    pub fn count(&mut self, row: Row, listed_ms: i64) {
        let flags = ObjectFlags(row.flags);
        let size = row.size;
        if row.flags != 0 {
            if flags.any(ObjectFlags::BAD_SIZE | ObjectFlags::BAD_DATE) {
                self.rare.malformed += 1;
            }
            if flags.any(ObjectFlags::DELETE_MARKER) {
                self.rare.delete_markers += 1;
                return;
            }
            if flags.any(ObjectFlags::NONCURRENT) {
                self.rare.noncurrent_objects += 1;
                self.rare.noncurrent_bytes += size;
            }
        }
        let of = self.tier(row.tier);
        of.objects += 1;
        of.bytes += size;
        if size < SMALL_OBJECT {
            of.padding += SMALL_OBJECT - size;
        } else if matches!(row.tier.class(), Some(StorageClass::IntelligentTiering)) {
            self.rare.monitored += 1;
        }
        let bin = bin_of(size);
        self.size_objects[bin] += 1;
        self.size_bytes[bin] += size;
        if row.modified_ms != i64::MIN && !flags.any(ObjectFlags::BAD_DATE) {
            let days = (listed_ms.saturating_sub(row.modified_ms) / 86_400_000).max(0);
            self.age_bytes[age_bin(u32::try_from(days).unwrap_or(u32::MAX))] += size;
            self.newest_ms = self.newest_ms.max(row.modified_ms);
            self.oldest_ms = self.oldest_ms.min(row.modified_ms);
        }
    }

    /// Adds the sums of another tally.
    pub fn add(&mut self, other: &Self) {
        fn each(into: &mut [u64], from: &[u64]) {
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        }
        each(&mut self.size_bytes, &other.size_bytes);
        each(&mut self.age_bytes, &other.age_bytes);
        each(&mut self.size_objects, &other.size_objects);
        self.newest_ms = self.newest_ms.max(other.newest_ms);
        self.oldest_ms = self.oldest_ms.min(other.oldest_ms);
        for from in [other.first].iter().chain(&other.others).filter(|o| o.objects > 0) {
            let of = self.tier(from.tier);
            of.objects += from.objects;
            of.bytes += from.bytes;
            of.padding += from.padding;
        }
        let (into, from) = (&mut self.rare, &other.rare);
        into.monitored += from.monitored;
        into.noncurrent_objects += from.noncurrent_objects;
        into.noncurrent_bytes += from.noncurrent_bytes;
        into.delete_markers += from.delete_markers;
        into.malformed += from.malformed;
    }

    /// Bytes of all tiers.
    pub fn bytes(&self) -> u64 {
        self.first.bytes + self.others.iter().map(|o| o.bytes).sum::<u64>()
    }

    /// Number of rows: objects with content, and delete markers.
    pub fn rows(&self) -> u64 {
        let objects = self.first.objects + self.others.iter().map(|o| o.objects).sum::<u64>();
        objects + self.rare.delete_markers
    }

    /// The sums as [`Sums`].
    pub fn sums(&self) -> Sums {
        let mut sums = Sums {
            monitored: self.rare.monitored,
            noncurrent_objects: self.rare.noncurrent_objects,
            noncurrent_bytes: self.rare.noncurrent_bytes,
            delete_markers: self.rare.delete_markers,
            malformed: self.rare.malformed,
            size_objects: self.size_objects,
            size_bytes: self.size_bytes,
            age_bytes: self.age_bytes,
            newest_ms: self.newest_ms,
            oldest_ms: self.oldest_ms,
            ..Sums::default()
        };
        for of in [self.first].iter().chain(&self.others) {
            let t = of.tier.index();
            sums.objects[t] += of.objects;
            sums.bytes[t] += of.bytes;
            sums.padding[t] += of.padding;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::storage::sums::size_bin;

    #[test]
    fn the_quick_bin_is_the_bin() {
        for bits in 0..64 {
            for size in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                assert_eq!(bin_of(size), size_bin(size), "{size}");
            }
        }
        assert_eq!(bin_of(u64::MAX), size_bin(u64::MAX));
    }

    proptest! {
        #[test]
        fn it_counts_as_the_sums_do(
            rows in prop::collection::vec(
                (0u64..1 << 44, any::<u8>(), -1i64..400, 0usize..Tier::COUNT, 0u16..256), 0..60),
            split in 0usize..60,
        ) {
            let listed = 1_795_136_400_000;
            let mut sums = Sums::default();
            let (mut one, mut two) = (Tally::default(), Tally::default());
            for (i, (size, shift, days, tier, flags)) in rows.iter().enumerate() {
                let modified_ms =
                    if *days < 0 { i64::MIN } else { listed - days * 86_400_000 - 5 };
                let row = Row {
                    size: size >> (shift % 44),
                    modified_ms,
                    tier: Tier::ALL[*tier],
                    flags: *flags,
                };
                sums.count(row.size, modified_ms, row.tier, ObjectFlags(*flags), listed);
                if i < split { &mut one } else { &mut two }.count(row, listed);
            }
            two.add(&one);
            prop_assert_eq!(two.sums(), sums.clone());
            prop_assert_eq!(two.bytes(), sums.all_bytes());
            prop_assert_eq!(two.rows(), rows.len() as u64);
        }
    }
}
