//! Running instances whose accelerators no source reports.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Blind, Places};
use crate::domain::{AcceleratorKind, Sweep};
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
    let mut troubles: HashMap<usize, String> = HashMap::new();
    for trouble in sources.sweeps.iter().flat_map(|s| &s.troubles) {
        if let Some(at) = places.named(&trouble.host) {
            let (error, fix) = (&trouble.error, &trouble.error.fix);
            let text = if fix.is_empty() { error.to_string() } else { format!("{error}: {fix}") };
            // The order of the sweeps must not matter.
            let kept = troubles.entry(at).or_insert_with(|| text.clone());
            if text < *kept {
                *kept = text;
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
        let trouble = troubles.get(&at).map(String::as_str);
        out.push(Blind {
            instance: row.clone(),
            missing,
            devices: accelerator.devices,
            usd_per_hour: row.usd_per_hour().map(|usd| usd * share),
            fix: fix(accelerator.kind, told, trouble, sources.silent.contains(&at), sources.any),
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

fn fix(
    kind: AcceleratorKind,
    told: u32,
    trouble: Option<&str>,
    silent: bool,
    any: bool,
) -> Arc<str> {
    if let Some(trouble) = trouble {
        return format!("its source did not answer: {trouble}").into();
    }
    let text = match kind {
        AcceleratorKind::AmdGpu => {
            "AMD GPUs are invisible to NVML and DCGM, and burntop reads no telemetry of them: only \
             CPU, network and disk can judge this instance"
        }
        AcceleratorKind::Other => {
            "burntop reads no telemetry of this kind of accelerator: only CPU, network and disk \
             can judge this instance"
        }
        _ if told > 0 => {
            "the other devices of this instance are told: look for a GPU that has fallen off the \
             bus (`nvidia-smi -L`), or an exporter limited to some devices"
        }
        _ if silent => "its telemetry stopped: look whether its exporter still runs",
        AcceleratorKind::Neuron => {
            "Trainium and Inferentia need neuron-monitor with its Prometheus exporter, or \
             Container Insights with Neuron metrics"
        }
        AcceleratorKind::NvidiaGpu if any => {
            "no source names this instance: install dcgm-exporter, or let Prometheus scrape it \
             with the node's name, private DNS name or private address as label"
        }
        AcceleratorKind::NvidiaGpu => {
            "no source of GPU telemetry is configured: name a Prometheus or exporters in [gpus]"
        }
    };
    text.into()
}
