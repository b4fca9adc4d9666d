//! What is known of one volume or bucket at the moment of acting. A fact that could not be read is
//! never a harmless one: each stands there with the failure in its place.

use std::sync::Arc;

use jiff::Timestamp;

use super::bucket::Versioning;
use super::lifecycle::Lifecycle;
use super::volume::{Snapshot, Volume, VolumeKind};
use crate::domain::{Known, Tags};

/// How far `ModifyVolume` has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModificationState {
    /// Asked for; the volume is as it was before.
    Modifying,
    /// The volume performs and bills as asked for; data still move underneath. A success.
    Optimizing,
    /// Done.
    Completed,
    /// It stayed as it was.
    Failed,
    /// A state this version does not know.
    Unknown,
}

/// The last modification of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeModification {
    /// How far it has come.
    pub state: ModificationState,
    /// The kind it becomes.
    pub kind: VolumeKind,
    /// The IOPS it gets, where the API names them.
    pub iops: Option<u32>,
    /// The throughput it gets, MiB/s, where the API names it.
    pub throughput_mibps: Option<u32>,
    /// When it began.
    pub started_at: Option<Timestamp>,
}

/// Everything asked of one volume, at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeLook {
    /// Which volume was asked about.
    pub id: Arc<str>,
    /// When the answers were complete.
    pub taken_at: Timestamp,
    /// The volume; `None` when EC2 knows no such volume (any more).
    pub volume: Known<Option<Arc<Volume>>>,
    /// Its last modification; `None` where there was none.
    pub modification: Known<Option<VolumeModification>>,
    /// The account's own snapshots of it, in any state.
    pub snapshots: Known<Vec<Snapshot>>,
    /// True when `CloudWatch` has data points of it from the last two weeks: EBS sends them while a
    /// volume is attached, and `ListMetrics` forgets a series two weeks after its last point
    /// (CloudWatch API reference, `ListMetrics`).
    pub recently_attached: Known<bool>,
}

/// A bucket's lifecycle configuration as S3 gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LifecycleSeen {
    /// The configuration; `None` when the bucket has none.
    pub lifecycle: Option<Lifecycle>,
    /// The document as it came, for the backup; empty when there is none.
    pub document: String,
    /// Parts of the document that this version does not know. To put the configuration back
    /// without them would change somebody's rule.
    pub unknown_parts: Vec<String>,
}

/// Everything asked of one bucket, at one moment. Each question names the account that has to own
/// the bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketLook {
    /// Which bucket was asked about.
    pub name: Arc<str>,
    /// When the answers were complete.
    pub taken_at: Timestamp,
    /// Its lifecycle.
    pub lifecycle: Known<LifecycleSeen>,
    /// Its versioning.
    pub versioning: Known<Versioning>,
    /// True with Object Lock.
    pub locked: Known<bool>,
    /// True with a replication configuration.
    pub replicates: Known<bool>,
    /// Its tags.
    pub tags: Known<Tags>,
}

/// What was asked about: a volume or a bucket.
#[derive(Clone, Debug, PartialEq)]
pub enum StorageLook {
    /// A volume.
    Volume(VolumeLook),
    /// A bucket.
    Bucket(BucketLook),
}

impl StorageLook {
    /// When the answers were complete.
    pub fn taken_at(&self) -> Timestamp {
        match self {
            Self::Volume(look) => look.taken_at,
            Self::Bucket(look) => look.taken_at,
        }
    }

    /// Its tags, where they are known.
    pub fn tags(&self) -> Option<&Tags> {
        match self {
            Self::Volume(look) => Some(&look.volume.as_ref().ok()?.as_ref()?.tags),
            Self::Bucket(look) => look.tags.as_ref().ok(),
        }
    }

    /// The volume, where it is one and is there.
    pub fn volume(&self) -> Option<&Volume> {
        match self {
            Self::Volume(look) => look.volume.as_ref().ok()?.as_deref(),
            Self::Bucket(_) => None,
        }
    }
}
