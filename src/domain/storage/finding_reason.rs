//! Why something about storage is a finding. `view::reasons` words it, and what to do about it.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Confidence, Fate, StorageClass, VolumeKind};

/// Why something is a finding. Texts are clean; sums are USD per month of 730 h.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FindingReason {
    /// No lifecycle rule is in force.
    NoLifecycle {
        /// Bytes that the bucket grows by a month, where it is worth a word.
        grows: Option<u64>,
    },
    /// Noncurrent versions were listed.
    OldVersions {
        /// Versions.
        versions: u64,
        /// Their bytes.
        bytes: u64,
        /// True when no rule deletes them; false when the rules are not known.
        is_rule_known: bool,
    },
    /// Versioning keeps old versions, and no list says how many.
    Versioning {
        /// True when it is on; false when it is suspended.
        is_on: bool,
    },
    /// Uploads that were begun more than 7 days ago and never completed.
    IncompleteUploads {
        /// Uploads.
        uploads: u64,
        /// Their bytes; `None` when not known.
        bytes: Option<u64>,
        /// True when not all uploads were listed.
        is_partial: bool,
    },
    /// CloudWatch bills bytes that the list does not show.
    DarkBytes {
        /// Bytes billed.
        billed: u64,
        /// Bytes listed.
        listed: u64,
        /// The difference.
        dark: u64,
        /// The day of the list.
        day: Date,
    },
    /// So many objects are under 128 KiB, and their class costs more than they do.
    SmallObjects(u64),
    /// Bytes would cost less in another class.
    WrongTier {
        /// Bytes.
        bytes: u64,
        /// The class.
        to: StorageClass,
        /// Reads of each object a month; `None` where nobody measured, and one in 3 months is taken.
        reads: Option<f64>,
        /// What moving costs once, USD.
        fees: f64,
        /// The month in which that is paid back; `None` when within none.
        payback: Option<u16>,
        /// True where no lifecycle rule can move any of them: they must be copied.
        #[serde(default)]
        is_copied: bool,
    },
    /// Nothing was written for long.
    Abandoned {
        /// How that is known.
        since: Unwritten,
        /// True when request metrics show no read; false when nobody knows.
        is_unread: bool,
        /// What the bucket costs; `None` without a price.
        costs: Option<f64>,
    },
    /// A prefix holds what another holds as well.
    Copies {
        /// What looks like the original.
        original: Arc<str>,
        /// The copy.
        copy: Arc<str>,
        /// The part of the copy that is in the original, 0–1.
        share: f64,
        /// How sure.
        confidence: Confidence,
        /// Objects of the copy that are in both.
        objects: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// Steps of a run that the usual policy would not keep.
    Checkpoints {
        /// Steps that would go.
        dropped: usize,
        /// All steps.
        steps: usize,
        /// Bytes of those that would go.
        bytes: u64,
        /// What becomes of the bytes.
        fate: Fate,
    },
    /// A volume is attached to nothing.
    Unattached {
        /// The volume.
        volume: OfVolume,
        /// When it was made, where that is known.
        made: Option<Timestamp>,
    },
    /// A volume belongs to instances that are stopped.
    OfStopped {
        /// The volume.
        volume: OfVolume,
        /// Name of the first instance, or its id.
        instance: Arc<str>,
        /// Further instances that have it.
        more: usize,
        /// Since when all of them are stopped, and for how many days; `None` when not known.
        since: Option<(Timestamp, i64)>,
    },
    /// A gp2 volume would cost less as gp3.
    Gp2 {
        /// The volume.
        volume: OfVolume,
        /// IOPS to ask for.
        iops: u32,
        /// MiB/s to ask for.
        throughput_mibps: u32,
        /// What it costs.
        gp2_usd: f64,
        /// What it would cost.
        gp3_usd: f64,
    },
    /// The volume of a snapshot is gone, and no image uses it.
    Orphan {
        /// When it was made, where that is known.
        made: Option<Timestamp>,
        /// The snapshot.
        snapshot: OfSnapshot,
    },
    /// A snapshot is old.
    Old {
        /// Its age.
        days: i64,
        /// The snapshot.
        snapshot: OfSnapshot,
        /// Price of a snapshot ÷ that of the archive; `None` when one is not known.
        archive_ratio: Option<f64>,
    },
    /// Nothing is to be said.
    #[cfg(test)]
    Nothing,
}

/// How it is known that nothing is written to a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unwritten {
    /// The newest object is so many days old.
    Newest(i64),
    /// Neither size nor number of objects changed in so many days.
    Unchanged(u32),
}

/// What findings say of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfVolume {
    /// GiB.
    pub gib: u32,
    /// Its kind.
    pub kind: VolumeKind,
    /// True when its requests are billed on top of what it is said to cost.
    pub is_least: bool,
    /// What a snapshot of it costs at most; `None` without a price.
    pub snapshot_usd: Option<f64>,
}

/// What findings say of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfSnapshot {
    /// GiB, at most.
    pub gib: f64,
    /// What it costs at most; `None` without a price.
    pub usd: Option<f64>,
}
