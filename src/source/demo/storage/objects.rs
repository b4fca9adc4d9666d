//! The objects of the demo's buckets, as rows: what a list, an inventory and CloudWatch's sums are
//! made of, so that they agree.

use super::super::hash::{hash, mix};
use super::runs;
use super::table::{Content, Planted};
use crate::domain::storage::{Etag, ObjectBatch, ObjectFlags, Tier, Versioning};

/// GiB.
const G: u64 = 1 << 30;
/// Seconds of a day.
const DAY: i64 = 86_400;
/// Parts of an upload in parts, as the AWS CLI makes them for large objects.
const PART: u64 = 64 << 20;

/// An object, or a version of one.
#[derive(Clone, Debug)]
pub struct Row {
    /// Key of the object.
    pub key: String,
    /// Size, bytes.
    pub size: u64,
    /// Age at midnight (UTC), seconds.
    pub age_s: i64,
    /// Storage tier.
    pub tier: Tier,
    /// Properties: bits of [`ObjectFlags`].
    pub flags: u16,
    /// Identity of the content: equal numbers mean equal bytes.
    pub content: u64,
    /// Size of an upload part, bytes.
    pub part: u64,
    /// Version id; empty in a bucket without versions.
    pub version: String,
}

impl Row {
    /// A current object in Standard with content of its own.
    pub fn new(key: String, size: u64, age_s: i64) -> Self {
        let content = text_hash(&key);
        let version = String::new();
        Self { key, size, age_s, tier: Tier::Standard, flags: 0, content, part: PART, version }
    }

    /// Number of upload parts; 0 for an object uploaded in one piece.
    pub fn parts(&self) -> u32 {
        if self.size <= self.part { 0 } else { self.size.div_ceil(self.part).min(10_000) as u32 }
    }

    /// `ETag` derived from content and part size, and from the key as well under KMS.
    pub fn etag(&self) -> Etag {
        if self.flags & ObjectFlags::DELETE_MARKER != 0 {
            return Etag::default();
        }
        let opaque = self.flags & ObjectFlags::OPAQUE_ETAG != 0;
        let secret = if opaque { text_hash(&self.key) | 1 } else { 0 };
        let parts = self.parts();
        let seed = hash(self.content, u64::from(parts), secret);
        let md5 = u128::from(mix(seed ^ 1)) << 64 | u128::from(mix(seed ^ 2)) | 1;
        Etag { md5, parts }
    }

    /// Properties, with those that follow from other fields.
    pub fn bits(&self) -> ObjectFlags {
        let multipart = if self.parts() > 0 { ObjectFlags::MULTIPART } else { 0 };
        ObjectFlags(self.flags | multipart)
    }

    /// Appends it to a batch; ages count back from `midnight_ms` (ms since 1970).
    pub fn push(&self, into: &mut ObjectBatch, midnight_ms: i64) {
        into.keys.push(self.key.as_bytes());
        into.sizes.push(self.size);
        into.modified_ms.push(self.modified_ms(midnight_ms));
        into.tiers.push(self.tier);
        into.flags.push(self.bits());
        into.etags.push(self.etag());
        into.versions.push(self.version.as_bytes());
    }

    /// Time of the last change, ms since 1970.
    pub fn modified_ms(&self, midnight_ms: i64) -> i64 {
        midnight_ms - self.age_s * 1000
    }
}

/// Number derived from a text, always the same.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0x5707, |h, byte| hash(h, 31, u64::from(byte)))
}

/// Hex digits derived from a text, always the same; `len` of them, at most 32.
pub fn tail(text: &str, len: usize) -> String {
    let h = text_hash(text);
    let mut digits = format!("{:016x}{:016x}", mix(h ^ 1), mix(h ^ 2));
    digits.truncate(len);
    digits
}

/// All rows of a bucket, sorted by key.
pub fn rows(bucket: &Planted) -> Vec<Row> {
    let mut rows = match bucket.content {
        Content::Checkpoints => runs::rows(),
        Content::Datasets => datasets(),
        Content::Artifacts => artifacts(),
        // What lies there is made from the other buckets; see `delivery`.
        Content::Inventories => Vec::new(),
        Content::Plain { objects, kib, tier, days } => plain(bucket, objects, kib, tier, days),
    };
    if bucket.locked {
        rows.iter_mut().for_each(|row| row.flags |= ObjectFlags::LOCKED);
    }
    if bucket.versioning == Versioning::Suspended {
        let older = |row: &Row| {
            let content = hash(row.content, 3, 0);
            let flags = row.flags | ObjectFlags::NONCURRENT;
            Row { flags, content, age_s: row.age_s + 60 * DAY, ..row.clone() }
        };
        let kept: Vec<Row> = rows.iter().step_by(3).map(older).collect();
        rows.extend(kept);
    }
    if bucket.versioning != Versioning::Off {
        for (n, row) in rows.iter_mut().enumerate() {
            row.version = tail(&format!("{} {n}", row.key), 32);
        }
    }
    // Stable: the versions of a key stay in their order, the current one first.
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    rows
}

/// A data set of `count` shards, and three copies: byte for byte, with other part sizes, under KMS (the last two of
/// half of it).
pub fn copies(count: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    let shards = |dir: &str, count: u64, age: i64| -> Vec<Row> {
        let row = |i: u64| {
            let mut row = Row::new(format!("{dir}/part-{i:05}.tar"), G - i * 4096, age * DAY);
            row.content = hash(0xda7a, 1, i);
            row
        };
        (1..=count).map(row).collect()
    };
    rows.extend(shards("datasets/laion", count, 400));
    rows.extend(shards("team-b/copies/laion", count, 210));
    let mut other_parts = shards("team-c/laion_v2", count / 2, 150);
    other_parts.iter_mut().for_each(|row| row.part = 8 << 20);
    rows.extend(other_parts);
    let mut kms = shards("team-d/kms", count / 2, 100);
    kms.iter_mut().for_each(|row| row.flags |= ObjectFlags::OPAQUE_ETAG);
    rows.extend(kms);
    rows
}

fn datasets() -> Vec<Row> {
    let mut rows = copies(600);
    for i in 0..400 {
        let key = format!(
            "features/dt=2026-{:02}-{:02}/part-{i:04}.parquet",
            1 + i / 28 % 12,
            1 + i % 28
        );
        rows.push(Row::new(key, 180 << 20, (20 + i64::from(i) / 2) * DAY));
    }
    rows
}

/// Artifacts with five old versions each, and keys that were deleted.
fn artifacts() -> Vec<Row> {
    let mut rows = Vec::new();
    for i in 0..240u64 {
        let key = format!("builds/service-{}/model-{i:04}.onnx", i % 12);
        for version in 0..6 {
            let age = (10 + version * 30) * DAY;
            let mut row = Row::new(key.clone(), 2 * G + i * 1_000_003, age);
            row.content = hash(row.content, 2, version as u64);
            row.flags = if version > 0 { ObjectFlags::NONCURRENT } else { 0 };
            rows.push(row);
        }
    }
    for i in 0..60 {
        let key = format!("old/exp-9/checkpoint-{}/pytorch_model.bin", i * 100);
        let mut marker = Row::new(key.clone(), 0, 120 * DAY);
        marker.flags = ObjectFlags::DELETE_MARKER;
        let mut gone = Row::new(key, 3 * G, 250 * DAY);
        gone.flags = ObjectFlags::NONCURRENT;
        rows.extend([marker, gone]);
    }
    rows
}

fn plain(bucket: &Planted, objects: u32, kib: u32, tier: Tier, days: (u32, u32)) -> Vec<Row> {
    const DIRS: [&str; 5] = ["raw", "clean", "train", "eval", "archive"];
    let seed = text_hash(&bucket.name);
    let row = |i: u32| {
        let draw = |purpose| hash(seed, purpose, u64::from(i));
        let dir = DIRS[(draw(1) % 5) as usize];
        let key = format!("{dir}/{:02}/part-{i:06}.bin", draw(2) % 12);
        // Between a half and one and a half of the mean.
        let size = (u64::from(kib) << 9) + draw(3) % (u64::from(kib) << 10);
        let span = u64::from(days.1.saturating_sub(days.0)) * DAY as u64;
        let age = i64::from(days.0) * DAY + (draw(4) % span.max(1)) as i64;
        Row { tier, ..Row::new(key, size, age) }
    };
    (0..objects).map(row).collect()
}
