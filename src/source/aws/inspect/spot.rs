//! Spot requests: a persistent one launches a new instance for one that ends.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::filter;
use super::instances::Found;
use crate::domain::text::is_id;
use crate::domain::{ErrorKind, Known, Lifecycle, SourceError, SpotFact};
use crate::source::aws::AwsProvider;
use crate::source::aws::calls::DESCRIBE_SPOT_INSTANCE_REQUESTS;
use crate::source::aws::inventory::clean;
use crate::source::aws::limit::Api;

/// By request id: true for a persistent one.
type Requests = HashMap<Arc<str>, bool>;

/// Spot requests of the Spot instances. Err when the call fails.
pub async fn requests(
    aws: &AwsProvider,
    region: &Arc<str>,
    instances: &[&Found],
) -> Known<Requests> {
    read(aws, region, instances).await.map_err(Arc::new)
}

async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    instances: &[&Found],
) -> Result<Requests, SourceError> {
    let spot = instances.iter().filter(|f| f.instance.lifecycle == Lifecycle::Spot);
    let ids: Vec<&str> = spot.filter_map(|f| request(f)).collect();
    if ids.is_empty() {
        return Ok(Requests::new());
    }
    let client = aws.clients().await.ec2(region);
    let ask = |token| {
        let ids = filter("spot-instance-request-id", ids.iter().copied());
        client.describe_spot_instance_requests().filters(ids).set_next_token(token).send()
    };
    let of = (Api::Ec2, &DESCRIBE_SPOT_INSTANCE_REQUESTS);
    let found = aws
        .all_pages(of, region, ask, |page| (page.spot_instance_requests, page.next_token))
        .await?;
    // A kind that nobody knows counts as persistent: it may bring the instance back.
    let persistent =
        |r: &ec2::SpotInstanceRequest| r.r#type() != Some(&ec2::SpotInstanceType::OneTime);
    Ok(found.iter().map(|r| (clean(r.spot_instance_request_id()), persistent(r))).collect())
}

fn request(found: &Found) -> Option<&str> {
    found.raw.spot_instance_request_id().filter(|id| is_id(id))
}

/// Spot request of one instance; `None` for an instance that is not Spot. Err when the requests could not be read.
pub fn of(found: &Found, requests: &Known<Requests>) -> Known<Option<SpotFact>> {
    if found.instance.lifecycle != Lifecycle::Spot {
        return Ok(None);
    }
    let Some(id) = request(found) else {
        return Ok(Some(SpotFact { request: "".into(), persistent: false }));
    };
    let request = clean(Some(id));
    let persistent = *requests.as_ref().map_err(Arc::clone)?.get(&request).ok_or_else(|| {
        let message = format!("EC2 names the Spot request {request} and does not describe it");
        let call = DESCRIBE_SPOT_INSTANCE_REQUESTS.action;
        Arc::new(SourceError::new(ErrorKind::Malformed, call, &message, ""))
    })?;
    Ok(Some(SpotFact { request, persistent }))
}
