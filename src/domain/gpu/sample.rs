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

/// One GPU, one moment, one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuSample {
    /// Who.
    pub identity: Arc<GpuIdentity>,
    /// When the values were measured, as far as the source says; else when they were read.
    pub taken_at: Timestamp,
    /// What was measured.
    pub signals: GpuSignals,
    /// Why the clocks are as they are; `None` when not told.
    pub throttle: Option<Throttle>,
    /// Whose it is.
    pub owner: Arc<GpuOwner>,
    /// True when the source names owners at all: nobody named is then nobody there.
    pub names_owners: bool,
    /// Processes on it; `None` when the source does not tell, empty when there are none.
    pub processes: Option<Arc<[GpuProcess]>>,
    /// What a source with a memory says of the minutes before; `None` from one without.
    pub recent: Option<RecentWindow>,
}

/// The minutes before a sample, from a source that keeps history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecentWindow {
    /// Length, seconds: as far back as the series goes.
    pub seconds: u32,
    /// Samples in it.
    pub samples: u32,
    /// The highest utilisation-like value in it (the best signal the GPU has), 0–1.
    pub max_activity: f32,
    /// The highest power in it, W; `None` when not known.
    pub max_power_w: Option<f32>,
}

/// A host that did not answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostTrouble {
    /// Address or name of the host, clean text.
    pub host: Arc<str>,
    /// What went wrong.
    pub error: Arc<SourceError>,
}

/// Everything that one source said in one go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The kind of source.
    pub source: SourceId,
    /// Which one of its kind: the name in the configuration, a host's name. Clean text.
    pub origin: Arc<str>,
    /// When the answers were complete.
    pub taken_at: Timestamp,
    /// The GPUs.
    pub samples: Vec<GpuSample>,
    /// Hosts (or queries) that were asked.
    pub asked: u32,
    /// Of them those that answered.
    pub answered: u32,
    /// Those that did not.
    pub troubles: Vec<HostTrouble>,
    /// True when only some hosts were looked at (those in focus): GPUs of others are not gone.
    pub partial: bool,
}
