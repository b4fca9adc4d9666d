//! Whose work runs on a GPU.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Who holds a GPU, as far as a source says. Clean text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GpuOwner {
    /// Kubernetes namespace of the pod that holds it (never that of the exporter).
    pub namespace: Option<Arc<str>>,
    /// The pod.
    pub pod: Option<Arc<str>>,
    /// The container.
    pub container: Option<Arc<str>>,
    /// Job: Slurm's, or the label `hpc_job`.
    pub job: Option<Arc<str>>,
    /// User.
    pub user: Option<Arc<str>>,
}

impl GpuOwner {
    /// True when nobody is named. Whether the source would name somebody if there were one is
    /// another question ([`super::GpuSample::names_owners`]).
    pub fn is_nobody(&self) -> bool {
        self.namespace.is_none() && self.pod.is_none() && self.job.is_none() && self.user.is_none()
    }

    /// One text: `namespace/pod`, `job 4711`, `user`; `None` for nobody.
    pub fn words(&self) -> Option<String> {
        match (&self.namespace, &self.pod, &self.job, &self.user) {
            (Some(namespace), Some(pod), ..) => Some(format!("{namespace}/{pod}")),
            (None, Some(pod), ..) => Some(pod.to_string()),
            (_, None, Some(job), Some(user)) => Some(format!("{user} job {job}")),
            (_, None, Some(job), None) => Some(format!("job {job}")),
            (Some(namespace), None, None, _) => Some(namespace.to_string()),
            (None, None, None, user) => user.as_deref().map(str::to_owned),
        }
    }
}
