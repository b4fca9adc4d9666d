//! One accelerator of the fleet as its telemetry describes it: who it is, what was measured, whose
//! it is, what burntop concludes.
//!
//! The unit is the GPU, or one slice of it where it is partitioned (MIG). Trainium and Inferentia
//! devices are "GPUs" here as well: the same states, other signals.

mod ec2_hosts;
mod history;
mod host;
mod hour_table;
mod identity;
mod limits;
mod model;
mod owner;
mod process;
mod reason;
mod sample;
mod signal;
mod state;
mod steps;
mod throttle;
mod xid;

pub use ec2_hosts::Ec2Hosts;
pub use history::{GpuHistory, GpuHour, GpuTrace};
pub use host::{HostNames, dns_names, is_loopback, names_of_dns, without_port};
pub use hour_table::{HourTable, HoursOfGpu};
pub use identity::{GpuIdentity, GpuKey, Mig, uuid};
pub use limits::{EMPTY_MIB, HELD_MIB, IDLE_BELOW, IDLE_POWER_FACTOR};
pub use model::{GpuModel, model};
pub use owner::GpuOwner;
pub use process::GpuProcess;
pub use reason::{GpuAdvice, GpuAdviceKind, GpuReason, Observation};
pub use sample::{GpuSample, HostTrouble, RecentWindow, Sweep};
pub use signal::{GpuSignal, GpuSignals, SignalUnit};
pub use state::{Activity, GpuState, GpuVerdict, Rung, Witness, Workload};
pub use steps::{ratio, steps};
pub use throttle::Throttle;
pub use xid::{XidOrigin, xid};
