//! What happened to nodes: errors of their GPUs, Spot capacity that was taken back, what schedulers and monitors say of them.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::JobSource;

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeEventKind {
    /// One of its GPUs reported the XID error of this code.
    Xid(u16),
    /// EC2 took its Spot capacity back.
    SpotInterruption,
    /// A monitor found its hardware unwell.
    Unhealthy,
    /// Its scheduler lost it, or somebody took it out at once.
    Down,
    /// Its scheduler puts nothing new on it; what runs may go on.
    Drained,
}

impl NodeEventKind {
    /// What tells kinds apart where events are kept: `xid 79`, `spot_interruption`.
    pub fn word(self) -> String {
        match self {
            Self::Xid(code) => format!("xid {code}"),
            Self::SpotInterruption => "spot_interruption".to_owned(),
            Self::Unhealthy => "unhealthy".to_owned(),
            Self::Down => "down".to_owned(),
            Self::Drained => "drained".to_owned(),
        }
    }
}

/// Something that happened to a node. Texts are clean.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NodeEvent {
    /// The cluster in which `hosts` are names of nodes, with its source; `None` where they are names that anybody may use: of
    /// hosts, of instances, addresses.
    pub cluster: Option<(JobSource, Arc<str>)>,
    /// Names of the node, the surest first; at least one.
    pub hosts: Vec<Arc<str>>,
    /// Index of the GPU on the node; `None` for what concerns all of it, and where it is not told.
    pub gpu: Option<u16>,
    /// What happened.
    pub kind: NodeEventKind,
    /// When. Of an XID the first sample that shows it, up to a minute later.
    pub at: Timestamp,
    /// The words of who tells; `None` without any.
    pub words: Option<Arc<str>>,
}
