//! Instance types and what is inside them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::hypervisor;
use super::price::Provenance;

/// Maker and family of the accelerator; decides which telemetry can exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcceleratorKind {
    /// NVIDIA GPU: NVML, DCGM and the CloudWatch agent can see it.
    NvidiaGpu,
    /// AMD GPU; NVML cannot see it.
    AmdGpu,
    /// AWS Trainium or Inferentia chip.
    Neuron,
    /// Intel Habana Gaudi, Qualcomm and others.
    Other,
}

/// The accelerators of an instance type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accelerator {
    /// Maker and family of the devices.
    pub kind: AcceleratorKind,
    /// Model as AWS names it: `A100`, `H100`, `Trainium`.
    pub model: Arc<str>,
    /// Devices the driver sees. A fractional type (g6f) has one logical device.
    pub devices: u32,
    /// GPU equivalents: `devices`, or the fraction of a physical GPU for fractional types (0.125).
    pub equivalents: f64,
    /// Memory per device in MiB as the EC2 API states it; 0 when unknown.
    pub memory_mib: u64,
}

/// An EC2 instance type and its hardware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeSpec {
    /// Name, such as `p4d.24xlarge`.
    pub name: Arc<str>,
    /// vCPUs in the default configuration.
    pub vcpus: u32,
    /// Main memory, MiB.
    pub memory_mib: u64,
    /// Accelerators of the type; `None` for a CPU-only type.
    pub accelerator: Option<Accelerator>,
    /// Total instance store in GB (decimal, as the API states it); 0 without any.
    pub instance_store_gb: u64,
    /// Network performance as AWS writes it: `400 Gigabit`, `Up to 10 Gigabit`.
    pub network: Arc<str>,
    /// Source of these figures: API, embedded list or demo.
    pub provenance: Provenance,
}

impl TypeSpec {
    /// Devices the driver should report on; 0 for a CPU-only type.
    pub fn devices(&self) -> u32 {
        self.accelerator.as_ref().map_or(0, |a| a.devices)
    }

    /// True when `AWS/EC2` has EBS metrics for instances of this type, see [`hypervisor::reports_ebs`].
    pub fn reports_ebs(&self) -> bool {
        hypervisor::reports_ebs(&self.name)
    }

    /// GPU equivalents; 0 for a CPU-only type.
    pub fn gpus(&self) -> f64 {
        self.accelerator.as_ref().map_or(0.0, |a| a.equivalents)
    }
}
