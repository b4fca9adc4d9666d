//! GPUs, CPUs and memory that a pod holds on its node, and those that a node has.

use super::quantity::{billionths, whole};
use super::wire::{Container, Node, PodSpec, Resources};
use crate::domain::jobs::Gpus;

/// Resources of which one is one accelerator.
const WHOLE: [&str; 4] =
    ["nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neurondevice"];

/// A GPU that several share by turns, where the device plugin renames it.
const SHARED: &str = "nvidia.com/gpu.shared";

/// Cores of Neuron devices.
const CORES: &str = "aws.amazon.com/neuroncore";

/// Slices of GPUs: `nvidia.com/mig-3g.40gb`.
pub(super) const SLICE: &str = "nvidia.com/mig-";

/// Labels of a node: how many share a GPU, its model, and how many it has.
pub(super) const NODE_KEYS: [&str; 3] =
    ["nvidia.com/gpu.replicas", "nvidia.com/gpu.product", "nvidia.com/gpu.count"];

/// Profiles of GPUs that are cut into four (A30, RTX PRO 6000); all others are cut into seven.
const OF_FOUR: [&str; 6] = ["1g.6gb", "2g.12gb", "4g.24gb", "1g.24gb", "2g.48gb", "4g.96gb"];

/// Resources of accelerators that are counted, slices aside.
pub(super) fn resources() -> impl Iterator<Item = &'static str> {
    WHOLE.into_iter().chain([SHARED, CORES])
}

/// What a pod holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Devices {
    /// Whole accelerators, as the cluster counts them.
    whole: u64,
    /// Accelerators that are shared by turns.
    shared: u64,
    /// Slices, as parts of whole GPUs.
    slices: Gpus,
    /// Cores of Neuron devices.
    cores: u64,
    /// True where it holds devices that cannot be counted: by claims, which are not read, or accelerators of an unknown kind.
    pub has_unknown: bool,
    /// CPUs, rounded up; `None` = it asked for none.
    pub cpus: Option<u32>,
    /// Memory, MiB, rounded up; `None` = it asked for none.
    pub memory_mib: Option<u64>,
}

impl Devices {
    /// What a pod asked for: the larger of its containers together and of each init container, sidecars beside both.
    pub fn of(spec: &PodSpec) -> Self {
        let mut of = Self {
            has_unknown: spec.resource_claims.iter().flatten().count() > 0,
            ..Self::default()
        };
        for name in names(spec) {
            let Some(count) = effective(spec, name, whole) else {
                of.has_unknown |= is_accelerator(name);
                continue;
            };
            if WHOLE.contains(&name) {
                of.whole = of.whole.saturating_add(count);
            } else if name == SHARED {
                of.shared = of.shared.saturating_add(count);
            } else if name == CORES {
                of.cores = of.cores.saturating_add(count);
            } else if let Some(part) = name.strip_prefix(SLICE).and_then(slice) {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                of.slices = of.slices + part.times(count);
            } else if count > 0 {
                of.has_unknown |= is_accelerator(name);
            }
        }
        let some = |value: u128| (value > 0).then_some(value);
        // In billionths, so that many parts of a CPU are rounded once.
        let sum = |name| effective(spec, name, billionths).and_then(some);
        of.cpus = sum("cpu").and_then(|cpus| u32::try_from(cpus.div_ceil(1_000_000_000)).ok());
        of.memory_mib =
            sum("memory").and_then(|bytes| u64::try_from(bytes.div_ceil(1_000_000_000 << 20)).ok());
        of
    }

    /// True for a pod that holds accelerators, or may.
    pub fn has_accelerators(&self) -> bool {
        self.whole > 0 || self.shared > 0 || self.cores > 0 || self.slices > Gpus::ZERO
    }

    /// True for a pod that asked for anything.
    pub fn has_any(&self) -> bool {
        self.has_accelerators()
            || self.has_unknown
            || self.cpus.is_some()
            || self.memory_mib.is_some()
    }

    /// GPUs held, by what is known of the node; `None` = unknown, which is not 0.
    pub fn gpus(&self, node: Option<&NodeDevices>) -> Option<Gpus> {
        if self.has_unknown && !self.has_accelerators() {
            return None;
        }
        let mut sum = self.slices;
        let replicas = node.and_then(|node| node.replicas);
        // Where a GPU is shared by turns and not renamed, each turn is counted as a GPU.
        let each = node.and_then(|node| node.each).unwrap_or(Gpus::whole(1));
        let offered = parts(self.whole, replicas.unwrap_or(1))?;
        sum = sum + Gpus::from_f64(offered.to_f64() * each.to_f64())?;
        if self.shared > 0 {
            sum = sum + parts(self.shared, replicas?)?;
        }
        if self.cores > 0 {
            sum = sum + parts(self.cores, node?.cores_per_device?)?;
        }
        Some(sum)
    }
}

/// True for a resource that is an accelerator by its name, whatever it is.
fn is_accelerator(name: &str) -> bool {
    name.contains("gpu") || name.starts_with(SLICE) || name.starts_with("aws.amazon.com/neuron")
}

fn parts(count: u64, of: u64) -> Option<Gpus> {
    Gpus::from_f64(count as f64 / of.max(1) as f64)
}

/// Part of a GPU that a slice is: `3g.40gb`, `1g.10gb.me`; `None` for what is no profile.
fn slice(profile: &str) -> Option<Gpus> {
    let (compute, _) = profile.split_once("g.")?;
    let compute: u32 = compute.parse().ok().filter(|slices| (1..=7).contains(slices))?;
    let base = profile.trim_end_matches(".me").trim_end_matches("+me");
    let of = if OF_FOUR.contains(&base) { 4 } else { 7 };
    Gpus::from_f64(f64::from(compute.min(of)) / f64::from(of))
}

/// What one container asks for of a resource: requests, else limits, as the API server fills them in.
fn asked<'a>(container: &'a Container, name: &str) -> Option<&'a serde_json::Value> {
    let of = container.resources.as_ref()?;
    let find = |from: &'a Option<Resources>| from.as_ref()?.get(name);
    find(&of.requests).or_else(|| find(&of.limits))
}

/// What counts of a resource by the scheduler's rule; `None` where nothing asks for it, or a quantity is none.
fn effective<T>(spec: &PodSpec, name: &str, read: fn(&serde_json::Value) -> Option<T>) -> Option<T>
where
    T: Into<u128> + TryFrom<u128>,
{
    let mut is_asked = false;
    let mut of = |container: &Container| -> Option<u128> {
        let Some(value) = asked(container, name) else { return Some(0) };
        is_asked = true;
        Some(read(value)?.into())
    };
    let mut running: u128 = 0;
    for container in spec.containers.iter().flatten() {
        running = running.saturating_add(of(container)?);
    }
    let (mut sidecars, mut largest): (u128, u128) = (0, 0);
    for container in spec.init_containers.iter().flatten() {
        let own = of(container)?;
        if container.restart_policy.as_deref() == Some("Always") {
            sidecars = sidecars.saturating_add(own);
            largest = largest.max(sidecars);
        } else {
            largest = largest.max(sidecars.saturating_add(own));
        }
    }
    let mut all = running.saturating_add(sidecars).max(largest);
    if let Some(more) = spec.overhead.as_ref().and_then(|of| of.get(name)) {
        is_asked = true;
        all = all.saturating_add(read(more)?.into());
    }
    if is_asked { T::try_from(all).ok() } else { None }
}

/// Resources that any container asks for, each once.
fn names(spec: &PodSpec) -> std::collections::BTreeSet<&str> {
    let containers = spec.containers.iter().chain(&spec.init_containers).flatten();
    let all = containers.filter_map(|container| container.resources.as_ref());
    all.flat_map(|of| of.requests.iter().chain(&of.limits))
        .flat_map(|of| of.keys().map(String::as_str))
        .collect()
}

/// Accelerators of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NodeDevices {
    /// How many share a GPU by turns; `None` where each has its own.
    replicas: Option<u64>,
    /// Part of a GPU that each is, where all GPUs are cut into slices of one size and these are offered as GPUs; `None` = a
    /// whole one.
    each: Option<Gpus>,
    /// Cores of one Neuron device.
    cores_per_device: Option<u64>,
    /// Accelerators; `None` = unknown.
    pub gpus: Option<Gpus>,
}

impl NodeDevices {
    /// Those of a node.
    pub fn of(node: &Node) -> Self {
        let [replicas_key, product_key, count_key] = NODE_KEYS;
        let number = |key: &str| node.metadata.label(key)?.parse::<u64>().ok();
        let capacity =
            |name: &str| node.status.capacity.as_ref().and_then(|all| whole(all.get(name)?));
        let replicas = number(replicas_key).filter(|replicas| *replicas > 1);
        // With the strategy `single` slices go by the name of GPUs; the model alone tells: `NVIDIA-A100-80GB-PCIe-MIG-1g.10gb`.
        let product = node.metadata.label(product_key);
        let each = product.and_then(|of| slice(of.rsplit_once("-MIG-")?.1));
        let devices = ["aws.amazon.com/neurondevice", "aws.amazon.com/neuron"];
        let devices = devices.into_iter().find_map(capacity).filter(|count| *count > 0);
        let cores_per_device =
            devices.and_then(|devices| Some((capacity(CORES)? / devices).max(1)));
        // What a MIG node offers are slices: the label has the number of its GPUs.
        let gpus = number(count_key).filter(|count| *count > 0).or_else(|| {
            let whole: u64 = capacity("nvidia.com/gpu").unwrap_or_default() / replicas.unwrap_or(1);
            Some(whole).filter(|count| *count > 0).or_else(|| capacity("amd.com/gpu")).or(devices)
        });
        // The label counts slices then, and how many of them a GPU has is not told.
        let gpus = gpus.filter(|count| *count > 0 && each.is_none());
        let gpus = gpus.and_then(|count| u32::try_from(count).ok());
        Self { replicas, each, cores_per_device, gpus: gpus.map(Gpus::whole) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn devices(spec: Value) -> Devices {
        Devices::of(&serde_json::from_value(spec).unwrap())
    }

    fn gpus(spec: Value) -> f64 {
        devices(spec).gpus(None).unwrap().to_f64()
    }

    fn container(gpus: u32) -> Value {
        json!({"resources": {"limits": {"nvidia.com/gpu": gpus.to_string()}}})
    }

    #[test]
    fn init_containers_count_by_the_largest_and_sidecars_stay() {
        // Summed it would be 8 + 2 + 4 = 14: init containers run before the others, one after another.
        let spec = json!({
            "containers": [container(4), container(2)],
            "initContainers": [container(8)],
        });
        assert_eq!(gpus(spec), 8.0);
        let sidecar =
            json!({"restartPolicy": "Always", "resources": {"requests": {"nvidia.com/gpu": 1}}});
        // The sidecar stays: 4 + 1, and beside the init container after it 6 + 1.
        let spec = json!({"containers": [container(4)], "initContainers": [sidecar, container(6)]});
        assert_eq!(gpus(spec), 7.0);
        let spec = json!({"containers": [container(4)], "initContainers": [container(4), sidecar]});
        assert_eq!(gpus(spec), 5.0);
    }

    #[test]
    fn requests_and_limits_of_one_gpu_are_one() {
        let both = json!({"requests": {"nvidia.com/gpu": "8"}, "limits": {"nvidia.com/gpu": "8"}});
        assert_eq!(gpus(json!({"containers": [{"resources": both}]})), 8.0);
    }

    #[test]
    fn slices_are_parts_of_a_gpu() {
        let of = |name: &str, count: u32| json!({"containers": [{"resources": {"limits": {name: count}}}]});
        assert_eq!(gpus(of("nvidia.com/mig-3g.40gb", 1)), 0.428_571);
        assert_eq!(gpus(of("nvidia.com/mig-1g.10gb.me", 2)), 0.285_714);
        assert_eq!(gpus(of("nvidia.com/mig-7g.80gb", 1)), 1.0);
        assert_eq!(gpus(of("nvidia.com/mig-2g.12gb", 1)), 0.5, "an A30 is cut into four");
    }

    #[test]
    fn accelerators_of_an_unknown_kind_are_unknown_and_not_none() {
        let of = |name: &str, count: u32| {
            devices(json!({"containers": [{"resources": {"limits": {name: count}}}]}))
        };
        for name in ["nvidia.com/mig-odd", "aliyun.com/gpu-mem", "gpu.intel.com/i915"] {
            assert!(of(name, 1).has_any() && of(name, 1).gpus(None).is_none(), "{name}");
            assert!(!of(name, 0).has_any(), "{name}");
        }
        assert_eq!(of("vpc.amazonaws.com/efa", 4).gpus(None), Some(Gpus::ZERO));
    }

    #[test]
    fn a_gpu_that_is_shared_by_turns_is_no_whole_one() {
        let node: Node = serde_json::from_value(json!({
            "metadata": {"labels": {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.count": "8"}},
            "status": {"capacity": {"nvidia.com/gpu": "32"}},
        }))
        .unwrap();
        let node = NodeDevices::of(&node);
        assert_eq!(node.gpus, Some(Gpus::whole(8)), "not the 32 that it offers");
        let two = devices(json!({"containers": [container(2)]}));
        assert_eq!(two.gpus(Some(&node)), Gpus::from_f64(0.5));
        let shared =
            json!({"containers": [{"resources": {"limits": {"nvidia.com/gpu.shared": 1}}}]});
        assert_eq!(devices(shared.clone()).gpus(Some(&node)), Gpus::from_f64(0.25));
        assert_eq!(devices(shared).gpus(None), None, "unknown without its node, not 1");
    }

    #[test]
    fn a_slice_that_goes_by_the_name_of_a_gpu_is_no_whole_one() {
        let node: Node = serde_json::from_value(json!({
            "metadata": {"labels": {"nvidia.com/gpu.replicas": "1", "nvidia.com/gpu.count": "56",
                "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"}},
            "status": {"capacity": {"nvidia.com/gpu": "56"}},
        }))
        .unwrap();
        let node = NodeDevices::of(&node);
        let two = devices(json!({"containers": [container(2)]}));
        assert_eq!(two.gpus(Some(&node)), Gpus::from_f64(0.285_714));
        assert_eq!(node.gpus, None, "not the 56 slices");
    }

    #[test]
    fn cores_of_neuron_devices_are_parts_of_them() {
        let node = json!({"status": {"capacity": {"aws.amazon.com/neuroncore": "32", "aws.amazon.com/neuron": "16"}}});
        let node = NodeDevices::of(&serde_json::from_value(node).unwrap());
        let pod =
            json!({"containers": [{"resources": {"limits": {"aws.amazon.com/neuroncore": 4}}}]});
        let pod = devices(pod);
        assert_eq!(pod.gpus(Some(&node)), Some(Gpus::whole(2)));
        assert_eq!((pod.gpus(None), node.gpus), (None, Some(Gpus::whole(16))));
    }

    #[test]
    fn cpus_and_memory_are_summed_and_rounded_once() {
        let part = json!({"resources": {"requests": {"cpu": "400m", "memory": "512Mi"}}});
        let of = devices(json!({"containers": [part, part, part]}));
        // 1.2 CPUs; each rounded up by itself would be 3.
        assert_eq!((of.cpus, of.memory_mib), (Some(2), Some(1_536)));
        assert_eq!(of.gpus(None), Some(Gpus::ZERO));
        assert!(!devices(json!({"containers": [{}]})).has_any());
    }

    #[test]
    fn what_is_held_by_claims_is_unknown() {
        let of = devices(json!({"containers": [{}], "resourceClaims": [{"name": "gpu"}]}));
        assert!(of.has_any() && of.gpus(None).is_none());
    }
}
