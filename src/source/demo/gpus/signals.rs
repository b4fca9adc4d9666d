//! What the GPUs of the demo measure at one moment: the hourly telemetry of the box, moving a
//! little within the hour.

use jiff::{SignedDuration, Timestamp};

use super::cases::Kind;
use super::node::{self, Evidence, Gpu, Node};
use crate::domain::{GpuSignal, GpuSignals, Hour, RecentWindow, Signal, Throttle};
use crate::source::demo::hash::{hash, unit};
use crate::source::demo::traps::Lately;
use crate::source::demo::workload::{self, Workload};

/// Seconds between two values.
pub(super) const STEP_S: i64 = 15;
/// How long a box that woke up has been awake, whenever one looks.
const WOKE_UP: SignedDuration = SignedDuration::from_mins(20);
/// The window of [`recent`], and the time between the values looked at in it.
const RECENT_S: i64 = 900;
const RECENT_STEP_S: i64 = 60;

/// Measurements at one moment.
pub(super) struct Reading {
    /// Measured values.
    pub signals: GpuSignals,
    /// Reasons for the clocks; `None` when not reported.
    pub throttle: Option<Throttle>,
    /// True when a kernel runs.
    pub works: bool,
}

/// Mean and maximum of an hour, 0–1.
#[derive(Clone, Copy)]
struct Pace {
    mean: f64,
    max: f64,
}

impl Pace {
    /// `None` when the exporter sent nonsense.
    fn of(node: &Node, gpu: &Gpu, hour: Hour) -> Option<Self> {
        if !is_first(gpu) {
            return Some(Self { mean: 0.0, max: 0.0 });
        }
        let value = |signal: Signal| {
            let raw = workload::value(&node.profile, signal, hour);
            (raw.is_finite() && raw >= 0.0).then_some(raw / 100.0)
        };
        Some(Self {
            mean: value(Signal::GpuMean(gpu.index))?,
            max: value(Signal::GpuMax(gpu.index))?,
        })
    }
}

/// True for a whole GPU, and for the slice that does the work of a split one.
pub(super) fn is_first(gpu: &Gpu) -> bool {
    gpu.slice.is_none_or(|(number, _)| number == node::WORKING_SLICE)
}

/// A number in 0..1 for a GPU, a purpose and a moment.
fn noise(node: &Node, gpu: &Gpu, purpose: u64, step: i64) -> f64 {
    unit(hash(node.profile.hash, 0x5e_0000 | u64::from(gpu.index) << 8 | purpose, step as u64))
}

/// How much of what it could a GPU does at `at`, 0–1, seen at `now`.
fn level(node: &Node, gpu: &Gpu, pace: Pace, at: Timestamp, now: Timestamp) -> f64 {
    let lately = node.profile.trap.map_or(Lately::AsEver, |t| t.facts().lately);
    let step = at.as_second().div_euclid(STEP_S);
    // Slow waves of five minutes and quick ones of a step.
    let sway =
        0.06 * (noise(node, gpu, 1, step / 20) - 0.5) + 0.05 * (noise(node, gpu, 2, step) - 0.5);
    if lately == Lately::WokeUp && now.duration_since(at) <= WOKE_UP {
        return 0.88 + sway;
    }
    if pace.mean <= 0.0 {
        return 0.0;
    }
    (pace.mean * (1.0 + sway)).min(pace.max).min(1.0)
}

/// The share of the way from idle to the limit that the power goes. It never caps the level.
fn power_share(gpu: &Gpu, level: f64) -> f64 {
    match gpu.case {
        Some(Kind::Stalled) => 0.17,
        Some(Kind::Encoder) => 0.16,
        Some(Kind::Inefficient) if level > 0.0 => 0.3,
        _ if level > 0.0 => (0.1 + 0.9 * level).min(1.0),
        _ => 0.0,
    }
}

fn power(node: &Node, gpu: &Gpu, level: f64, step: i64) -> Option<f64> {
    let (idle, limit) = node.card.power?;
    let drift = 1.0 + 0.02 * noise(node, gpu, 3, step);
    let watts = (idle + (limit - idle) * power_share(gpu, level)) * drift;
    Some((watts.min(limit) * 100.0).round() / 100.0)
}

/// What the best signal says, 0–1, before any doubt.
fn activity(gpu: &Gpu, level: f64) -> f64 {
    match gpu.case {
        Some(Kind::Encoder) => 0.65,
        Some(Kind::Inefficient) => level * 0.22,
        Some(Kind::Phantom | Kind::Stalled) => 1.0,
        _ => level,
    }
}

/// Measurements of `gpu` at `at`, as known at `now`; `None` when nothing is reported.
pub(super) fn reading(node: &Node, gpu: &Gpu, at: Timestamp, now: Timestamp) -> Option<Reading> {
    let mut signals = GpuSignals::default();
    let pace = Pace::of(node, gpu, Hour::containing(at));
    if gpu.case == Some(Kind::UtilAlone) {
        if let Some(pace) = pace {
            signals.set(GpuSignal::Util, (pace.mean * 100.0).round() / 100.0);
        }
        return Some(Reading { signals, throttle: None, works: false });
    }
    let level = level(node, gpu, pace?, at, now);
    let step = at.as_second().div_euclid(STEP_S);
    let works = level > 0.0;
    if gpu.case == Some(Kind::OffTheBus) {
        // The driver answers nothing but what it remembers.
        signals.set(GpuSignal::Xid, 79.0);
        return Some(Reading { signals, throttle: None, works });
    }
    engines(&mut signals, node, gpu, level, step);
    memory(&mut signals, node, gpu, works);
    body(&mut signals, node, gpu, level, step);
    let throttle = node
        .card
        .clocks
        .map(|_| Throttle(reasons(node, gpu, level_of_whole(node, gpu, level, step))));
    Some(Reading { signals, throttle, works })
}

fn percent(x: f64) -> f64 {
    (x.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

fn engines(signals: &mut GpuSignals, node: &Node, gpu: &Gpu, level: f64, step: i64) {
    use GpuSignal::{Dec, Dram, Enc, GrEngine, MemCopy, NeuronCore, SmActive, SmOccupancy, Tensor};
    let infers = matches!(node.profile.workload, Workload::Serving { .. } | Workload::Trickle);
    let skill = 0.8 + 0.4 * noise(node, gpu, 4, 0);
    // Shares of the level: multiprocessors, tensor pipes, memory. Decoding is bound by memory,
    // training by the multiprocessors.
    let (sm, tensor, dram) = match gpu.case {
        Some(Kind::Inefficient) => (0.22, 0.03, 0.08),
        Some(Kind::MemoryBound) => (0.42, 0.04, 0.79),
        // Waiting kernels of a collective occupy a few multiprocessors.
        Some(Kind::Stalled) => (0.12, 0.0, 0.01),
        _ if infers => (0.6, 0.08 * skill, 0.78),
        _ => (0.97, 0.5 * skill, 0.45 * skill),
    };
    let util = match gpu.case {
        Some(Kind::Phantom | Kind::Stalled) => 1.0,
        Some(Kind::Encoder) => 0.09,
        _ => level,
    };
    match node.evidence {
        Evidence::Neuron => {
            signals.set(NeuronCore, level);
            return;
        }
        Evidence::Power => return,
        _ => {}
    }
    // What is resident on a slice is not told, what its engines do is.
    if gpu.slice.is_none() {
        signals.set(GpuSignal::Util, percent(util));
        signals.set(MemCopy, percent(level * dram * 0.8));
        signals.set(Enc, if gpu.case == Some(Kind::Encoder) { 0.65 } else { 0.0 });
        signals.set(Dec, if gpu.case == Some(Kind::Encoder) { 0.12 } else { 0.0 });
    }
    let wave = 1.0 + 0.03 * (noise(node, gpu, 5, step) - 0.5);
    if matches!(node.evidence, Evidence::Sm | Evidence::Engine) {
        signals.set(GrEngine, (util * 0.99).min(1.0));
        signals.set(Tensor, level * tensor * wave);
        signals.set(Dram, level * dram * wave);
    }
    if node.evidence == Evidence::Sm {
        signals.set(SmActive, (level * sm).min(1.0));
        signals.set(SmOccupancy, level * sm * 0.45);
    }
}

fn memory(signals: &mut GpuSignals, node: &Node, gpu: &Gpu, works: bool) {
    let total = node.card.memory_mib * gpu.slice.map_or(1.0, |(_, share)| share);
    let used = match gpu.case {
        Some(Kind::HeldIdle) => 70.0 * 1_024.0,
        Some(Kind::Encoder) => 1_229.0,
        _ if works => total * (0.55 + 0.38 * noise(node, gpu, 6, 0)),
        _ if gpu.kept => total * (0.35 + 0.45 * noise(node, gpu, 7, 0)),
        _ => 3.0,
    };
    signals.set(GpuSignal::MemTotal, total.floor());
    signals.set(GpuSignal::MemUsed, used.min(total).floor());
}

/// A slice has the power, the heat and the clocks of its GPU: where it does nothing itself, those
/// that another slice causes.
fn level_of_whole(node: &Node, gpu: &Gpu, level: f64, step: i64) -> f64 {
    if is_first(gpu) {
        return level;
    }
    let hour = Hour(i32::try_from((step * STEP_S).div_euclid(3_600)).unwrap_or_default());
    let mean = workload::value(&node.profile, Signal::GpuMean(gpu.index), hour);
    (mean / 100.0).clamp(0.0, 1.0)
}

/// Power, heat, clocks, links, errors.
fn body(signals: &mut GpuSignals, node: &Node, gpu: &Gpu, level: f64, step: i64) {
    let level = level_of_whole(node, gpu, level, step);
    let share = power_share(gpu, level);
    if let (Some(watts), Some((_, limit))) = (power(node, gpu, level, step), node.card.power) {
        signals.set(GpuSignal::Power, watts);
        signals.set(GpuSignal::PowerLimit, limit);
    }
    let Some((low, high)) = node.card.clocks else { return };
    let warm = 31.0 + 8.0 * noise(node, gpu, 8, 0);
    let heat = if is_hot(node, gpu) { 58.0 } else { 38.0 };
    signals.set(GpuSignal::Temp, (warm + heat * share + 2.0 * noise(node, gpu, 9, step)).round());
    let clock = if level > 0.0 || share > 0.0 {
        let slowed = if is_hot(node, gpu) { 0.72 } else { 0.97 };
        (high * slowed / 15.0).round() * 15.0
    } else {
        low
    };
    signals.set(GpuSignal::SmClock, clock);
    signals.set(GpuSignal::SmClockMax, high);
    if matches!(node.evidence, Evidence::Sm | Evidence::Engine) && gpu.slice.is_none() {
        signals.set(
            GpuSignal::PcieRx,
            (level * 2.4e9 * (0.9 + 0.2 * noise(node, gpu, 10, step))).round(),
        );
        signals.set(
            GpuSignal::PcieTx,
            (level * 1.1e9 * (0.9 + 0.2 * noise(node, gpu, 11, step))).round(),
        );
        if node.profile.spec.devices() == 8 && node.card.mig.is_some() {
            signals.set(GpuSignal::Nvlink, (level * 1.9e11).round());
        }
        signals.set(GpuSignal::MemTemp, (warm + 6.0 + heat * share).round());
        signals.set(GpuSignal::EccUncorrected, 0.0);
        signals.set(GpuSignal::RemapFailure, 0.0);
    }
    if node.card.power.is_some() && gpu.slice.is_none() {
        signals.set(GpuSignal::Xid, if gpu.case == Some(Kind::OldXid) { 31.0 } else { 0.0 });
    }
}

/// One box in fifty is badly cooled.
fn is_hot(node: &Node, gpu: &Gpu) -> bool {
    node.profile.trap.is_none() && gpu.slice.is_none() && node.profile.hash.is_multiple_of(50)
}

fn reasons(node: &Node, gpu: &Gpu, level: f64) -> u64 {
    let share = power_share(gpu, level);
    if level <= 0.0 && share <= 0.0 {
        return Throttle::GPU_IDLE;
    }
    let hot = if is_hot(node, gpu) { Throttle::SW_THERMAL | Throttle::HW_SLOWDOWN } else { 0 };
    let capped = if share > 0.94 { Throttle::SW_POWER_CAP } else { 0 };
    hot | capped
}

/// Extremes of the minutes before `at`, from one value per minute; `None` without any.
pub(super) fn recent(node: &Node, gpu: &Gpu, at: Timestamp) -> Option<RecentWindow> {
    let mut window =
        RecentWindow { seconds: RECENT_S as u32, samples: 0, max_activity: 0.0, max_power_w: None };
    let mut of_hour: Option<(Hour, Option<Pace>)> = None;
    for back in (0..RECENT_S / RECENT_STEP_S).map(|n| n * RECENT_STEP_S) {
        let when = at.checked_sub(SignedDuration::from_secs(back)).ok()?;
        let hour = Hour::containing(when);
        let pace = match of_hour {
            Some((h, pace)) if h == hour => pace,
            _ => Pace::of(node, gpu, hour),
        };
        of_hour = Some((hour, pace));
        let Some(pace) = pace else { continue };
        let level = level(node, gpu, pace, when, at);
        window.samples += 1;
        window.max_activity = window.max_activity.max(activity(gpu, level) as f32);
        if gpu.case != Some(Kind::UtilAlone) {
            let step = when.as_second().div_euclid(STEP_S);
            let watts = power(node, gpu, level, step).map(|w| w as f32);
            window.max_power_w =
                watts.map(|w| window.max_power_w.map_or(w, |highest| w.max(highest)));
        }
    }
    (window.samples > 0 && gpu.case != Some(Kind::OffTheBus)).then_some(window)
}
