//! What is found wrong with storage, in dollars per month.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::FindingReason;
use crate::domain::Scope;

/// Kind of a storage finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A bucket without lifecycle rules.
    NoLifecycle,
    /// Noncurrent versions that nothing deletes.
    Noncurrent,
    /// Multipart uploads that were begun and not completed.
    IncompleteUploads,
    /// Bytes billed by CloudWatch's figures that no list shows.
    DarkBytes,
    /// Objects so small that their class costs more than Standard.
    SmallObjects,
    /// Bytes in a tier that is dearer than another one for their age and use.
    WrongTier,
    /// A bucket without writes for a long time.
    Abandoned,
    /// Prefixes that hold the same objects.
    Duplicates,
    /// Checkpoints that the retention policy would drop.
    PrunableCheckpoints,
    /// A volume that is not attached.
    UnattachedVolume,
    /// A volume of an instance that is stopped.
    StoppedInstanceVolume,
    /// A gp2 volume that would be cheaper as gp3.
    Gp2,
    /// A snapshot whose volume is deleted and that no image uses.
    OrphanSnapshot,
    /// A snapshot of at least 180 days.
    OldSnapshot,
    /// A volume of a notebook that was not opened for long.
    StaleNotebook,
}

impl FindingKind {
    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoLifecycle => "no_lifecycle",
            Self::Noncurrent => "noncurrent",
            Self::IncompleteUploads => "incomplete_uploads",
            Self::DarkBytes => "dark_bytes",
            Self::SmallObjects => "small_objects",
            Self::WrongTier => "wrong_tier",
            Self::Abandoned => "abandoned",
            Self::Duplicates => "duplicates",
            Self::PrunableCheckpoints => "prunable_checkpoints",
            Self::UnattachedVolume => "unattached_volume",
            Self::StoppedInstanceVolume => "stopped_instance_volume",
            Self::Gp2 => "gp2",
            Self::OrphanSnapshot => "orphan_snapshot",
            Self::OldSnapshot => "old_snapshot",
            Self::StaleNotebook => "stale_notebook",
        }
    }
}

/// Effort to act on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Minutes: one rule or one call.
    Low,
    /// Hours: a person must check first.
    Medium,
    /// Days or more: people must change how they work.
    High,
}

/// Possible loss by acting on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// None: nothing of use is lost.
    Low,
    /// Data that can be restored or recomputed, at a cost.
    Medium,
    /// Data that cannot be restored.
    High,
}

/// Bucket, prefix, volume or snapshot that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// A whole bucket, by name.
    Bucket(Arc<str>),
    /// A prefix of a bucket: bucket name, then prefix.
    Prefix(Arc<str>, Arc<str>),
    /// An EBS volume, by id.
    Volume(Arc<str>),
    /// An EBS snapshot, by id.
    Snapshot(Arc<str>),
}

/// One finding about storage, with its saving.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageFinding {
    /// Kind of finding.
    pub kind: FindingKind,
    /// Account and region.
    pub scope: Scope,
    /// Bucket, prefix, volume or snapshot.
    pub subject: Subject,
    /// Bytes concerned; `None` when unknown.
    pub bytes: Option<u64>,
    /// Saving per month of 730 h at list price, USD, less the one-time fees of acting spread over the first year;
    /// `None` when unknown.
    pub usd_per_month: Option<f64>,
    /// Effort to act on it.
    pub effort: Effort,
    /// Possible loss by acting on it.
    pub risk: Risk,
    /// What is so; what to do follows from it.
    pub reason: FindingReason,
}
