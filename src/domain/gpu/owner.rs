//! Whose work runs on a GPU.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Who holds a GPU, as far as a source reports it. Clean text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GpuOwner {
    /// Kubernetes namespace of the pod that holds it (never that of the exporter); `None` outside Kubernetes.
    pub namespace: Option<Arc<str>>,
    /// Kubernetes pod; `None` outside Kubernetes.
    pub pod: Option<Arc<str>>,
    /// Container within the pod; `None` when not reported.
    pub container: Option<Arc<str>>,
    /// Job id of Slurm, or the label `hpc_job`; `None` when not reported.
    pub job: Option<Arc<str>>,
    /// User name; `None` when not reported.
    pub user: Option<Arc<str>>,
}

impl GpuOwner {
    /// True when no owner is named. Whether the source reports owners at all is [`super::GpuSample::names_owners`].
    pub fn is_nobody(&self) -> bool {
        self.namespace.is_none() && self.pod.is_none() && self.job.is_none() && self.user.is_none()
    }

    /// Label of the owner: `namespace/pod`, `job 4711`, `user`; `None` without an owner.
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
