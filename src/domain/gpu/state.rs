//! What burntop concludes about a GPU.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::reason::{GpuAdvice, GpuReason, Observation};
use super::signal::{GpuSignal, GpuSignals};

/// What a GPU does for its money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuState {
    /// A hardware error: it cannot be trusted with work.
    Unhealthy,
    /// Looks fully used, draws little power, computes nothing: likely hangs.
    Stalled,
    /// Somebody holds it and does nothing with it.
    HeldIdle,
    /// Nobody holds it, nothing runs.
    UnallocatedIdle,
    /// Works, at less than half of what it could.
    Inefficient,
    /// The evidence does not suffice.
    Unknown,
    /// No fresh telemetry.
    Stale,
    /// Works.
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

    /// The name in JSON and filters.
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

    /// True when nothing useful runs: the whole price of the GPU is waste.
    pub fn is_idle(self) -> bool {
        matches!(self, Self::HeldIdle | Self::UnallocatedIdle)
    }
}

/// The evidence a state rests on, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// SM active, with tensor and memory activity where known; Neuron core utilisation.
    A,
    /// Graphics engine active, with tensor and memory activity where known.
    B,
    /// Utilisation, encoder, decoder: capped by what the power draw allows.
    C,
    /// Power alone (MIG without profiling).
    D,
    /// Nothing.
    E,
}

impl Rung {
    /// All rungs, best first.
    pub const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::E];

    /// The best evidence that `signals` hold.
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

    /// The letter.
    pub fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
            Self::D => 'D',
            Self::E => 'E',
        }
    }

    /// What it rests on, in words.
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

/// How much a GPU works, by the rung that could be used. All 0–1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Effective use: the largest of what its engines do.
    pub effective: f32,
    /// The highest word of any engine, by whatever source, that something can have caused: what
    /// speaks against idleness. Never below what `effective` rests on.
    pub busiest: f32,
    /// The evidence.
    pub rung: Rung,
    /// Tensor activity × clock share: an upper bound of model FLOPs utilisation; `None` when not
    /// known.
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
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// Not known.
    #[default]
    Unknown,
    /// Training.
    Training,
    /// Inference: legitimately bound by memory.
    Inference,
}

/// The conclusion about one GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuVerdict {
    /// The state.
    pub state: GpuState,
    /// How much it works; `None` on rung E.
    pub activity: Option<Activity>,
    /// The rung, also where nothing could be concluded.
    pub rung: Rung,
    /// Start of the idle spell that lasts until now (idle states only).
    pub idle_since: Option<Timestamp>,
    /// True when the spell may have begun earlier: nobody looked before `idle_since`.
    pub idle_since_at_least: bool,
    /// Samples the state rests on.
    pub samples: u32,
    /// What speaks for and against.
    pub witnesses: Vec<Witness>,
    /// Why.
    pub reason: GpuReason,
    /// What to do about it; `None` when there is nothing.
    pub advice: Option<GpuAdvice>,
    /// What kind of work, by tag or rule.
    pub workload: Workload,
}
