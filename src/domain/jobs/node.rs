//! Nodes of clusters as their schedulers know them, and who holds their GPUs.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Gpus, JobSource};

/// A node while one instance was behind its name: other instances may use the name before and after. Texts are clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobNode {
    /// Where it was read, as in [`super::AttemptId::source`].
    pub source: JobSource,
    /// Cluster, as in [`super::AttemptId::cluster`].
    pub cluster: Arc<str>,
    /// Name, as in [`super::Attempt::nodes`].
    pub name: Arc<str>,
    /// Id of the instance; `None` = unknown.
    pub instance_id: Option<Arc<str>>,
    /// Type of the instance; `None` = unknown.
    pub instance_type: Option<Arc<str>>,
    /// Private address of the instance; `None` = unknown.
    pub private_ip: Option<Arc<str>>,
    /// Region of the instance; `None` = unknown.
    pub region: Option<Arc<str>>,
    /// GPUs that it has; `None` = unknown.
    pub gpus: Option<Gpus>,
    /// When it booted, where that is known; else the first reading that found this instance behind the name.
    pub seen_from: Timestamp,
    /// The last reading that did.
    pub seen_until: Timestamp,
}

/// GPUs of a node that somebody held when it was read. Texts are clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuHolder {
    /// Where it was read, as in [`super::AttemptId::source`].
    pub source: JobSource,
    /// Cluster, as in [`super::AttemptId::cluster`].
    pub cluster: Arc<str>,
    /// Name of the node.
    pub node: Arc<str>,
    /// GPUs held on this node; `None` = unknown.
    pub gpus: Option<Gpus>,
    /// Indexes of these GPUs on the node, ascending; `None` = unknown.
    pub indexes: Option<Arc<[u16]>>,
    /// Raw id of the job that holds them, as in [`super::AttemptId::raw`]; `None` where the scheduler counts them as held
    /// and names no job.
    pub raw: Option<Arc<str>>,
    /// Id of the job, as in [`super::Attempt::job`]; `None` where `raw` is.
    pub job: Option<Arc<str>>,
    /// User of the job; `None` = unknown.
    pub user: Option<Arc<str>>,
    /// When it was read.
    pub at: Timestamp,
}

impl GpuHolder {
    /// Says of a cluster that nobody held a GPU of it when it was read: that is another thing than not to know.
    pub fn nobody(source: JobSource, cluster: Arc<str>, at: Timestamp) -> Self {
        Self {
            source,
            cluster,
            node: "".into(),
            gpus: Some(Gpus::ZERO),
            indexes: None,
            raw: None,
            job: None,
            user: None,
            at,
        }
    }

    /// True for what says that nobody holds a GPU.
    pub fn is_nobody(&self) -> bool {
        self.node.is_empty()
    }
}
