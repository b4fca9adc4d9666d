//! Which series belongs to which GPU of which instance: as `ListMetrics` says, never guessed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fields::{Field, Publisher};
use crate::domain::{GpuIdentity, HostNames};
use crate::source::GpuHost;
use crate::source::planner::gpu::{assign, distinct};
use crate::source::provider::{GpuDimensions, GpuMetric};

/// Identity of a GPU in CloudWatch: instance id and device index.
pub type Device = (Arc<str>, u16);

/// A CloudWatch series of a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Metric of the series.
    pub field: &'static Field,
    /// GPU that it measures.
    pub device: Device,
    /// Part of the GPU with a value of its own (a `NeuronCore`); empty for the whole GPU.
    pub part: Arc<str>,
    /// Dimensions of the series.
    pub dimensions: GpuDimensions,
}

/// Series of `field` that belong to GPUs of `hosts`. Roll-ups over GPUs or hosts, and series that repeat another one
/// with fewer dimensions, are left out: they would count a GPU twice, or hide a busy one behind idle ones.
pub fn found(field: &'static Field, listed: Vec<GpuDimensions>, hosts: &[GpuHost]) -> Vec<Found> {
    let mut by_part: BTreeMap<Arc<str>, Vec<GpuMetric>> = BTreeMap::new();
    for (part, metric) in listed.into_iter().filter_map(|d| metric(field.publisher, d)) {
        by_part.entry(part).or_default().push(metric);
    }
    let mut out = Vec::new();
    for (part, metrics) in by_part {
        let assigned = assign(distinct(metrics), hosts.iter().map(|h| &*h.instance));
        for (id, metrics) in assigned.by_instance {
            out.extend(metrics.into_iter().map(|metric| Found {
                field,
                device: (id.clone(), metric.index),
                part: part.clone(),
                dimensions: metric.dimensions,
            }));
        }
    }
    out.sort_by(|a, b| {
        (&a.device, &a.part, &a.dimensions).cmp(&(&b.device, &b.part, &b.dimensions))
    });
    out
}

/// The GPU that the dimensions name, and the part of it; `None` for a roll-up, and for the series of
/// a pod or a container, which repeat the node's.
fn metric(publisher: Publisher, dimensions: GpuDimensions) -> Option<(Arc<str>, GpuMetric)> {
    let find = |key: &str| dimensions.0.iter().find(|(n, _)| &**n == key).map(|(_, v)| v.clone());
    let (host, device) = match publisher {
        Publisher::Agent => ("host", "index"),
        Publisher::Insights => ("NodeName", "GpuDevice"),
        Publisher::Neuron => ("NodeName", "NeuronDevice"),
    };
    if find("PodName").is_some() || find("FullPodName").is_some() || find("ContainerName").is_some()
    {
        return None;
    }
    let part = match publisher {
        Publisher::Neuron => find("NeuronCore")?,
        _ => Arc::default(),
    };
    let index = number(&find(device)?)?;
    let (instance, host) = (find("InstanceId"), find(host));
    (instance.is_some() || host.is_some())
        .then_some((part, GpuMetric { instance, host, index, dimensions }))
}

/// The number of a device: `3`, `nvidia3`, `NeuronDevice3`.
fn number(device: &str) -> Option<u16> {
    device.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

/// Identity of a GPU as CloudWatch reports it, which is without UUID.
pub fn identity(device: &Device, of: &[&Found]) -> GpuIdentity {
    let named = of.iter().find_map(|f| {
        f.dimensions.0.iter().find(|(n, _)| &**n == "name").map(|(_, model)| model.clone())
    });
    GpuIdentity {
        index: Some(device.1),
        model: named.unwrap_or_default(),
        host: HostNames { instance_id: Some(device.0.clone()), ..HostNames::default() },
        ..GpuIdentity::default()
    }
}
