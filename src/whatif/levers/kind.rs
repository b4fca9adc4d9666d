//! The simulators' names, and what can be wrong with what they are given.

use std::fmt;

use serde::Serialize;

/// A simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeverKind {
    /// Instances for others, type by type.
    Rightsize,
    /// Replicas that follow a load.
    Autoscale,
    /// Utilisation and spot together.
    GpuSavings,
    /// A part of the fleet on spot.
    SpotMix,
    /// What runs that do not succeed cost.
    FailedRuns,
    /// What the storage side saves.
    Storage,
    /// Bytes, by way and tier.
    Network,
    /// Everything together, with people.
    Tco,
    /// Dollars per prediction and per run.
    UnitCost,
    /// A programme of savings, month by month.
    Programme,
}

impl LeverKind {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::GpuSavings,
        Self::Rightsize,
        Self::Autoscale,
        Self::FailedRuns,
        Self::SpotMix,
        Self::Storage,
        Self::Network,
        Self::Tco,
        Self::UnitCost,
        Self::Programme,
    ];

    /// Its name in commands and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rightsize => "rightsize",
            Self::Autoscale => "autoscale",
            Self::GpuSavings => "gpu-savings",
            Self::SpotMix => "spot-mix",
            Self::FailedRuns => "failed-runs",
            Self::Storage => "storage",
            Self::Network => "network",
            Self::Tco => "tco",
            Self::UnitCost => "unit-cost",
            Self::Programme => "programme",
        }
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Rightsize => "Right-sizing",
            Self::Autoscale => "Autoscaling, replayed",
            Self::GpuSavings => "GPU savings: use, then spot",
            Self::SpotMix => "A part on spot",
            Self::FailedRuns => "The tax of failed runs",
            Self::Storage => "Storage",
            Self::Network => "Network",
            Self::Tco => "Total cost of ownership",
            Self::UnitCost => "Unit costs",
            Self::Programme => "Savings programme",
        }
    }
}

impl fmt::Display for LeverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a simulator was not given, or given wrongly.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LeverError {
    /// An input is missing.
    #[error("{lever}: {input} is not given: {hint}")]
    Missing {
        /// Which simulator.
        lever: LeverKind,
        /// Which input.
        input: &'static str,
        /// Where to take it from.
        hint: &'static str,
    },
    /// An input is out of its range.
    #[error("{lever}: {input} is {value}; it must be {allowed}")]
    Outside {
        /// Which simulator.
        lever: LeverKind,
        /// Which input.
        input: &'static str,
        /// What was given.
        value: String,
        /// Its range, in words.
        allowed: String,
    },
    /// Inputs contradict each other.
    #[error("{lever}: {what}")]
    Contradiction {
        /// Which simulator.
        lever: LeverKind,
        /// A sentence: what contradicts, and what to do.
        what: String,
    },
}
