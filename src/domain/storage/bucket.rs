//! A bucket, as far as it can be known without touching an object.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::lifecycle::Lifecycle;
use super::tier::Tier;
use crate::domain::{Scope, SourceError, Tags, text};

/// One bucket as `ListBuckets` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Account and region; the region is `-` while it is not known.
    pub scope: Scope,
    /// Name.
    #[serde(deserialize_with = "text::id")]
    pub name: Arc<str>,
    /// Created, or last changed in its policy (S3 moves the date).
    pub created_at: Option<Timestamp>,
    /// True for a directory bucket (Express One Zone).
    pub is_directory: bool,
}

/// `GetBucketVersioning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Versioning {
    /// Never switched on: what is deleted or overwritten is gone.
    Off,
    /// On.
    Enabled,
    /// Was on; old versions are still there and billed.
    Suspended,
}

/// Object Lock of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectLock {
    /// Objects may be locked.
    pub enabled: bool,
    /// Retention that new objects get, days.
    pub default_days: Option<u32>,
}

/// A fact that was read; or why not.
pub type Fact<T> = Result<T, Arc<SourceError>>;

/// Everything read of a bucket. Each fact fails for itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketFacts {
    /// Which bucket.
    pub bucket: Bucket,
    /// Tags.
    pub tags: Fact<Tags>,
    /// Versioning.
    pub versioning: Fact<Versioning>,
    /// Lifecycle; `None` when there is none.
    pub lifecycle: Fact<Option<Arc<Lifecycle>>>,
    /// Object Lock.
    pub lock: Fact<ObjectLock>,
    /// True with a replication configuration.
    pub replicates: Fact<bool>,
    /// Inventories configured for it: ids and where they are delivered.
    pub inventories: Fact<Vec<InventoryConfig>>,
    /// Uploads begun and not completed; `None` when nobody asked (it is billed per page).
    pub uploads: Option<Fact<IncompleteUploads>>,
    /// Daily sizes from CloudWatch.
    pub sizes: Fact<Vec<DailySeries>>,
    /// Daily `NumberOfObjects`.
    pub objects: Fact<Option<DailySeries>>,
    /// Requests per month by kind from request metrics, where the bucket has them.
    pub reads_per_month: Option<f64>,
    /// When the newest of it was read.
    pub taken_at: Timestamp,
}

/// An inventory that a bucket has configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryConfig {
    /// Its id.
    pub id: Arc<str>,
    /// `s3://destination/prefix/source-bucket/id`.
    pub location: Arc<str>,
    /// `CSV`, `Parquet`, `ORC`.
    pub format: Arc<str>,
    /// Enabled.
    pub enabled: bool,
}

/// Uploads begun and not completed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncompleteUploads {
    /// How many.
    pub uploads: u64,
    /// Those begun more than 7 days before.
    pub older_than_7_days: u64,
    /// Bytes of their parts, where the parts were listed.
    pub bytes: Option<u64>,
    /// True when not all were listed.
    pub partial: bool,
}

/// A daily series of CloudWatch: `BucketSizeBytes` of one storage type, or `NumberOfObjects`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DailySeries {
    /// CloudWatch's `StorageType`, as it said it: `StandardStorage`.
    pub storage_type: Arc<str>,
    /// The tier it is billed in, when this version knows the type.
    pub tier: Option<Tier>,
    /// True for what is no content but overhead (`…Overhead`).
    pub is_overhead: bool,
    /// Day (UTC) and value, ascending, without gaps filled.
    pub points: Vec<(Date, f64)>,
}

impl DailySeries {
    /// The newest point.
    pub fn last(&self) -> Option<(Date, f64)> {
        self.points.last().copied()
    }
}
