//! Public addresses.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::filter;
use crate::domain::{Known, SourceError};
use crate::source::aws::AwsProvider;
use crate::source::aws::calls::DESCRIBE_ADDRESSES;
use crate::source::aws::inventory::clean;
use crate::source::aws::limit::Api;

/// Elastic IPs by the instance that they are associated with.
type Elastic = HashMap<Arc<str>, Vec<Arc<str>>>;

/// Elastic IP addresses of the instances. Err when the call fails.
pub async fn elastic(aws: &AwsProvider, region: &Arc<str>, ids: &[Arc<str>]) -> Known<Elastic> {
    read(aws, region, ids).await.map_err(Arc::new)
}

async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    ids: &[Arc<str>],
) -> Result<Elastic, SourceError> {
    let mut out = Elastic::new();
    if ids.is_empty() {
        return Ok(out);
    }
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    // EC2 pages this list never.
    let answer = client
        .describe_addresses()
        .filters(filter("instance-id", ids.iter().map(|id| &**id)))
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_ADDRESSES, region, &e))?;
    for address in answer.addresses() {
        if let (Some(instance), Some(ip)) = (address.instance_id(), address.public_ip()) {
            out.entry(clean(Some(instance))).or_default().push(clean(Some(ip)));
        }
    }
    Ok(out)
}

/// Public IPv4 address that EC2 lends the instance: one that is not an Elastic IP; `None` without one.
pub fn lent(raw: &ec2::Instance, elastic: &[Arc<str>]) -> Option<Arc<str>> {
    let of_interfaces =
        raw.network_interfaces().iter().filter_map(|n| n.association()?.public_ip());
    raw.public_ip_address()
        .into_iter()
        .chain(of_interfaces)
        .filter(|ip| !ip.is_empty())
        .map(|ip| clean(Some(ip)))
        .find(|ip| !elastic.contains(ip))
}
