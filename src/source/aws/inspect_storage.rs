//! Volumes and buckets of a real account, looked at closely.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_cloudwatch::types::DimensionFilter;
use aws_sdk_ec2::types as ec2;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::AfterDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;

use super::calls::{
    DESCRIBE_SNAPSHOTS, DESCRIBE_VOLUMES, DESCRIBE_VOLUMES_MODIFICATIONS,
    GET_BUCKET_LIFECYCLE_CONFIGURATION, LIST_METRICS,
};
use super::inspect::filter;
use super::limit::Api;
use super::{AwsProvider, buckets, error, identity, lifecycle, time, volumes};
use crate::domain::storage::{
    BucketLook, LifecycleSeen, ModificationState, Snapshot, Volume, VolumeKind, VolumeLook,
    VolumeModification,
};
use crate::domain::{ErrorKind, Scope, SourceError};
use crate::source::inspect_storage::StorageInspector;
use crate::source::provider::Identity;

/// The elements of a lifecycle configuration that this version knows (S3 API reference,
/// `GetBucketLifecycleConfiguration`). The SDK drops what it does not know, and a configuration
/// that is put back without it would change a rule.
const ELEMENTS: [&str; 24] = [
    "LifecycleConfiguration",
    "Rule",
    "ID",
    "Prefix",
    "Status",
    "Filter",
    "And",
    "Tag",
    "Key",
    "Value",
    "ObjectSizeGreaterThan",
    "ObjectSizeLessThan",
    "Transition",
    "Days",
    "Date",
    "StorageClass",
    "Expiration",
    "ExpiredObjectDeleteMarker",
    "NoncurrentVersionTransition",
    "NoncurrentDays",
    "NewerNoncurrentVersions",
    "NoncurrentVersionExpiration",
    "AbortIncompleteMultipartUpload",
    "DaysAfterInitiation",
];

/// Keeps the body of an answer as it came.
#[derive(Clone, Debug, Default)]
struct Body(Arc<Mutex<Vec<u8>>>);

impl Intercept for Body {
    fn name(&self) -> &'static str {
        "keeps the document"
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(bytes) = context.response().body().bytes() {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = bytes.to_vec();
        }
        Ok(())
    }
}

/// Lifecycle configuration of a bucket as S3 has it now, with its XML document. Err when the call fails, or the bucket
/// does not belong to the account of `scope`.
pub(crate) async fn lifecycle_now(
    aws: &AwsProvider,
    scope: &Scope,
    bucket: &str,
) -> Result<LifecycleSeen, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Config, region, 0).await;
    let call = &GET_BUCKET_LIFECYCLE_CONFIGURATION;
    let body = Body::default();
    let answer = client
        .get_bucket_lifecycle_configuration()
        .bucket(bucket)
        .expected_bucket_owner(&*scope.account)
        .customize()
        .interceptor(body.clone())
        .send()
        .await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(e) if buckets::is_unset(&e, "NoSuchLifecycleConfiguration") => {
            return Ok(LifecycleSeen::default());
        }
        Err(e) => return Err(aws.bucket_failed(call, region, bucket, &e)),
    };
    let read = lifecycle::of(&answer).map_err(|what| {
        let message = format!("bucket {bucket}: {what} that this version cannot read");
        error::malformed(&message, aws.place(call, region))
    })?;
    let document = body.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let document = String::from_utf8(document)
        .map_err(|_| error::malformed("the document is not UTF-8", aws.place(call, region)))?;
    if document.is_empty() {
        let place = aws.place(call, region);
        return Err(error::malformed("the document itself did not come", place));
    }
    let unknown_parts = unknown_parts(&document);
    Ok(LifecycleSeen { lifecycle: Some(read), document, unknown_parts })
}

/// Elements that are not among those known, each once, in their order.
fn unknown_parts(document: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(document);
    let mut out: Vec<String> = Vec::new();
    loop {
        let name = match reader.read_event() {
            Ok(quick_xml::events::Event::Start(e) | quick_xml::events::Event::Empty(e)) => {
                e.local_name().as_ref().to_owned()
            }
            Ok(quick_xml::events::Event::Eof) => return out,
            Ok(_) => continue,
            Err(_) => {
                out.push("not well-formed".to_owned());
                return out;
            }
        };
        if !ELEMENTS.contains(&name.as_str()) && !out.contains(&name) {
            out.push(name);
        }
    }
}

async fn volume(
    aws: &AwsProvider,
    scope: &Scope,
    id: &str,
) -> Result<Option<Arc<Volume>>, SourceError> {
    let region = &scope.region;
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    // By a filter: an id that is gone is an empty list, not an error.
    let answer = client
        .describe_volumes()
        .filters(filter("volume-id", [id]))
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_VOLUMES, region, &e))?;
    let found = answer.volumes().iter().find(|v| v.volume_id() == Some(id));
    if found.is_none() && answer.next_token().is_some_and(|t| !t.is_empty()) {
        let place = aws.place(&DESCRIBE_VOLUMES, region);
        return Err(error::malformed("one volume was asked for, and the answer goes on", place));
    }
    found
        .map(|raw| {
            let place = aws.place(&DESCRIBE_VOLUMES, region);
            volumes::volume(raw, scope)
                .map(Arc::new)
                .ok_or_else(|| error::malformed("a volume came without an id", place))
        })
        .transpose()
}

async fn modification(
    aws: &AwsProvider,
    scope: &Scope,
    id: &str,
) -> Result<Option<VolumeModification>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.ec2(region);
    let ask = |token| {
        let volume = filter("volume-id", [id]);
        client.describe_volumes_modifications().filters(volume).set_next_token(token).send()
    };
    let of = (Api::Ec2, &DESCRIBE_VOLUMES_MODIFICATIONS);
    let found: Vec<ec2::VolumeModification> = aws
        .all_pages(of, region, ask, |page| (page.volumes_modifications, page.next_token))
        .await?;
    let positive = |n: Option<i32>| n.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let all = found.iter().filter(|m| m.volume_id() == Some(id));
    Ok(all
        .map(|m| VolumeModification {
            state: match m.modification_state() {
                Some(ec2::VolumeModificationState::Modifying) => ModificationState::Modifying,
                Some(ec2::VolumeModificationState::Optimizing) => ModificationState::Optimizing,
                Some(ec2::VolumeModificationState::Completed) => ModificationState::Completed,
                Some(ec2::VolumeModificationState::Failed) => ModificationState::Failed,
                _ => ModificationState::Unknown,
            },
            kind: VolumeKind::from_api(m.target_volume_type().map_or("", ec2::VolumeType::as_str)),
            iops: positive(m.target_iops()),
            throughput_mibps: positive(m.target_throughput()),
            started_at: m.start_time().and_then(time::from_sdk),
        })
        .max_by_key(|m| m.started_at))
}

async fn snapshots(
    aws: &AwsProvider,
    scope: &Scope,
    id: &str,
) -> Result<Vec<Snapshot>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.ec2(region);
    let ask = |token| {
        let volume = filter("volume-id", [id]);
        client.describe_snapshots().owner_ids("self").filters(volume).set_next_token(token).send()
    };
    let of = (Api::Ec2, &DESCRIBE_SNAPSHOTS);
    let found = aws.all_pages(of, region, ask, |page| (page.snapshots, page.next_token)).await?;
    Ok(found.iter().filter_map(|s| volumes::snapshot(s, scope)).collect())
}

async fn recently_attached(
    aws: &AwsProvider,
    scope: &Scope,
    id: &str,
) -> Result<bool, SourceError> {
    let region = &scope.region;
    let _permit = aws.enter(Api::MetricList, region, 0).await;
    let client = aws.clients().await.cloudwatch(region);
    let dimension = DimensionFilter::builder().name("VolumeId").value(id).build();
    let answer = client
        .list_metrics()
        .namespace("AWS/EBS")
        .dimensions(dimension)
        .send()
        .await
        .map_err(|e| aws.failed(&LIST_METRICS, region, &e))?;
    // An empty page that goes on says nothing yet, and is taken for the careful answer.
    Ok(!answer.metrics().is_empty() || answer.next_token().is_some_and(|t| !t.is_empty()))
}

#[async_trait::async_trait]
impl StorageInspector for AwsProvider {
    async fn caller(&self) -> Result<Identity, SourceError> {
        identity::identity(self).await
    }

    async fn volume(&self, scope: &Scope, id: &Arc<str>, use_too: bool) -> VolumeLook {
        let attached = async {
            if use_too {
                return recently_attached(self, scope, id).await;
            }
            let why = "nobody asked";
            Err(SourceError::new(ErrorKind::Unavailable, LIST_METRICS.action, why, ""))
        };
        let (volume, modification, snapshots, attached) = tokio::join!(
            volume(self, scope, id),
            modification(self, scope, id),
            snapshots(self, scope, id),
            attached,
        );
        VolumeLook {
            id: Arc::clone(id),
            taken_at: (self.now)(),
            volume: volume.map_err(Arc::new),
            modification: modification.map_err(Arc::new),
            snapshots: snapshots.map_err(Arc::new),
            recently_attached: attached.map_err(Arc::new),
        }
    }

    async fn bucket(&self, scope: &Scope, name: &Arc<str>) -> BucketLook {
        let region = &scope.region;
        let (lifecycle, versioning, lock, replicates, tags) = tokio::join!(
            lifecycle_now(self, scope, name),
            buckets::versioning(self, region, name),
            buckets::lock(self, region, name),
            buckets::replicates(self, region, name),
            buckets::tags(self, region, name),
        );
        BucketLook {
            name: Arc::clone(name),
            taken_at: (self.now)(),
            lifecycle: lifecycle.map_err(Arc::new),
            versioning: versioning.map_err(Arc::new),
            locked: lock.map(|l| l.enabled).map_err(Arc::new),
            replicates: replicates.map_err(Arc::new),
            tags: tags.map_err(Arc::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unknown_parts;

    #[test]
    fn what_the_sdk_would_drop_is_seen() {
        let known = "<?xml version=\"1.0\"?><LifecycleConfiguration \
                     xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Rule><ID>a</ID><Filter/>\
                     <Status>Enabled</Status><Transition><Days>30</Days><StorageClass>GLACIER\
                     </StorageClass></Transition></Rule></LifecycleConfiguration>";
        assert!(unknown_parts(known).is_empty());
        let more = known.replace("<Filter/>", "<Filter><Owner>x</Owner></Filter><Shiny/>");
        assert_eq!(unknown_parts(&more), ["Owner", "Shiny"]);
        assert_eq!(unknown_parts("<LifecycleConfiguration><Rule></Wrong>"), ["not well-formed"]);
    }
}
