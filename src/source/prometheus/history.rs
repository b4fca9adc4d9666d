//! The past of one GPU.

use jiff::Timestamp;

use super::Prometheus;
use super::promql::literal;
use crate::domain::{GpuHistory, GpuKey, GpuSignal, GpuTrace, SourceError};
use crate::source::vocabulary::{Metric, Part};

/// More points per series are refused by Prometheus.
const MAX_POINTS: u32 = 11_000;

impl Prometheus {
    /// History of `gpu` in at most `points` steps. Err when a query fails.
    pub(super) async fn read_history(
        &self,
        gpu: &GpuKey,
        from: Timestamp,
        to: Timestamp,
        points: u32,
    ) -> Result<GpuHistory, SourceError> {
        let names = {
            let mut state = self.state.lock().await;
            self.names(&mut state, Timestamp::now()).await?
        };
        let wanted: Vec<(&str, Metric)> =
            names.all().filter(|(_, m)| matches!(m.part, Part::Signal(_))).collect();
        let list: Vec<&str> = wanted.iter().map(|(name, _)| *name).collect();
        let (from, to) = (from.as_second(), to.as_second().max(from.as_second()));
        let step = step(from, to, points);
        let count = ((to - from) / i64::from(step) + 1) as usize;
        let selectors: Vec<_> = self.selectors(&list, gpu);
        let text = format!("max by (__name__) ({})", selectors.join(" or "));
        let body = self.api.range(&text, from, to, step).await?;
        // By signal: the best rank so far, and the values.
        let mut traces: Vec<(GpuSignal, u8, Vec<f32>)> = Vec::new();
        body.read(&mut |labels, points| {
            let name = labels.iter().find(|(name, _)| name == "__name__").map(|(_, v)| &**v);
            let metric = wanted.iter().find(|(n, _)| Some(*n) == name).map(|(_, m)| m);
            let Some((metric, Part::Signal(signal))) = metric.map(|m| (m, m.part)) else { return };
            let at = traces.iter().position(|(s, ..)| *s == signal).unwrap_or_else(|| {
                traces.push((signal, u8::MAX, vec![f32::NAN; count]));
                traces.len() - 1
            });
            let (_, rank, values) = &mut traces[at];
            let better = metric.rank < *rank;
            *rank = metric.rank.min(*rank);
            for (time, value) in points {
                let place = ((time - from as f64) / f64::from(step)).round();
                if !(place >= 0.0 && place < count as f64) {
                    continue;
                }
                let slot = &mut values[place as usize];
                if let Some(value) = signal.observe(value * metric.scale)
                    && (better || slot.is_nan())
                {
                    *slot = value;
                }
            }
        })?;
        traces.sort_by_key(|(signal, ..)| *signal);
        let traces = traces
            .into_iter()
            .map(|(signal, _, values)| GpuTrace { signal: Some(signal), values })
            .collect();
        Ok(GpuHistory { from: Timestamp::from_second(from).ok(), step_s: step, traces })
    }

    /// Selectors of one GPU's series, for each label that may name it.
    fn selectors(&self, names: &[&str], gpu: &GpuKey) -> Vec<String> {
        let slice = gpu.gpu_instance.map(|n| n.to_string()).unwrap_or_default();
        let matchers = &self.settings.matchers;
        let mut out = Vec::new();
        let select = |also: &[(&str, &'static str, &str)]| {
            // An empty value matches series without the label: those of the whole device.
            let mut also = also.to_vec();
            also.push(("GPU_I_ID", "=", &slice));
            matchers.select(names, &also)
        };
        if let Some((host, index)) = gpu.device.rsplit_once('/') {
            let address = format!("{}(:[0-9]+)?", literal(host));
            for label in ["instance", "Hostname", "hostname"] {
                out.push(select(&[("gpu", "=", index), (label, "=~", &address)]));
            }
            return out;
        }
        // nvidia_gpu_exporter leaves the `GPU-` out.
        let bare = gpu.device.strip_prefix("GPU-").unwrap_or(&gpu.device);
        let either = format!("(GPU-)?{}", literal(bare));
        for label in ["UUID", "uuid", "gpu_uuid"] {
            out.push(select(&[(label, "=~", &either)]));
        }
        out
    }
}

/// Seconds between two points, so that there are neither more than `points` nor more than a server
/// gives.
fn step(from: i64, to: i64, points: u32) -> u32 {
    let points = i64::from(points.clamp(2, MAX_POINTS));
    let step = (to - from + points - 2) / (points - 1);
    u32::try_from(step.max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_keep_within_both_limits() {
        for (span, points) in
            [(3600, 60), (7 * 86_400, 200), (86_400 * 30, 1_000_000), (10, 500), (0, 0)]
        {
            let step = step(1_000, 1_000 + span, points);
            let count = span / i64::from(step) + 1;
            assert!(count <= i64::from(points.clamp(2, MAX_POINTS)), "{span} {points}: {count}");
            // And not much fewer than there could be.
            assert!(step == 1 || count * 2 >= i64::from(points.min(MAX_POINTS)), "{count}");
        }
    }
}
