//! Sums over objects: of a prefix, a bucket, a run.

use serde::{Deserialize, Serialize};

use super::object::ObjectFlags;
use super::tier::Tier;

/// Upper bounds of the size bins in bytes, each exclusive; the last bin is open. 128 KiB is the
/// smallest billed size of the IA classes and Glacier Instant Retrieval.
pub const SIZE_BOUNDS: [u64; SIZE_BINS - 1] = [
    1 << 10,
    16 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    1 << 20,
    8 << 20,
    64 << 20,
    512 << 20,
    4 << 30,
    32 << 30,
];

/// Number of size bins.
pub const SIZE_BINS: usize = 12;

/// Upper bounds of the age bins in days, each exclusive; the last bin is open.
pub const AGE_BOUNDS: [u32; AGE_BINS - 1] = [1, 7, 14, 30, 60, 90, 180, 365, 730];

/// Number of age bins.
pub const AGE_BINS: usize = 10;

/// Objects under this size are billed as this size in Standard-IA, One Zone-IA and Glacier Instant
/// Retrieval, and are neither monitored nor moved by Intelligent-Tiering: 128 KiB.
pub const SMALL_OBJECT: u64 = 128 << 10;

/// Index of the size bin of `bytes`, from 0 to [`SIZE_BINS`] − 1.
pub fn size_bin(bytes: u64) -> usize {
    SIZE_BOUNDS.partition_point(|bound| *bound <= bytes)
}

/// Index of the age bin of `days`, from 0 to [`AGE_BINS`] − 1.
pub fn age_bin(days: u32) -> usize {
    AGE_BOUNDS.partition_point(|bound| *bound <= days)
}

/// Sums over a set of objects. Current and noncurrent versions both count in the arrays by tier, as both are billed;
/// noncurrent ones are counted again on their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Number of objects with content, by tier.
    pub objects: [u64; Tier::COUNT],
    /// Bytes of these objects, by tier.
    pub bytes: [u64; Tier::COUNT],
    /// Bytes that small objects lack to [`SMALL_OBJECT`], by tier: billed as well in the IA classes and Glacier Instant
    /// Retrieval.
    pub padding: [u64; Tier::COUNT],
    /// Objects of at least [`SMALL_OBJECT`] in Intelligent-Tiering, which bills their monitoring.
    pub monitored: u64,
    /// Number of noncurrent versions.
    pub noncurrent_objects: u64,
    /// Bytes of noncurrent versions.
    pub noncurrent_bytes: u64,
    /// Number of delete markers.
    pub delete_markers: u64,
    /// Number of rows with an impossible size or date.
    pub malformed: u64,
    /// Number of objects, by size bin.
    pub size_objects: [u64; SIZE_BINS],
    /// Bytes, by size bin.
    pub size_bytes: [u64; SIZE_BINS],
    /// Bytes by age bin, age at the time of the list; objects of unknown age are in none.
    pub age_bytes: [u64; AGE_BINS],
    /// Time of the newest object, ms since 1970; `i64::MIN` when unknown.
    pub newest_ms: i64,
    /// Time of the oldest object, ms since 1970; `i64::MAX` when unknown.
    pub oldest_ms: i64,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            objects: [0; Tier::COUNT],
            bytes: [0; Tier::COUNT],
            padding: [0; Tier::COUNT],
            monitored: 0,
            noncurrent_objects: 0,
            noncurrent_bytes: 0,
            delete_markers: 0,
            malformed: 0,
            size_objects: [0; SIZE_BINS],
            size_bytes: [0; SIZE_BINS],
            age_bytes: [0; AGE_BINS],
            newest_ms: i64::MIN,
            oldest_ms: i64::MAX,
        }
    }
}

impl Sums {
    /// Adds one row of a list made at `listed_ms` (ms since 1970).
    pub fn count(
        &mut self,
        size: u64,
        modified_ms: i64,
        tier: Tier,
        flags: ObjectFlags,
        listed_ms: i64,
    ) {
        if flags.any(ObjectFlags::BAD_SIZE | ObjectFlags::BAD_DATE) {
            self.malformed += 1;
        }
        if flags.any(ObjectFlags::DELETE_MARKER) {
            self.delete_markers += 1;
            return;
        }
        let t = tier.index();
        self.objects[t] += 1;
        self.bytes[t] += size;
        if size < SMALL_OBJECT {
            self.padding[t] += SMALL_OBJECT - size;
        } else if matches!(tier.class(), Some(super::StorageClass::IntelligentTiering)) {
            self.monitored += 1;
        }
        if flags.any(ObjectFlags::NONCURRENT) {
            self.noncurrent_objects += 1;
            self.noncurrent_bytes += size;
        }
        let bin = size_bin(size);
        self.size_objects[bin] += 1;
        self.size_bytes[bin] += size;
        if modified_ms != i64::MIN && !flags.any(ObjectFlags::BAD_DATE) {
            let days = (listed_ms.saturating_sub(modified_ms) / 86_400_000).max(0);
            self.age_bytes[age_bin(u32::try_from(days).unwrap_or(u32::MAX))] += size;
            self.newest_ms = self.newest_ms.max(modified_ms);
            self.oldest_ms = self.oldest_ms.min(modified_ms);
        }
    }

    /// Adds the sums of other objects.
    pub fn add(&mut self, other: &Self) {
        fn each(into: &mut [u64], from: &[u64]) {
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        }
        each(&mut self.objects, &other.objects);
        each(&mut self.bytes, &other.bytes);
        each(&mut self.padding, &other.padding);
        each(&mut self.size_objects, &other.size_objects);
        each(&mut self.size_bytes, &other.size_bytes);
        each(&mut self.age_bytes, &other.age_bytes);
        self.monitored += other.monitored;
        self.noncurrent_objects += other.noncurrent_objects;
        self.noncurrent_bytes += other.noncurrent_bytes;
        self.delete_markers += other.delete_markers;
        self.malformed += other.malformed;
        self.newest_ms = self.newest_ms.max(other.newest_ms);
        self.oldest_ms = self.oldest_ms.min(other.oldest_ms);
    }

    /// Number of objects with content, all versions included.
    pub fn all_objects(&self) -> u64 {
        self.objects.iter().sum()
    }

    /// Bytes, all versions included.
    pub fn all_bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }
}
