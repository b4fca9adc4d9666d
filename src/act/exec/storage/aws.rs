//! The live executor of storage: every call of burntop that changes a volume or a bucket is in this
//! file. Each is made once, without the SDK's retries. Nothing is forced, no snapshot and no object
//! is deleted, and a configuration is put only on top of the one that the plan was made on.

use std::sync::Arc;

use aws_sdk_ec2::operation::RequestId;
use aws_sdk_ec2::types as ec2;

use super::convert::configuration;
use super::executor::{StorageExecutor, StorageReceipt};
use crate::act::exec::answer::read;
use crate::act::plan::storage::{
    Deed, Gp3, Matter, StorageItem, StorageOrder, StorageVerb, lifecycle_hash,
};
use crate::domain::{ErrorKind, Scope, SourceError, text};
use crate::source::aws::AwsProvider;
use crate::source::aws::calls::{
    CREATE_SNAPSHOT, DELETE_BUCKET_LIFECYCLE, DELETE_VOLUME, MODIFY_VOLUME,
    PUT_BUCKET_LIFECYCLE_CONFIGURATION,
};

/// Executes orders about storage in one AWS account, through EC2 and S3.
#[derive(Debug)]
pub struct AwsStorageExecutor {
    aws: Arc<AwsProvider>,
}

/// One call to EC2, asked or meant.
enum Ec2<'a> {
    Snapshot { volume: &'a str, plan: &'a str },
    Delete { volume: &'a str },
    Modify { volume: &'a str, target: Gp3 },
}

impl AwsStorageExecutor {
    /// An executor for the account behind `aws`.
    pub fn new(aws: Arc<AwsProvider>) -> Self {
        Self { aws }
    }

    /// Asks (`dry`) or acts, by one code, so that the call that was asked about is the call that is made.
    async fn ec2(
        &self,
        dry: bool,
        scope: &Scope,
        what: &Ec2<'_>,
    ) -> Result<StorageReceipt, SourceError> {
        let (client, _permit) = if dry {
            self.aws.ec2_for_dry_run(scope).await?
        } else {
            self.aws.ec2_once(scope).await?
        };
        let id = match what {
            Ec2::Snapshot { volume, plan } => {
                let tag =
                    |key: &str, value: &str| ec2::Tag::builder().key(key).value(value).build();
                let tags = ec2::TagSpecification::builder()
                    .resource_type(ec2::ResourceType::Snapshot)
                    .tags(tag("burntop:plan", plan))
                    .tags(tag("burntop:volume", volume))
                    .build();
                let call = client.create_snapshot().volume_id(*volume).tag_specifications(tags);
                let call = call.description(format!("burntop: before {volume} is deleted"));
                let answer = call.dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &CREATE_SNAPSHOT, scope, answer)?;
                answer.and_then(|a| a.request_id().map(str::to_owned))
            }
            Ec2::Delete { volume } => {
                let answer = client.delete_volume().volume_id(*volume).dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &DELETE_VOLUME, scope, answer)?;
                answer.and_then(|a| a.request_id().map(str::to_owned))
            }
            Ec2::Modify { volume, target } => {
                let call = client
                    .modify_volume()
                    .volume_id(*volume)
                    .volume_type(ec2::VolumeType::Gp3)
                    .iops(i32::try_from(target.iops).unwrap_or(i32::MAX))
                    .throughput(i32::try_from(target.throughput_mibps).unwrap_or(i32::MAX));
                let answer = call.dry_run(dry).send().await;
                let answer = read(&self.aws, dry, &MODIFY_VOLUME, scope, answer)?;
                answer.and_then(|a| a.request_id().map(str::to_owned))
            }
        };
        Ok(receipt(id.as_deref()))
    }

    /// Reads the configuration once more and puts the new one on top of it. S3 has no condition for
    /// this PUT: what lies between the two calls is the moment that nobody can guard.
    async fn put(&self, order: &StorageOrder) -> Result<StorageReceipt, SourceError> {
        let scope = order.scope();
        let (bucket, before, fit) = match order.deed() {
            Deed::Put { bucket, before_sha256, fit } => (bucket, before_sha256, Some(fit)),
            Deed::Clear { bucket, before_sha256 } => (bucket, before_sha256, None),
            _ => return Err(refused("it is no configuration")),
        };
        let config = fit.map(|fit| configuration(fit.lifecycle())).transpose();
        let config = config.map_err(|why| refused(&why))?;
        let there = self.aws.lifecycle_now(scope, bucket).await.map_err(|e| {
            // Nothing was put: whatever the read said, the PUT did not happen.
            let kind = if e.kind == ErrorKind::Throttled { e.kind } else { ErrorKind::Refused };
            SourceError::new(kind, &e.operation, &format!("nothing was put: {}", e.message), &e.fix)
        })?;
        if lifecycle_hash(there.lifecycle.as_ref()) != *before || !there.unknown_parts.is_empty() {
            return Err(refused(
                "somebody changed the configuration at this moment; nothing was put",
            ));
        }
        let (client, _permit) = self.aws.s3_once(scope).await?;
        match config {
            Some((config, minimum)) => {
                let answer = client
                    .put_bucket_lifecycle_configuration()
                    .bucket(&**bucket)
                    .expected_bucket_owner(&*scope.account)
                    .set_transition_default_minimum_object_size(minimum)
                    .checksum_algorithm(aws_sdk_s3::types::ChecksumAlgorithm::Sha256)
                    .lifecycle_configuration(config)
                    .send()
                    .await;
                let call = &PUT_BUCKET_LIFECYCLE_CONFIGURATION;
                let answer = answer.map_err(|e| self.aws.action_failed(call, &scope.region, &e))?;
                Ok(receipt(answer.request_id()))
            }
            None => {
                let answer = client
                    .delete_bucket_lifecycle()
                    .bucket(&**bucket)
                    .expected_bucket_owner(&*scope.account)
                    .send()
                    .await;
                let call = &DELETE_BUCKET_LIFECYCLE;
                let answer = answer.map_err(|e| self.aws.action_failed(call, &scope.region, &e))?;
                Ok(receipt(answer.request_id()))
            }
        }
    }
}

fn refused(why: &str) -> SourceError {
    let call = PUT_BUCKET_LIFECYCLE_CONFIGURATION.action;
    SourceError::new(ErrorKind::Refused, call, why, "make a new plan")
}

fn receipt(request_id: Option<&str>) -> StorageReceipt {
    let request_ids = request_id.map(|id| text::clean(id).into_owned()).into_iter().collect();
    StorageReceipt { request_ids, pretended: false }
}

#[async_trait::async_trait]
impl StorageExecutor for AwsStorageExecutor {
    fn name(&self) -> &'static str {
        "live"
    }

    /// S3 has no dry run: whether a PUT is permitted shows when it is made.
    async fn permitted(&self, verb: StorageVerb, item: &StorageItem) -> Result<(), SourceError> {
        let Matter::Volume(volume) = &item.matter else { return Ok(()) };
        let volume = &volume.id;
        match verb {
            StorageVerb::DeleteVolume => {
                let snapshot = Ec2::Snapshot { volume, plan: "dry-run" };
                self.ec2(true, &item.scope, &snapshot).await?;
                self.ec2(true, &item.scope, &Ec2::Delete { volume }).await.map(drop)
            }
            StorageVerb::ModifyVolume => {
                let target = item.volume().and_then(|v| v.target);
                let Some(target) = target else { return Err(refused("there is no target")) };
                self.ec2(true, &item.scope, &Ec2::Modify { volume, target }).await.map(drop)
            }
            StorageVerb::PutLifecycle => Err(refused("a volume has no lifecycle rules")),
        }
    }

    async fn act(&self, order: &StorageOrder) -> Result<StorageReceipt, SourceError> {
        let what = match order.deed() {
            Deed::Snapshot { volume } => Ec2::Snapshot { volume, plan: order.plan() },
            Deed::Delete { volume, .. } => Ec2::Delete { volume },
            Deed::Modify { volume, target } => Ec2::Modify { volume, target: *target },
            Deed::Put { .. } | Deed::Clear { .. } => return self.put(order).await,
        };
        self.ec2(false, order.scope(), &what).await
    }
}
