//! Protection, which `DescribeInstances` does not show: one call per instance and attribute.

use std::sync::Arc;

use aws_sdk_ec2::types::{AttributeBooleanValue, InstanceAttributeName as Attribute};
use futures_util::future::join_all;

use crate::domain::{Known, SourceError};
use crate::source::aws::calls::DESCRIBE_INSTANCE_ATTRIBUTE;
use crate::source::aws::limit::Api;
use crate::source::aws::{AwsProvider, error};

/// Termination and stop protection of each id, in order. The rate limiter bounds the concurrent calls.
pub async fn protection(
    aws: &AwsProvider,
    region: &Arc<str>,
    ids: &[Arc<str>],
) -> Vec<(Known<bool>, Known<bool>)> {
    join_all(ids.iter().map(async |id| {
        let (termination, stop) = tokio::join!(
            read(aws, region, id, Attribute::DisableApiTermination),
            read(aws, region, id, Attribute::DisableApiStop),
        );
        (termination.map_err(Arc::new), stop.map_err(Arc::new))
    }))
    .await
}

async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    id: &str,
    attribute: Attribute,
) -> Result<bool, SourceError> {
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let answer = client
        .describe_instance_attribute()
        .instance_id(id)
        .attribute(attribute.clone())
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_INSTANCE_ATTRIBUTE, region, &e))?;
    let value = match attribute {
        Attribute::DisableApiStop => answer.disable_api_stop(),
        _ => answer.disable_api_termination(),
    };
    // Not said is not the same as off.
    value.and_then(AttributeBooleanValue::value).ok_or_else(|| {
        let message = format!("nothing is said about {} of {id}", attribute.as_str());
        error::malformed(&message, aws.place(&DESCRIBE_INSTANCE_ATTRIBUTE, region))
    })
}
