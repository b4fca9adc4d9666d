//! Which GPU series exist in a scope: discovered, never guessed.

use std::collections::HashMap;
use std::sync::Arc;

use super::guarded;
use super::scope::Context;
use crate::domain::{AcceleratorKind, Instance, SourceError};
use crate::source::GpuDimensions;
use crate::source::ledger::BilledApi;
use crate::source::pages::Pages;
use crate::source::planner::gpu::{assign, distinct};

/// The dimensions under which CloudWatch knows each GPU of each instance. A GPU can have several
/// (a driver update changes the `arch` dimension); all are asked and merged.
#[derive(Default)]
pub(super) struct GpuMap(HashMap<(Arc<str>, u16), Vec<GpuDimensions>>);

impl GpuMap {
    /// The dimensions of one GPU; empty when no agent reports it.
    pub fn of(&self, instance: &Arc<str>, gpu: u16) -> &[GpuDimensions] {
        self.0.get(&(instance.clone(), gpu)).map_or(&[], Vec::as_slice)
    }
}

/// Lists the agent's series where a box with NVIDIA GPUs is among `wanted`. A host name is looked
/// up among `all` instances of the scope: it may be that of another one as well. A list that
/// cannot be read to its end is an error: what is missing in it would look like no telemetry.
pub(super) async fn discover(
    ctx: &Context,
    wanted: &[Arc<Instance>],
    all: &[Arc<Instance>],
) -> Result<GpuMap, SourceError> {
    let has_gpu = |i: &Arc<Instance>| {
        ctx.types
            .get(&i.instance_type)
            .and_then(|spec| spec.accelerator.as_ref())
            .is_some_and(|a| a.kind == AcceleratorKind::NvidiaGpu)
    };
    let mut map = GpuMap::default();
    if !wanted.iter().any(has_gpu) {
        return Ok(map);
    }
    const CALL: &str = "cloudwatch:ListMetrics";
    let region = &ctx.scope.region;
    let pages = Pages::of(CALL, region).all(|token| async move {
        ctx.shared.charge(BilledApi::ListMetrics, 1).await?;
        guarded(CALL, ctx.provider.gpu_metrics(region, token)).await
    });
    let listed = pages.await?;
    let assigned = assign(distinct(listed), all.iter().map(|i| &**i));
    for (id, metrics) in assigned.by_instance {
        for metric in metrics {
            map.0.entry((id.clone(), metric.index)).or_default().push(metric.dimensions);
        }
    }
    Ok(map)
}
