//! What burntop concludes about a GPU.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::reason::{GpuAdvice, GpuReason, Observation};
use super::signal::{GpuSignal, GpuSignals};

/// State of a GPU, from its telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuState {
    /// Has a hardware error and cannot be trusted with work.
    Unhealthy,
    /// Utilisation is high, power draw low, no engine computes: likely a hung job.
    Stalled,
    /// A process or job holds it and does not use it.
    HeldIdle,
    /// Not held by anything, and unused.
    UnallocatedIdle,
    /// Busy, at less than half of what it could reach.
    Inefficient,
    /// The evidence is insufficient.
    Unknown,
    /// Telemetry is missing or too old.
    Stale,
    /// Busy, without a reason to doubt it.
    Busy,
}

impl GpuState {
    /// All states, worst first.
    pub const ALL: [Self; 8] = [
        Self::Unhealthy,
        Self::Stalled,
        Self::HeldIdle,
        Self::UnallocatedIdle,
        Self::Inefficient,
        Self::Unknown,
        Self::Stale,
        Self::Busy,
    ];

    /// Name in JSON, CSV and filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unhealthy => "unhealthy",
            Self::Stalled => "stalled",
            Self::HeldIdle => "held_idle",
            Self::UnallocatedIdle => "unallocated_idle",
            Self::Inefficient => "inefficient",
            Self::Unknown => "unknown",
            Self::Stale => "stale",
            Self::Busy => "busy",
        }
    }

    /// True for the idle states, in which the whole price of the GPU is waste.
    pub fn is_idle(self) -> bool {
        matches!(self, Self::HeldIdle | Self::UnallocatedIdle)
    }
}

/// Evidence that a state rests on, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// SM active, with tensor and memory activity where known; Neuron core utilisation.
    A,
    /// Graphics engine active, with tensor and memory activity where known.
    B,
    /// Utilisation, encoder, decoder: capped by the power draw.
    C,
    /// Power alone (MIG without profiling).
    D,
    /// No evidence at all.
    E,
}

impl Rung {
    /// All rungs, best evidence first.
    pub const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::E];

    /// Best rung for which `signals` has values.
    pub fn of(signals: &GpuSignals) -> Self {
        let has = |signal| signals.get(signal).is_some();
        if has(GpuSignal::SmActive) || has(GpuSignal::NeuronCore) {
            Self::A
        } else if has(GpuSignal::GrEngine) {
            Self::B
        } else if has(GpuSignal::Util) || has(GpuSignal::Enc) || has(GpuSignal::Dec) {
            Self::C
        } else if has(GpuSignal::Power) {
            Self::D
        } else {
            Self::E
        }
    }

    /// Letter of the rung, `A` to `E`.
    pub fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
            Self::D => 'D',
            Self::E => 'E',
        }
    }

    /// Evidence that the rung rests on, for the screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::A => "SM active",
            Self::B => "graphics engine active",
            Self::C => "utilisation, capped by power",
            Self::D => "power alone",
            Self::E => "no evidence",
        }
    }
}

/// Activity of a GPU by the best rung available. All figures are 0–1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Effective activity, 0–1: the highest of the engines of its rung.
    pub effective: f32,
    /// Highest activity, 0–1, of any engine by any source that a kernel can have caused: the evidence against idleness. Never
    /// below what `effective` rests on.
    pub busiest: f32,
    /// Evidence that `effective` rests on.
    pub rung: Rung,
    /// Tensor activity × clock share, 0–1: an upper bound of model FLOPs utilisation; `None` when unknown.
    pub tensor_bound: Option<f32>,
}

/// A witness for or against idleness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// What was seen, with its value.
    pub seen: Observation,
    /// True when it speaks for idle, false against.
    pub for_idle: bool,
}

/// What kind of work a GPU does, by tag or rule: the bands differ.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
/// Kind of work on a GPU, by tag or rule; it decides which bands of activity count as normal.
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// Kind of work unknown.
    #[default]
    Unknown,
    /// Training of a model.
    Training,
    /// Inference: legitimately bound by memory.
    Inference,
}

/// Verdict on one GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuVerdict {
    /// State that the evidence indicates.
    pub state: GpuState,
    /// Activity; `None` on rung E.
    pub activity: Option<Activity>,
    /// Rung of the evidence, also without a conclusion.
    pub rung: Rung,
    /// Start of the idle spell that lasts until now; `None` in other states than the idle ones.
    pub idle_since: Option<Timestamp>,
    /// True when the spell may have begun earlier: there is no evidence before `idle_since`.
    pub idle_since_at_least: bool,
    /// Number of samples that the state rests on.
    pub samples: u32,
    /// Evidence for and against.
    pub witnesses: Vec<Witness>,
    /// Why.
    pub reason: GpuReason,
    /// What to do about it; `None` when there is nothing.
    pub advice: Option<GpuAdvice>,
    /// What kind of work, by tag or rule.
    pub workload: Workload,
}
