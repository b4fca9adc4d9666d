//! Labels of a series, parsed.

use std::sync::Arc;

use super::owner::OwnerLabels;
use crate::domain::{gpu, text};

/// Labels that identify a GPU and its host, which a query must keep (`max by (…)`); labels that a site does not have do
/// no harm.
pub const IDENTITY_LABELS: &[&str] = &[
    "UUID",
    "uuid",
    "gpu_uuid",
    "gpu",
    "index",
    "gpu_index",
    "minor_number",
    "GPU_I_ID",
    "gpu_instance_id",
    "GPU_I_PROFILE",
    "mig_profile",
    "modelName",
    "name",
    "model",
    "pci_bus_id",
    "Hostname",
    "hostname",
    "node",
    "nodename",
    "kubernetes_node",
    "instance",
    "instance_id",
    "InstanceId",
    "instance_type",
    "neuroncore",
    "neuron_device_count",
    "neuroncore_per_device_count",
    "runtime_tag",
    "xid",
    "host",
    "exported_instance",
    "profile",
];

/// Labels that name the owner of a GPU. A query without them is cheaper; one query per sweep that keeps them is enough.
pub const OWNER_LABELS: &[&str] = &[
    "exported_namespace",
    "exported_pod",
    "exported_container",
    "namespace",
    "pod",
    "container",
    "pod_namespace",
    "pod_name",
    "container_name",
    "hpc_job",
    "jobid",
    "slurmjobid",
    "user",
    "userid",
];

/// Origin of an exporter's page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// `host:port` of the exporter, clean text.
    pub address: Arc<str>,
    /// Id of its instance; `None` when it is unknown beforehand.
    pub instance_id: Option<Arc<str>>,
}

/// Rank of a label as the name of the node, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeRank {
    /// Kubernetes' name of the node, or a label made for it.
    Node,
    /// Host name as the exporter reports it.
    Hostname,
    /// Host name as all-smi reports it.
    Instance,
}

/// Parsed labels of one series; `None` means without such a label. Text is clean.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// UUID as written: it identifies GPUs of one host even when masked.
    pub raw_uuid: Option<Arc<str>>,
    /// UUID of the GPU; `None` when masked.
    pub uuid: Option<Arc<str>>,
    /// Index on its host, as the driver counts.
    pub index: Option<u16>,
    /// GPU instance id of a MIG slice.
    pub gpu_instance: Option<u32>,
    /// Profile of a MIG slice, such as `1g.10gb`.
    pub profile: Option<Arc<str>>,
    /// Model name.
    pub model: Option<Arc<str>>,
    /// PCI bus id.
    pub pci_bus_id: Option<Arc<str>>,
    /// Name of the node, with the rank of its label.
    pub node: Option<(NodeRank, Arc<str>)>,
    /// `host:port` that was read.
    pub address: Option<Arc<str>>,
    /// EC2 instance id.
    pub instance_id: Option<Arc<str>>,
    /// Labels that name an owner.
    pub owner: OwnerLabels,
    /// XID code in the label `xid`.
    pub xid: Option<u32>,
    /// Process id and program of a process series.
    pub process: Option<(u32, Arc<str>)>,
    /// Labels of neuron-monitor.
    pub neuron: NeuronLabels,
    /// False for a series without any label.
    pub labelled: bool,
}

/// Labels of neuron-monitor; `None` means without such a label.
#[derive(Clone, Debug, Default)]
pub struct NeuronLabels {
    /// Number of a core, counted over the whole host.
    pub core: Option<u16>,
    /// Runtime that uses the core.
    pub runtime: Option<Arc<str>>,
    /// Number of devices of the host.
    pub devices: Option<u16>,
    /// Number of cores per device.
    pub cores_per_device: Option<u16>,
    /// EC2 instance type.
    pub instance_type: Option<Arc<str>>,
}

/// Parses the labels of a series. On the `page` of an exporter, the label `instance` is the exporter's name of its
/// host; from a store it is the address that was read.
pub fn read<'a>(labels: impl Iterator<Item = (&'a str, &'a str)>, page: Option<&Page>) -> Facts {
    let mut facts = Facts {
        address: page.map(|p| p.address.clone()),
        instance_id: page.and_then(|p| p.instance_id.clone()),
        ..Facts::default()
    };
    for (name, value) in labels {
        if name == "__name__" {
            continue;
        }
        facts.labelled = true;
        if !value.is_empty() {
            facts.take(name, value, page.is_some());
        }
        facts.owner.take(name, value);
    }
    facts
}

impl Facts {
    fn take(&mut self, name: &str, value: &str, direct: bool) {
        match name {
            "UUID" | "uuid" | "gpu_uuid" => {
                self.uuid = gpu::uuid(&text::clean(value));
                self.raw_uuid = Some(clean(value));
            }
            // The model in all-smi, the index everywhere else.
            "gpu" => match value.parse() {
                Ok(index) => self.index = Some(index),
                Err(_) => self.model = Some(clean(value)),
            },
            "index" | "gpu_index" | "minor_number" => self.index = value.parse().ok(),
            "GPU_I_ID" | "gpu_instance_id" => self.gpu_instance = value.parse().ok(),
            "GPU_I_PROFILE" | "mig_profile" | "profile" => self.profile = Some(clean(value)),
            "modelName" | "name" | "model" | "gpu_name" => self.model = Some(clean(value)),
            "pci_bus_id" => self.pci_bus_id = Some(clean(value)),
            "node" | "nodename" | "kubernetes_node" => self.node(NodeRank::Node, value),
            "Hostname" | "hostname" | "host" => self.node(NodeRank::Hostname, value),
            "exported_instance" => self.node(NodeRank::Instance, value),
            "instance" if direct => self.node(NodeRank::Instance, value),
            "instance" => self.address = Some(clean(value)),
            "instance_id" | "InstanceId" if value.starts_with("i-") => {
                self.instance_id = Some(clean(value));
            }
            "xid" => self.xid = value.parse().ok(),
            "pid" => {
                let name = self.process.take().map(|(_, name)| name).unwrap_or_default();
                self.process = value.parse().ok().map(|pid| (pid, name));
            }
            "process_name" => {
                let pid = self.process.take().map_or(0, |(pid, _)| pid);
                self.process = Some((pid, clean(value)));
            }
            "neuroncore" => self.neuron.core = value.parse().ok(),
            "runtime_tag" => self.neuron.runtime = Some(clean(value)),
            "neuron_device_count" => self.neuron.devices = value.parse().ok(),
            "neuroncore_per_device_count" => self.neuron.cores_per_device = value.parse().ok(),
            "instance_type" => self.neuron.instance_type = Some(clean(value)),
            _ => {}
        }
    }

    fn node(&mut self, rank: NodeRank, value: &str) {
        let better = self.node.as_ref().is_none_or(|(known, _)| rank < *known);
        if better && is_host(value) {
            self.node = Some((rank, clean(value)));
        }
    }
}

fn clean(value: &str) -> Arc<str> {
    text::clean(value).into()
}

/// False for what an exporter takes for the name of its host when it does not know: its own
/// address, the pod or the container it runs in.
fn is_host(name: &str) -> bool {
    // Docker names a container's host by the first 12 digits of its id.
    let hex = name.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
    let is_container = name.len() == 12 && hex && !name.bytes().all(|b| b.is_ascii_digit());
    !gpu::is_loopback(name) && !is_container && !super::owner::is_exporter(name)
}
