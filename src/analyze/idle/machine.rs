//! What kind of box is judged: it decides which signals can exist.

use crate::domain::{AcceleratorKind, TypeSpec};

/// The kind of box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// No accelerator.
    CpuOnly,
    /// NVIDIA GPUs: every one of them must report.
    Gpus(u32),
    /// Accelerators that nothing can watch yet (Neuron, AMD, others), or a GPU type whose number
    /// of devices is not known.
    Blind,
    /// The type is not known, so it is not known either what should report.
    UnknownType,
}

impl Machine {
    /// The kind of box of a type.
    pub fn of(spec: Option<&TypeSpec>) -> Self {
        // Without its vCPUs the absolute work of a box cannot be told either.
        let Some(spec) = spec.filter(|s| s.vcpus > 0) else { return Self::UnknownType };
        match &spec.accelerator {
            None => Self::CpuOnly,
            Some(a) if a.kind == AcceleratorKind::NvidiaGpu && a.devices > 0 => {
                Self::Gpus(a.devices)
            }
            Some(_) => Self::Blind,
        }
    }

    /// True when the limits for GPU boxes apply. An unknown type is held against them too: they
    /// are the harder ones to reach, so what reaches them is in use on any box.
    pub fn has_gpu_limits(self) -> bool {
        self != Self::CpuOnly
    }

    /// True when the minimum stretch of GPU boxes applies. An unknown type gets the longer one of
    /// CPU-only boxes.
    pub fn has_gpu_stretch(self) -> bool {
        matches!(self, Self::Gpus(_) | Self::Blind)
    }

    /// GPUs that must report; 0 where none can.
    pub fn gpus(self) -> u32 {
        if let Self::Gpus(n) = self { n } else { 0 }
    }
}
