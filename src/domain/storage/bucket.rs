//! A bucket, as far as it can be known without touching an object.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::lifecycle::Lifecycle;
use super::tier::Tier;
use crate::domain::{Scope, SourceError, Tags, text};

/// S3 bucket as `ListBuckets` returns it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Account and region; the region is `-` while it is not known.
    pub scope: Scope,
    /// Bucket name; unique within a partition of AWS.
    #[serde(deserialize_with = "text::id")]
    pub name: Arc<str>,
    /// Time of creation, or of the last change of its policy (S3 moves the date); `None` when S3 does not return it.
    pub created_at: Option<Timestamp>,
    /// True for a directory bucket (Express One Zone).
    pub is_directory: bool,
}

/// Versioning of a bucket (`GetBucketVersioning`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Versioning {
    /// Never switched on: deleted or overwritten objects are lost.
    Off,
    /// Versions are kept.
    Enabled,
    /// Was on; old versions are still there and billed.
    Suspended,
}

/// Object Lock of a bucket (`GetObjectLockConfiguration`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectLock {
    /// True when objects may be locked.
    pub enabled: bool,
    /// Default retention of new objects, days; `None` without one.
    pub default_days: Option<u32>,
}

/// A fact that was read, or the error of reading it.
pub type Fact<T> = Result<T, Arc<SourceError>>;

/// Facts of one bucket. Each fact fails by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketFacts {
    /// Name, account and region of the bucket.
    pub bucket: Bucket,
    /// Tags of the bucket.
    pub tags: Fact<Tags>,
    /// Versioning state.
    pub versioning: Fact<Versioning>,
    /// Lifecycle configuration; `None` without one.
    pub lifecycle: Fact<Option<Arc<Lifecycle>>>,
    /// Object Lock settings.
    pub lock: Fact<ObjectLock>,
    /// True with an enabled replication rule.
    pub replicates: Fact<bool>,
    /// Configured inventories; empty without any.
    pub inventories: Fact<Vec<InventoryConfig>>,
    /// Incomplete multipart uploads; `None` when not read (the list is billed per page).
    pub uploads: Option<Fact<IncompleteUploads>>,
    /// Daily `BucketSizeBytes` of CloudWatch, one series per storage type.
    pub sizes: Fact<Vec<DailySeries>>,
    /// Daily `NumberOfObjects` of CloudWatch; `None` without data.
    pub objects: Fact<Option<DailySeries>>,
    /// Read requests per month from S3 request metrics; `None` for a bucket without them.
    pub reads_per_month: Option<f64>,
    /// Bytes that were read per month, from S3 request metrics; `None` for a bucket without them.
    #[serde(default)]
    pub downloaded_per_month: Option<f64>,
    /// Time of the newest of these facts.
    pub taken_at: Timestamp,
}

/// An inventory that a bucket has configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryConfig {
    /// Id of the inventory.
    pub id: Arc<str>,
    /// Location of its deliveries, `s3://destination/prefix/source-bucket/id`.
    pub location: Arc<str>,
    /// Format of its files: `CSV`, `Parquet`, `ORC`.
    pub format: Arc<str>,
    /// True when it is switched on.
    pub enabled: bool,
}

/// Incomplete multipart uploads of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncompleteUploads {
    /// Number of uploads.
    pub uploads: u64,
    /// Number of uploads begun more than 7 days ago.
    pub older_than_7_days: u64,
    /// Bytes of their parts; `None` when the parts were not listed.
    pub bytes: Option<u64>,
    /// True when the list was cut short.
    pub partial: bool,
}

/// A daily series of CloudWatch: `BucketSizeBytes` of one storage type, or `NumberOfObjects`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DailySeries {
    /// CloudWatch's `StorageType`, verbatim: `StandardStorage`.
    pub storage_type: Arc<str>,
    /// Tier that it is billed in; `None` for a storage type that this version does not know.
    pub tier: Option<Tier>,
    /// True for overhead rather than content (`…Overhead`).
    pub is_overhead: bool,
    /// Day (UTC) and value, ascending; missing days are absent.
    pub points: Vec<(Date, f64)>,
}

impl DailySeries {
    /// Newest day and value; `None` when empty.
    pub fn last(&self) -> Option<(Date, f64)> {
        self.points.last().copied()
    }
}
