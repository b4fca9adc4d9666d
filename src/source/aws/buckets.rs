//! S3 buckets: which there are, where they are, how they are set up. Each fact of a bucket is read
//! by itself and fails by itself, so that one missing permission hides one fact.

use std::sync::Arc;

use aws_sdk_s3::types as s3;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use futures_util::future::join_all;

use super::calls::{
    GET_BUCKET_LOCATION, GET_BUCKET_REPLICATION, GET_BUCKET_TAGGING, GET_BUCKET_VERSIONING,
    GET_OBJECT_LOCK_CONFIGURATION, HEAD_BUCKET, LIST_BUCKET_INVENTORY_CONFIGURATIONS,
    LIST_BUCKET_METRICS_CONFIGURATIONS, LIST_BUCKETS, LIST_DIRECTORY_BUCKETS,
};
use super::inventory::clean;
use super::limit::Api;
use super::storage::is_gone;
use super::{AwsProvider, error, lifecycle, time};
use crate::domain::storage::bucket::InventoryConfig;
use crate::domain::storage::{Bucket, ObjectLock, Versioning};
use crate::domain::{ErrorKind, Scope, SourceError, Tags, text};
use crate::source::pages::Pages;
use crate::source::storage::{BucketConfig, BucketList};

/// Buckets per page: paginated lists name the region of each bucket, others do not.
const PAGE: i32 = 1_000;

/// How the names of directory buckets end; no other bucket may end so (S3 user guide, "Directory
/// bucket naming rules").
const DIRECTORY: &str = "--x-s3";

/// All buckets of the account, and the directory buckets of `regions`. Err when `ListBuckets` fails; a region that
/// fails is listed in the troubles of the result.
pub async fn list(
    aws: &AwsProvider,
    account: &Arc<str>,
    regions: &[Arc<str>],
) -> Result<BucketList, SourceError> {
    let mut out = BucketList { buckets: general(aws, account).await?, troubles: Vec::new() };
    for (region, listed) in
        join_all(regions.iter().map(async |region| (region, directory(aws, account, region).await)))
            .await
    {
        match listed {
            Ok(more) => out.buckets.extend(more),
            Err(error) => out.troubles.push((Arc::clone(region), error)),
        }
    }
    out.buckets.sort_by(|a, b| (&a.name, &a.scope).cmp(&(&b.name, &b.scope)));
    out.buckets.dedup_by(|a, b| a.name == b.name);
    Ok(out)
}

async fn general(aws: &AwsProvider, account: &Arc<str>) -> Result<Vec<Bucket>, SourceError> {
    let home = aws.clients().await.home();
    let client = aws.clients().await.s3(home);
    let ask = |token| client.list_buckets().max_buckets(PAGE).set_continuation_token(token).send();
    let of = (Api::S3Config, &LIST_BUCKETS);
    let all = aws.all_pages(of, home, ask, |page| (page.buckets, page.continuation_token)).await?;
    let buckets = all.iter().filter_map(|b| bucket(b, account, None));
    Ok(buckets.filter(|b| !b.is_directory).collect())
}

async fn directory(
    aws: &AwsProvider,
    account: &Arc<str>,
    region: &Arc<str>,
) -> Result<Vec<Bucket>, SourceError> {
    let client = aws.clients().await.s3(region);
    let ask = |token| {
        client
            .list_directory_buckets()
            .max_directory_buckets(PAGE)
            .set_continuation_token(token)
            .send()
    };
    let of = (Api::S3Config, &LIST_DIRECTORY_BUCKETS);
    let all =
        aws.all_pages(of, region, ask, |page| (page.buckets, page.continuation_token)).await?;
    let buckets = all.iter().filter_map(|b| bucket(b, account, Some(region)));
    // An endpoint that does not know the call answers with the list of all buckets.
    Ok(buckets.filter(|b| b.is_directory).collect())
}

/// `None` without a name, or with one that is no bucket's: it could not be asked.
fn bucket(raw: &s3::Bucket, account: &Arc<str>, region: Option<&Arc<str>>) -> Option<Bucket> {
    let name = raw.name().filter(|n| text::is_id(n))?;
    let said = raw.bucket_region().map(|r| clean(Some(r))).filter(|r| !r.is_empty());
    let region = region.map(Arc::clone).or(said).unwrap_or_else(|| "-".into());
    Some(Bucket {
        scope: Scope::new(Arc::clone(account), region),
        name: name.into(),
        created_at: raw.creation_date().and_then(time::from_sdk),
        is_directory: name.ends_with(DIRECTORY),
    })
}

/// Region of a bucket: from `GetBucketLocation`, else from the header of `HeadBucket`, which S3 sends even on a
/// refusal. Err when neither names it.
pub async fn region_of(aws: &AwsProvider, bucket: &str) -> Result<Arc<str>, SourceError> {
    let home = aws.clients().await.home();
    let client = aws.clients().await.s3(home);
    let _permit = aws.enter(Api::S3Config, home, 0).await;
    let refused = match client.get_bucket_location().bucket(bucket).send().await {
        Ok(answer) => {
            return Ok(region(
                answer
                    .location_constraint()
                    .map(aws_sdk_s3::types::BucketLocationConstraint::as_str),
            ));
        }
        Err(e) if is_gone(&e) => {
            return Err(aws.bucket_failed(&GET_BUCKET_LOCATION, home, bucket, &e));
        }
        Err(e) => e,
    };
    if let Some(region) = header(refused.raw_response()) {
        return Ok(region);
    }
    let head = client.head_bucket().bucket(bucket).send().await;
    let told = match &head {
        Ok(answer) => answer.bucket_region().map(|r| clean(Some(r))).filter(|r| !r.is_empty()),
        Err(e) => header(e.raw_response()),
    };
    told.ok_or_else(|| {
        let said = aws.bucket_failed(&GET_BUCKET_LOCATION, home, bucket, &refused);
        let also = format!("{}; {} does not say it either", said.message, HEAD_BUCKET.action);
        SourceError::new(said.kind, &said.operation, &also, &said.fix)
    })
}

/// No constraint is us-east-1, and `EU` was the first name of eu-west-1 (S3 API reference).
fn region(constraint: Option<&str>) -> Arc<str> {
    match constraint {
        None | Some("") => "us-east-1".into(),
        Some("EU") => "eu-west-1".into(),
        Some(other) => clean(Some(other)),
    }
}

fn header(response: Option<&HttpResponse>) -> Option<Arc<str>> {
    let region = response?.headers().get("x-amz-bucket-region")?;
    Some(clean(Some(region))).filter(|r| !r.is_empty())
}

/// Configuration of a bucket; each fact fails by itself.
pub async fn config(aws: &AwsProvider, bucket: &Bucket) -> BucketConfig {
    if bucket.is_directory {
        return directory_config(aws, bucket).await;
    }
    let (region, name) = (&bucket.scope.region, &*bucket.name);
    let (tags, versioning, lifecycle, lock, replicates, inventories, request_metrics) = tokio::join!(
        tags(aws, region, name),
        versioning(aws, region, name),
        lifecycle::read(aws, region, name),
        lock(aws, region, name),
        replicates(aws, region, name),
        inventories(aws, region, name),
        request_metrics(aws, region, name),
    );
    let gone = |e: Option<&SourceError>| {
        e.is_some_and(|e| e.kind == ErrorKind::Unavailable && e.message.contains(" is gone: "))
    };
    let gone = gone(versioning.as_ref().err()) || gone(tags.as_ref().err());
    BucketConfig {
        tags: tags.map_err(Arc::new),
        versioning: versioning.map_err(Arc::new),
        lifecycle: lifecycle.map(|l| l.map(Arc::new)).map_err(Arc::new),
        lock: lock.map_err(Arc::new),
        replicates: replicates.map_err(Arc::new),
        inventories: inventories.map_err(Arc::new),
        request_metrics: request_metrics.map_err(Arc::new),
        gone,
    }
}

/// A directory bucket has lifecycle rules (expiry alone) and nothing else of all this (S3 user
/// guide, "Differences for directory buckets").
async fn directory_config(aws: &AwsProvider, bucket: &Bucket) -> BucketConfig {
    let lifecycle = lifecycle::read(aws, &bucket.scope.region, &bucket.name).await;
    BucketConfig {
        tags: Ok(Tags::default()),
        versioning: Ok(Versioning::Off),
        lifecycle: lifecycle.map(|l| l.map(Arc::new)).map_err(Arc::new),
        lock: Ok(ObjectLock { enabled: false, default_days: None }),
        replicates: Ok(false),
        inventories: Ok(Vec::new()),
        request_metrics: Ok(None),
        gone: false,
    }
}

/// True for the error `code` of a setting that does not exist, which counts as an answer.
pub(super) fn is_unset<E>(error: &SdkError<E, HttpResponse>, code: &str) -> bool
where
    E: ProvideErrorMetadata,
{
    error.code() == Some(code)
}

/// Tags of a bucket; empty without any. Err when the call fails.
pub(super) async fn tags(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<Tags, SourceError> {
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Config, region, 0).await;
    match client.get_bucket_tagging().bucket(bucket).send().await {
        Ok(answer) => Ok(Tags::from_raw(answer.tag_set().iter().map(|t| (t.key(), t.value())))),
        Err(e) if is_unset(&e, "NoSuchTagSet") => Ok(Tags::default()),
        Err(e) => Err(aws.bucket_failed(&GET_BUCKET_TAGGING, region, bucket, &e)),
    }
}

/// Versioning of a bucket. Err when the call fails.
pub(super) async fn versioning(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<Versioning, SourceError> {
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Config, region, 0).await;
    let answer = client
        .get_bucket_versioning()
        .bucket(bucket)
        .send()
        .await
        .map_err(|e| aws.bucket_failed(&GET_BUCKET_VERSIONING, region, bucket, &e))?;
    match answer.status() {
        None => Ok(Versioning::Off),
        Some(s3::BucketVersioningStatus::Enabled) => Ok(Versioning::Enabled),
        Some(s3::BucketVersioningStatus::Suspended) => Ok(Versioning::Suspended),
        Some(other) => {
            let message = format!("bucket {bucket}: unknown state {}", other.as_str());
            Err(error::malformed(&message, aws.place(&GET_BUCKET_VERSIONING, region)))
        }
    }
}

/// Object Lock settings of a bucket. Err when the call fails.
pub(super) async fn lock(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<ObjectLock, SourceError> {
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Config, region, 0).await;
    let answer = match client.get_object_lock_configuration().bucket(bucket).send().await {
        Ok(answer) => answer,
        Err(e) if is_unset(&e, "ObjectLockConfigurationNotFoundError") => {
            return Ok(ObjectLock { enabled: false, default_days: None });
        }
        Err(e) => {
            return Err(aws.bucket_failed(&GET_OBJECT_LOCK_CONFIGURATION, region, bucket, &e));
        }
    };
    let Some(config) = answer.object_lock_configuration() else {
        return Ok(ObjectLock { enabled: false, default_days: None });
    };
    let retention = config.rule().and_then(|r| r.default_retention());
    let positive = |n: Option<i32>| n.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let days = retention.and_then(|r| {
        positive(r.days()).or(positive(r.years()).map(|years| years.saturating_mul(365)))
    });
    let enabled = config.object_lock_enabled() == Some(&s3::ObjectLockEnabled::Enabled);
    Ok(ObjectLock { enabled, default_days: days })
}

/// True when the bucket has an enabled replication rule. Err when the call fails.
pub(super) async fn replicates(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<bool, SourceError> {
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Config, region, 0).await;
    match client.get_bucket_replication().bucket(bucket).send().await {
        Ok(answer) => Ok(answer.replication_configuration().is_some_and(|c| {
            c.rules().iter().any(|r| r.status() == &s3::ReplicationRuleStatus::Enabled)
        })),
        Err(e) if is_unset(&e, "ReplicationConfigurationNotFoundError") => Ok(false),
        Err(e) => Err(aws.bucket_failed(&GET_BUCKET_REPLICATION, region, bucket, &e)),
    }
}

async fn inventories(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<Vec<InventoryConfig>, SourceError> {
    let client = aws.clients().await.s3(region);
    let mut out = Vec::new();
    let mut pages = Pages::of(LIST_BUCKET_INVENTORY_CONFIGURATIONS.action, region);
    while let Some(token) = pages.ask() {
        let _permit = aws.enter(Api::S3Config, region, 0).await;
        let page = match client
            .list_bucket_inventory_configurations()
            .bucket(bucket)
            .set_continuation_token(token)
            .send()
            .await
        {
            Ok(page) => page,
            Err(e) if is_unset(&e, "NoSuchConfiguration") => return Ok(out),
            Err(e) => {
                let call = &LIST_BUCKET_INVENTORY_CONFIGURATIONS;
                return Err(aws.bucket_failed(call, region, bucket, &e));
            }
        };
        out.extend(page.inventory_configuration_list().iter().filter_map(|c| inventory(c, bucket)));
        pages.follow_cut(page.is_truncated == Some(true), page.next_continuation_token)?;
    }
    Ok(out)
}

/// Where an inventory is delivered: `destination/prefix/source-bucket/id/` (S3 user guide,
/// "Locating your inventory list").
fn inventory(raw: &s3::InventoryConfiguration, bucket: &str) -> Option<InventoryConfig> {
    let to = raw.destination()?.s3_bucket_destination()?;
    let destination = to.bucket().rsplit(":::").next().unwrap_or_default();
    let prefix = to.prefix().unwrap_or_default().trim_end_matches('/');
    let slash = if prefix.is_empty() { "" } else { "/" };
    let location = format!("s3://{destination}/{prefix}{slash}{bucket}/{}", raw.id());
    Some(InventoryConfig {
        id: clean(Some(raw.id())),
        location: clean(Some(&location)),
        format: clean(Some(to.format().as_str())),
        enabled: raw.is_enabled(),
    })
}

/// The first request metric without a filter: it counts all requests of the bucket.
async fn request_metrics(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<Option<Arc<str>>, SourceError> {
    let client = aws.clients().await.s3(region);
    let mut pages = Pages::of(LIST_BUCKET_METRICS_CONFIGURATIONS.action, region);
    while let Some(token) = pages.ask() {
        let _permit = aws.enter(Api::S3Config, region, 0).await;
        let page = match client
            .list_bucket_metrics_configurations()
            .bucket(bucket)
            .set_continuation_token(token)
            .send()
            .await
        {
            Ok(page) => page,
            Err(e) if is_unset(&e, "NoSuchConfiguration") => return Ok(None),
            Err(e) => {
                let call = &LIST_BUCKET_METRICS_CONFIGURATIONS;
                return Err(aws.bucket_failed(call, region, bucket, &e));
            }
        };
        let whole = page.metrics_configuration_list().iter().find(|c| c.filter().is_none());
        if let Some(whole) = whole {
            return Ok(Some(clean(Some(whole.id()))));
        }
        pages.follow_cut(page.is_truncated == Some(true), page.next_continuation_token)?;
    }
    Ok(None)
}
