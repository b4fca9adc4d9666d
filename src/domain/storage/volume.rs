//! EBS volumes and snapshots.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Scope, Tags, intern, text};

/// Type of an EBS volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VolumeKind {
    /// `gp2`, general purpose SSD.
    Gp2,
    /// `gp3`, general purpose SSD with separate IOPS and throughput.
    Gp3,
    /// `io1`, provisioned IOPS SSD.
    Io1,
    /// `io2`, provisioned IOPS SSD.
    Io2,
    /// `st1`, throughput optimised HDD.
    St1,
    /// `sc1`, cold HDD.
    Sc1,
    /// `standard`, the previous generation's magnetic disk.
    Magnetic,
    /// A type that this version does not know: not priced.
    Unknown,
}

impl VolumeKind {
    /// All known types, in the order of declaration.
    pub const ALL: [Self; 7] =
        [Self::Gp2, Self::Gp3, Self::Io1, Self::Io2, Self::St1, Self::Sc1, Self::Magnetic];

    /// Name in the API; `unknown` for [`Self::Unknown`].
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

    /// The type with this name in the API; [`Self::Unknown`] for any other text.
    pub fn from_api(name: &str) -> Self {
        Self::ALL.into_iter().find(|k| k.api() == name).unwrap_or(Self::Unknown)
    }
}

/// Attachment of a volume to an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// EC2 instance id, such as `i-0abc`.
    pub instance: Arc<str>,
    /// Device name, such as `/dev/sda1`.
    #[serde(deserialize_with = "intern::text")]
    pub device: Arc<str>,
    /// Time of the attachment; `None` when EC2 does not report it.
    pub attached_at: Option<Timestamp>,
    /// True when the volume is deleted with the instance.
    pub delete_on_termination: bool,
}

/// An EBS volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volume {
    /// Account and region it lies in.
    pub scope: Scope,
    /// Volume id, `vol-…`.
    #[serde(deserialize_with = "text::id")]
    pub id: Arc<str>,
    /// Availability zone, such as `us-east-1a`.
    #[serde(deserialize_with = "intern::text")]
    pub az: Arc<str>,
    /// Volume type.
    pub kind: VolumeKind,
    /// Provisioned size, GiB.
    pub size_gib: u32,
    /// Provisioned IOPS; `None` when the API does not name them.
    pub iops: Option<u32>,
    /// Provisioned throughput, MiB/s; `None` when the API does not name it.
    pub throughput_mibps: Option<u32>,
    /// EC2's name of the state: `available`, `in-use`, `error`, …
    #[serde(deserialize_with = "intern::text")]
    pub state: Arc<str>,
    /// Attachments; empty when detached, several with Multi-Attach.
    pub attachments: Vec<Attachment>,
    /// Time of creation; `None` when EC2 does not report it.
    pub created_at: Option<Timestamp>,
    /// Id of the snapshot it was created from; empty without one.
    #[serde(deserialize_with = "intern::text")]
    pub snapshot: Arc<str>,
    /// True when encrypted.
    pub encrypted: bool,
    /// Tags, sorted by key.
    pub tags: Tags,
}

/// Storage tier of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SnapshotTier {
    /// Standard: incremental copies.
    Standard,
    /// Archive: a full copy.
    Archive,
}

/// An EBS snapshot that the account owns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Account and region it lies in.
    pub scope: Scope,
    /// Snapshot id, `snap-…`.
    #[serde(deserialize_with = "text::id")]
    pub id: Arc<str>,
    /// Id of its volume, which may be deleted; `vol-ffffffff` for copies.
    pub volume: Arc<str>,
    /// Size of the **volume**, GiB: the upper limit of what the snapshot stores, which EC2 does not report.
    pub volume_gib: u32,
    /// Full size of the snapshot, bytes; `None` when EC2 does not report it.
    pub full_bytes: Option<u64>,
    /// Start of the snapshot; `None` when EC2 does not report it.
    pub started_at: Option<Timestamp>,
    /// EC2's name of the state: `completed`, `pending`, `error`, …
    #[serde(deserialize_with = "intern::text")]
    pub state: Arc<str>,
    /// Storage tier.
    pub tier: SnapshotTier,
    /// Ids of the account's images (AMIs) that use it.
    pub images: Vec<Arc<str>>,
    /// Description given by its creator; clean text, may be empty.
    pub description: Arc<str>,
    /// Tags, sorted by key.
    pub tags: Tags,
}
