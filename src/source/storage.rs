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

/// Result of listing buckets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BucketList {
    /// Buckets; the region is `-` when the list does not state it.
    pub buckets: Vec<Bucket>,
    /// Regions whose directory buckets could not be listed, with the error.
    pub troubles: Vec<(Arc<str>, SourceError)>,
}

/// Configuration of a bucket. Each fact fails by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketConfig {
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
    /// Filter id of request metrics that cover the whole bucket; `None` without.
    pub request_metrics: Fact<Option<Arc<str>>>,
    /// True when the bucket was deleted after it was listed.
    pub gone: bool,
}

/// A daily CloudWatch series of a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SizeSeries {
    /// Bucket name.
    pub bucket: Arc<str>,
    /// Metric of the series.
    pub metric: SizeMetric,
    /// `StorageType` as `ListMetrics` returns it, `AllStorageTypes` for [`SizeMetric::Objects`]; the filter id for
    /// [`SizeMetric::Reads`].
    pub dimension: Arc<str>,
}

/// CloudWatch metric of `AWS/S3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SizeMetric {
    /// `BucketSizeBytes`, daily mean.
    Bytes,
    /// `NumberOfObjects`, daily mean.
    Objects,
    /// `GetRequests`, daily sum; only where request metrics are configured.
    Reads,
    /// `BytesDownloaded`, daily sum; where `GetRequests` is, by the same filter.
    Downloads,
}

/// Answer to one [`SizeSeries`].
#[derive(Clone, Debug, PartialEq)]
pub struct SizePoints {
    /// Index of the series in the request.
    pub query: usize,
    /// Day (UTC) and value, ascending, each day once; malformed and negative values are left out.
    pub points: Vec<(Date, f64)>,
    /// False when CloudWatch reported missing data: missing days prove nothing then.
    pub complete: bool,
}

/// An image (AMI) that the account owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Image id, `ami-…`.
    pub id: Arc<str>,
    /// Ids of its snapshots.
    pub snapshots: Vec<Arc<str>>,
}

/// Rows of a bucket list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListWhat {
    /// `ListObjectsV2`: current objects.
    Objects,
    /// `ListObjectVersions`: all versions and delete markers.
    Versions,
}

impl ListWhat {
    /// Columns that the list has.
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

/// Start of the next page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListToken {
    /// Continuation token, or key marker.
    pub at: String,
    /// Version or upload id marker; `None` for lists without one.
    pub id: Option<String>,
}

/// Name directly under a prefix, from a list with a delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// All keys below this prefix, which ends with `/`. Raw bytes.
    Prefix(Vec<u8>),
    /// An object directly under the prefix.
    Object {
        /// Key of the object, raw bytes.
        key: Vec<u8>,
        /// Size, bytes.
        bytes: u64,
        /// Time of the last change; `None` when S3 does not state it.
        modified: Option<Timestamp>,
    },
}

/// An incomplete multipart upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Key of the object, raw bytes.
    pub key: Vec<u8>,
    /// Id of the upload.
    pub id: String,
    /// Start of the upload; `None` when S3 does not state it.
    pub begun: Option<Timestamp>,
}

/// Bytes of an object, or of a range of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectBytes {
    /// The bytes themselves.
    pub bytes: Vec<u8>,
    /// Size of the whole object, bytes; `None` when S3 does not state it.
    pub total: Option<u64>,
    /// `ETag` without quotes; empty without one. Ranges with different tags are not of the same object.
    pub etag: String,
}

/// The storage of one account. Implementations time out, retry with jitter and map errors; they neither cache nor
/// charge the ledger (the bus and [`super::listing`] do both). Returned text is clean, except keys, which stay as S3
/// has them. Each method is an Err when a call fails.
///
/// `region` is always the bucket's own: see [`StorageSource::region_of`].
#[async_trait::async_trait]
pub trait StorageSource: Send + Sync {
    /// Name for messages before the account is known: the profile or role.
    fn label(&self) -> &str;

    /// All buckets of the account, and the directory buckets of `regions`.
    async fn buckets(
        &self,
        account: &Arc<str>,
        regions: &[Arc<str>],
    ) -> Result<BucketList, SourceError>;

    /// Region of a bucket, of this account or of another that permits the call.
    async fn region_of(&self, bucket: &str) -> Result<Arc<str>, SourceError>;

    /// Configuration of a bucket; each fact fails by itself.
    async fn config(&self, bucket: &Bucket) -> BucketConfig;

    /// Present lifecycle configuration of a bucket, with its minimum size; `None` without one.
    async fn lifecycle(
        &self,
        region: &Arc<str>,
        bucket: &str,
    ) -> Result<Option<Lifecycle>, SourceError>;

    /// One page of the daily series in a region: sizes of every storage type, object counts, reads.
    async fn size_series(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<SizeSeries>, SourceError>;

    /// Daily values from `days.start` up to, but not including, `days.end`, in one `GetMetricData` request with all its
    /// pages: at most 500 series.
    async fn size_data(
        &self,
        region: &Arc<str>,
        series: &[SizeSeries],
        days: Range<Date>,
    ) -> Result<Vec<SizePoints>, SourceError>;

    /// One page of EBS volumes.
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

    /// One page of the account's own images (AMIs).
    async fn images(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Image>, SourceError>;

    /// One page of stopped instances.
    async fn stopped(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<StoppedInstance>, SourceError>;

    /// Appends one page, up to 1,000 rows, of the objects under a prefix (empty for all) to `into`. Returns the start
    /// of the next page; `None` after the last.
    async fn objects(
        &self,
        at: ListPlace<'_>,
        what: ListWhat,
        token: Option<ListToken>,
        into: &mut ObjectBatch,
    ) -> Result<Option<ListToken>, SourceError>;

    /// One page of the names directly under a prefix: keys, and prefixes up to the next `/`.
    async fn names(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Name>, Option<ListToken>), SourceError>;

    /// One page of incomplete multipart uploads.
    async fn uploads(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Upload>, Option<ListToken>), SourceError>;

    /// Size of the parts of an upload so far, bytes.
    async fn upload_bytes(
        &self,
        region: &Arc<str>,
        bucket: &str,
        upload: &Upload,
    ) -> Result<u64, SourceError>;

    /// Reads an object, or its byte range `range`, whose end is exclusive.
    async fn object(
        &self,
        region: &Arc<str>,
        bucket: &str,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectBytes, SourceError>;

    /// Current list prices of S3 in a region; `None` from a source without a price list of its own.
    async fn s3_prices(&self, _region: &str) -> Result<Option<S3Prices>, SourceError> {
        Ok(None)
    }

    /// Current list prices of volumes and snapshots in a region; `None` from a source without a price list of its own.
    async fn ebs_prices(&self, _region: &str) -> Result<Option<EbsPrices>, SourceError> {
        Ok(None)
    }
}

/// Bucket and prefix of a list.
#[derive(Clone, Copy, Debug)]
pub struct ListPlace<'a> {
    /// Region of the bucket.
    pub region: &'a Arc<str>,
    /// Bucket name.
    pub bucket: &'a str,
    /// Prefix of the wanted keys; empty for all.
    pub prefix: &'a str,
}
