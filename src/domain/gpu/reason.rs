//! Why a GPU is what the verdict says, what speaks for and against, and what to do about it: as
//! values. `view::reasons` words them. Figures are rounded to what is printed, so that a verdict does
//! not change by what nobody sees.

use serde::{Deserialize, Serialize};

use super::signal::GpuSignal;

/// Why a GPU is in its state. Shares are whole percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GpuReason {
    /// Nothing is to be said.
    Nothing,
    /// An engine works so much.
    Works(GpuSignal, u8),
    /// It draws so many W.
    WorksByPower(u16),
    /// Another source says that it works so much.
    Elsewhere(u8),
    /// It worked a moment ago; quiet for less than so many seconds.
    QuietShortly(u16),
    /// It is quiet now and was not lately.
    UsedLately {
        /// The most that was seen.
        percent: u8,
        /// Within so many minutes.
        minutes: u16,
    },
    /// It works below its band all the time.
    Inefficient {
        /// Its mean.
        mean: u8,
        /// The lower end of the band.
        below: u8,
    },
    /// Its memory is pre-allocated.
    Preallocated {
        /// The part of the memory.
        percent: u8,
        /// True when nothing is computed; false when little is.
        idle: bool,
    },
    /// Somebody holds it and computes nothing.
    HeldIdle,
    /// Nothing is computed; nobody says whether it is held.
    PerhapsHeld,
    /// Nobody holds it and nothing runs.
    Unallocated,
    /// It looks fully used for so many minutes, and computes nothing.
    Stalled(u16),
    /// A utilisation with nothing in memory and no process.
    Phantom(u8),
    /// Activity is low; there is no second witness.
    OneWitness,
    /// Activity is low at so many W, of a model whose power at rest is not known.
    NoFloor(u16),
    /// Activity is low; power says otherwise.
    PowerAgainst {
        /// W.
        watts: u16,
        /// W that the model draws at rest at most.
        rest: u16,
    },
    /// NeuronCores are quiet with memory in use.
    CoresQuiet,
    /// It is quiet, not seen for long enough.
    TooShort {
        /// Seconds seen.
        seconds: u16,
        /// Seconds needed.
        needed: u16,
        /// Samples seen.
        samples: u16,
    },
    /// Only power is told, W.
    PowerOnly(u16),
    /// Nothing is told of its activity.
    NoEvidence,
    /// Compute slices that are of no GPU instance.
    Rest {
        /// How many.
        slices: u8,
        /// Those of the whole GPU.
        of: u8,
    },
    /// No news for so many minutes.
    Silent(u32),
    /// The driver reported an XID.
    Xid {
        /// The code.
        code: u16,
        /// True when there were no news since.
        silent: bool,
    },
    /// Row remapping failed.
    Remap,
    /// The driver asks for this recovery action.
    Recovery(u16),
    /// Nothing runs and telemetry names nobody who holds it; the sources of jobs were not read yet.
    JobsUnread,
    /// A sentence of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// What is seen of a GPU that speaks for or against idleness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Observation {
    /// What an engine does, whole percent.
    Engine(GpuSignal, u8),
    /// What another source says that it does, whole percent.
    Elsewhere(u8),
    /// Its power beside what its model draws, W.
    Power {
        /// Now.
        watts: u16,
        /// At rest at most.
        rest: u16,
        /// The idle floor.
        floor: u16,
    },
    /// Its power, W; that of its model at rest is not known.
    PowerAlone(u16),
    /// Power is not told.
    NoPower,
    /// The driver's word: idle or not.
    IdleBit(bool),
    /// Memory in use.
    Memory {
        /// MiB.
        mib: u32,
        /// Whole percent; `None` where all of it is not known.
        percent: Option<u8>,
    },
    /// A clause of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// What to do about a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GpuAdvice {
    /// What.
    pub kind: GpuAdviceKind,
    /// What it is about, whole USD a month; `None` without a price.
    pub usd_per_month: Option<i64>,
}

/// What can be advised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GpuAdviceKind {
    /// Ask its owner to release it.
    Release,
    /// Unload the model that reserves its memory.
    Unload,
    /// Schedule work, or stop the instance.
    UseOrStop,
    /// Feed the training faster, or take less.
    Training,
    /// Batch requests, take less, or share it.
    Inference {
        /// True where it could be partitioned by MIG.
        mig: bool,
    },
    /// The same for work of an unknown kind.
    Fit {
        /// True where it could be partitioned by MIG.
        mig: bool,
    },
    /// Look at what the job waits for.
    Unstick,
    /// Drain the node, reset the GPU, take another host.
    Replace,
    /// Create GPU instances for what is left.
    Partition,
    /// Let its source report power.
    MorePower,
    /// Let its source report profiling metrics.
    Profile,
    /// Look at its exporter.
    LookAtSource,
    /// A sentence of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}
