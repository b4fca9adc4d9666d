//! What failed attempts took that need not have been, by where they ran.

use std::sync::Arc;

use jiff::Timestamp;

use super::GpuTime;

/// What failed attempts of the last days took that need not have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvoidableRuns {
    /// Days that are looked back.
    pub days: u32,
    /// What was lost, a row for each node of each attempt; attempts in the order of their numbers.
    pub losses: Vec<AvoidableLoss>,
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
