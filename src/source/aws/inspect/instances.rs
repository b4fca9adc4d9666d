//! The instances themselves.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::filter;
use crate::domain::{Instance, Scope, SourceError};
use crate::source::aws::calls::DESCRIBE_INSTANCES;
use crate::source::aws::limit::Api;
use crate::source::aws::{AwsProvider, error, inventory};

/// The most that `DescribeInstances` gives at once.
const PAGE: i32 = 1_000;

/// An instance as EC2 returns it and as burntop represents it.
#[derive(Debug)]
pub struct Found {
    /// EC2's structure.
    pub raw: ec2::Instance,
    /// burntop's structure.
    pub instance: Arc<Instance>,
}

/// Instances of `ids` that exist, terminated ones included, by id. Err when a page cannot be read.
pub async fn by_id(
    aws: &AwsProvider,
    scope: &Scope,
    ids: &[Arc<str>],
) -> Result<HashMap<Arc<str>, Found>, SourceError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = matching(aws, scope, filter("instance-id", ids.iter().map(|id| &**id))).await?;
    Ok(found.into_iter().map(|f| (Arc::clone(&f.instance.id), f)).collect())
}

/// Instances that match a filter, terminated ones included. Err when a page cannot be read.
pub async fn matching(
    aws: &AwsProvider,
    scope: &Scope,
    filter: ec2::Filter,
) -> Result<Vec<Found>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.ec2(region);
    let ask = |token| {
        client
            .describe_instances()
            .filters(filter.clone())
            .max_results(PAGE)
            .set_next_token(token)
            .send()
    };
    let mut out = Vec::new();
    aws.each_page((Api::Ec2, &DESCRIBE_INSTANCES), region, ask, |page| {
        let now = (aws.now)();
        for raw in page
            .reservations
            .unwrap_or_default()
            .into_iter()
            .flat_map(|r| r.instances.unwrap_or_default())
        {
            let instance = inventory::instance(&raw, scope, now).ok_or_else(|| {
                let place = aws.place(&DESCRIBE_INSTANCES, region);
                error::malformed("an instance came without an id", place)
            })?;
            out.push(Found { raw, instance: Arc::new(instance) });
        }
        Ok(page.next_token)
    })
    .await?;
    Ok(out)
}
