//! Why a type fits the work of an instance or does not, and what to check before a change. `view::reasons` words it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Named;
use crate::domain::{CommitmentKind, Figure, NetUnknown, OwnerKind};

/// Evidence, condition or open question about the size of one instance. Texts are clean; percents are 0–100.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SizeNote {
    /// Its type is unknown.
    TypeUnknown,
    /// Its accelerators are no NVIDIA GPUs: their use cannot be measured from outside.
    OtherAccelerator,
    /// Its price is unknown.
    PriceUnknown,
    /// Smaller types that fit have no known price.
    Unpriced {
        /// The first of them.
        types: Named,
        /// Region without their prices.
        region: Arc<str>,
    },
    /// A cheaper type would fit with less memory per GPU.
    FitsIfMemory {
        /// Memory per GPU of that type, MiB.
        memory_mib: u64,
        /// The type.
        to: PricedType,
    },
    /// No cheaper type fits.
    Nearest {
        /// Cheaper type with the fewest unmet constraints.
        to: PricedType,
        /// Its unmet constraints; at least one.
        fails: Vec<SizeFail>,
    },
    /// No type of its kind is cheaper in its region.
    NothingCheaper,
    /// One smaller box for each working GPU would be cheaper, if the work can be split.
    Apart {
        /// Number of working GPUs, and of boxes.
        gpus: u32,
        /// Type of the boxes.
        to: Arc<str>,
        /// Price of all boxes, USD/h.
        usd_per_hour: Figure,
        /// Present price, USD/h.
        instead_of: Figure,
    },
    /// The type below the proposed one does not fit.
    NextSmaller {
        /// That type.
        to: PricedType,
        /// Its first unmet constraint.
        fail: SizeFail,
    },
    /// The proposed type has another GPU.
    OtherGpu {
        /// Present GPUs.
        from: Gpus,
        /// GPUs of the proposed type.
        to: Gpus,
    },
    /// Compute capability that its code must be compiled for: major, minor.
    ComputeCapability(u8, u8),
    /// The proposed type has a part of a GPU, which needs another driver.
    FractionalGpu,
    /// Stopping erases the instance store; the proposed one is as large.
    ErasesStore,
    /// The instance store becomes smaller.
    SmallerStore {
        /// Present size, GB.
        from_gb: u64,
        /// Size on the proposed type, GB.
        to_gb: u64,
    },
    /// Network traffic was not read, and the proposed type has less bandwidth.
    LessNetwork {
        /// Present peak bandwidth, Gbit/s.
        from: Figure,
        /// Peak bandwidth of the proposed type, Gbit/s.
        to: Figure,
    },
    /// Only one of the two types is on the Nitro system.
    XenAndNitro,
    /// Which types its zone offers was not read.
    OfferUnchecked,
    /// It leaves its capacity reservation, which goes on billing.
    LeavesReservation,
    /// Capacity of GPU types is scarce: start the new one first.
    StartNewFirst,
    /// A launch template would bring the old type back.
    LaunchTemplate {
        /// Kind of the owner with the template.
        kind: OwnerKind,
        /// Name of that owner.
        name: Arc<str>,
    },
    /// The working GPUs of several boxes of a team fit into fewer boxes.
    Consolidate {
        /// Number of such boxes.
        boxes: usize,
        /// Their team.
        team: Arc<str>,
        /// Their instance type.
        instance_type: Arc<str>,
        /// Number of working GPUs in all of them.
        gpus: u32,
        /// Number of boxes that would hold these.
        enough: usize,
    },
    /// vCPUs that the busiest hour needs.
    CpuNeed {
        /// CPU use of the busiest hour, percent of all vCPUs.
        peak: Figure,
        /// True when the peak is estimated from hourly means.
        is_estimate: bool,
        /// Number of present vCPUs.
        of: u32,
        /// vCPUs in use at the peak.
        busy: Figure,
        /// Headroom, percent.
        free: Figure,
        /// vCPUs needed with the headroom.
        need: Figure,
    },
    /// Peaks of CPU are estimated.
    CpuMeansOnly {
        /// Highest hourly mean, percent.
        mean: Figure,
        /// Assumed ratio of peak to mean.
        times: Figure,
    },
    /// All vCPUs are kept.
    CpuKept {
        /// Why the need is unknown.
        why: CpuUnknown,
        /// Number of present vCPUs.
        vcpus: u32,
    },
    /// Some of its GPUs work.
    GpusWork {
        /// Number of working GPUs.
        working: u32,
        /// Number of GPUs of the type.
        of: u32,
        /// Hours that the others have been idle; `None` when unknown.
        idle_hours: Option<i64>,
    },
    /// GPUs that worked earlier in the judged hours are kept.
    GpusWorked {
        /// Number of GPUs that worked.
        working: u32,
        /// Number of GPUs of the type.
        of: u32,
        /// Judged hours.
        within_hours: i64,
        /// How many of `working` are idle now.
        idle: u32,
        /// Hours that these have been idle; `None` when unknown.
        idle_hours: Option<i64>,
    },
    /// The full speed of the GPUs is kept.
    GpuSpeedKept(GpuPeakUnknown),
    /// Memory use of the GPUs.
    GpuMemoryUsed {
        /// Highest use of a GPU, MiB.
        mib: u64,
        /// Memory of a GPU, MiB.
        of_mib: u64,
        /// Time of the measurement.
        at: Timestamp,
    },
    /// Memory of the GPUs is reserved in advance: its use does not show the need.
    GpuMemoryReserved {
        /// Highest use of a GPU, MiB.
        mib: u64,
        /// Memory of a GPU, MiB.
        of_mib: u64,
        /// Runtime that reserves it; `None` when no name shows it.
        runtime: Option<GpuRuntime>,
    },
    /// Where the runtime shows the memory that it needs.
    AskRuntime(Option<GpuRuntime>),
    /// The memory per GPU is kept.
    GpuMemoryKept {
        /// Why the need is unknown.
        why: GpuMemoryUnknown,
        /// Memory of a GPU, MiB.
        mib: u64,
    },
    /// Main memory was not measured: the share of the working GPUs is kept.
    MemoryShare {
        /// Number of working GPUs.
        working: u32,
        /// Number of GPUs of the type.
        of: u32,
        /// Present main memory, MiB.
        mib: u64,
    },
    /// Main memory was not measured: all of it is kept, MiB.
    MemoryKept(u64),
    /// Some hours of network traffic are missing.
    NetworkPartly,
    /// Bandwidth that would carry the highest day in one hour, Gbit/s.
    NetworkPeak(Figure),
    /// EFA seems unused, but its traffic is not measured.
    EfaUnlikely,
    /// EFA is kept.
    EfaKept(EfaReason),
    /// Commitments were not read: the net is unknown.
    NetUnread,
    /// No commitment covers instances like it: the net is unknown.
    NetNotCovered,
    /// The net is unknown.
    NetUnknown(NetUnknown),
    /// The rate of a Savings Plan was not read: the net is unknown.
    NetRateUnread {
        /// Id of the plan.
        plan: Arc<str>,
        /// Type without a rate.
        instance_type: Arc<str>,
    },
    /// What its commitment would cover instead has no known price: the net is unknown.
    NetOtherUseUnpriced,
    /// Commitments cover a part of the present type.
    NetLess {
        /// Saving at list price, USD/h.
        gross: Figure,
        /// Decrease of the bill, USD/h.
        net: Figure,
        /// Commitments that would be used less: kind and id.
        by: Vec<(CommitmentKind, Arc<str>)>,
    },
    /// Commitments pay for the present type and nothing else would use them.
    NetNothing {
        /// Increase of the bill by the change, USD/h; `None` when it stays.
        costs: Option<Figure>,
        /// End of this state; `None` when a commitment has no end.
        until: Option<Timestamp>,
        /// Commitments that would be used less: kind and id.
        by: Vec<(CommitmentKind, Arc<str>)>,
    },
    /// Sentence of a test fixture.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// Instance type with its on-demand price.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PricedType {
    /// Name, such as `g5.4xlarge`.
    pub name: Arc<str>,
    /// On-demand price, USD/h.
    pub usd_per_hour: Figure,
}

/// GPUs of an instance type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gpus {
    /// Number of GPUs.
    pub devices: u32,
    /// Model, such as `A10G`.
    pub model: Arc<str>,
    /// Memory of each, MiB.
    pub memory_mib: u64,
}

/// Why the vCPUs needed are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CpuUnknown {
    /// CPU was not read.
    Unread,
    /// Too many hours are missing.
    Hours {
        /// Hours with a value.
        got: u32,
        /// Judged hours.
        of: u32,
    },
    /// The highest hour is missing from the verdict.
    Peak,
}

/// Why the highest activity of the GPUs is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GpuPeakUnknown {
    /// Too many hours of one GPU are missing.
    Hours {
        /// Label of its signal, such as `GPU 0 max`.
        label: Arc<str>,
        /// Hours with a value.
        got: u32,
        /// Judged hours.
        of: u32,
    },
    /// Not every GPU has a highest hour.
    Peaks,
}

/// Why the memory needed per GPU is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GpuMemoryUnknown {
    /// The GPUs are partitioned (MIG).
    Partitioned,
    /// No telemetry shows it.
    NoTelemetry,
    /// Telemetry shows it for some of the GPUs.
    Some {
        /// Number of GPUs with telemetry.
        told: usize,
        /// Number of GPUs of the type.
        of: u32,
    },
}

/// Runtime that reserves GPU memory in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GpuRuntime {
    /// vLLM.
    Vllm,
    /// `SGLang`.
    Sglang,
    /// NVIDIA TensorRT-LLM.
    TensorRtLlm,
    /// Text Generation Inference of Hugging Face.
    TextGenerationInference,
    /// TensorFlow.
    TensorFlow,
    /// NVIDIA Triton Inference Server.
    Triton,
    /// JAX.
    Jax,
}

impl GpuRuntime {
    /// True for an engine for LLMs: it batches requests as they come, with kernels of its own.
    pub const fn is_engine(self) -> bool {
        match self {
            Self::Vllm | Self::Sglang | Self::TensorRtLlm | Self::TextGenerationInference => true,
            Self::TensorFlow | Self::Triton | Self::Jax => false,
        }
    }
}

/// Why EFA is taken to be in use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EfaReason {
    /// A node of a SageMaker HyperPod cluster of this name.
    HyperPod(Arc<str>),
    /// A node of AWS `ParallelCluster`.
    ParallelCluster,
    /// Its network traffic is high.
    MuchTraffic,
    /// All its GPUs work, and a group owns it.
    WholeAndOwned,
}

/// Constraint that a type does not meet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SizeFail {
    /// It has another kind of accelerator, or none.
    Kind,
    /// Its processor has another architecture.
    Architecture,
    /// It is bare metal, the present one is not.
    Metal,
    /// Its CPU is burstable.
    Burstable,
    /// Its processors are older: generation, least generation needed.
    OlderCpu(u32, u32),
    /// It has too few GPUs: number, need.
    Gpus(u32, u32),
    /// It has too little memory per GPU: MiB, need in MiB.
    GpuMemory(u64, u64),
    /// The compute capability of its GPU is lower: capability, least one needed.
    Older((u8, u8), (u8, u8)),
    /// Its GPU is slower: share of the present speed (`None` when unknown), share needed.
    Slower(Option<Figure>, Figure),
    /// It has no NVLink between its GPUs.
    NvLink,
    /// Its GPU cannot be partitioned (MIG).
    Mig,
    /// It has too few vCPUs: number, need.
    Vcpus(u32, Figure),
    /// It has too little main memory: MiB, need in MiB.
    Memory(u64, u64),
    /// It has no instance store.
    InstanceStore,
    /// It has too little network bandwidth: Gbit/s (`None` when unknown), need in Gbit/s.
    Network(Option<Figure>, Figure),
    /// It has no EFA.
    Efa,
    /// The zone does not offer it.
    NotOffered,
}
