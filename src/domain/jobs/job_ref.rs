//! The job of a scheduler of which a tracker tells.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::intern;

/// A job of a scheduler, as a run of a tracker names it. Texts are clean.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JobRef {
    /// Word of the source that reads the scheduler: `slurm`, `kubernetes`, `sagemaker`, `batch`, `ray`.
    #[serde(deserialize_with = "intern::text")]
    pub scheduler: Arc<str>,
    /// Cluster; `None` where it is not named, and any may be meant.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub cluster: Option<Arc<str>>,
    /// Id by which the scheduler keeps it: of Slurm the raw id, of Kubernetes id or name of the pod, or name of the job.
    pub id: Arc<str>,
}
