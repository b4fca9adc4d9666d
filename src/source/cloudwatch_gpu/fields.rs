//! Which metrics of CloudWatch say something of a GPU, in which unit.

use crate::domain::GpuSignal;
use crate::source::provider::MetricName;

/// Publisher of a metric, which decides the names of its dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Publisher {
    /// The CloudWatch agent: `InstanceId` or `host`, and `index`.
    Agent,
    /// Container Insights: `InstanceId` or `NodeName`, and `GpuDevice`.
    Insights,
    /// Container Insights for Neuron: `InstanceId` or `NodeName`, `NeuronDevice` and `NeuronCore`.
    Neuron,
}

/// A CloudWatch metric and the GPU signal it provides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Namespace and name of the metric.
    pub name: MetricName,
    /// Publisher of the metric.
    pub publisher: Publisher,
    /// GPU signal that it provides.
    pub signal: GpuSignal,
    /// Factor from its unit to the signal's.
    pub scale: f64,
    /// True when it is read for all GPUs, false for those in focus only: each query costs.
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

/// Metrics by importance: the first are queried first.
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
