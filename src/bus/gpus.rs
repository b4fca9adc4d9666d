//! Which GPU series exist in a scope: discovered, never guessed.

use std::collections::HashMap;
use std::sync::Arc;

use super::guarded;
use super::scope::Context;
use crate::domain::{AcceleratorKind, Instance, SourceError};
use crate::source::GpuDimensions;
use crate::source::ledger::BilledApi;
use crate::source::planner::gpu::{assign, distinct};

/// Pages of `ListMetrics` at most: 500 series each, so a million series.
const MAX_PAGES: usize = 2_000;

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

/// Lists the agent's series where a box with NVIDIA GPUs is among `instances`.
pub(super) async fn discover(
    ctx: &Context,
    instances: &[Arc<Instance>],
) -> Result<GpuMap, SourceError> {
    let has_gpu = |i: &Arc<Instance>| {
        ctx.types
            .get(&i.instance_type)
            .and_then(|spec| spec.accelerator.as_ref())
            .is_some_and(|a| a.kind == AcceleratorKind::NvidiaGpu)
    };
    let mut map = GpuMap::default();
    if !instances.iter().any(has_gpu) {
        return Ok(map);
    }
    let mut listed = Vec::new();
    let mut token = None;
    for _ in 0..MAX_PAGES {
        if ctx.shared.settings.billed {
            let charge = ctx.shared.ledger.charge(BilledApi::ListMetrics, 1, ctx.shared.now());
            // At the cap there is nothing to discover for: no metric could be asked anyway.
            if charge.await.is_err() {
                break;
            }
        }
        let call = ctx.provider.gpu_metrics(&ctx.scope.region, token);
        let page = guarded("cloudwatch:ListMetrics", call).await?;
        listed.extend(page.items);
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    let assigned = assign(distinct(listed), instances.iter().map(|i| &**i));
    for (id, metrics) in assigned.by_instance {
        for metric in metrics {
            map.0.entry((id.clone(), metric.index)).or_default().push(metric.dimensions);
        }
    }
    Ok(map)
}
