//! The nouns of storage: tiers, objects in columns, prefix trees, lifecycle rules, buckets,
//! volumes, snapshots, prices, and what the analysis finds in them.

pub mod bucket;
pub mod duplicate;
pub mod facts;
mod fate;
pub mod finding;
mod finding_reason;
pub mod lifecycle;
pub mod look;
pub mod object;
pub mod prices;
pub mod run;
pub mod scan;
pub mod storage_type;
pub mod sums;
mod sums_pack;
pub mod tier;
pub mod tree;
pub mod volume;

pub use bucket::{Bucket, BucketFacts, DailySeries, IncompleteUploads, ObjectLock, Versioning};
pub use duplicate::{Confidence, PrefixPair};
#[cfg(test)]
pub use facts::StoppedInstance;
pub use facts::{EbsFacts, StorageFacts};
pub use fate::Fate;
pub use finding::{Effort, FindingKind, Risk, StorageFinding, Subject};
pub use finding_reason::{FindingReason, OfSnapshot, OfVolume, Unwritten};
pub use lifecycle::{
    Expiration, Filter as LifecycleFilter, Lifecycle, MinimumSize, NoncurrentExpiration,
    NoncurrentTransition, Rule as LifecycleRule, Transition, When,
};
pub use look::{
    BucketLook, LifecycleSeen, ModificationState, StorageLook, VolumeLook, VolumeModification,
};
pub use object::{Etag, ObjectBatch, ObjectColumns, ObjectFlags};
#[cfg(test)]
pub use prices::VolumePrices;
pub use prices::{EbsPrices, S3Prices, VolumeStep};
pub use run::{Family, Metric, Run, Step};
pub use scan::{Scan, ScanOrigin};
pub use sums::{AGE_BINS, SIZE_BINS, Sums, size_bin};
pub use tier::{StorageClass, Tier};
pub use tree::{NodeId, NodeKind, PrefixTree, TreeBuilder};
pub use volume::{Attachment, Snapshot, SnapshotTier, Volume, VolumeKind};

/// Bytes in what AWS's price lists call a GB: a GiB.
pub const GIB: f64 = 1_073_741_824.0;
