//! Profiling of Hopper and later without DCGM (GPM): two samples of counters, and what lies between
//! them.

use jiff::{SignedDuration, Timestamp};
use nvml_wrapper::enums::gpm::GpmMetricId;
use nvml_wrapper::gpm::gpm_metrics_get;
use nvml_wrapper::{GpmSample, Nvml};

use super::call::{Call, Calls};
use crate::domain::{GpuSignal, GpuSignals};

/// Two samples closer than this say little: the counters move in steps.
const SHORTEST: SignedDuration = SignedDuration::from_millis(200);

/// Two samples further apart than this say nothing of the present.
const LONGEST: SignedDuration = SignedDuration::from_secs(30);

/// Percent (of the elapsed cycles, of the peak bandwidth).
const PERCENT: f64 = 0.01;

/// MiB/s (`nvml.h`, `nvmlGpmMetricId_t`).
const MIB: f64 = 1_048_576.0;

const METRICS: [(GpmMetricId, GpuSignal, f64); 7] = [
    (GpmMetricId::GraphicsUtil, GpuSignal::GrEngine, PERCENT),
    (GpmMetricId::SmUtil, GpuSignal::SmActive, PERCENT),
    (GpmMetricId::SmOccupancy, GpuSignal::SmOccupancy, PERCENT),
    (GpmMetricId::AnyTensorUtil, GpuSignal::Tensor, PERCENT),
    (GpmMetricId::DramBwUtil, GpuSignal::Dram, PERCENT),
    (GpmMetricId::PcieTxPerSec, GpuSignal::PcieTx, MIB),
    (GpmMetricId::PcieRxPerSec, GpuSignal::PcieRx, MIB),
];

const LINKS: [GpmMetricId; 2] =
    [GpmMetricId::NvlinkTotalRxPerSec, GpmMetricId::NvlinkTotalTxPerSec];

/// Previous profiling sample, and the values from the last two.
#[derive(Default)]
pub(super) struct Gpm<'n> {
    before: Option<(Timestamp, GpmSample<'n>)>,
    last: GpuSignals,
}

impl<'n> Gpm<'n> {
    /// True until there is a first sample.
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// Takes a sample and returns the values since the previous one; empty at the first.
    pub fn look(
        &mut self,
        nvml: &'n Nvml,
        calls: &mut Calls,
        now: Timestamp,
        take: impl FnOnce() -> Result<GpmSample<'n>, nvml_wrapper::error::NvmlError>,
    ) -> GpuSignals {
        let passed = self.before.as_ref().map(|(at, _)| now.duration_since(*at));
        if passed.is_some_and(|p| p >= SignedDuration::ZERO && p < SHORTEST) {
            return self.last;
        }
        let Some(sample) = calls.ask(Call::Gpm, take) else {
            *self = Self::default();
            return self.last;
        };
        self.last = match (&self.before, passed) {
            (Some((_, before)), Some(p)) if (SHORTEST..=LONGEST).contains(&p) => {
                between(nvml, calls, before, &sample)
            }
            _ => GpuSignals::default(),
        };
        self.before = Some((now, sample));
        self.last
    }
}

fn between<'n>(
    nvml: &'n Nvml,
    calls: &mut Calls,
    before: &GpmSample<'n>,
    after: &GpmSample<'n>,
) -> GpuSignals {
    let mut ids: Vec<GpmMetricId> = METRICS.iter().map(|(id, ..)| *id).collect();
    ids.extend(LINKS);
    let mut signals = GpuSignals::default();
    let results = calls.ask(Call::Gpm, || gpm_metrics_get(nvml, before, after, &ids));
    let mut links = None;
    for result in results.into_iter().flatten().flatten() {
        if let Some((_, signal, scale)) = METRICS.iter().find(|(id, ..)| *id == result.metric_id) {
            signals.set(*signal, result.value * scale);
        } else if result.value.is_finite() {
            links = Some(links.unwrap_or(0.0) + result.value * MIB);
        }
    }
    if let Some(rate) = links {
        signals.set(GpuSignal::Nvlink, rate);
    }
    signals
}
