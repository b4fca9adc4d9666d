//! The simulators' names, and what can be wrong with what they are given.

use std::fmt;

use serde::Serialize;

/// Kind of simulator, a "lever" of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeverKind {
    /// Smaller or cheaper instance types.
    Rightsize,
    /// An autoscaler, replayed over a load.
    Autoscale,
    /// Higher GPU utilisation, then Spot.
    GpuSavings,
    /// A share of a steady fleet on Spot.
    SpotMix,
    /// Cost of runs that fail, are cancelled or time out.
    FailedRuns,
    /// Savings found in storage.
    Storage,
    /// Data transfer by route and price tier.
    Network,
    /// Total cost of ownership: compute, storage, network and people.
    Tco,
    /// Cost of one prediction and of one run.
    UnitCost,
    /// A programme of savings in phases, month by month.
    Programme,
}

impl LeverKind {
    /// All kinds, in the order shown.
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

    /// Name in commands and files.
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

    /// Heading on screen and in reports.
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

/// Why a simulator has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LeverError {
    /// A required input is not given.
    #[error("{lever}: {input} is not given: {hint}")]
    Missing {
        /// The simulator.
        lever: LeverKind,
        /// Name of the input.
        input: &'static str,
        /// Where a user finds the value.
        hint: &'static str,
    },
    /// An input outside its range.
    #[error("{lever}: {input} is {value}; it must be {allowed}")]
    Outside {
        /// The simulator.
        lever: LeverKind,
        /// Name of the input.
        input: &'static str,
        /// The value given, as shown.
        value: String,
        /// Allowed range, as shown.
        allowed: String,
    },
    /// Inputs that exclude each other.
    #[error("{lever}: {what}")]
    Contradiction {
        /// The simulator.
        lever: LeverKind,
        /// One sentence: what contradicts, and what to change.
        what: String,
    },
}
