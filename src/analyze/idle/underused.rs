//! Verdict on instances that are used far below their size.

use super::machine::Machine;
use super::policy::Policy;
use super::stretch::{Slice, sum_where};
use super::survey::{Frame, Survey};
use crate::domain::{Measure, SeriesSet, Signal};

/// How little a box in use does, in percent, when that is underused; `None` when it is not, or
/// when the evidence for it is thin: to say "little" takes the same coverage as to say "nothing".
pub(super) fn underused(
    set: &SeriesSet,
    policy: &Policy,
    machine: Machine,
    frame: Frame,
    survey: &Survey,
) -> Option<f64> {
    let limits = policy.underused()?;
    if frame.is_short() {
        return None;
    }
    match machine {
        Machine::CpuOnly => {
            let cpu = survey.cpu?;
            let slice = Slice::of(set.get(Signal::CpuMean)?, frame.judged);
            let known = !cpu.malformed() && slice.covers(cpu.got, frame.recent);
            let highest = f64::from(cpu.max);
            (known && highest <= limits.cpu_percent).then_some(highest)
        }
        Machine::Gpus(_) if survey.gpu_works() => {
            let mean = working_mean(set, policy, frame, survey)?;
            (mean < limits.gpu_percent).then_some(mean)
        }
        _ => None,
    }
}

/// Mean of the hourly averages over working GPU-hours: hours of a GPU whose maximum speaks for
/// use. Idle hours and idle GPUs are left out: how often a box works and how hard are two
/// questions, and this one is about its size.
fn working_mean(set: &SeriesSet, policy: &Policy, frame: Frame, survey: &Survey) -> Option<f64> {
    let (mut sum, mut hours) = (0.0, 0_usize);
    for f in survey.gpus() {
        let Measure::Gpu(i) = f.measure else { continue };
        if !(f.fetched && f.covered) {
            return None;
        }
        if f.last_use.is_none() {
            continue;
        }
        if !f.has_means {
            return None;
        }
        let max = Slice::of(set.get(Signal::GpuMax(i))?, frame.judged);
        let mean = Slice::of(set.get(Signal::GpuMean(i))?, frame.judged);
        let (of_gpu, hours_of_gpu) = sum_where(&mean, &max, policy.gpu_percent as f32);
        sum += of_gpu;
        hours += hours_of_gpu;
    }
    (hours > 0).then(|| sum / hours as f64)
}
