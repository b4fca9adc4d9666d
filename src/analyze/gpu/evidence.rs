//! What one moment says of one GPU: the evidence ladder and the witnesses.
//!
//! * **Activity** is the best rung's main signal (SM active; graphics engine; utilisation capped by
//!   the power share), or DRAM activity over 0.8, or the video engines, whichever works most.
//! * **Idle** needs two witnesses of the moment: the main signal and every other engine that is
//!   known below 5%, and power at rest or the driver's own idle bit. On rung D, where power is
//!   all there is, it takes power at rest *and* the idle bit.
//! * **Use** needs one: any engine that is known at 5% or more, on whatever rung.
//! * **A phantom** is neither: utilisation is high, and nothing is there that could cause it.
//! * **Trainium and Inferentia** have no power reading. Their second witness is runtime memory
//!   that is not in use; with memory in use, cores at 0 for half an hour (see `track`).

use super::floors::{Floors, idle_limit};
use super::rules::GpuRules;
use crate::domain::gpu::EMPTY_MIB;
use crate::domain::{Activity, GpuModel, GpuSample, GpuSignal, Rung};

/// Highest DRAM activity that can be reached, 0–1 (NVIDIA's guidance for the profiling metric).
const DRAM_TOP: f32 = 0.8;
/// Share of the power range from which power alone says that a GPU works. A context that does
/// nothing stays below.
const WORKS_BY_POWER: f32 = 0.15;
/// Share of memory from which it looks pre-allocated (vLLM takes 90% by default).
const PREALLOCATED: f32 = 0.85;
/// Below this the NeuronCores are at 0.
const ZERO: f32 = 0.005;

/// State of a GPU that one sample indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indication {
    /// Two witnesses for idle.
    Idle,
    /// Activity is low, the second witness is missing or speaks against.
    Low,
    /// Something works.
    Use,
    /// Utilisation that nothing can cause.
    Phantom,
    /// Nothing reports activity.
    Blind,
}

/// What one sample of a GPU shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evidence {
    pub indication: Indication,
    pub rung: Rung,
    pub activity: Option<Activity>,
    /// Main signal of the rung and its value, in the signal's unit; `None` on a rung without one.
    pub main: Option<(GpuSignal, f32)>,
    /// The engine that works most, of those that the main signal does not cover.
    pub other: Option<(GpuSignal, f32)>,
    pub power: Option<f32>,
    pub floor: Option<f32>,
    /// Highest power that counts as being at rest, W; `None` when the floor of the model is not known.
    pub rest: Option<f32>,
    /// True when power is at rest; `None` when power or floor are not known.
    pub at_rest: Option<bool>,
    /// The driver's idle bit; `None` when it is not reported.
    pub idle_bit: Option<bool>,
    /// Device memory in use, MiB; `None` when it is not reported.
    pub mem: Option<f32>,
    /// Share of the device memory in use, 0–1; `None` when it is not known.
    pub mem_share: Option<f32>,
    /// True when a process, pod or job holds the GPU, false when none does; `None` when no source reports it.
    pub held: Option<bool>,
    /// True when it looks used, draws little power and computes nothing.
    pub stalls: bool,
    /// True when NeuronCores are at 0.
    pub cores_at_zero: bool,
    /// Activity of an engine that only another source saw in use, 0–1; `None` without one.
    pub elsewhere: Option<f32>,
}

impl Evidence {
    /// True when nearly all memory is taken, which says nothing of how much is needed.
    pub fn preallocated(&self) -> bool {
        self.mem_share.is_some_and(|s| s >= PREALLOCATED)
    }

    /// Takes in the highest word of the other sources on an engine: one witness of use is enough.
    pub fn hear(&mut self, seen: f32, rules: &GpuRules) {
        if seen < rules.idle_below {
            return;
        }
        if let Some(activity) = &mut self.activity {
            activity.busiest = activity.busiest.max(seen);
        }
        if self.indication != Indication::Use {
            self.indication = Indication::Use;
            self.elsewhere = Some(seen);
        }
    }
}

/// Reads the evidence of a sample. `stays` is true while the GPU is called idle: the limit of
/// power then lies a little higher, so that a flicker at the limit does not flip the state.
pub(super) fn evidence(
    sample: &GpuSample,
    name: &str,
    model: Option<&GpuModel>,
    floors: &Floors,
    rules: &GpuRules,
    stays: bool,
) -> Evidence {
    use GpuSignal as S;
    /// Factor on the power limit while a GPU is called idle, so that it does not flicker.
    const STAYS: f32 = 1.1;
    let get = |s| sample.signals.get(s);
    let rung = Rung::of(&sample.signals);
    let main = [S::SmActive, S::NeuronCore, S::GrEngine, S::Util]
        .into_iter()
        .find_map(|s| Some((s, get(s)?)));
    let neuron = matches!(main, Some((S::NeuronCore, _)));
    let dram = get(S::Dram).map(|d| (d / DRAM_TOP).min(1.0));
    let others = [(S::Dram, dram), (S::Enc, get(S::Enc)), (S::Dec, get(S::Dec))];
    let other =
        others.into_iter().filter_map(|(s, v)| Some((s, v?))).max_by(|a, b| a.1.total_cmp(&b.1));

    let mem = get(S::MemUsed);
    let mem_share = mem.zip(get(S::MemTotal)).filter(|(_, t)| *t > 0.0).map(|(u, t)| u / t);
    let processes = sample.processes.as_ref().map(|p| !p.is_empty());
    let held = held(sample, mem, processes, neuron, rules);

    let power = get(S::Power);
    let limit = get(S::PowerLimit).filter(|l| *l > 0.0).or(model.and_then(|m| m.tdp_w));
    let floor = floors.floor(name, model, limit);
    let in_memory = mem.is_some_and(|m| m >= rules.held_mib);
    let rest = floor.map(|f| {
        let factor = rules.idle_power_factor * if stays { STAYS } else { 1.0 };
        idle_limit(f, factor, in_memory, model, limit)
    });
    let at_rest = power.zip(rest).map(|(p, rest)| p <= rest);
    // Where in the range from floor to limit the power lies. The power of a slice is that of its
    // whole GPU: at rest it speaks for the slice, above it may be another one's.
    let is_slice = sample.identity.mig.is_some();
    let share = match (power, floor, limit) {
        (Some(p), Some(f), Some(l)) if l > f && !is_slice => {
            Some(((p - f) / (l - f)).clamp(0.0, 1.0))
        }
        _ => None,
    };
    let idle_bit = sample.throttle.map(crate::domain::Throttle::is_idle);

    let busiest = [S::SmActive, S::NeuronCore, S::GrEngine, S::Tensor]
        .into_iter()
        .filter_map(get)
        .chain(other.map(|o| o.1))
        .fold(f32::NAN, f32::max);
    let util = get(S::Util);
    let looks_used = util.is_some_and(|u| u >= rules.idle_below);
    let works = busiest >= rules.idle_below;
    let nothing_there = processes != Some(true)
        && !in_memory
        && mem
            .is_some_and(|m| at_rest == Some(true) || (m < EMPTY_MIB && processes == Some(false)));
    let phantom = looks_used && !works && nothing_there;

    let indication = if phantom {
        Indication::Phantom
    } else if works || looks_used || (rung == Rung::D && share.is_some_and(|s| s >= WORKS_BY_POWER))
    {
        Indication::Use
    } else if main.is_some() {
        let second = if neuron {
            mem.is_some_and(|m| m < 1.0)
        } else {
            at_rest == Some(true) || idle_bit == Some(true)
        };
        if second { Indication::Idle } else { Indication::Low }
    } else if at_rest == Some(true) && idle_bit == Some(true) {
        Indication::Idle
    } else {
        Indication::Blind
    };

    let effective = match main {
        Some((S::Util, _)) if phantom => Some(0.0),
        Some((S::Util, u)) => Some(share.map_or(u, |s| u.min(s))),
        Some((_, v)) => Some(v),
        None => None,
    };
    let effective = match (effective, other) {
        (Some(a), Some((_, b))) => Some(a.max(b)),
        (a, b) => a.or(b.map(|b| b.1)),
    };
    let effective = effective.or(share.filter(|_| rung == Rung::D));
    let clocks = get(S::SmClock).zip(get(S::SmClockMax)).filter(|(_, top)| *top > 0.0);
    let tensor_bound =
        get(S::Tensor).zip(clocks).map(|(t, (now, top))| t * (now / top).clamp(0.0, 1.0));
    let activity = effective.filter(|_| rung != Rung::E).map(|e| Activity {
        effective: e.clamp(0.0, 1.0),
        busiest: [e, busiest, if phantom { f32::NAN } else { util.unwrap_or(f32::NAN) }]
            .into_iter()
            .fold(0.0, f32::max)
            .min(1.0),
        rung,
        tensor_bound,
    });

    let full = util.or(get(S::GrEngine)).is_some_and(|u| u >= super::rules::STALLED_UTIL);
    let computes_nothing = get(S::Tensor).is_some_and(|t| t < 0.01)
        && get(S::SmActive).is_none_or(|s| s < rules.inefficient_below)
        && other.is_none_or(|(_, v)| v < 0.1);
    let stalls = full
        && computes_nothing
        && share.is_some_and(|s| s < super::rules::STALLED_POWER_SHARE)
        && (in_memory || processes == Some(true));

    Evidence {
        indication,
        rung,
        activity,
        main,
        other,
        power,
        floor,
        rest,
        at_rest,
        idle_bit,
        mem,
        mem_share,
        held,
        stalls,
        cores_at_zero: matches!(main, Some((S::NeuronCore, v)) if v < ZERO),
        elsewhere: None,
    }
}

/// Whether somebody holds a GPU: an owner, a process, or memory in use says so. That nobody does
/// takes a source that would know: one that names owners, lists processes or measures memory.
fn held(
    sample: &GpuSample,
    mem: Option<f32>,
    processes: Option<bool>,
    neuron: bool,
    rules: &GpuRules,
) -> Option<bool> {
    let least = if neuron { 1.0 } else { rules.held_mib };
    let by_memory = mem.map(|m| m >= least);
    if !sample.owner.is_nobody() || processes == Some(true) || by_memory == Some(true) {
        return Some(true);
    }
    (by_memory.is_some() || processes.is_some() || sample.names_owners).then_some(false)
}

/// True when a reading may teach the floor of its model: everything that is known of its engines
/// is low.
pub(super) fn teaches(sample: &GpuSample, rules: &GpuRules) -> bool {
    use GpuSignal as S;
    let get = |s| sample.signals.get(s);
    let engines =
        [S::SmActive, S::GrEngine, S::Util, S::Tensor, S::Dram, S::Enc, S::Dec].into_iter();
    let main = get(S::SmActive).or(get(S::GrEngine)).or(get(S::Util)).is_some();
    main && sample.identity.mig.is_none() && engines.filter_map(get).all(|v| v < rules.idle_below)
}
