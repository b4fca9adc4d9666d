//! What one source said of GPUs at one moment.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::identity::GpuIdentity;
use super::owner::GpuOwner;
use super::process::GpuProcess;
use super::signal::GpuSignals;
use super::throttle::Throttle;
use crate::domain::{SourceError, SourceId};

/// Measurements of one GPU at one moment by one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuSample {
    /// GPU that was measured.
    pub identity: Arc<GpuIdentity>,
    /// Time of measurement where the source reports it; else the time of reading.
    pub taken_at: Timestamp,
    /// Measured values.
    pub signals: GpuSignals,
    /// Why the clocks are limited; `None` when not reported.
    pub throttle: Option<Throttle>,
    /// Who holds the GPU.
    pub owner: Arc<GpuOwner>,
    /// True when the source reports owners at all, so that an empty `owner` means that nobody holds the GPU.
    pub names_owners: bool,
    /// Processes on it; `None` when the source does not report processes, empty when there are none.
    pub processes: Option<Arc<[GpuProcess]>>,
    /// Extremes of the minutes before, from a source that keeps history; `None` from others.
    pub recent: Option<RecentWindow>,
}

impl GpuSample {
    /// Sample of a source that reports neither owners nor processes.
    pub fn new(identity: Arc<GpuIdentity>, taken_at: Timestamp, signals: GpuSignals) -> Self {
        Self {
            identity,
            taken_at,
            signals,
            throttle: None,
            owner: Arc::default(),
            names_owners: false,
            processes: None,
            recent: None,
        }
    }
}

/// The minutes before a sample, from a source that keeps history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecentWindow {
    /// Length, seconds.
    pub seconds: u32,
    /// Number of samples in it.
    pub samples: u32,
    /// The highest utilisation-like value in it (the best signal the GPU has), 0–1.
    pub max_activity: f32,
    /// The highest power in it, W; `None` when not known.
    pub max_power_w: Option<f32>,
}

/// A host that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostTrouble {
    /// Address or name of the host, clean text.
    pub host: Arc<str>,
    /// Error of the reading.
    pub error: Arc<SourceError>,
}

/// One reading of all GPUs by one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Kind of source.
    pub source: SourceId,
    /// Configured name or host name of the source. Clean text.
    pub origin: Arc<str>,
    /// Time of the last answer.
    pub taken_at: Timestamp,
    /// One sample per GPU.
    pub samples: Vec<GpuSample>,
    /// Number of hosts (or queries) read.
    pub asked: u32,
    /// Number of those that answered.
    pub answered: u32,
    /// Errors of those that did not answer.
    pub troubles: Vec<HostTrouble>,
    /// True when only the hosts in focus were read: GPUs of other hosts are not gone.
    pub partial: bool,
}
