//! What the library says when it fails, in words with something to do.

use nvml_wrapper::error::NvmlError;

use super::{OPERATION, Settings};
use crate::domain::{ErrorKind, SourceError};

/// Error for a call that hangs in the driver.
pub(super) fn stuck() -> SourceError {
    SourceError::new(
        ErrorKind::Timeout,
        OPERATION,
        "the driver does not answer",
        "See whether `nvidia-smi` hangs as well and what `dmesg` says of NVRM; as a rule only a \
         reboot helps.",
    )
}

/// Error for a library that cannot be used.
pub(super) fn library(error: &NvmlError, settings: &Settings) -> SourceError {
    let (kind, message) = match error {
        NvmlError::LibloadingError(e) => {
            let name = match &settings.library {
                Some(path) => path.display().to_string(),
                None => "libnvidia-ml.so.1".to_owned(),
            };
            (ErrorKind::Unavailable, format!("{name} cannot be loaded: {e}"))
        }
        NvmlError::FailedToLoadSymbol(symbol) => {
            (ErrorKind::Unavailable, format!("the library lacks a function: {symbol}"))
        }
        NvmlError::LibRmVersionMismatch => (
            ErrorKind::Unavailable,
            "the library is of another version than the loaded driver".to_owned(),
        ),
        other => (kind(other), other.to_string()),
    };
    SourceError::new(kind, OPERATION, &message, fix(error))
}

/// Error for a GPU that cannot be read.
pub(super) fn device(error: &NvmlError) -> SourceError {
    SourceError::new(kind(error), OPERATION, &error.to_string(), fix(error))
}

fn kind(error: &NvmlError) -> ErrorKind {
    match error {
        NvmlError::NoPermission | NvmlError::OperatingSystem => ErrorKind::Denied,
        NvmlError::Timeout => ErrorKind::Timeout,
        NvmlError::LibloadingError(_)
        | NvmlError::FailedToLoadSymbol(_)
        | NvmlError::DriverNotLoaded
        | NvmlError::LibraryNotFound
        | NvmlError::FunctionNotFound
        | NvmlError::LibRmVersionMismatch
        | NvmlError::NotSupported
        | NvmlError::GpuLost
        | NvmlError::ResetRequired
        | NvmlError::InsufficientPower => ErrorKind::Unavailable,
        NvmlError::Utf8Error(_) | NvmlError::UnexpectedVariant(_) | NvmlError::IncorrectBits(_) => {
            ErrorKind::Malformed
        }
        _ => ErrorKind::Other,
    }
}

fn fix(error: &NvmlError) -> &'static str {
    match error {
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => {
            "Install NVIDIA's driver on this host, or set where its library is; in a container, let \
             the runtime bring it in (`--gpus all`)."
        }
        NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound => {
            "Update NVIDIA's driver, or set the right library."
        }
        NvmlError::DriverNotLoaded => {
            "Load the kernel module (`sudo modprobe nvidia`); `dmesg` says why it is not loaded."
        }
        NvmlError::NoPermission | NvmlError::OperatingSystem => {
            "Let this user open /dev/nvidiactl and /dev/nvidia0 and so on (group video or render; in \
             a container, the device cgroup)."
        }
        NvmlError::LibRmVersionMismatch => {
            "The driver was updated under way: load the kernel module anew, or reboot."
        }
        NvmlError::GpuLost => {
            "The GPU fell off the bus: drain the host and stop and start the instance, which moves \
             it to other hardware."
        }
        NvmlError::ResetRequired => {
            "End what runs on the GPU and reset it (`nvidia-smi --gpu-reset`), or reboot."
        }
        NvmlError::InsufficientPower => "Check the power cables of the board.",
        NvmlError::Unknown => "See what `dmesg` says of NVRM and Xid.",
        _ => "",
    }
}
