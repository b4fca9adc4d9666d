//! What the controller knows at this moment: jobs with the GPUs that they hold, and nodes.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Deserialize;

use super::super::held::{HeldRecord, NodeRecord};
use super::super::{gres, nodes};
use super::answers::{Number, Spoken, Text, Words};

/// `/slurm/…/jobs/`.
#[derive(Deserialize)]
pub(super) struct LiveList {
    jobs: Vec<LiveJob>,
    #[serde(default)]
    meta: Meta,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    #[serde(alias = "Slurm")]
    slurm: Release,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Release {
    release: Text,
}

impl Spoken for LiveList {}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LiveJob {
    job_id: Number,
    array_job_id: Number,
    array_task_id: Number,
    het_job_id: Number,
    het_job_offset: Number,
    cluster: Text,
    user_name: Text,
    nodes: Text,
    /// A list of resources for each node, in their order.
    gres_detail: Vec<Text>,
}

impl LiveList {
    /// Raw ids of all jobs.
    pub(super) fn ids(&self) -> HashSet<Arc<str>> {
        let ids = self.jobs.iter().filter_map(|job| job.job_id.positive());
        ids.map(|id| id.to_string().into()).collect()
    }

    /// Version of Slurm; `None` where it is not told.
    pub(super) fn version(&self) -> Option<&str> {
        Some(self.meta.slurm.release.0.as_str()).filter(|release| !release.is_empty())
    }

    /// Name of the cluster; `None` where no job names it.
    pub(super) fn cluster(&self) -> Option<Arc<str>> {
        self.jobs.iter().find_map(|job| super::cluster_name(&job.cluster.0))
    }

    /// GPUs that jobs hold, by node.
    pub(super) fn held(&self) -> Vec<HeldRecord> {
        self.jobs.iter().flat_map(LiveJob::held).collect()
    }
}

impl LiveJob {
    fn held(&self) -> Vec<HeldRecord> {
        let Some(raw) = self.job_id.positive() else { return Vec::new() };
        let het = self.het_job_id.positive().zip(self.het_job_offset.whole());
        let array = self.array_job_id.positive().zip(self.array_task_id.whole());
        let job = match (het, array) {
            (Some((first, offset)), _) => format!("{first}+{offset}"),
            (_, Some((array, task))) => format!("{array}_{task}"),
            _ => raw.to_string(),
        };
        let names = nodes::names(&self.nodes.0);
        // A list of another length names other nodes.
        if names.len() != self.gres_detail.len() {
            return Vec::new();
        }
        let of = |(node, list): (&Arc<str>, &Text)| {
            let gpus = gres::gpus(&list.0).filter(|gpus| gpus.count > 0)?;
            Some(HeldRecord {
                raw: raw.to_string(),
                job: job.clone(),
                user: self.user_name.0.clone(),
                node: node.to_string(),
                gpus,
            })
        };
        names.iter().zip(&self.gres_detail).filter_map(of).collect()
    }
}

/// `/slurm/…/nodes/`.
#[derive(Deserialize)]
pub(super) struct NodeList {
    nodes: Vec<Node>,
}

impl Spoken for NodeList {}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Node {
    name: Text,
    gres: Text,
    gres_used: Text,
    address: Text,
    state: Words,
    /// Words of the state in v0.0.38.
    state_flags: Words,
    boot_time: Number,
    instance_id: Text,
    instance_type: Text,
    reason: Text,
    reason_changed_at: Number,
}

impl NodeList {
    /// The nodes.
    pub(super) fn records(self) -> Vec<NodeRecord> {
        self.nodes.into_iter().map(Node::record).collect()
    }
}

impl Node {
    fn record(self) -> NodeRecord {
        let words: Vec<String> = self.state.0.into_iter().chain(self.state_flags.0).collect();
        NodeRecord {
            name: self.name.0,
            gpus: gres::gpus(&self.gres.0),
            used: gres::gpus(&self.gres_used.0),
            address: self.address.0,
            state: words.join("+"),
            booted: self.boot_time.whole().unwrap_or_default(),
            instance_id: self.instance_id.0,
            instance_type: self.instance_type.0,
            reason: self.reason.0,
            reason_at: self.reason_changed_at.whole().unwrap_or_default(),
        }
    }
}
