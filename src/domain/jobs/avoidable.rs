//! What failed attempts took that need not have been, by where they ran.

use std::sync::Arc;

use jiff::Timestamp;

use super::GpuTime;

/// What failed attempts of the last days took that need not have been, and how little others used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AvoidableRuns {
    /// Days that are looked back.
    pub days: u32,
    /// What was lost, a row for each node of each attempt; attempts in the order of their numbers.
    pub losses: Vec<AvoidableLoss>,
    /// Scripts whose names speak of inference or batches, with how much their GPUs did; by id.
    pub scripts: Vec<ScriptUse>,
}

/// What the GPUs of a script did.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptUse {
    /// Source, cluster, user and name; unique.
    pub id: Arc<str>,
    /// Name of its jobs.
    pub name: Arc<str>,
    /// Team of the attempt that ended last; `None` = unknown.
    pub team: Option<Arc<str>>,
    /// EC2 instance type; `None` where attempts differ, or one does not tell.
    pub instance_type: Option<Arc<str>>,
    /// Mean activity of the GPUs that were measured, 0–1, weighted by the time that attempts held them; `None` where none was.
    pub usage: Option<f64>,
    /// What its attempts cost, USD by hour of the days that are kept; `None` where one of them has no price.
    pub usd_per_hour: Option<f64>,
}

/// What an attempt lost on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvoidableLoss {
    /// Number of the attempt among those of the rows, from 0.
    pub attempt: u32,
    /// Id or private address of the instance where its scheduler knew it, else the name of the node; `None` where nobody names
    /// the node.
    pub host: Option<Arc<str>>,
    /// When the attempt ended.
    pub ended_at: Timestamp,
    /// GPU time that came to nothing on it.
    pub gpu_time: GpuTime,
    /// True where a checkpoint that is not known may have saved some of it.
    pub is_upper_bound: bool,
}
