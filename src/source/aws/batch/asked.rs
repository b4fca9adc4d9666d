//! What a job asks for, and therefore holds.

use super::wire::{Container, EcsProperties, Job, NodeProperties};
use crate::domain::jobs::{Attempt, Gpus};

/// What is asked for over all of `nodes`; each is `None` where it is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// GPUs. A container that asks for none gets none.
    pub gpus: Option<Gpus>,
    /// CPUs, rounded up to whole ones.
    pub cpus: Option<u32>,
    /// Memory, MiB.
    pub memory_mib: Option<u64>,
}

impl Asked {
    fn plus(self, other: Self) -> Self {
        let cpus = self.cpus.zip(other.cpus);
        let memory = self.memory_mib.zip(other.memory_mib);
        Self {
            gpus: self.gpus.zip(other.gpus).map(|(a, b)| a + b),
            cpus: cpus.map(|(a, b)| a.saturating_add(b)),
            memory_mib: memory.map(|(a, b)| a.saturating_add(b)),
        }
    }

    /// Of a container; `None` where it tells nothing.
    fn of_container(of: &Container) -> Option<Self> {
        let all = of.resource_requirements.as_deref();
        if all.is_none() && of.vcpus.is_none() && of.memory.is_none() {
            return None;
        }
        let amount = |kind: &str| {
            let mut all = all.unwrap_or_default().iter();
            all.find(|of| of.kind.as_deref() == Some(kind))?.value.as_deref()
        };
        let cpus = amount("VCPU").map_or(of.vcpus, |told| told.parse().ok());
        let cpus = cpus.filter(|cpus| (0.0..=1e6).contains(cpus));
        Some(Self {
            gpus: amount("GPU").map_or(Some(Gpus::ZERO), |n| n.parse().ok().map(Gpus::whole)),
            cpus: cpus.map(|cpus| cpus.ceil() as u32),
            memory_mib: amount("MEMORY").map_or(of.memory, |told| told.parse().ok()),
        })
    }

    /// Of the containers of tasks; `None` where one of them tells nothing.
    fn of_tasks(of: &EcsProperties) -> Option<Self> {
        let tasks = of.task_properties.iter().flatten();
        let mut all = tasks.flat_map(|task| task.containers.iter().flatten());
        let first = Self::of_container(all.next()?)?;
        all.try_fold(first, |sum, of| Some(sum.plus(Self::of_container(of)?)))
    }

    /// Of one node, by its index: of the ranges that hold it the shortest counts.
    fn of_node(of: &NodeProperties, index: u32) -> Option<Self> {
        let last = of.num_nodes?.checked_sub(1)?;
        let all = of.node_range_properties.iter().flatten();
        let fits = all.filter_map(|range| {
            let (from, to) = bounds(range.target_nodes.as_deref()?, last)?;
            (from..=to).contains(&index).then_some((to - from, range))
        });
        let (_, range) = fits.min_by_key(|(length, _)| *length)?;
        let of_container = range.container.as_ref().and_then(Self::of_container);
        of_container.or_else(|| range.ecs_properties.as_ref().and_then(Self::of_tasks))
    }

    /// Of all nodes of a multi-node job together; `None` where one of them is not told.
    pub fn of_nodes(of: &NodeProperties) -> Option<Self> {
        let nodes = of.num_nodes.filter(|nodes| *nodes as usize <= Attempt::NODES_AT_MOST)?;
        let first = Self::of_node(of, 0)?;
        (1..nodes).try_fold(first, |sum, index| Some(sum.plus(Self::of_node(of, index)?)))
    }

    /// Of a job, or of a node of `parent`; `None` where nothing is told.
    pub fn of_job(job: &Job, parent: Option<&Job>) -> Option<Self> {
        // Beside tasks the container is an empty one, which must not count as one without GPUs.
        let of_tasks = job.ecs_properties.as_ref().and_then(Self::of_tasks);
        let own = of_tasks.or_else(|| job.container.as_ref().and_then(Self::of_container));
        own.or_else(|| {
            let index = job.node_details.as_ref()?.node_index?;
            let nodes = job.node_properties.as_ref();
            Self::of_node(nodes.or_else(|| parent?.node_properties.as_ref())?, index)
        })
    }
}

/// First and last index of a range; `None` for what is none.
fn bounds(text: &str, last: u32) -> Option<(u32, u32)> {
    let number = |text: &str, open: u32| match text.trim() {
        "" => Some(open),
        digits => digits.parse().ok(),
    };
    let (from, to) = match text.split_once(':') {
        Some((from, to)) => (number(from, 0)?, number(to, last)?),
        None => (text.trim().parse().ok()?, text.trim().parse().ok()?),
    };
    (from <= to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn container(gpus: &str) -> Value {
        json!({"resourceRequirements": [{"type": "GPU", "value": gpus},
            {"type": "VCPU", "value": "8"}, {"type": "MEMORY", "value": "1024"}]})
    }

    fn of(job: Value) -> Option<Asked> {
        Asked::of_job(&serde_json::from_value(job).unwrap(), None)
    }

    #[test]
    fn a_container_holds_what_it_requires_and_no_gpu_that_it_does_not() {
        let asked = Asked { gpus: Some(Gpus::whole(4)), cpus: Some(8), memory_mib: Some(1_024) };
        assert_eq!(of(json!({"container": container("4")})), Some(asked));
        // The older fields; a quarter of a CPU, as Fargate has it, is one.
        let older = of(json!({"container": {"vcpus": 2, "memory": 512}})).unwrap();
        let none = Asked { gpus: Some(Gpus::ZERO), cpus: Some(2), memory_mib: Some(512) };
        assert_eq!(older, none);
        let fargate = json!({"resourceRequirements": [{"type": "VCPU", "value": "0.25"}]});
        assert_eq!(of(json!({"container": fargate})).unwrap().cpus, Some(1));
        // What is no number is unknown, not 0.
        assert_eq!(of(json!({"container": container("some")})).unwrap().gpus, None);
        assert_eq!(of(json!({"container": {"logStreamName": "x"}})), None);
        assert_eq!(of(json!({})), None);
    }

    #[test]
    fn containers_of_a_task_are_added() {
        let tasks = json!({"taskProperties": [{"containers": [container("1"), container("2")]}]});
        let asked = of(json!({"container": {"resourceRequirements": []}, "ecsProperties": tasks}));
        let asked = asked.unwrap();
        assert_eq!((asked.gpus, asked.cpus), (Some(Gpus::whole(3)), Some(16)));
    }

    #[test]
    fn of_nested_ranges_of_nodes_the_inner_one_counts() {
        let range =
            |nodes: &str, gpus: &str| json!({"targetNodes": nodes, "container": container(gpus)});
        let nodes = json!({"numNodes": 4, "mainNode": 0,
            "nodeRangeProperties": [range("0:", "8"), range("2:3", "1")]});
        let properties: NodeProperties = serde_json::from_value(nodes.clone()).unwrap();
        // 8 + 8 + 1 + 1, where the outer range alone would make 32.
        assert_eq!(Asked::of_nodes(&properties).unwrap().gpus, Some(Gpus::whole(18)));
        let node =
            |index: u32| json!({"nodeDetails": {"nodeIndex": index}, "nodeProperties": nodes});
        assert_eq!(of(node(1)).unwrap().gpus, Some(Gpus::whole(8)));
        assert_eq!(of(node(3)).unwrap().gpus, Some(Gpus::whole(1)));
        assert_eq!(of(node(4)), None, "there is no such node");
        let hole = json!({"numNodes": 4, "nodeRangeProperties": [range("0:1", "8")]});
        assert_eq!(Asked::of_nodes(&serde_json::from_value(hole).unwrap()), None);
        assert_eq!(
            [bounds(":3", 9), bounds("4:", 9), bounds("5", 9), bounds("3:1", 9), bounds("x", 9)],
            [Some((0, 3)), Some((4, 9)), Some((5, 5)), None, None]
        );
    }
}
