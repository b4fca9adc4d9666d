//! Calls into the library, each of them optional.

use nvml_wrapper::error::NvmlError;

/// NVML function, which may be missing, unsupported or forbidden on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Call {
    /// Model name.
    Name,
    /// UUID of the GPU.
    Uuid,
    /// PCI bus id.
    Pci,
    /// Enforced power limit.
    PowerLimit,
    /// Highest clock of the multiprocessors.
    MaxClock,
    /// Whether MIG is switched on.
    MigMode,
    /// Whether GPM profiling is supported.
    GpmSupport,
    /// Utilisation of GPU and memory.
    Utilization,
    /// Memory in use.
    Memory,
    /// Power draw.
    Power,
    /// Energy since the driver was loaded.
    Energy,
    /// Temperature of the chip.
    Temperature,
    /// Clock of the multiprocessors.
    SmClock,
    /// Clock of the memory.
    MemoryClock,
    /// Reasons for limited clocks.
    Throttle,
    /// Utilisation of the encoder.
    Encoder,
    /// Utilisation of the decoder.
    Decoder,
    /// GPM profiling sample.
    Gpm,
    /// Several field values at once.
    Fields,
    /// ECC error counts.
    Ecc,
    /// Processes with a compute context.
    Compute,
    /// Processes with a graphics context.
    Graphics,
    /// Utilisation by process.
    ProcessUse,
    /// PCIe throughput.
    Pcie,
    /// MIG devices of the GPU.
    MigDevices,
}

/// Results of the calls to one GPU.
#[derive(Default)]
pub(super) struct Calls {
    /// Functions that this GPU does not have, by the bit of their number.
    off: u32,
    /// Failure after which the GPU, or the library, cannot be used; `None` while it works.
    pub fault: Option<Fault>,
    /// Last transient error; `None` without one.
    pub last: Option<NvmlError>,
}

/// Failure that ends the use of a GPU or of the library.
pub(super) enum Fault {
    /// Failure of this GPU; others continue.
    Device(NvmlError),
    /// Failure of the library, which must be loaded again.
    Library(NvmlError),
}

impl Calls {
    /// Makes unsupported functions callable again: a driver may support them after a while.
    pub fn renew(&mut self) {
        self.off = 0;
    }

    /// True for a function that this GPU does not support.
    pub fn is_off(&self, call: Call) -> bool {
        self.off & (1 << call as u32) != 0
    }

    /// Makes a call unless it is known to be unsupported; `None` without an answer.
    pub fn ask<T>(&mut self, call: Call, make: impl FnOnce() -> Result<T, NvmlError>) -> Option<T> {
        if self.is_off(call) || self.fault.is_some() {
            return None;
        }
        match make() {
            Ok(value) => Some(value),
            Err(
                NvmlError::NotSupported
                | NvmlError::NoPermission
                | NvmlError::FunctionNotFound
                | NvmlError::FailedToLoadSymbol(_),
            ) => {
                self.off |= 1 << call as u32;
                None
            }
            // Nothing there at the moment: no samples, an empty place.
            Err(NvmlError::NotFound | NvmlError::NoData) => None,
            Err(e @ (NvmlError::GpuLost | NvmlError::ResetRequired)) => {
                self.fault = Some(Fault::Device(e));
                None
            }
            Err(
                e @ (NvmlError::Uninitialized
                | NvmlError::DriverNotLoaded
                | NvmlError::LibRmVersionMismatch),
            ) => {
                self.fault = Some(Fault::Library(e));
                None
            }
            Err(e) => {
                self.last = Some(e);
                None
            }
        }
    }
}
