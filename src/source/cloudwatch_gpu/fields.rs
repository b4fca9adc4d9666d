//! Which metrics of CloudWatch say something of a GPU, in which unit.

use crate::domain::GpuSignal;
use crate::source::provider::MetricName;

/// Who publishes a metric; it decides what the dimensions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Publisher {
    /// The CloudWatch agent: `InstanceId` or `host`, and `index`.
    Agent,
    /// Container Insights: `InstanceId` or `NodeName`, and `GpuDevice`.
    Insights,
    /// Container Insights for Neuron: the same, and `NeuronDevice` with `NeuronCore`.
    Neuron,
}

/// A metric and what it becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Namespace and metric.
    pub name: MetricName,
    /// Who publishes it.
    pub publisher: Publisher,
    /// What it is here.
    pub signal: GpuSignal,
    /// Factor from its unit to the signal's.
    pub scale: f64,
    /// True when it is read of all GPUs, false when of those in focus alone: each costs.
    pub of_all: bool,
}

const AGENT: &str = "CWAgent";
const INSIGHTS: &str = "ContainerInsights";
const PERCENT: f64 = 0.01;
/// Container Insights publishes memory in bytes, the agent in MiB.
const BYTES: f64 = 1.0 / 1_048_576.0;

const fn field(
    publisher: Publisher,
    metric: &'static str,
    signal: GpuSignal,
    scale: f64,
    of_all: bool,
) -> Field {
    let namespace = match publisher {
        Publisher::Agent => AGENT,
        Publisher::Insights | Publisher::Neuron => INSIGHTS,
    };
    Field { name: MetricName { namespace, metric }, publisher, signal, scale, of_all }
}

/// The metrics in the order of their worth: what comes first is asked first.
pub const FIELDS: [Field; 12] = {
    use GpuSignal::{MemTotal, MemUsed, NeuronCore, Power, Temp, Tensor, Util};
    use Publisher::{Agent, Insights, Neuron};
    [
        field(Agent, "nvidia_smi_utilization_gpu", Util, PERCENT, true),
        field(Insights, "node_gpu_utilization", Util, PERCENT, true),
        field(Neuron, "node_neuroncore_utilization", NeuronCore, PERCENT, true),
        field(Agent, "nvidia_smi_power_draw", Power, 1.0, false),
        field(Agent, "nvidia_smi_memory_used", MemUsed, 1.0, false),
        field(Agent, "nvidia_smi_memory_total", MemTotal, 1.0, false),
        field(Agent, "nvidia_smi_temperature_gpu", Temp, 1.0, false),
        field(Insights, "node_gpu_power_draw", Power, 1.0, false),
        field(Insights, "node_gpu_memory_used", MemUsed, BYTES, false),
        field(Insights, "node_gpu_memory_total", MemTotal, BYTES, false),
        field(Insights, "node_gpu_temperature", Temp, 1.0, false),
        field(Insights, "node_gpu_tensor_core_utilization", Tensor, PERCENT, false),
    ]
};
