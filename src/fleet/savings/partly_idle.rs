//! Nodes of whose GPUs some idle, with what helps them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the step of the waterfall does with a node of whose GPUs some idle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeRemedy {
    /// Its work moves to another node, and it is stopped.
    Drain {
        /// Id of the instance that takes the work in.
        to: Arc<str>,
    },
    /// It stays and takes in the work of so many drained nodes.
    TakesIn(u32),
    /// It becomes this EC2 instance type, which holds what works.
    Smaller(Arc<str>),
    /// It stays as it is: a commitment pays for it, used or not, so the bill would not fall.
    Paid,
    /// It stays as it is: no node beside it has room, and no cheaper type holds what works.
    Nothing,
    /// It cannot be told: what its work needs is not known, or its price.
    Unknown,
    /// It is not bought on demand (Spot, Capacity Block, dedicated host) and is left out.
    NotOnDemand,
}

impl NodeRemedy {
    /// Name in JSON and CSV.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Drain { .. } => "drain",
            Self::TakesIn(_) => "takes_in",
            Self::Smaller(_) => "smaller",
            Self::Paid => "paid",
            Self::Nothing => "nothing",
            Self::Unknown => "unknown",
            Self::NotOnDemand => "not_on_demand",
        }
    }
}

/// A running instance of whose GPUs some idle while others work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartlyIdleNode {
    /// EC2 instance id.
    pub id: Arc<str>,
    /// `Name` tag, or the id without one.
    pub name: Arc<str>,
    /// EC2 instance type before the step.
    pub instance_type: Arc<str>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Number of GPUs that idle.
    pub idle_gpus: u32,
    /// Number of GPUs of the instance.
    pub gpus: u32,
    /// Number of GPUs that its work needs in the remedy; `None` where that is not known.
    pub needs_gpus: Option<u32>,
    /// What the step does with it.
    pub remedy: NodeRemedy,
    /// True when the remedy rests on MIG: small jobs share GPUs in slices.
    pub by_mig: bool,
    /// True when jobs could share GPUs by MIG as far as the model goes, and what they need is not known.
    pub mig_unknown: bool,
    /// Saving of the remedy at list price, USD/h; 0 for a node that stays. `None` when it cannot be told.
    pub gross_usd_per_hour: Option<f64>,
}
