//! A bucket owner that a test fills: objects by bucket and key, inventories, and what is denied.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use jiff::civil::Date;

use super::provider::Page;
use super::storage::{
    BucketConfig, BucketList, Image, ListPlace, ListToken, ListWhat, Name, ObjectBytes, SizePoints,
    SizeSeries, StorageSource, Upload,
};
use crate::domain::storage::bucket::InventoryConfig;
use crate::domain::storage::{
    Bucket, Lifecycle, ObjectBatch, ObjectFlags, ObjectLock, Snapshot, StoppedInstance, Tier,
    Versioning, Volume,
};
use crate::domain::{ErrorKind, Scope, SourceError, Tags};

/// Keys with sizes, and where the next page begins.
type PageOf<'a> = (Vec<(&'a str, u64)>, Option<ListToken>);

/// What is there.
#[derive(Clone, Default)]
pub struct Memory {
    buckets: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    /// Inventories by bucket.
    pub inventories: BTreeMap<String, Vec<InventoryConfig>>,
    /// Uploads of every bucket, each of 5 bytes.
    pub uploads: Vec<Upload>,
    /// `NumberOfObjects` of every bucket.
    pub objects: Option<f64>,
    denied: BTreeSet<&'static str>,
    /// Objects that were read.
    pub reads: Arc<AtomicU64>,
}

impl Memory {
    /// Puts an object; the bucket is made for it.
    pub fn put(&mut self, bucket: &str, key: &str, bytes: Vec<u8>) {
        self.buckets.entry(bucket.to_owned()).or_default().insert(key.to_owned(), bytes);
    }

    /// A bucket, empty unless something is put into it.
    pub fn make(&mut self, bucket: &str) {
        self.buckets.entry(bucket.to_owned()).or_default();
    }

    /// An action that is answered with "access denied" from now on.
    pub fn deny(&mut self, action: &'static str) {
        self.denied.insert(action);
    }

    fn check(&self, action: &'static str) -> Result<(), SourceError> {
        if !self.denied.contains(action) {
            return Ok(());
        }
        Err(SourceError::new(ErrorKind::Denied, action, "access denied", "allow it"))
    }

    fn bucket(&self, name: &str) -> Result<&BTreeMap<String, Vec<u8>>, SourceError> {
        let message = format!("bucket {name} is gone: deleted, or never there");
        self.buckets.get(name).ok_or_else(|| {
            SourceError::new(ErrorKind::Unavailable, "s3:ListBucket", &message, "refresh")
        })
    }

    /// Up to 1,000 keys from the token on, and the next.
    fn page(
        &self,
        at: ListPlace<'_>,
        token: Option<&ListToken>,
    ) -> Result<PageOf<'_>, SourceError> {
        let from = token.map_or("", |t| t.at.as_str());
        let mut all = self
            .bucket(at.bucket)?
            .iter()
            .filter(|(key, _)| key.starts_with(at.prefix) && key.as_str() > from)
            .map(|(key, bytes)| (key.as_str(), bytes.len() as u64));
        let page: Vec<_> = all.by_ref().take(1_000).collect();
        let last = page.last().filter(|_| all.next().is_some());
        let next = last.map(|(key, _)| ListToken { at: (*key).to_owned(), id: None });
        Ok((page, next))
    }
}

#[async_trait::async_trait]
impl StorageSource for Memory {
    fn label(&self) -> &'static str {
        "memory"
    }

    async fn buckets(&self, account: &Arc<str>, _: &[Arc<str>]) -> Result<BucketList, SourceError> {
        let bucket = |name: &String| Bucket {
            scope: Scope::new(account.clone(), "eu-west-1"),
            name: name.as_str().into(),
            created_at: None,
            is_directory: false,
        };
        Ok(BucketList { buckets: self.buckets.keys().map(bucket).collect(), troubles: Vec::new() })
    }

    async fn region_of(&self, bucket: &str) -> Result<Arc<str>, SourceError> {
        self.check("s3:GetBucketLocation")?;
        self.bucket(bucket).map(|_| "eu-west-1".into())
    }

    async fn config(&self, bucket: &Bucket) -> BucketConfig {
        let inventories = self.inventories.get(&*bucket.name).cloned().unwrap_or_default();
        let checked = self.check("s3:GetInventoryConfiguration").map_err(Arc::new);
        BucketConfig {
            tags: Ok(Tags::default()),
            versioning: Ok(Versioning::Enabled),
            lifecycle: Ok(None),
            lock: Ok(ObjectLock { enabled: false, default_days: None }),
            replicates: Ok(false),
            inventories: checked.map(|()| inventories),
            request_metrics: Ok(None),
            gone: false,
        }
    }

    async fn lifecycle(&self, _: &Arc<str>, _: &str) -> Result<Option<Lifecycle>, SourceError> {
        Ok(None)
    }

    async fn size_series(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<SizeSeries>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn size_data(
        &self,
        _: &Arc<str>,
        series: &[SizeSeries],
        days: Range<Date>,
    ) -> Result<Vec<SizePoints>, SourceError> {
        self.check("cloudwatch:GetMetricData")?;
        let points: Vec<_> = self.objects.map(|n| (days.start, n)).into_iter().collect();
        let answer = |query| SizePoints { query, points: points.clone(), complete: true };
        Ok((0..series.len()).map(answer).collect())
    }

    async fn volumes(&self, _: &Scope, _: Option<String>) -> Result<Page<Volume>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn snapshots(&self, _: &Scope, _: Option<String>) -> Result<Page<Snapshot>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn images(&self, _: &Arc<str>, _: Option<String>) -> Result<Page<Image>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn stopped(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<StoppedInstance>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn objects(
        &self,
        at: ListPlace<'_>,
        what: ListWhat,
        token: Option<ListToken>,
        into: &mut ObjectBatch,
    ) -> Result<Option<ListToken>, SourceError> {
        self.check(match what {
            ListWhat::Objects => "s3:ListBucket",
            ListWhat::Versions => "s3:ListBucketVersions",
        })?;
        let (page, next) = self.page(at, token.as_ref())?;
        for (key, bytes) in page {
            into.keys.push(key.as_bytes());
            into.sizes.push(bytes);
            into.modified_ms.push(1_790_000_000_000);
            into.tiers.push(Tier::Standard);
            into.flags.push(ObjectFlags::default());
        }
        Ok(next)
    }

    async fn names(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Name>, Option<ListToken>), SourceError> {
        self.check("s3:ListBucket")?;
        let (page, next) = self.page(at, token.as_ref())?;
        let mut names = Vec::new();
        for (key, bytes) in page {
            let rest = key.strip_prefix(at.prefix).unwrap_or_default();
            let name = match rest.find('/') {
                Some(i) => Name::Prefix(key.as_bytes()[..=at.prefix.len() + i].to_vec()),
                None => Name::Object { key: key.into(), bytes, modified: None },
            };
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        Ok((names, next))
    }

    async fn uploads(
        &self,
        _: ListPlace<'_>,
        _: Option<ListToken>,
    ) -> Result<(Vec<Upload>, Option<ListToken>), SourceError> {
        self.check("s3:ListBucketMultipartUploads")?;
        Ok((self.uploads.clone(), None))
    }

    async fn upload_bytes(&self, _: &Arc<str>, _: &str, _: &Upload) -> Result<u64, SourceError> {
        Ok(5)
    }

    async fn object(
        &self,
        _: &Arc<str>,
        bucket: &str,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectBytes, SourceError> {
        self.check("s3:GetObject")?;
        self.reads.fetch_add(1, Ordering::Relaxed);
        let whole = self.bucket(bucket)?.get(key).cloned().unwrap_or_default();
        let total = whole.len() as u64;
        let range = range.map_or(0..total, |r| r.start.min(total)..r.end.min(total));
        let bytes = whole[range.start as usize..range.end as usize].to_vec();
        Ok(ObjectBytes { bytes, total: Some(total), etag: "1".into() })
    }
}

/// The time of everything here.
pub fn now() -> Timestamp {
    Timestamp::from_second(1_795_000_000).unwrap_or_default()
}
