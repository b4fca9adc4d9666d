//! Which GPU series there are of single instances. The agent names its series by instance id or by
//! host name.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;

use super::{filter, instances};
use crate::domain::{Instance, InstanceState, Known, Scope, SourceError};
use crate::source::aws::calls::LIST_METRICS;
use crate::source::aws::{AwsProvider, metrics};
use crate::source::pages::Pages;
use crate::source::planner::gpu;
use crate::source::provider::GpuMetric;

/// GPU series of each instance, in order; empty for a type without NVIDIA GPUs. Host names are used when the id leads
/// to fewer GPUs than the type has.
pub async fn series(
    aws: &AwsProvider,
    scope: &Scope,
    instances: &[(Arc<Instance>, u32)],
) -> Vec<Known<Vec<GpuMetric>>> {
    join_all(instances.iter().map(async |(instance, devices)| {
        of_one(aws, scope, instance, *devices).await.map_err(Arc::new)
    }))
    .await
}

async fn of_one(
    aws: &AwsProvider,
    scope: &Scope,
    instance: &Instance,
    devices: u32,
) -> Result<Vec<GpuMetric>, SourceError> {
    if devices == 0 {
        return Ok(Vec::new());
    }
    let mut metrics = all(aws, &scope.region, ("InstanceId", &instance.id)).await?;
    let host = &*instance.private_dns;
    if count(&metrics) < devices && !host.is_empty() {
        let short = host.split('.').next().unwrap_or(host);
        for name in BTreeSet::from([host, short]) {
            metrics.extend(all(aws, &scope.region, ("host", name)).await?);
        }
        if metrics.iter().any(|m| m.instance.is_none()) {
            // Two networks may use one address, and then two hosts share a name: a series of
            // another one must not speak for this.
            let like = format!("{short}.*");
            let namesakes = filter("private-dns-name", [host, short, &like]);
            let namesakes = instances::matching(aws, scope, namesakes).await?;
            let others = namesakes.iter().map(|f| &*f.instance);
            let others = others.filter(|i| i.state != InstanceState::Terminated);
            let others = others.filter(|i| i.id != instance.id);
            let mut assigned = gpu::assign(metrics, others.chain([instance]));
            metrics = assigned.by_instance.remove(&instance.id).unwrap_or_default();
        }
    }
    Ok(gpu::distinct(metrics))
}

fn count(metrics: &[GpuMetric]) -> u32 {
    metrics.iter().map(|m| m.index).collect::<BTreeSet<_>>().len() as u32
}

async fn all(
    aws: &AwsProvider,
    region: &Arc<str>,
    dimension: (&str, &str),
) -> Result<Vec<GpuMetric>, SourceError> {
    let pages = Pages::of(LIST_METRICS.action, region);
    pages.all(|token| metrics::list(aws, region, Some(dimension), token)).await
}
