//! Whose a GPU is, read from labels that often name somebody else.
//!
//! Without `honor_labels` Prometheus keeps `namespace`, `pod` and `container` for the target it
//! read, which is the exporter, and renames the labels of the series to `exported_…`. A free GPU
//! then has no `exported_…` label, and the exporter's pod where the holder's would be.

use std::sync::Arc;

use crate::domain::{GpuOwner, text};

/// At most so many holders of one GPU are named.
const MAX_NAMED: usize = 4;

/// Owner labels of a series.
#[derive(Clone, Debug, Default)]
pub struct OwnerLabels {
    /// Those that can only mean the holder.
    certain: GpuOwner,
    /// `namespace`, `pod` and `container`: the holder's, or the exporter's.
    plain: GpuOwner,
    /// There is an `exported_…` label: the plain ones are the target's.
    exported: bool,
    /// There is a label that could name a holder, be it empty.
    named: bool,
}

impl OwnerLabels {
    /// Adds a label; others than owner labels are ignored.
    pub(super) fn take(&mut self, name: &str, raw: &str) {
        // Jobs and users are 0 where there are none.
        let value = || Some(raw).filter(|v| !v.is_empty()).map(clean);
        let id = || value().filter(|v| &**v != "0");
        match name {
            "exported_namespace" | "pod_namespace" => self.certain.namespace = value(),
            "exported_pod" | "pod_name" => self.certain.pod = value(),
            "exported_container" | "container_name" => self.certain.container = value(),
            "namespace" => self.plain.namespace = value(),
            "pod" => self.plain.pod = value(),
            "container" => self.plain.container = value(),
            "hpc_job" | "jobid" | "slurmjobid" => self.certain.job = id(),
            "userid" if self.certain.user.is_none() => self.certain.user = id(),
            "user" => self.certain.user = id().or_else(|| self.certain.user.take()),
            _ => return,
        }
        self.exported |= name.starts_with("exported_");
        self.named |= !matches!(name, "namespace" | "pod" | "container");
    }

    /// True when Prometheus replaced the series' labels by the target's: plain labels are the exporter's.
    pub fn is_exported(&self) -> bool {
        self.exported
    }

    /// True when `name` is the pod in the plain labels.
    pub fn is_pod(&self, name: &str) -> bool {
        self.plain.pod.as_deref() == Some(name)
    }

    /// True when the series has labels for an owner, even empty. `displaced` means that the plain labels of this target
    /// are the exporter's.
    pub fn names_owners(&self, displaced: bool) -> bool {
        self.named || (!displaced && !self.is_exporter() && !self.plain_is_empty())
    }

    /// Owner of the GPU by this series; empty without one.
    pub fn holder(&self, displaced: bool) -> GpuOwner {
        let mut owner = self.certain.clone();
        let certain_pod = owner.namespace.is_some() || owner.pod.is_some();
        if !certain_pod && !self.exported && !displaced && !self.is_exporter() {
            owner.namespace.clone_from(&self.plain.namespace);
            owner.pod.clone_from(&self.plain.pod);
            owner.container.clone_from(&self.plain.container);
        }
        owner
    }

    fn plain_is_empty(&self) -> bool {
        self.plain.namespace.is_none() && self.plain.pod.is_none()
    }

    fn is_exporter(&self) -> bool {
        [&self.plain.pod, &self.plain.container].into_iter().flatten().any(|name| is_exporter(name))
    }
}

/// True for names of pods and containers that run exporters.
pub fn is_exporter(name: &str) -> bool {
    const PARTS: [&str; 8] = [
        "dcgm-exporter",
        "gpu-exporter",
        "gpu_exporter",
        "nvidia-exporter",
        "nvidia-smi-exporter",
        "all-smi",
        "neuron-monitor",
        "dcgm-hostengine",
    ];
    name == "exporter" || PARTS.iter().any(|part| name.contains(part))
}

/// Several owners of one GPU (jobs, sharing pods) as one: each part lists the distinct names.
pub fn join(holders: &[GpuOwner]) -> GpuOwner {
    let part = |of: fn(&GpuOwner) -> &Option<Arc<str>>| -> Option<Arc<str>> {
        let mut names: Vec<&Arc<str>> = holders.iter().filter_map(|o| of(o).as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [] => None,
            [one] => Some(Arc::clone(one)),
            many => {
                let mut text = many[..many.len().min(MAX_NAMED)]
                    .iter()
                    .map(|name| &***name)
                    .collect::<Vec<_>>()
                    .join(",");
                if many.len() > MAX_NAMED {
                    text.push_str(",…");
                }
                Some(text.into())
            }
        }
    };
    GpuOwner {
        namespace: part(|o| &o.namespace),
        pod: part(|o| &o.pod),
        container: part(|o| &o.container),
        job: part(|o| &o.job),
        user: part(|o| &o.user),
    }
}

fn clean(value: &str) -> Arc<str> {
    text::clean(value).into()
}
