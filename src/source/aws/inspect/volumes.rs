//! The attached volumes.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::filter;
use super::instances::Found;
use crate::domain::{Known, SourceError, VolumeFact};
use crate::source::aws::AwsProvider;
use crate::source::aws::calls::DESCRIBE_VOLUMES;
use crate::source::aws::inventory::clean;
use crate::source::aws::limit::Api;

/// The most values that one filter takes (EC2 API reference).
const FILTER_VALUES: usize = 200;

/// Volumes attached to the instances, by id. Err when a page cannot be read.
pub async fn by_id(
    aws: &AwsProvider,
    region: &Arc<str>,
    instances: &[&Found],
) -> Known<HashMap<Arc<str>, ec2::Volume>> {
    read(aws, region, instances).await.map_err(Arc::new)
}

async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    instances: &[&Found],
) -> Result<HashMap<Arc<str>, ec2::Volume>, SourceError> {
    let ids: Vec<&str> = instances
        .iter()
        .flat_map(|f| &f.instance.block_devices)
        .map(|device| &*device.volume_id)
        .collect();
    let client = aws.clients().await.ec2(region);
    let mut out = HashMap::new();
    for batch in ids.chunks(FILTER_VALUES) {
        let ask = |token| {
            let ids = filter("volume-id", batch.iter().copied());
            client.describe_volumes().filters(ids).set_next_token(token).send()
        };
        let of = (Api::Ec2, &DESCRIBE_VOLUMES);
        let volumes =
            aws.all_pages(of, region, ask, |page| (page.volumes, page.next_token)).await?;
        out.extend(volumes.into_iter().filter_map(|v| Some((clean(Some(v.volume_id()?)), v))));
    }
    Ok(out)
}

/// Volumes of one instance, the root first. Deletion with the instance is from its block device mapping; size and type
/// are from the volume, unknown when EC2 does not list it any more. Err when the volumes could not be read.
pub fn of(
    found: &Found,
    volumes: &Known<HashMap<Arc<str>, ec2::Volume>>,
) -> Known<Vec<VolumeFact>> {
    let volumes = volumes.as_ref().map_err(Arc::clone)?;
    let root = clean(found.raw.root_device_name());
    let fact = |device: &crate::domain::BlockDevice| {
        let volume = volumes.get(&device.volume_id);
        let positive = |n: Option<i32>| n.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
        VolumeFact {
            id: Arc::clone(&device.volume_id),
            device: Arc::clone(&device.device),
            size_gib: volume.and_then(|v| positive(v.size())).map(u64::from),
            kind: clean(volume.and_then(|v| v.volume_type()).map(ec2::VolumeType::as_str)),
            iops: volume.and_then(|v| positive(v.iops())),
            throughput_mibps: volume.and_then(|v| positive(v.throughput())),
            root: !root.is_empty() && device.device == root,
            delete_on_termination: device.delete_on_termination,
        }
    };
    Ok(found.instance.block_devices.iter().map(fact).collect())
}
