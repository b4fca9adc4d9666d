//! The past of the demo's GPUs: closed hours and traces.

use jiff::{SignedDuration, Timestamp};

use super::cases::Kind;
use super::node::{Evidence, Gpu, Node};
use super::{DemoGpus, signals};
use crate::domain::{GpuHistory, GpuHour, GpuKey, GpuSignal, GpuTrace, Hour, Signal};
use crate::source::demo::workload;

/// Samples in an hour that ran from end to end.
const SAMPLES: u32 = (3_600 / signals::STEP_S) as u32;

impl DemoGpus {
    /// Activity of all GPUs in a closed hour, as the CloudWatch agent's hourly telemetry has it: the roll-up of the
    /// demo keeps utilisation. Neuron devices and GPUs with malformed values are absent. Empty for an hour that is not
    /// closed.
    pub(super) fn hour_of_all(&self, hour: Hour, now: Timestamp) -> Vec<GpuHour> {
        if hour.end() > now {
            return Vec::new();
        }
        let nodes = self.nodes(now);
        let told =
            nodes.iter().filter(|n| !matches!(n.evidence, Evidence::Neuron | Evidence::UtilAlone));
        told.flat_map(|node| {
            let last = hour.end().checked_sub(SignedDuration::from_secs(1)).unwrap_or(hour.end());
            let ends = [self.ran(node, hour.start()), self.ran(node, last)];
            let samples = match ends {
                [true, true] => SAMPLES,
                [false, false] => 0,
                _ => SAMPLES / 2,
            };
            let of = move |gpu: &Gpu| gpu_hour(node, gpu, hour, samples);
            node.gpus.iter().filter(move |_| samples > 0).map(of)
        })
        .collect()
    }

    /// Traces of all signals of a GPU; empty for an unknown GPU.
    pub(super) fn history_of(
        &self,
        key: &GpuKey,
        from: Timestamp,
        to: Timestamp,
        points: u32,
    ) -> GpuHistory {
        let seconds = to.duration_since(from).as_secs().max(0);
        let step = (seconds / i64::from(points.max(1))).max(signals::STEP_S);
        let count = (seconds / step).clamp(0, i64::from(points));
        let nodes = self.nodes(to);
        let found = nodes.iter().find_map(|node| {
            let of = |gpu: &&Gpu| gpu.identity.key_on(gpu.identity.host.shown()) == *key;
            Some((node, node.gpus.iter().find(of)?))
        });
        let Some((node, gpu)) = found else { return GpuHistory::default() };
        let end =
            if gpu.case == Some(Kind::Silent) { to.checked_sub(super::SILENT) } else { Ok(to) };
        let at = |n: i64| from.checked_add(SignedDuration::from_secs(n * step)).ok();
        let readings: Vec<_> = (0..count)
            .map(|n| {
                let at = at(n).filter(|at| end.as_ref().is_ok_and(|end| at <= end))?;
                self.ran(node, at).then(|| signals::reading(node, gpu, at, to)).flatten()
            })
            .collect();
        let traces = GpuSignal::ALL.into_iter().filter_map(|signal| {
            let value = |r: &Option<signals::Reading>| {
                r.as_ref().and_then(|r| r.signals.get(signal)).unwrap_or(f32::NAN)
            };
            let values: Vec<f32> = readings.iter().map(value).collect();
            let is_told = values.iter().any(|v| !v.is_nan());
            is_told.then_some(GpuTrace { signal: Some(signal), values })
        });
        GpuHistory {
            from: Some(from),
            step_s: u32::try_from(step).unwrap_or(u32::MAX),
            traces: traces.collect(),
        }
    }
}

fn gpu_hour(node: &Node, gpu: &Gpu, hour: Hour, samples: u32) -> GpuHour {
    let at_rest = !signals::is_first(gpu);
    let value = |signal| {
        let percent = if at_rest { 0.0 } else { workload::value(&node.profile, signal, hour) };
        (percent / 100.0) as f32
    };
    GpuHour {
        identity: gpu.identity.clone(),
        mean: value(Signal::GpuMean(gpu.index)),
        max: value(Signal::GpuMax(gpu.index)),
        samples,
        rung: node.evidence.rung(),
    }
}
