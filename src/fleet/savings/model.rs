//! What measures on the model itself could save on what serves, or runs in batches, at low use: potential, never certain.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::measure::{Capability, Measure};
use super::{GpuRuntime, SpotBecause};
use crate::domain::Scope;

/// What a model is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelWork {
    /// Instances that answer requests.
    Serving,
    /// Instances that work through batches.
    Batch,
    /// A script whose jobs a scheduler runs.
    Script,
}

impl ModelWork {
    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Serving => "serving",
            Self::Batch => "batch",
            Self::Script => "script",
        }
    }
}

/// What says what a model is run for. None of it is a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelBecause {
    /// A runtime for serving, by the name of a process, a container or a pod on its GPUs.
    Runtime(GpuRuntime),
    /// A tag, a rule or a name.
    Hint(Arc<SpotBecause>),
    /// A word in the name of a script.
    ScriptName,
}

/// How many instances at low use do the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Replicas {
    /// So many: the members of an Auto Scaling group that are of one type and at low use, at least 1. Those that are well used are
    /// no part of the workload.
    Known(u32),
    /// Not known: a cluster places the work, or a scheduler.
    Unknown,
}

/// What its GPUs wait for, by the newest samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoundBy {
    /// Memory: it is active in a larger share of the cycles than the tensor cores.
    Memory,
    /// Computing: tensor cores are active in as large a share of the cycles as memory.
    Compute,
}

/// Something that runs a model at low use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelWorkload {
    /// Id of the instance; of a group or a script what tells it from all others.
    pub id: Arc<str>,
    /// Name of the group, the script, or the instance.
    pub name: Arc<str>,
    /// What it is run for.
    pub work: ModelWork,
    /// What says so.
    pub because: ModelBecause,
    /// Account and region; `None` for a script.
    pub scope: Option<Scope>,
    /// Team; `None` where nothing names one.
    pub team: Option<Arc<str>>,
    /// EC2 instance type; `None` for a script whose jobs ran on several.
    pub instance_type: Option<Arc<str>>,
    /// Ids of its instances; empty for a script.
    pub instances: Vec<Arc<str>>,
    /// How many at low use do the same.
    pub replicas: Replicas,
    /// Mean use of its GPUs, 0–1: of instances the share of the judged hours in which a kernel was resident, of a script the mean
    /// activity while its jobs held them.
    pub usage: f64,
    /// What it costs at its rates, USD/h; of a script over the days that are kept, scaled to an hour.
    pub usd_per_hour: f64,
    /// What its GPUs wait for; `None` where no sample of memory and tensor cores tells, or both do too little in it.
    pub bound_by: Option<BoundBy>,
    /// Compute capability of its GPUs; `None` where the model is not known.
    pub capability: Option<Capability>,
    /// Runtime, by the name of a process, a container or a pod; `None` where nothing names one.
    pub runtime: Option<GpuRuntime>,
    /// Number of its GPUs on which somebody holds memory now, and of those that tell it; `None` where none does.
    pub holding: Option<(u32, u32)>,
}

/// Whether what the fleet tells speaks for a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fits {
    /// It does.
    Yes,
    /// It does not tell.
    Unknown,
    /// It speaks against it: the measure saves nothing here.
    No,
}

impl Fits {
    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Unknown => "unknown",
            Self::No => "no",
        }
    }
}

/// A measure for a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRow {
    /// Workload and measure; unique.
    pub id: Arc<str>,
    /// The workload; rows of one share it.
    pub workload: Arc<ModelWorkload>,
    /// The measure.
    pub measure: Measure,
    /// Upper bound of what it saves, USD/h, 0 where it does not fit. `None` where no bound is known.
    pub up_to_usd_per_hour: Option<f64>,
    /// Whether what the fleet tells speaks for it.
    pub fits: Fits,
    /// True for the one measure that counts for its workload: of those that may fit the one with the largest bound, and where none
    /// has a known one the first.
    pub is_largest: bool,
}

/// What may run a model and has no row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelsLeftOut {
    /// Instances of which it is said that they serve or run batches, and not known how much their GPUs are used, or what they
    /// cost.
    pub unmeasured: u32,
    /// Instances of low use of which nothing says what they do, or that are said to serve while none of their GPUs holds memory.
    pub unnamed: u32,
    /// Such instances of whose GPUs some idle: that is another step.
    pub partly_idle: u32,
    /// Scripts of which nobody measured the GPUs, or that have no price.
    pub scripts: u32,
}

/// What all of it could come to: in no sum of savings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Potential {
    /// Upper bound, USD/h: of each workload its largest measure, on what the steps of the waterfall leave of what it costs.
    pub up_to_usd_per_hour: f64,
    /// Number of workloads in it, of which the steps leave something.
    pub workloads: u32,
    /// Number of scripts that are not in it: on which instances they will run is not known.
    pub scripts: u32,
}
