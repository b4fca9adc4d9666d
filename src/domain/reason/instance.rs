//! What decides the verdict on an instance.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Lasted;

/// What decided the verdict on an instance. Percents are 0–100, `needed` are the hours of the policy's minimum stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum InstanceReason {
    /// Younger than the minimum stretch.
    TooNew {
        /// Whole hours since the oldest sign of life; negative where that lies in the future.
        age_hours: i64,
        /// Hours needed.
        needed: u32,
    },
    /// Old enough, and launched anew too recently.
    FewHours {
        /// Whole hours since the oldest sign of life.
        age_hours: i64,
        /// Whole hours since the last launch.
        hours: u32,
        /// Hours needed.
        needed: u32,
    },
    /// The mean CPU of the window is below its limit.
    LowMean {
        /// Mean, percent; `None` without a datapoint.
        cpu: Option<f64>,
        /// Limit, percent.
        limit: f64,
    },
    /// Enough days had low CPU and network.
    LowDays {
        /// Low days.
        low: u32,
        /// Days judged.
        of: u32,
        /// Low days that suffice.
        needed: u32,
    },
    /// No GPU reached the limit, and the host was quiet.
    GpusQuiet {
        /// GPUs of the type.
        gpus: u32,
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Highest hour of any GPU, percent.
        top: f64,
        /// Limit, percent.
        limit: f64,
    },
    /// Nothing on the host reached its limit.
    HostQuiet {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Highest CPU, percent.
        top: f64,
        /// Limit, percent.
        limit: f64,
    },
    /// Some GPUs did nothing while others worked.
    SomeGpus {
        /// GPUs that idle.
        idle: u32,
        /// GPUs of the type.
        of: u32,
        /// Indices of those that idle, ascending.
        which: Arc<[u16]>,
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
    },
    /// In use, with little CPU.
    LittleCpu {
        /// What was in use; `None` where no signal tells.
        by: Option<MeasuredUse>,
        /// Highest hourly mean, percent.
        cpu: f64,
        /// Up to this it is underused, percent.
        limit: f64,
    },
    /// In use, with little work on its GPUs.
    LittleGpu {
        /// Mean of the GPUs that work, percent.
        gpu: f64,
        /// Below this it is underused, percent.
        limit: f64,
    },
    /// In use.
    InUse {
        /// What was in use; `None` where no signal tells.
        by: Option<MeasuredUse>,
        /// True where none of its GPUs worked.
        is_without_gpus: bool,
    },
    /// Used within the minimum stretch, and quiet since.
    QuietShortly {
        /// Hours since the last use.
        hours: u32,
        /// Hours needed.
        needed: u32,
        /// The last use.
        by: MeasuredUse,
        /// True where none of its GPUs worked.
        is_without_gpus: bool,
    },
    /// Nothing is known of its type.
    UnknownType(Arc<str>),
    /// No source tells of the accelerators of its type.
    BlindType(Arc<str>),
    /// The metrics of its GPUs were not fetched.
    GpusNotFetched,
    /// No GPU reported anything.
    GpusSilent,
    /// GPUs reported in too few hours.
    GpusTooLittle {
        /// GPUs that did.
        gpus: u32,
        /// GPUs of the type.
        of: u32,
        /// Hours in which the worst of all signals reported.
        got: u32,
        /// Hours judged.
        hours: u32,
        /// Hours needed.
        needed: u32,
    },
    /// This was not fetched.
    NotFetched(Measure),
    /// Too many days lack data to count the low ones.
    DaysLack,
    /// This reported in too few hours.
    TooLittle {
        /// What reported least.
        measure: Measure,
        /// Hours in which it did.
        got: u32,
        /// Hours judged.
        hours: u32,
        /// Hours needed.
        needed: u32,
    },
    /// The evidence does not suffice.
    Insufficient,
}

/// What is measured of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Measure {
    /// A GPU by its index.
    Gpu(u16),
    /// Hourly mean CPU, percent.
    CpuMean,
    /// Hourly mean load, cores.
    BusyCores,
    /// Highest CPU of an hour, percent.
    CpuMax,
    /// Network of a day, in plus out.
    Network,
    /// EBS operations per second.
    Ebs,
    /// Mean CPU of all judged hours, percent.
    WindowMean,
    /// Days with low CPU and network.
    LowDays,
}

impl Measure {
    /// Label on screen: `GPU 3 max`, `busy cores`.
    pub fn label(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Gpu(index) => return Cow::Owned(format!("GPU {index} max")),
            Self::CpuMean | Self::WindowMean => "CPU mean",
            Self::BusyCores => "busy cores",
            Self::CpuMax => "CPU max",
            Self::Network => "network per day",
            Self::Ebs => "EBS operations",
            Self::LowDays => "low days",
        })
    }

    /// Unit of its values.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Gpu(_) | Self::CpuMean | Self::CpuMax | Self::WindowMean => "%",
            Self::BusyCores => "cores",
            Self::Network => "bytes/day",
            Self::Ebs => "ops/s",
            Self::LowDays => "days",
        }
    }
}

/// A measure that indicates use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredUse {
    /// What.
    pub measure: Measure,
    /// Value that decided, in the unit of the measure; `None` without one.
    pub value: Option<f64>,
    /// Use begins here, in that unit.
    pub limit: f64,
    /// True where a malformed datapoint decided.
    pub is_malformed: bool,
}
