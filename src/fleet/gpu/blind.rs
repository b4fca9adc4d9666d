//! Running instances whose accelerators no source reports.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Blind, BlindCause, Places};
use crate::domain::{AcceleratorKind, SourceError, Sweep};
use crate::fleet::Row;

/// State of GPU telemetry, used to explain missing GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// True when any source of GPU telemetry is configured or has answered.
    pub any: bool,
    /// Latest sweeps; they name the hosts that did not answer.
    pub sweeps: &'a [Arc<Sweep>],
    /// Places in `rows` of instances whose telemetry stopped within the last hour.
    pub silent: &'a HashSet<usize>,
}

/// Running instances with accelerators that report no or not all devices, costliest first, then by id. `told` returns
/// the number of devices with fresh telemetry for a place in `rows`.
pub fn blind(
    rows: &[Arc<Row>],
    places: &Places<'_>,
    told: impl Fn(usize) -> u32,
    sources: Sources<'_>,
) -> Vec<Blind> {
    let mut troubles: HashMap<usize, &Arc<SourceError>> = HashMap::new();
    for trouble in sources.sweeps.iter().flat_map(|s| &s.troubles) {
        if let Some(at) = places.named(&trouble.host) {
            let kept = troubles.entry(at).or_insert(&trouble.error);
            // The order of the sweeps must not matter.
            if trouble.error.with_fix() < kept.with_fix() {
                *kept = &trouble.error;
            }
        }
    }
    let mut out: Vec<Blind> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let Some(accelerator) = row.spec.as_ref().and_then(|s| s.accelerator.as_ref()) else {
            continue;
        };
        let told = told(at);
        let missing = accelerator.devices.saturating_sub(told);
        if !row.instance.state.is_billed() || missing == 0 {
            continue;
        }
        let share = f64::from(missing) / f64::from(accelerator.devices);
        let silent = sources.silent.contains(&at);
        out.push(Blind {
            instance: row.clone(),
            missing,
            devices: accelerator.devices,
            usd_per_hour: row.usd_per_hour().map(|usd| usd * share),
            cause: match troubles.get(&at) {
                Some(error) => BlindCause::Failed(Arc::clone(error)),
                None => cause(accelerator.kind, told, silent, sources.any),
            },
        });
    }
    out.sort_by(|a, b| {
        let burn = |x: &Blind| x.usd_per_hour.unwrap_or(0.0);
        burn(b)
            .total_cmp(&burn(a))
            .then_with(|| a.instance.instance.id.cmp(&b.instance.instance.id))
    });
    out
}

fn cause(kind: AcceleratorKind, told: u32, silent: bool, any: bool) -> BlindCause {
    match kind {
        AcceleratorKind::AmdGpu => BlindCause::Amd,
        AcceleratorKind::Other => BlindCause::OtherKind,
        _ if told > 0 => BlindCause::SomeTold,
        _ if silent => BlindCause::Stopped,
        AcceleratorKind::Neuron => BlindCause::Neuron,
        AcceleratorKind::NvidiaGpu if any => BlindCause::Unnamed,
        AcceleratorKind::NvidiaGpu => BlindCause::NoSource,
    }
}
