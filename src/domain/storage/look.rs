//! What is known of one volume or bucket at the moment of acting. A fact that could not be read is
//! never a harmless one: each stands there with the failure in its place.

use std::sync::Arc;

use jiff::Timestamp;

use super::bucket::Versioning;
use super::lifecycle::Lifecycle;
use super::volume::{Snapshot, Volume, VolumeKind};
use crate::domain::{Known, Tags};

/// Progress of `ModifyVolume`, as EC2 names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModificationState {
    /// Requested; the volume still has its old type and size.
    Modifying,
    /// The volume already performs and bills as requested, while its data are moved. Counts as success.
    Optimizing,
    /// Completed.
    Completed,
    /// Failed; the volume is unchanged.
    Failed,
    /// A state this version does not know.
    Unknown,
}

/// The last modification of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeModification {
    /// Progress of the modification.
    pub state: ModificationState,
    /// Target volume type.
    pub kind: VolumeKind,
    /// Target IOPS; `None` when the API does not name them.
    pub iops: Option<u32>,
    /// Target throughput, MiB/s; `None` when the API does not name it.
    pub throughput_mibps: Option<u32>,
    /// Start of the modification; `None` when the API does not name it.
    pub started_at: Option<Timestamp>,
}

/// Facts of one volume at one moment, read before an action. Each fact fails by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeLook {
    /// Volume id, `vol-…`.
    pub id: Arc<str>,
    /// Time of the last answer.
    pub taken_at: Timestamp,
    /// The volume; `None` when EC2 does not know the id (any more).
    pub volume: Known<Option<Arc<Volume>>>,
    /// Last modification of the volume; `None` without one.
    pub modification: Known<Option<VolumeModification>>,
    /// Snapshots of it that the account owns, in any state.
    pub snapshots: Known<Vec<Snapshot>>,
    /// True when `CloudWatch` has data points of it from the last two weeks: EBS sends them while a
    /// volume is attached, and `ListMetrics` forgets a series two weeks after its last point
    /// (CloudWatch API reference, `ListMetrics`).
    pub recently_attached: Known<bool>,
}

/// Lifecycle configuration of a bucket as S3 returned it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LifecycleSeen {
    /// Parsed configuration; `None` when the bucket has none.
    pub lifecycle: Option<Lifecycle>,
    /// XML document verbatim, for the backup; empty when there is none.
    pub document: String,
    /// Parts of the document that this version does not know. Writing the configuration back without them would change
    /// a rule.
    pub unknown_parts: Vec<String>,
}

/// Facts of one bucket at one moment, read before an action. Every request names the account that must own the bucket.
/// Each fact fails by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketLook {
    /// Bucket name.
    pub name: Arc<str>,
    /// Time of the last answer.
    pub taken_at: Timestamp,
    /// Lifecycle configuration.
    pub lifecycle: Known<LifecycleSeen>,
    /// Versioning state.
    pub versioning: Known<Versioning>,
    /// True with Object Lock enabled.
    pub locked: Known<bool>,
    /// True with an enabled replication rule.
    pub replicates: Known<bool>,
    /// Tags of the bucket.
    pub tags: Known<Tags>,
}

/// Facts of a volume or a bucket, read before an action.
#[derive(Clone, Debug, PartialEq)]
pub enum StorageLook {
    /// Facts of a volume.
    Volume(VolumeLook),
    /// Facts of a bucket.
    Bucket(BucketLook),
}

impl StorageLook {
    /// Time of the last answer.
    pub fn taken_at(&self) -> Timestamp {
        match self {
            Self::Volume(look) => look.taken_at,
            Self::Bucket(look) => look.taken_at,
        }
    }

    /// Tags of the volume or bucket; `None` when they could not be read or the volume is gone.
    pub fn tags(&self) -> Option<&Tags> {
        match self {
            Self::Volume(look) => Some(&look.volume.as_ref().ok()?.as_ref()?.tags),
            Self::Bucket(look) => look.tags.as_ref().ok(),
        }
    }

    /// The volume; `None` for a bucket, a volume that is gone, or one that could not be read.
    pub fn volume(&self) -> Option<&Volume> {
        match self {
            Self::Volume(look) => look.volume.as_ref().ok()?.as_deref(),
            Self::Bucket(_) => None,
        }
    }
}
