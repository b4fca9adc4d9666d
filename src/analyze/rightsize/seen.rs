//! What a verdict's evidence says of CPU and GPUs over all judged hours.
//!
//! A verdict asks whether the last hours were quiet; a size must hold the busiest of all. So it is the
//! highest value that counts here, and only where enough datapoints came to know it.

use super::need::SizingInput;
use super::rules::SizeRules;
use crate::domain::{Signal, SignalEvidence, Verdict, VerdictKind};
use crate::fleet::savings::{CpuUnknown, GpuPeakUnknown};

/// True where enough datapoints came to say what the highest of all hours was.
pub(super) fn is_complete(evidence: &SignalEvidence, rules: &SizeRules) -> bool {
    f64::from(evidence.got) >= rules.least_coverage * f64::from(evidence.expected)
}

/// Hours in which CPU and every GPU that was asked for reported: what came, not what should have
/// come. A GPU that the type does not have counts too, since something is wrong with it.
pub(super) fn hours(verdict: &Verdict) -> u32 {
    let single = |s: &&SignalEvidence| {
        s.signal.gpu().is_some() || matches!(s.signal, Signal::CpuMean | Signal::CpuMax)
    };
    verdict.signals.iter().filter(single).map(|s| s.got).min().unwrap_or(0)
}

/// The highest hourly CPU of all judged hours, percent of all vCPUs; `None` where it was not read.
pub(super) fn highest_cpu(
    sizing: SizingInput<'_>,
    signal: Signal,
) -> Option<Result<f64, CpuUnknown>> {
    let SizingInput { spec, verdict, rules, .. } = sizing;
    // All lines of a signal speak of one series, each in its unit. Low days are none of these: they
    // count hours and do not measure them.
    let lines = || verdict.signals.iter().filter(|s| s.signal == signal);
    let highest = |unit| lines().find(|s| &*s.unit == unit).and_then(|s| s.highest);
    let line = lines().next()?;
    if !is_complete(line, rules) {
        return Some(Err(CpuUnknown::Hours { got: line.got, of: line.expected }));
    }
    let of_cores = |cores: f64| cores * 100.0 / f64::from(spec.vcpus);
    let percent =
        highest("%").or_else(|| highest("cores").filter(|_| spec.vcpus > 0).map(of_cores));
    Some(percent.ok_or(CpuUnknown::Peak))
}

/// GPUs that did something in the judged hours, not in the last of them alone: work that comes back
/// needs them. A GPU of which that cannot be told counts.
pub(super) fn working_gpus(sizing: SizingInput<'_>) -> u32 {
    let devices = sizing.spec.devices();
    let still = gpu_lines(sizing).filter(|s| is_still(s, sizing.rules)).count() as u32;
    devices.saturating_sub(still.min(idle_gpus(sizing.verdict)))
}

/// GPUs that the verdict calls idle, be it for its minimum stretch only.
pub(super) fn idle_gpus(verdict: &Verdict) -> u32 {
    verdict.idle_gpus.filter(|_| verdict.kind == VerdictKind::Partial).unwrap_or(0)
}

/// Hours that were judged of the GPUs.
pub(super) fn gpu_hours(sizing: SizingInput<'_>) -> i64 {
    i64::from(gpu_lines(sizing).map(|s| s.expected).max().unwrap_or(0))
}

/// The highest activity of any GPU in any judged hour, 0–1.
pub(super) fn gpu_peak(sizing: SizingInput<'_>) -> Result<f64, GpuPeakUnknown> {
    let thin = gpu_lines(sizing).filter(|s| s.got > 0 && !is_complete(s, sizing.rules));
    if let Some(s) = thin.min_by_key(|s| s.got) {
        let label = s.label.clone();
        return Err(GpuPeakUnknown::Hours { label, got: s.got, of: s.expected });
    }
    let known =
        gpu_lines(sizing).filter(|s| is_complete(s, sizing.rules)).filter_map(|s| s.highest);
    let (count, peak) = known.fold((0_u32, 0.0), |(n, peak), h| (n + 1, f64::max(peak, h)));
    if count != sizing.spec.devices() {
        return Err(GpuPeakUnknown::Peaks);
    }
    Ok((peak / 100.0).clamp(0.0, 1.0))
}

/// The evidence of each GPU that the type has.
fn gpu_lines(sizing: SizingInput<'_>) -> impl Iterator<Item = &SignalEvidence> {
    let devices = sizing.spec.devices();
    let of_type =
        move |s: &&SignalEvidence| matches!(s.signal, Signal::GpuMax(i) if u32::from(i) < devices);
    sizing.verdict.signals.iter().filter(of_type)
}

/// True for a GPU that is known not to have reached the policy's limit in any judged hour.
fn is_still(gpu: &SignalEvidence, rules: &SizeRules) -> bool {
    // As the verdict compares: series are of f32.
    let below = |highest: f64| (highest as f32) < gpu.threshold as f32;
    is_complete(gpu, rules) && gpu.highest.is_some_and(below)
}
