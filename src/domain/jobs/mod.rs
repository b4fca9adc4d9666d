//! Jobs: what ran, for whom, on what, and how it ended.
//!
//! An [`Attempt`] is what costs: one stretch in which nodes were held. A requeued or preempted job has several; the parts of a
//! heterogeneous job and the tasks of an array are attempts of their own. Every source fills the same type.

mod attempt;
mod avoidable;
mod cause;
mod dict;
mod gpu_time;
mod hyperpod;
mod job_ref;
mod name;
mod node;
mod node_event;
mod packed;
mod usage;
mod words;

pub use attempt::{Attempt, AttemptId};
pub use avoidable::{AvoidableLoss, AvoidableRuns, ScriptUse};
pub use cause::Cause;
pub use dict::Dict;
pub use gpu_time::{GpuTime, Gpus, narrowed};
pub use hyperpod::HyperPodNode;
pub use job_ref::JobRef;
pub use name::{JobsName, JobsReading};
pub use node::{GpuHolder, JobNode};
pub use node_event::{NodeEvent, NodeEventKind};
pub use packed::{AttemptView, Packed};
pub use usage::JobUsage;
pub use words::{JobSource, JobState};
