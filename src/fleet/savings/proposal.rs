//! An instance that could be smaller.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Effort, Risk};
use crate::domain::{Provenance, Scope};

/// What the work on an instance needs, as far as evidence says. What is `None` is not known, and the
/// present size is kept for it, but for the network, which is only said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// GPUs that did something.
    pub gpus: Option<u32>,
    /// Memory per GPU at its highest, MiB.
    pub gpu_memory_mib: Option<u64>,
    /// vCPUs at its busiest hour, with headroom.
    pub vcpus: Option<f64>,
    /// Memory, MiB.
    pub memory_mib: Option<u64>,
    /// Instance store is used or may be: keep it.
    pub local_nvme: bool,
    /// Network at its busiest hour, Gbit/s.
    pub network_gbps: Option<f64>,
    /// EFA is or may be used: keep it.
    pub efa: bool,
}

/// Why nothing can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CannotTell {
    /// Memory is flat and high while the GPU does little: a runtime that takes all memory in advance
    /// (vLLM and others). Only the runtime knows what it needs.
    PreAllocated,
    /// No telemetry of GPU memory.
    NoGpuMemory,
    /// The type, or its price, is not known.
    NoPrice,
    /// No smaller type meets the need in its zone.
    NothingSmaller,
    /// Accelerators that nothing is known of.
    Accelerator,
}

impl CannotTell {
    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PreAllocated => "pre_allocated",
            Self::NoGpuMemory => "no_gpu_memory",
            Self::NoPrice => "no_price",
            Self::NothingSmaller => "nothing_smaller",
            Self::Accelerator => "accelerator",
        }
    }
}

/// What is concluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SizeVerdict {
    /// It could be this.
    Smaller {
        /// Instance type.
        to: Arc<str>,
        /// Its on-demand price, USD/h.
        usd_per_hour: f64,
        /// Who says so.
        provenance: Provenance,
    },
    /// It cannot be told, or nothing fits.
    Cannot(CannotTell),
}

/// A proposal for one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Instance id.
    pub id: Arc<str>,
    /// Its name, or the id.
    pub name: Arc<str>,
    /// Account and region.
    pub scope: Scope,
    /// Availability zone.
    pub az: Arc<str>,
    /// Team.
    pub team: Option<Arc<str>>,
    /// What it is now.
    pub from: Arc<str>,
    /// What it costs now, USD/h.
    pub usd_per_hour: Option<f64>,
    /// What its work needs.
    pub need: Need,
    /// What is concluded.
    pub verdict: SizeVerdict,
    /// What it saves at list price, USD/h; `None` without a proposal.
    pub gross_usd_per_hour: Option<f64>,
    /// What the bill falls by, commitments considered, USD/h; may be 0 or negative. `None` when not
    /// known.
    pub net_usd_per_hour: Option<f64>,
    /// When the commitment that makes it worthless ends; `None` where none does.
    pub worthless_until: Option<Timestamp>,
    /// Work.
    pub effort: Effort,
    /// What may go wrong.
    pub risk: Risk,
    /// What must hold, what was kept and why, what to ask: a sentence each. Clean text.
    pub says: Vec<Arc<str>>,
}
