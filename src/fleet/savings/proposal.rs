//! An instance that could be smaller.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Effort, Risk, SizeNote};
use crate::domain::{Provenance, Scope};

/// Need of the work on an instance, as far as there is evidence. `None` is unknown, and the present size is kept for
/// it; only the network is merely reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// Number of GPUs in use.
    pub gpus: Option<u32>,
    /// Highest memory use of a GPU, MiB.
    pub gpu_memory_mib: Option<u64>,
    /// vCPUs in use in the busiest hour, with headroom.
    pub vcpus: Option<f64>,
    /// Main memory, MiB.
    pub memory_mib: Option<u64>,
    /// True when the instance store is used or may be: keep it.
    pub local_nvme: bool,
    /// Network traffic of the busiest hour, Gbit/s.
    pub network_gbps: Option<f64>,
    /// True when EFA is used or may be: keep it.
    pub efa: bool,
}

/// Why no smaller type is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CannotTell {
    /// Memory is constantly high while the GPU does little: a runtime that reserves all memory in advance (vLLM and
    /// others). Only the runtime knows its need.
    PreAllocated,
    /// There is no telemetry of GPU memory.
    NoGpuMemory,
    /// The type or its price is unknown.
    NoPrice,
    /// No smaller type meets the need in its zone.
    NothingSmaller,
    /// The accelerator is no NVIDIA GPU: its need cannot be measured from outside.
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

/// Result of rightsizing one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SizeVerdict {
    /// A smaller type would do.
    Smaller {
        /// Proposed EC2 instance type.
        to: Arc<str>,
        /// On-demand price of the proposed type, USD/h.
        usd_per_hour: f64,
        /// Source of that price.
        provenance: Provenance,
    },
    /// No proposal, with the reason.
    Cannot(CannotTell),
}

/// What MIG would make of the GPUs in use of a partly idle instance: small jobs in slices of one GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MigShare {
    /// The GPUs can be partitioned; whether their jobs are small and apart is not known.
    CannotTell,
    /// The jobs fit into fewer GPUs than they hold.
    Fits {
        /// Number of GPUs that hold them.
        gpus: u32,
        /// The cheapest type of the same GPU with that many; `None` where none is cheaper.
        to: Option<CheaperType>,
    },
}

/// An instance type at its price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheaperType {
    /// EC2 instance type.
    pub instance_type: Arc<str>,
    /// On-demand price, USD/h.
    pub usd_per_hour: f64,
}

/// Rightsizing proposal for one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// EC2 instance id, such as `i-0abc`.
    pub id: Arc<str>,
    /// `Name` tag, or the id without one.
    pub name: Arc<str>,
    /// Account and region it lies in.
    pub scope: Scope,
    /// Availability zone, such as `us-east-1a`.
    pub az: Arc<str>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Present instance type.
    pub from: Arc<str>,
    /// Present price, USD/h; `None` when unknown.
    pub usd_per_hour: Option<f64>,
    /// What its work needs: CPU, memory and GPUs.
    pub need: Need,
    /// Proposed type, or why there is none.
    pub verdict: SizeVerdict,
    /// What MIG would make of it; `None` where it is not partly idle, where its GPUs cannot be partitioned, and where
    /// that frees no GPU.
    #[serde(default)]
    pub mig: Option<MigShare>,
    /// Saving at list price, USD/h; `None` without a proposal.
    pub gross_usd_per_hour: Option<f64>,
    /// Decrease of the bill, commitments considered, USD/h; may be 0 or negative. `None` when unknown.
    pub net_usd_per_hour: Option<f64>,
    /// End of the commitment that makes the change worthless until then; `None` without one.
    pub worthless_until: Option<Timestamp>,
    /// Effort to change the type.
    pub effort: Effort,
    /// Possible loss by the change.
    pub risk: Risk,
    /// Conditions, what was kept and why, and open questions, the most important first. Proposals with an equal note
    /// share it.
    pub says: Vec<Arc<SizeNote>>,
}
