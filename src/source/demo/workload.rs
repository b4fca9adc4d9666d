//! What the instances of the demo do, hour by hour: the numbers that CloudWatch would answer.

use super::hash::{hash, unit};
use super::profile::Profile;
use crate::domain::{Hour, Signal};

/// Work of a box, hour by hour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Workload {
    /// Nothing. Network in MB (10⁶ bytes) per day, in plus out, from agents and time-keeping.
    Nothing { mb_per_day: f64 },
    /// Nothing, and a GPU exporter that reports NaN, negative and infinite values.
    Garbled,
    /// Training runs: each slot of `slot` hours opens with `gap.0` to `gap.1` hours of nothing,
    /// the rest of it computes.
    Runs { slot: u16, gap: (u16, u16) },
    /// Inference that follows the day of its region; `peak` is mean GPU % at noon.
    Serving { peak: f64 },
    /// A person: GPU bursts in working hours, nothing at night and on weekends.
    Notebook,
    /// The first `busy` GPUs compute all the time, the others never.
    SomeGpus { busy: u32 },
    /// A kernel-bound job: all GPUs at 95%, CPU at 2%.
    ColdCpu,
    /// All GPUs at a tenth of their capacity.
    Trickle,
    /// One thread that never stops.
    OneCore,
    /// CPU work in one hour of the week.
    WeeklySpike,
    /// CPU work between one and four in the night.
    Nightly,
    /// A web service: CPU follows the day.
    Service,
    /// Constant CPU load around the clock.
    Steady,
    /// CPU between 5% and 15%.
    LightCpu,
}

/// How hard a box works in one hour, before noise.
struct Level {
    /// Mean CPU, percent of all vCPUs.
    cpu: f64,
    /// Relative noise of the CPU.
    jitter: f64,
    /// Mean GPU utilisation, percent.
    gpu: f64,
    /// Network in plus out, 10⁶ bytes in the hour.
    megabytes: f64,
    /// EBS operations per second, read plus write.
    ops: f64,
}

/// The share of its peak at which a workload runs, by hour of the local day.
const DAY_CURVE: [f64; 24] = [
    0.22, 0.16, 0.12, 0.10, 0.10, 0.14, 0.22, 0.35, 0.52, 0.70, 0.84, 0.93, 0.97, 1.00, 0.99, 0.96,
    0.92, 0.88, 0.83, 0.78, 0.70, 0.58, 0.44, 0.32,
];

/// Hour of the day and day of the week (Monday = 0) at the region of the box.
fn local(profile: &Profile, hour: Hour) -> (usize, i32) {
    let local = hour.0 + profile.region.utc_offset;
    let weekday = (local.div_euclid(24) + 3).rem_euclid(7); // 1970-01-01 was a Thursday
    (local.rem_euclid(24) as usize, weekday)
}

fn day_curve(profile: &Profile, hour: Hour) -> f64 {
    let (of_day, weekday) = local(profile, hour);
    let weekend = if weekday >= 5 { 0.7 } else { 1.0 };
    DAY_CURVE.get(of_day).copied().unwrap_or(0.5) * weekend
}

/// A number in 0..1 that is fixed per instance and purpose.
fn trait_of(profile: &Profile, purpose: u64) -> f64 {
    unit(hash(profile.hash, 0xfee1, purpose))
}

fn nothing(profile: &Profile, mb_per_day: f64) -> Level {
    // Operating system and agents: a fraction of a core, whatever the size of the box. The cap
    // keeps the smallest boxes below 2%, their peaks below 5%.
    let cores = if profile.spec.devices() > 0 { 0.3 } else { 0.04 } + 0.3 * trait_of(profile, 1);
    let cpu = (cores / f64::from(profile.spec.vcpus) * 100.0).min(1.9);
    let ops = 0.05 + 0.35 * trait_of(profile, 2);
    Level { cpu, jitter: 0.15, gpu: 0.0, megabytes: mb_per_day / 24.0, ops }
}

fn level(profile: &Profile, hour: Hour) -> Level {
    let idle = || nothing(profile, 3.0 + 50.0 * trait_of(profile, 3));
    let work = |cpu, gpu, megabytes, ops| Level { cpu, jitter: 0.1, gpu, megabytes, ops };
    match profile.workload {
        Workload::Nothing { mb_per_day } => nothing(profile, mb_per_day),
        Workload::Garbled => idle(),
        Workload::Runs { slot, gap: (from, to) } => {
            let shifted = hour.0 + (profile.hash % u64::from(slot)) as i32;
            let number = shifted.div_euclid(i32::from(slot));
            let spread = u64::from(to.saturating_sub(from)) + 1;
            let gap = from + (hash(profile.hash, 0x6a9, number as u64) % spread) as u16;
            if shifted.rem_euclid(i32::from(slot)) < i32::from(gap) {
                idle()
            } else {
                let cpu = 16.0 + 22.0 * trait_of(profile, 4);
                work(cpu, 84.0 + 13.0 * trait_of(profile, 5), 9_000.0, 45.0)
            }
        }
        Workload::Serving { peak } => {
            let day = day_curve(profile, hour);
            work(7.0 + 30.0 * day, 9.0 + peak * day, 200.0 + 3_000.0 * day, 4.0)
        }
        Workload::Notebook => {
            let (of_day, weekday) = local(profile, hour);
            let at_work = weekday < 5 && (9..19).contains(&of_day);
            let awake = unit(hash(profile.hash, 0xd0e5, hour.0 as u64));
            if at_work && awake < 0.7 {
                work(4.0 + 14.0 * awake, 8.0 + 70.0 * awake, 400.0, 6.0)
            } else {
                idle()
            }
        }
        Workload::SomeGpus { .. } => work(9.0, 88.0, 4_000.0 / 24.0, 20.0),
        Workload::ColdCpu => Level { jitter: 0.05, ..work(2.0, 95.0, 12.0, 1.5) },
        Workload::Trickle => work(7.0, 12.0, 250.0, 3.0),
        Workload::OneCore => {
            Level { jitter: 0.01, ..work(100.0 / f64::from(profile.spec.vcpus), 0.0, 0.8, 0.4) }
        }
        Workload::WeeklySpike => {
            let phase = (profile.hash % 168) as i32;
            if hour.0.rem_euclid(168) == phase { work(82.0, 0.0, 900.0, 60.0) } else { idle() }
        }
        Workload::Nightly => {
            let (of_day, _) = local(profile, hour);
            if (1..4).contains(&of_day) { work(71.0, 0.0, 2_500.0, 80.0) } else { idle() }
        }
        Workload::Service => {
            let day = day_curve(profile, hour);
            work(9.0 + 48.0 * day, 0.0, 150.0 + 1_500.0 * day, 12.0)
        }
        Workload::Steady => work(55.0 + 30.0 * trait_of(profile, 6), 0.0, 1_200.0, 30.0),
        Workload::LightCpu => work(6.5 + 7.0 * trait_of(profile, 7), 0.0, 120.0, 2.0),
    }
}

/// True when GPU `index` takes part in the work of the box.
fn works(profile: &Profile, index: u16) -> bool {
    match profile.workload {
        // Which of them is a matter of the box: the first ones are not always the busy ones.
        Workload::SomeGpus { busy } => {
            let devices = profile.spec.devices().max(1);
            (u32::from(index) + (profile.hash % 64) as u32) % devices < busy
        }
        _ => true,
    }
}

/// Datapoint of `signal` in `hour`, raw as CloudWatch would return it.
pub(super) fn value(profile: &Profile, signal: Signal, hour: Hour) -> f64 {
    let level = level(profile, hour);
    // Mean and maximum of one signal share their noise, so that the maximum is never below.
    let noise = |code: u64| unit(hash(profile.hash, code, hour.0 as u64));
    let cpu = |level: &Level| level.cpu * (1.0 - level.jitter + 2.0 * level.jitter * noise(1));
    let bytes = |share: f64, code| level.megabytes * 1e6 * share * (0.75 + 0.5 * noise(code));
    let ops = |share: f64, code| (level.ops * 3_600.0 * share * (0.75 + 0.5 * noise(code))).round();
    match signal {
        Signal::CpuMean => cpu(&level).min(100.0),
        Signal::CpuMax => {
            let mean = cpu(&level);
            (mean * (1.0 + 0.35 * noise(2)) + 0.3 * noise(3)).min(100.0)
        }
        Signal::NetworkIn => bytes(0.6, 4).round(),
        Signal::NetworkOut => bytes(0.4, 5).round(),
        Signal::EbsReadOps => ops(0.2, 6),
        Signal::EbsWriteOps => ops(0.8, 7),
        Signal::GpuMean(index) | Signal::GpuMax(index) => {
            let is_max = matches!(signal, Signal::GpuMax(_));
            if profile.workload == Workload::Garbled
                && let Some(nonsense) = garbled(hour)
            {
                return nonsense;
            }
            let gpu = if works(profile, index) { level.gpu } else { 0.0 };
            let noise = noise(16 + u64::from(index));
            gpu_value(gpu, noise, is_max)
        }
        // No signal of an instance.
        Signal::Resource(_) => f64::NAN,
    }
}

/// What a broken exporter says, two hours out of three.
fn garbled(hour: Hour) -> Option<f64> {
    match hour.0.rem_euclid(6) {
        0 => Some(f64::NAN),
        1 | 3 => Some(-1.0),
        4 => Some(f64::INFINITY),
        _ => None,
    }
}

fn gpu_value(level: f64, noise: f64, is_max: bool) -> f64 {
    if level <= 0.0 {
        // A driver query now and then shows as one percent.
        return if is_max && noise > 0.96 { 1.0 } else { 0.0 };
    }
    let mean = (level * (0.94 + 0.12 * noise)).min(99.5);
    if is_max { (mean + (100.0 - mean) * (0.35 + 0.6 * noise)).ceil() } else { mean }
}
