//! What bills by the hour and is no instance: who answers for which kind.

use std::sync::Arc;

use super::{AwsProvider, elastic_ips, load_balancers, nat_gateways, sagemaker, vpcs};
use crate::domain::{Resource, ResourceKind, Scope, SourceError};

/// Resources of one kind in an account and region. Err when a call fails.
pub async fn of_kind(
    aws: &AwsProvider,
    scope: &Scope,
    kind: ResourceKind,
) -> Result<Vec<Resource>, SourceError> {
    match kind {
        ResourceKind::Notebook => sagemaker::notebooks(aws, scope).await,
        ResourceKind::Endpoint => sagemaker::endpoints(aws, scope).await,
        ResourceKind::StudioApp => sagemaker::apps(aws, scope).await,
        ResourceKind::ElasticIp => elastic_ips::read(aws, scope).await,
        ResourceKind::NatGateway => nat_gateways::read(aws, scope).await,
        ResourceKind::LoadBalancer => load_balancers::read(aws, scope).await,
        ResourceKind::VpcEndpoint => vpcs::billed(aws, scope).await,
        // Of the inventory and the volumes.
        ResourceKind::StoppedInstance => Ok(Vec::new()),
    }
}

/// Name of a resource: its `Name` tag, else `id`.
pub(super) fn name(tags: &crate::domain::Tags, id: &Arc<str>) -> Arc<str> {
    match tags.get("Name") {
        Some(name) if !name.is_empty() => name.into(),
        _ => Arc::clone(id),
    }
}
