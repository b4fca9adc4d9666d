//! Identity of a device, from the labels of all its series.

use std::sync::Arc;

use super::labels::Facts;
use crate::domain::{GpuIdentity, HostNames, Mig};

/// Key of a device within one gatherer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceKey {
    /// The UUID; masked ones are told apart within their host. Empty where there is none.
    device: Arc<str>,
    /// The host, where the UUID alone does not tell.
    place: Option<Arc<str>>,
    /// The index, where there is no UUID.
    index: Option<u16>,
    /// GPU instance id of a MIG slice; `None` for a whole device.
    pub gpu_instance: Option<u32>,
}

impl DeviceKey {
    /// Device of a series; `None` when its labels name none.
    pub fn of(facts: &Facts) -> Option<Self> {
        let gpu_instance = facts.gpu_instance;
        if let Some(uuid) = &facts.uuid {
            return Some(Self { device: uuid.clone(), place: None, index: None, gpu_instance });
        }
        let place = Some(place(facts));
        match (&facts.raw_uuid, facts.index) {
            (Some(masked), _) => {
                Some(Self { device: masked.clone(), place, index: None, gpu_instance })
            }
            (None, Some(_)) => {
                Some(Self { device: Arc::default(), place, index: facts.index, gpu_instance })
            }
            (None, None) => None,
        }
    }

    /// A device known only by host and index.
    pub fn at(place: Arc<str>, index: Option<u16>) -> Self {
        Self { device: Arc::default(), place: Some(place), index, gpu_instance: None }
    }

    /// Whole device of a slice; `None` for a whole device.
    pub fn parent(&self) -> Option<Self> {
        self.gpu_instance?;
        Some(Self { gpu_instance: None, ..self.clone() })
    }
}

/// Key of a host within one gatherer: address, else node, else instance id; empty without any.
pub fn place(facts: &Facts) -> Arc<str> {
    let node = || facts.node.as_ref().map(|(_, name)| name.clone());
    facts.address.clone().or_else(node).or_else(|| facts.instance_id.clone()).unwrap_or_default()
}

/// Identity from the labels of all series of a device. Where they disagree (two exporters, a stale target), the choice
/// does not depend on their order.
pub fn merge<'a>(
    key: &DeviceKey,
    series: &(impl Iterator<Item = &'a Facts> + Clone),
    parent: Option<&GpuIdentity>,
) -> GpuIdentity {
    let first = |of: fn(&Facts) -> Option<&Arc<str>>| series.clone().filter_map(of).min().cloned();
    let empty = || Arc::from("");
    let mig = key.gpu_instance.map(|gpu_instance| Mig {
        gpu_instance,
        profile: first(|f| f.profile.as_ref()).unwrap_or_else(empty),
    });
    // A host that is called like the pod is no host but the pod that the exporter runs in.
    let is_pod = |name: &str| series.clone().any(|f| f.owner.is_pod(name));
    let nodes = series.clone().filter_map(|f| f.node.as_ref());
    let node = nodes.filter(|(_, name)| !is_pod(name)).min().map(|(_, name)| name.clone());
    let inherited = |of: fn(&GpuIdentity) -> &Arc<str>| parent.map(of).cloned();
    GpuIdentity {
        uuid: first(|f| f.uuid.as_ref()),
        mig,
        index: key
            .index
            .or_else(|| series.clone().filter_map(|f| f.index).min())
            .or_else(|| parent.and_then(|p| p.index)),
        model: first(|f| f.model.as_ref())
            .or_else(|| inherited(|p| &p.model))
            .unwrap_or_else(empty),
        pci_bus_id: first(|f| f.pci_bus_id.as_ref())
            .or_else(|| inherited(|p| &p.pci_bus_id))
            .unwrap_or_else(empty),
        host: HostNames {
            instance_id: first(|f| f.instance_id.as_ref())
                .or_else(|| parent.and_then(|p| p.host.instance_id.clone())),
            node: node.or_else(|| parent.and_then(|p| p.host.node.clone())),
            address: first(|f| f.address.as_ref())
                .or_else(|| parent.and_then(|p| p.host.address.clone())),
        },
    }
}
