//! Which signals can still change a verdict. Each metric asked for costs money, so the planner
//! asks in rounds: the cheapest evidence first, and no more of an instance once it is decided.

use super::exempt::Exemption;
use super::judge::{JudgeInput, Subject};
use super::machine::Machine;
use super::policy::{Policy, gpu_indices};
use super::stretch::Slice;
use crate::domain::{Signal, TypeSpec};

/// Every signal that [`super::judge()`] can use under `policy` on a box with `devices` NVIDIA GPUs
/// (0 for a CPU-only box).
pub fn signals_for(policy: &Policy, devices: u32) -> Vec<Signal> {
    let mut signals = policy.signals_needed(devices);
    if policy.uses_gpu() {
        signals.extend(gpu_indices(devices).map(Signal::GpuMean));
    }
    signals
}

/// The signals to fetch next, given what the subject's series hold already; empty when nothing
/// that could be fetched would change the verdict.
///
/// The first round is mean CPU, and on a GPU box under a policy that sees GPUs the maximum of each
/// GPU with it. Peaks, network and EBS follow only while nothing speaks for use; the mean of a GPU
/// follows where its maximum was above 0 (it tells underused from busy, and the GPU column needs
/// it). Fetching round after round until nothing is asked leads to the same kind of verdict as
/// fetching everything at once.
///
/// A signal counts as fetched when the set holds a series for it, be it an empty one: what does
/// not exist (a GPU without telemetry) must be inserted as an empty series, or it is asked for
/// again.
pub fn next_signals(subject: &Subject<'_>, policy: &Policy) -> Vec<Signal> {
    if Exemption::of(&subject.instance.tags, subject.now).holds() {
        return Vec::new();
    }
    let input = JudgeInput::new(subject, policy);
    // Where the type reports no EBS operations, the instance's volumes do.
    let has_volumes = !subject.instance.block_devices.is_empty();
    let can_be = |signal: Signal| has_volumes || exists(signal, subject.spec);
    let missing = |signal: &Signal| subject.series.get(*signal).is_none() && can_be(*signal);
    let cpu_known = !missing(&Signal::CpuMean);
    if input.too_young && cpu_known {
        return Vec::new();
    }
    if policy.uses_gpu() && matches!(input.machine, Machine::Gpus(_)) {
        return gpu_by_gpu(subject, policy, &input, missing);
    }
    if cpu_known && input.survey.in_use() {
        return Vec::new();
    }
    // CPU first, then the veto of the GPUs, then the rest two by two.
    let host = policy.host_signals(input.machine.has_gpu_limits());
    let named = |signals: &[Signal]| -> Vec<Signal> {
        signals.iter().copied().filter(|s| host.contains(s) && missing(s)).collect()
    };
    let gpus = || gpu_indices(input.machine.gpus()).map(Signal::GpuMax).filter(missing).collect();
    let rounds: [&dyn Fn() -> Vec<Signal>; 5] = [
        &|| named(&[Signal::CpuMean]),
        &|| named(&[Signal::CpuMax]),
        &gpus,
        &|| named(&[Signal::NetworkIn, Signal::NetworkOut]),
        &|| named(&[Signal::EbsReadOps, Signal::EbsWriteOps]),
    ];
    rounds.iter().map(|round| round()).find(|wanted| !wanted.is_empty()).unwrap_or_default()
}

/// False for a signal that a type does not report itself.
pub(super) fn exists(signal: Signal, spec: Option<&TypeSpec>) -> bool {
    !matches!(signal, Signal::EbsReadOps | Signal::EbsWriteOps)
        || spec.is_none_or(TypeSpec::reports_ebs)
}

/// The next signals of a GPU box under a policy that sees GPUs.
fn gpu_by_gpu(
    subject: &Subject<'_>,
    policy: &Policy,
    input: &JudgeInput,
    missing: impl Fn(&Signal) -> bool + Copy,
) -> Vec<Signal> {
    let gpus = || gpu_indices(input.machine.gpus());
    let mut first: Vec<Signal> = [Signal::CpuMean].into_iter().filter(missing).collect();
    if !input.too_young {
        first.extend(gpus().map(Signal::GpuMax).filter(missing));
    }
    if !first.is_empty() {
        return first;
    }
    let was_active = |i: &u16| {
        let series = subject.series.get(Signal::GpuMax(*i));
        series.is_some_and(|s| Slice::of(s, input.frame.judged).stats().max > 0.0)
    };
    let mut next: Vec<Signal> =
        gpus().filter(was_active).map(Signal::GpuMean).filter(missing).collect();
    // Where a GPU works, the host can only matter for calling the others idle.
    let open = if input.survey.gpu_works() {
        input.idle_gpus().is_some_and(|k| k > 0)
    } else {
        !input.survey.in_use()
    };
    if open {
        next.extend(policy.host_signals(true).into_iter().filter(missing));
    }
    next
}
