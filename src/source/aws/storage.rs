//! The storage of an AWS account: who answers what.

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use jiff::civil::Date;

use super::calls::Call;
use super::{AwsProvider, bucket_sizes, buckets, lifecycle, listing, volumes};
use crate::domain::storage::facts::StoppedInstance;
use crate::domain::storage::{
    Bucket, EbsPrices, Lifecycle, ObjectBatch, S3Prices, Snapshot, Volume,
};
use crate::domain::{ErrorKind, Scope, SourceError};
use crate::source::provider::Page;
use crate::source::storage::{
    BucketConfig, BucketList, Image, ListPlace, ListToken, ListWhat, Name, ObjectBytes, SizePoints,
    SizeSeries, StorageSource, Upload,
};

impl AwsProvider {
    /// Error for a failed call about a bucket; a deleted bucket has its own message.
    pub(super) fn bucket_failed<E>(
        &self,
        call: &'static Call,
        region: &str,
        bucket: &str,
        error: &SdkError<E, HttpResponse>,
    ) -> SourceError
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        if is_gone(error) {
            let message = format!("bucket {bucket} is gone: deleted, or never there");
            let fix = "refresh the list of buckets";
            return SourceError::new(ErrorKind::Unavailable, call.action, &message, fix);
        }
        let said = self.failed(call, region, error);
        let message = format!("bucket {bucket}: {}", said.message);
        SourceError::new(said.kind, &said.operation, &message, &said.fix)
    }
}

/// True when S3 reports that the bucket does not exist.
pub(super) fn is_gone<E>(error: &SdkError<E, HttpResponse>) -> bool
where
    E: ProvideErrorMetadata,
{
    error.code() == Some("NoSuchBucket")
}

#[async_trait::async_trait]
impl StorageSource for AwsProvider {
    fn label(&self) -> &str {
        &self.source.label
    }

    async fn buckets(
        &self,
        account: &Arc<str>,
        regions: &[Arc<str>],
    ) -> Result<BucketList, SourceError> {
        buckets::list(self, account, regions).await
    }

    async fn region_of(&self, bucket: &str) -> Result<Arc<str>, SourceError> {
        buckets::region_of(self, bucket).await
    }

    async fn config(&self, bucket: &Bucket) -> BucketConfig {
        // Many calls side by side: too much for the stack of a caller.
        Box::pin(buckets::config(self, bucket)).await
    }

    async fn lifecycle(
        &self,
        region: &Arc<str>,
        bucket: &str,
    ) -> Result<Option<Lifecycle>, SourceError> {
        lifecycle::read(self, region, bucket).await
    }

    async fn size_series(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<SizeSeries>, SourceError> {
        bucket_sizes::series(self, region, token).await
    }

    async fn size_data(
        &self,
        region: &Arc<str>,
        series: &[SizeSeries],
        days: Range<Date>,
    ) -> Result<Vec<SizePoints>, SourceError> {
        bucket_sizes::data(self, region, series, days).await
    }

    async fn volumes(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Volume>, SourceError> {
        volumes::volumes(self, scope, token).await
    }

    async fn snapshots(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Snapshot>, SourceError> {
        volumes::snapshots(self, scope, token).await
    }

    async fn images(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Image>, SourceError> {
        volumes::images(self, region, token).await
    }

    async fn stopped(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<StoppedInstance>, SourceError> {
        volumes::stopped(self, region, token).await
    }

    async fn objects(
        &self,
        at: ListPlace<'_>,
        what: ListWhat,
        token: Option<ListToken>,
        into: &mut ObjectBatch,
    ) -> Result<Option<ListToken>, SourceError> {
        match what {
            ListWhat::Objects => listing::objects(self, at, token, into).await,
            ListWhat::Versions => listing::versions(self, at, token, into).await,
        }
    }

    async fn names(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Name>, Option<ListToken>), SourceError> {
        listing::names(self, at, token).await
    }

    async fn uploads(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Upload>, Option<ListToken>), SourceError> {
        listing::uploads(self, at, token).await
    }

    async fn upload_bytes(
        &self,
        region: &Arc<str>,
        bucket: &str,
        upload: &Upload,
    ) -> Result<u64, SourceError> {
        listing::upload_bytes(self, region, bucket, upload).await
    }

    async fn object(
        &self,
        region: &Arc<str>,
        bucket: &str,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectBytes, SourceError> {
        listing::object(self, region, bucket, key, range).await
    }

    async fn s3_prices(&self, region: &str) -> Result<Option<S3Prices>, SourceError> {
        Self::s3_prices(self, region).await.map(Some)
    }

    async fn ebs_prices(&self, region: &str) -> Result<Option<EbsPrices>, SourceError> {
        Self::ebs_prices(self, region).await.map(Some)
    }
}
