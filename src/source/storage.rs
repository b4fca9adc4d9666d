//! The boundary between burntop and an account's storage. Nothing here changes anything.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::provider::Page;
use crate::domain::SourceError;
use crate::domain::storage::bucket::{Fact, InventoryConfig};
use crate::domain::storage::facts::StoppedInstance;
use crate::domain::storage::{
    Bucket, EbsPrices, Lifecycle, ObjectBatch, ObjectColumns, ObjectLock, S3Prices, Snapshot,
    Versioning, Volume,
};
use crate::domain::{Scope, Tags};

/// What a list of buckets brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BucketList {
    /// The buckets; the region is `-` where the list does not say it.
    pub buckets: Vec<Bucket>,
    /// Regions in which directory buckets could not be listed.
    pub troubles: Vec<(Arc<str>, SourceError)>,
}

/// How a bucket is set up. Each fact fails for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketConfig {
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
    /// Inventories configured for it.
    pub inventories: Fact<Vec<InventoryConfig>>,
    /// The filter id of a request metric that covers the whole bucket, where it has one.
    pub request_metrics: Fact<Option<Arc<str>>>,
    /// True when the bucket is gone: it was deleted after it was listed.
    pub gone: bool,
}

/// A daily metric of a bucket that CloudWatch knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SizeSeries {
    /// The bucket.
    pub bucket: Arc<str>,
    /// Which metric.
    pub metric: SizeMetric,
    /// `StorageType` as `ListMetrics` returned it, `AllStorageTypes` for [`SizeMetric::Objects`];
    /// the filter id for [`SizeMetric::Reads`].
    pub dimension: Arc<str>,
}

/// The metrics of `AWS/S3` that burntop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SizeMetric {
    /// `BucketSizeBytes`, daily mean.
    Bytes,
    /// `NumberOfObjects`, daily mean.
    Objects,
    /// `GetRequests`, daily sum; only where request metrics are configured.
    Reads,
}

/// The answer to one [`SizeSeries`].
#[derive(Clone, Debug, PartialEq)]
pub struct SizePoints {
    /// Index of the series in the request.
    pub query: usize,
    /// Day (UTC) and value, ascending, each day once; what is no number or negative is left out.
    pub points: Vec<(Date, f64)>,
    /// False when CloudWatch said that data are missing for a reason of its own.
    pub complete: bool,
}

/// An image (AMI) of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `ami-…`.
    pub id: Arc<str>,
    /// The snapshots it is made of.
    pub snapshots: Vec<Arc<str>>,
}

/// What is listed of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListWhat {
    /// `ListObjectsV2`: current objects.
    Objects,
    /// `ListObjectVersions`: all versions and delete markers.
    Versions,
}

impl ListWhat {
    /// The columns that such a list has.
    pub fn columns(self) -> ObjectColumns {
        ObjectColumns {
            sizes: true,
            dates: true,
            classes: true,
            etags: true,
            versions: self == Self::Versions,
            encryption: false,
            lock: false,
            replication: false,
        }
    }
}

/// Where the next page of a list begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListToken {
    /// Continuation token, or key marker.
    pub at: String,
    /// Version or upload id marker, where the list has one.
    pub id: Option<String>,
}

/// A name in a bucket, as a list with a delimiter shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// Everything below this prefix; ends with `/`. Raw bytes.
    Prefix(Vec<u8>),
    /// An object.
    Object {
        /// Key, raw bytes.
        key: Vec<u8>,
        /// Size, bytes.
        bytes: u64,
        /// Last modified.
        modified: Option<Timestamp>,
    },
}

/// An upload that was begun and not completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Key, raw bytes.
    pub key: Vec<u8>,
    /// Upload id.
    pub id: String,
    /// Begun.
    pub begun: Option<Timestamp>,
}

/// A piece of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Size of the whole object, where S3 says it.
    pub total: Option<u64>,
    /// `ETag` as S3 gives it, quotes removed; empty when there is none. Two pieces with another
    /// tag are not of the same object.
    pub etag: String,
}

/// The storage of one account. Implementations time out, retry with jitter and map errors; they
/// cache nothing and bill nothing to the ledger (the bus and [`super::listing`] do both). What
/// they return is clean text, but for keys, which stay as S3 has them.
///
/// `region` is always the bucket's own: see [`StorageSource::region_of`].
#[async_trait::async_trait]
pub trait StorageSource: Send + Sync {
    /// A label for messages before the account is known: the profile or role.
    fn label(&self) -> &str;

    /// All buckets of the account; directory buckets of `regions`.
    async fn buckets(
        &self,
        account: &Arc<str>,
        regions: &[Arc<str>],
    ) -> Result<BucketList, SourceError>;

    /// The region of a bucket, of this account or another that lets itself be asked.
    async fn region_of(&self, bucket: &str) -> Result<Arc<str>, SourceError>;

    /// How a bucket is set up.
    async fn config(&self, bucket: &Bucket) -> BucketConfig;

    /// The lifecycle of a bucket now, with its minimum-size default; `None` when there is none.
    async fn lifecycle(
        &self,
        region: &Arc<str>,
        bucket: &str,
    ) -> Result<Option<Lifecycle>, SourceError>;

    /// One page of the daily series of a region: sizes of every storage type and object counts.
    async fn size_series(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<SizeSeries>, SourceError>;

    /// One `GetMetricData` request (all its pages): at most 500 series, whole days from `days.start`
    /// up to but without `days.end`.
    async fn size_data(
        &self,
        region: &Arc<str>,
        series: &[SizeSeries],
        days: Range<Date>,
    ) -> Result<Vec<SizePoints>, SourceError>;

    /// One page of volumes.
    async fn volumes(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Volume>, SourceError>;

    /// One page of the account's own snapshots, without their images.
    async fn snapshots(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Snapshot>, SourceError>;

    /// One page of the account's own images.
    async fn images(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Image>, SourceError>;

    /// One page of the instances that are stopped.
    async fn stopped(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<StoppedInstance>, SourceError>;

    /// One page, up to 1,000 rows, of the objects under `prefix` (empty for all), appended to
    /// `into`. Returns where the next page begins; `None` after the last.
    async fn objects(
        &self,
        at: ListPlace<'_>,
        what: ListWhat,
        token: Option<ListToken>,
        into: &mut ObjectBatch,
    ) -> Result<Option<ListToken>, SourceError>;

    /// One page of what lies directly under `prefix`: keys, and prefixes up to the next `/`.
    async fn names(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Name>, Option<ListToken>), SourceError>;

    /// One page of the uploads begun and not completed.
    async fn uploads(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Upload>, Option<ListToken>), SourceError>;

    /// Bytes of the parts that an upload has so far.
    async fn upload_bytes(
        &self,
        region: &Arc<str>,
        bucket: &str,
        upload: &Upload,
    ) -> Result<u64, SourceError>;

    /// Reads an object, or bytes `range` of it (the end not included).
    async fn object(
        &self,
        region: &Arc<str>,
        bucket: &str,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectBytes, SourceError>;

    /// Current list prices of S3 in a region; `None` where the source has no price list of its own.
    async fn s3_prices(&self, _region: &str) -> Result<Option<S3Prices>, SourceError> {
        Ok(None)
    }

    /// Current list prices of volumes and snapshots in a region, as with
    /// [`StorageSource::s3_prices`].
    async fn ebs_prices(&self, _region: &str) -> Result<Option<EbsPrices>, SourceError> {
        Ok(None)
    }
}

/// Where a list looks.
#[derive(Clone, Copy, Debug)]
pub struct ListPlace<'a> {
    /// The bucket's region.
    pub region: &'a Arc<str>,
    /// The bucket.
    pub bucket: &'a str,
    /// Only keys that begin with it; empty for all.
    pub prefix: &'a str,
}
