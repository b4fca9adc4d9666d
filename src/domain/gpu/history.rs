//! The past of GPUs: closed hours for verdicts, traces for graphs.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::identity::GpuIdentity;
use super::signal::GpuSignal;
use super::state::Rung;

/// Activity of a GPU in one closed hour, by the best evidence that the source has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuHour {
    /// GPU that the hour is about.
    pub identity: Arc<GpuIdentity>,
    /// Mean activity over the samples of the hour, 0–1.
    pub mean: f32,
    /// Highest activity of a sample within the hour, 0–1; on rung C capped by what the highest power
    /// of the hour allows.
    pub max: f32,
    /// Number of samples in the hour.
    pub samples: u32,
    /// Evidence that the activity rests on.
    pub rung: Rung,
}

#[cfg(test)]
impl GpuHour {
    /// An hour of the GPU `uuid`, on the best evidence.
    pub fn of(uuid: &str, mean: f32, max: f32) -> Self {
        let identity = GpuIdentity { uuid: Some(uuid.into()), ..GpuIdentity::default() };
        Self { identity: Arc::new(identity), mean, max, samples: 60, rung: Rung::A }
    }
}

/// Values over time, evenly spaced by [`GpuHistory::step_s`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuTrace {
    /// Signal of the values; `None` for the effective activity.
    pub signal: Option<GpuSignal>,
    /// Values in the signal's unit; `NaN` = no sample.
    pub values: Vec<f32>,
}

/// History of one GPU, for the graphs of its page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuHistory {
    /// Time of the first value; `None` when nothing is known.
    pub from: Option<Timestamp>,
    /// Seconds between two values; > 0 where there are traces.
    pub step_s: u32,
    /// One trace per known signal; empty when nothing is known.
    pub traces: Vec<GpuTrace>,
}
