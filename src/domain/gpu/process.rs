//! Processes on a GPU.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A process that holds a context on a GPU. Clean text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuProcess {
    /// Process id on its host.
    pub pid: u32,
    /// User it runs as; `None` when not known.
    pub user: Option<Arc<str>>,
    /// Name of the program, or its shortened command line; empty when unknown.
    pub command: Arc<str>,
    /// Device memory it holds, MiB; `None` when the driver does not say.
    pub mem_mib: Option<f32>,
    /// Share of the multiprocessors it used lately, 0–1; `None` when the driver does not say.
    pub sm: Option<f32>,
}
