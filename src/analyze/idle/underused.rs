//! In use, but far below its size.

use super::machine::Machine;
use super::policy::{Policy, gpu_indices};
use super::stretch::Slice;
use super::survey::{Frame, Survey, What};
use crate::domain::{SeriesSet, Signal};

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
        Machine::Gpus(devices) if survey.gpu_works() => {
            let mean = working_mean(set, policy, devices, frame, survey)?;
            (mean < limits.gpu_percent).then_some(mean)
        }
        _ => None,
    }
}

/// Mean of the hourly averages over working GPU-hours: hours of a GPU whose maximum speaks for
/// use. Idle hours and idle GPUs are left out: how often a box works and how hard are two
/// questions, and this one is about its size.
fn working_mean(
    set: &SeriesSet,
    policy: &Policy,
    devices: u32,
    frame: Frame,
    survey: &Survey,
) -> Option<f64> {
    let all_covered = survey
        .findings
        .iter()
        .filter(|f| matches!(f.what, What::Gpu(_)))
        .all(|f| f.fetched && f.covered);
    if !all_covered {
        return None;
    }
    let (mut sum, mut hours) = (0.0, 0_usize);
    for i in gpu_indices(devices) {
        let max = Slice::of(set.get(Signal::GpuMax(i))?, frame.judged);
        let stats = max.stats();
        if stats.malformed() {
            return None;
        }
        if f64::from(stats.max) < policy.gpu_percent {
            continue;
        }
        let mean = Slice::of(set.get(Signal::GpuMean(i))?, frame.judged);
        let stats = mean.stats();
        if stats.malformed() || !mean.covers(stats.got, frame.recent) {
            return None;
        }
        for hour in 0..frame.hours() {
            let value = mean.at(hour);
            if f64::from(max.at(hour)) >= policy.gpu_percent && !value.is_nan() {
                sum += f64::from(value);
                hours += 1;
            }
        }
    }
    (hours > 0).then(|| sum / hours as f64)
}
