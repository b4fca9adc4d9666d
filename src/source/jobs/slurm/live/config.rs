//! `scontrol show config`: what the cluster is called, what it accounts for, and its clock.

use std::sync::Arc;

use crate::domain::text::clean;

/// What is read of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClusterConfig {
    /// Name of the cluster.
    pub cluster: Option<Arc<str>>,
    /// Its version.
    pub version: Option<String>,
    /// True where GPUs are accounted for; `None` where it does not say what is.
    pub has_gpus: Option<bool>,
    /// True where users do not see the jobs of others.
    pub is_private: bool,
    /// The controller's clock, seconds since 1970.
    pub now: Option<i64>,
}

impl ClusterConfig {
    /// Reads the text, which has a setting a line; what is not known in it is passed over.
    pub(super) fn of(text: &str) -> Self {
        let mut config = Self::default();
        for line in text.lines() {
            if let Some(at) = line.strip_prefix("Configuration data as of ") {
                config.now = at.trim().parse().ok().filter(|now| *now > 0);
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim());
            match key {
                "ClusterName" if !value.is_empty() => config.cluster = Some(clean(value).into()),
                "SLURM_VERSION" => config.version = Some(clean(value).into_owned()),
                "AccountingStorageTRES" => {
                    config.has_gpus = Some(value.split(',').any(is_gpu));
                }
                "PrivateData" => config.is_private = value.split(',').any(|word| word == "jobs"),
                _ => {}
            }
        }
        config
    }
}

fn is_gpu(resource: &str) -> bool {
    resource == "gres/gpu" || resource.starts_with("gres/gpu:")
}
