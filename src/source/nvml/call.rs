//! Calls into the library, each of them optional.

use nvml_wrapper::error::NvmlError;

/// A function that may be missing, unsupported or forbidden on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Call {
    Name,
    Uuid,
    Pci,
    PowerLimit,
    MaxClock,
    MigMode,
    GpmSupport,
    Utilization,
    Memory,
    Power,
    Energy,
    Temperature,
    SmClock,
    MemoryClock,
    Throttle,
    Encoder,
    Decoder,
    Gpm,
    Fields,
    Ecc,
    Compute,
    Graphics,
    ProcessUse,
    Pcie,
    MigDevices,
}

/// What became of the calls to one GPU.
#[derive(Default)]
pub(super) struct Calls {
    /// Functions that this GPU does not have, by the bit of their number.
    off: u32,
    /// Why the GPU, or the library, cannot be used further.
    pub fault: Option<Fault>,
    /// The last error that says nothing lasting.
    pub last: Option<NvmlError>,
}

/// The end of a GPU or of the library.
pub(super) enum Fault {
    /// This GPU; the others go on.
    Device(NvmlError),
    /// All of it: to be loaded anew.
    Library(NvmlError),
}

impl Calls {
    /// Forgets what was not there: a driver may be asked again after a while.
    pub fn renew(&mut self) {
        self.off = 0;
    }

    /// True for a function that this GPU does not have.
    pub fn is_off(&self, call: Call) -> bool {
        self.off & (1 << call as u32) != 0
    }

    /// Makes a call unless it is known to lead nowhere; `None` when there is no answer.
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
