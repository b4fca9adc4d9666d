//! EBS volumes and snapshots.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Scope, Tags, intern, text};

/// Kinds of volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VolumeKind {
    /// `gp2`.
    Gp2,
    /// `gp3`.
    Gp3,
    /// `io1`.
    Io1,
    /// `io2`.
    Io2,
    /// `st1`.
    St1,
    /// `sc1`.
    Sc1,
    /// `standard`, magnetic.
    Magnetic,
    /// One this version does not know: not priced.
    Unknown,
}

impl VolumeKind {
    /// All that have a name.
    pub const ALL: [Self; 7] =
        [Self::Gp2, Self::Gp3, Self::Io1, Self::Io2, Self::St1, Self::Sc1, Self::Magnetic];

    /// The name in the API; `unknown` for what has none here.
    pub fn api(self) -> &'static str {
        match self {
            Self::Gp2 => "gp2",
            Self::Gp3 => "gp3",
            Self::Io1 => "io1",
            Self::Io2 => "io2",
            Self::St1 => "st1",
            Self::Sc1 => "sc1",
            Self::Magnetic => "standard",
            Self::Unknown => "unknown",
        }
    }

    /// The kind of a name of the API.
    pub fn from_api(name: &str) -> Self {
        Self::ALL.into_iter().find(|k| k.api() == name).unwrap_or(Self::Unknown)
    }
}

/// Where a volume is attached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Instance id.
    pub instance: Arc<str>,
    /// Device.
    #[serde(deserialize_with = "intern::text")]
    pub device: Arc<str>,
    /// Since when.
    pub attached_at: Option<Timestamp>,
    /// Dies with the instance.
    pub delete_on_termination: bool,
}

/// A volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volume {
    /// Account and region.
    pub scope: Scope,
    /// `vol-…`.
    #[serde(deserialize_with = "text::id")]
    pub id: Arc<str>,
    /// Zone.
    #[serde(deserialize_with = "intern::text")]
    pub az: Arc<str>,
    /// Kind.
    pub kind: VolumeKind,
    /// Provisioned size, GiB.
    pub size_gib: u32,
    /// Provisioned IOPS, where the API names them.
    pub iops: Option<u32>,
    /// Provisioned throughput, MiB/s, where the API names it.
    pub throughput_mibps: Option<u32>,
    /// `available`, `in-use`, `error`, … as the API says.
    #[serde(deserialize_with = "intern::text")]
    pub state: Arc<str>,
    /// Where it is attached; several for Multi-Attach.
    pub attachments: Vec<Attachment>,
    /// Created.
    pub created_at: Option<Timestamp>,
    /// The snapshot it was made from; empty for none.
    #[serde(deserialize_with = "intern::text")]
    pub snapshot: Arc<str>,
    /// Encrypted.
    pub encrypted: bool,
    /// Tags.
    pub tags: Tags,
}

/// Where a snapshot is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SnapshotTier {
    /// Standard: incremental.
    Standard,
    /// Archive: a full copy.
    Archive,
}

/// A snapshot of the account's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Account and region.
    pub scope: Scope,
    /// `snap-…`.
    #[serde(deserialize_with = "text::id")]
    pub id: Arc<str>,
    /// The volume it is of; may be gone, or `vol-ffffffff` for copies.
    pub volume: Arc<str>,
    /// Size of the **volume**, GiB: what a snapshot stores is at most that, and not told here.
    pub volume_gib: u32,
    /// Full size of the snapshot in bytes, where the API says it.
    pub full_bytes: Option<u64>,
    /// Started.
    pub started_at: Option<Timestamp>,
    /// `completed`, `pending`, `error`, …
    #[serde(deserialize_with = "intern::text")]
    pub state: Arc<str>,
    /// Tier.
    pub tier: SnapshotTier,
    /// Images (AMIs) of the account that use it.
    pub images: Vec<Arc<str>>,
    /// Description; clean text.
    pub description: Arc<str>,
    /// Tags.
    pub tags: Tags,
}
