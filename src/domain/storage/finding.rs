//! What is found wrong with storage, in dollars per month.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::FindingReason;
use crate::domain::Scope;

/// Kinds of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A bucket without lifecycle rules.
    NoLifecycle,
    /// Noncurrent versions that nothing deletes.
    Noncurrent,
    /// Incomplete multipart uploads.
    IncompleteUploads,
    /// Bytes that CloudWatch bills and no list shows.
    DarkBytes,
    /// Objects so small that their class costs more than Standard.
    SmallObjects,
    /// Bytes in a tier that is dearer than another for their age and use.
    WrongTier,
    /// A bucket that nothing was written to for a long time.
    Abandoned,
    /// Copies.
    Duplicates,
    /// Checkpoints that the retention policy would drop.
    PrunableCheckpoints,
    /// A volume that is attached to nothing.
    UnattachedVolume,
    /// A volume of an instance that is stopped.
    StoppedInstanceVolume,
    /// gp2 that would be cheaper as gp3.
    Gp2,
    /// A snapshot whose volume is gone and that no image uses.
    OrphanSnapshot,
    /// An old snapshot.
    OldSnapshot,
    /// A volume of a notebook that nobody opened.
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

/// How much work it is to act on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Minutes: one rule, one call.
    Low,
    /// An afternoon: somebody has to look.
    Medium,
    /// A change of how people work.
    High,
}

/// What may be lost by acting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing that anybody could want.
    Low,
    /// It can be had again, at a cost.
    Medium,
    /// Data that cannot be had again.
    High,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Subject {
    /// A whole bucket.
    Bucket(Arc<str>),
    /// A prefix of a bucket.
    Prefix(Arc<str>, Arc<str>),
    /// A volume.
    Volume(Arc<str>),
    /// A snapshot.
    Snapshot(Arc<str>),
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageFinding {
    /// Kind.
    pub kind: FindingKind,
    /// Where.
    pub scope: Scope,
    /// About what.
    pub subject: Subject,
    /// Bytes concerned; `None` when not known.
    pub bytes: Option<u64>,
    /// What acting would save per month of 730 h at list price, after the fees of the first year
    /// are spread over it where acting costs fees; `None` when not known.
    pub usd_per_month: Option<f64>,
    /// Work.
    pub effort: Effort,
    /// What may be lost.
    pub risk: Risk,
    /// What is so; what to do follows from it.
    pub reason: FindingReason,
}
