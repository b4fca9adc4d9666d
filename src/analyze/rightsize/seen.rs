//! What a verdict's evidence says of CPU and GPUs over all judged hours.
//!
//! A verdict asks whether the last hours were quiet; a size must hold the busiest of all. So it is the
//! highest value that counts here, and only where enough datapoints came to know it.

use super::need::Look;
use super::rules::SizeRules;
use crate::domain::{Signal, SignalEvidence, Verdict, VerdictKind};

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

/// The highest hourly CPU of all judged hours, percent of all vCPUs, or a clause that says why it is
/// not known; `None` where it was not read.
pub(super) fn highest_cpu(look: Look<'_>, signal: Signal) -> Option<Result<f64, String>> {
    let Look { spec, verdict, rules, .. } = look;
    // All lines of a signal speak of one series, each in its unit. Low days are none of these: they
    // count hours and do not measure them.
    let lines = || verdict.signals.iter().filter(|s| s.signal == signal);
    let highest = |unit| lines().find(|s| &*s.unit == unit).and_then(|s| s.highest);
    let line = lines().next()?;
    if !is_complete(line, rules) {
        return Some(Err(format!("CPU is known of {} of {} hours", line.got, line.expected)));
    }
    let of_cores = |cores: f64| cores * 100.0 / f64::from(spec.vcpus);
    let percent =
        highest("%").or_else(|| highest("cores").filter(|_| spec.vcpus > 0).map(of_cores));
    Some(percent.ok_or_else(|| "The busiest hour of CPU is not known".to_owned()))
}

/// GPUs that did something in the judged hours, not in the last of them alone: work that comes back
/// needs them. A GPU of which that cannot be told counts.
pub(super) fn working_gpus(look: Look<'_>) -> u32 {
    let devices = look.spec.devices();
    let still = gpu_lines(look).filter(|s| is_still(s, look.rules)).count() as u32;
    devices.saturating_sub(still.min(idle_gpus(look.verdict)))
}

/// GPUs that the verdict calls idle, be it for its minimum stretch only.
pub(super) fn idle_gpus(verdict: &Verdict) -> u32 {
    verdict.idle_gpus.filter(|_| verdict.kind == VerdictKind::Partial).unwrap_or(0)
}

/// Hours that were judged of the GPUs.
pub(super) fn gpu_hours(look: Look<'_>) -> i64 {
    i64::from(gpu_lines(look).map(|s| s.expected).max().unwrap_or(0))
}

/// The highest activity of any GPU in any judged hour, 0–1, or a clause that says why it is not known.
pub(super) fn gpu_peak(look: Look<'_>) -> Result<f64, String> {
    let thin = gpu_lines(look).filter(|s| s.got > 0 && !is_complete(s, look.rules));
    if let Some(s) = thin.min_by_key(|s| s.got) {
        return Err(format!("{} is known of {} of {} hours", s.label, s.got, s.expected));
    }
    let known = gpu_lines(look).filter(|s| is_complete(s, look.rules)).filter_map(|s| s.highest);
    let (count, peak) = known.fold((0_u32, 0.0), |(n, peak), h| (n + 1, f64::max(peak, h)));
    if count != look.spec.devices() {
        return Err("The peaks of the GPUs are not known".to_owned());
    }
    Ok((peak / 100.0).clamp(0.0, 1.0))
}

/// The evidence of each GPU that the type has.
fn gpu_lines(look: Look<'_>) -> impl Iterator<Item = &SignalEvidence> {
    let devices = look.spec.devices();
    let of_type =
        move |s: &&SignalEvidence| matches!(s.signal, Signal::GpuMax(i) if u32::from(i) < devices);
    look.verdict.signals.iter().filter(of_type)
}

/// True for a GPU that is known not to have reached the policy's limit in any judged hour.
fn is_still(gpu: &SignalEvidence, rules: &SizeRules) -> bool {
    // As the verdict compares: series are of f32.
    let below = |highest: f64| (highest as f32) < gpu.threshold as f32;
    is_complete(gpu, rules) && gpu.highest.is_some_and(below)
}
