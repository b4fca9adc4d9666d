//! EBS volumes, snapshots, the images made of them, and the instances that are stopped.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use jiff::Timestamp;

use super::calls::{DESCRIBE_IMAGES, DESCRIBE_INSTANCES, DESCRIBE_SNAPSHOTS, DESCRIBE_VOLUMES};
use super::inventory::{clean, shared};
use super::limit::Api;
use super::{AwsProvider, error, time};
use crate::domain::storage::facts::StoppedInstance;
use crate::domain::storage::{Attachment, Snapshot, SnapshotTier, Volume, VolumeKind};
use crate::domain::text::is_id;
use crate::domain::{Scope, SourceError, Tags};
use crate::source::provider::Page;
use crate::source::storage::Image;

/// Rows per page, half of what EC2 gives at most; unpaginated calls are throttled harder.
const PAGE: i32 = 500;

/// Owner that means this account.
const SELF: &str = "self";

/// One page of volumes. Err when the call fails.
pub async fn volumes(
    aws: &AwsProvider,
    scope: &Scope,
    token: Option<String>,
) -> Result<Page<Volume>, SourceError> {
    let region = &scope.region;
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let answer = client
        .describe_volumes()
        .max_results(PAGE)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_VOLUMES, region, &e))?;
    let items: Option<Vec<Volume>> = answer.volumes().iter().map(|v| volume(v, scope)).collect();
    let items = items.ok_or_else(|| {
        error::malformed("a volume came without an id", aws.place(&DESCRIBE_VOLUMES, region))
    })?;
    Ok(Page::new(items, answer.next_token))
}

fn positive(n: Option<i32>) -> Option<u32> {
    n.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

fn tags(raw: &[ec2::Tag]) -> Tags {
    Tags::from_raw(raw.iter().filter_map(|t| Some((t.key()?, t.value()?))))
}

/// Volume from EC2's structure; `None` without a valid id.
pub(super) fn volume(raw: &ec2::Volume, scope: &Scope) -> Option<Volume> {
    let id = raw.volume_id().filter(|id| is_id(id))?;
    let attachments = raw.attachments().iter().map(|a| Attachment {
        // Of what AWS attaches for itself (Fargate, …) the resource is named in place of an
        // instance; either way it is in use.
        instance: clean(a.instance_id().or(a.associated_resource())),
        device: shared(a.device()),
        attached_at: a.attach_time().and_then(time::from_sdk),
        delete_on_termination: a.delete_on_termination().unwrap_or(false),
    });
    Some(Volume {
        scope: scope.clone(),
        id: clean(Some(id)),
        az: shared(raw.availability_zone()),
        kind: VolumeKind::from_api(raw.volume_type().map_or("", ec2::VolumeType::as_str)),
        size_gib: positive(raw.size()).unwrap_or(0),
        iops: positive(raw.iops()),
        throughput_mibps: positive(raw.throughput()),
        state: shared(raw.state().map(ec2::VolumeState::as_str)),
        attachments: attachments.collect(),
        created_at: raw.create_time().and_then(time::from_sdk),
        snapshot: shared(raw.snapshot_id()),
        encrypted: raw.encrypted().unwrap_or(false),
        tags: tags(raw.tags()),
    })
}

/// One page of the account's own snapshots. Err when the call fails.
pub async fn snapshots(
    aws: &AwsProvider,
    scope: &Scope,
    token: Option<String>,
) -> Result<Page<Snapshot>, SourceError> {
    let region = &scope.region;
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let answer = client
        .describe_snapshots()
        .owner_ids(SELF)
        .max_results(PAGE)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_SNAPSHOTS, region, &e))?;
    let items: Option<Vec<Snapshot>> =
        answer.snapshots().iter().map(|s| snapshot(s, scope)).collect();
    let items = items.ok_or_else(|| {
        error::malformed("a snapshot came without an id", aws.place(&DESCRIBE_SNAPSHOTS, region))
    })?;
    Ok(Page::new(items, answer.next_token))
}

/// Snapshot from EC2's structure; `None` without a valid id.
pub(super) fn snapshot(raw: &ec2::Snapshot, scope: &Scope) -> Option<Snapshot> {
    let id = raw.snapshot_id().filter(|id| is_id(id))?;
    Some(Snapshot {
        scope: scope.clone(),
        id: clean(Some(id)),
        volume: clean(raw.volume_id()),
        volume_gib: positive(raw.volume_size()).unwrap_or(0),
        full_bytes: raw
            .full_snapshot_size_in_bytes()
            .and_then(|n| u64::try_from(n).ok())
            .filter(|n| *n > 0),
        started_at: raw.start_time().and_then(time::from_sdk),
        state: shared(raw.state().map(ec2::SnapshotState::as_str)),
        tier: match raw.storage_tier() {
            Some(ec2::StorageTier::Archive) => SnapshotTier::Archive,
            _ => SnapshotTier::Standard,
        },
        images: Vec::new(),
        description: clean(raw.description()),
        tags: tags(raw.tags()),
    })
}

/// One page of the account's own images, including deprecated and disabled ones, which hold snapshots as well. Err when
/// the call fails.
pub async fn images(
    aws: &AwsProvider,
    region: &Arc<str>,
    token: Option<String>,
) -> Result<Page<Image>, SourceError> {
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let answer = client
        .describe_images()
        .owners(SELF)
        .include_deprecated(true)
        .include_disabled(true)
        .max_results(PAGE)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_IMAGES, region, &e))?;
    let items = answer.images().iter().filter_map(|image| {
        let snapshots = image.block_device_mappings().iter();
        let snapshots = snapshots.filter_map(|m| Some(clean(Some(m.ebs()?.snapshot_id()?))));
        let id = image.image_id().filter(|id| is_id(id))?;
        Some(Image { id: id.into(), snapshots: snapshots.collect() })
    });
    Ok(Page::new(items.collect(), answer.next_token))
}

/// One page of stopped instances. Err when the call fails.
pub async fn stopped(
    aws: &AwsProvider,
    region: &Arc<str>,
    token: Option<String>,
) -> Result<Page<StoppedInstance>, SourceError> {
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let only = ec2::Filter::builder().name("instance-state-name").values("stopped").build();
    let answer = client
        .describe_instances()
        .filters(only)
        .max_results(PAGE)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_INSTANCES, region, &e))?;
    let instances = answer.reservations().iter().flat_map(ec2::Reservation::instances);
    let items = instances.filter_map(|raw| {
        let tags = tags(raw.tags());
        Some(StoppedInstance {
            id: raw.instance_id().filter(|id| is_id(id))?.into(),
            name: tags.get("Name").unwrap_or_default().into(),
            since: stopped_since(raw.state_transition_reason().unwrap_or_default()),
        })
    });
    Ok(Page::new(items.collect(), answer.next_token))
}

/// EC2 says when only in words: `User initiated (2026-03-01 12:34:56 GMT)`.
pub(super) fn stopped_since(reason: &str) -> Option<Timestamp> {
    let time = reason.rsplit_once('(')?.1.strip_suffix(" GMT)")?;
    let (day, clock) = time.split_once(' ')?;
    format!("{day}T{clock}Z").parse().ok()
}
