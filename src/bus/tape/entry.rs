//! What stands on a tape.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{
    GpuHour, Holdings, Hour, IdleStarts, Instance, Offer, Scope, SourceError, SourceId, Sweep,
    TypeSpec, Verdict,
};

/// Something that was said at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When it came.
    pub at: Timestamp,
    /// What it was.
    #[serde(flatten)]
    pub said: Said,
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Said {
    /// How asking a source went.
    Source {
        /// Which source.
        source: SourceId,
        /// Where.
        scope: Scope,
        /// How it went.
        outcome: SourceSaid,
    },
    /// Who an account is.
    Account {
        /// 12-digit id.
        account: Arc<str>,
        /// The name the user knows it by.
        label: Arc<str>,
    },
    /// All instances of a scope.
    Instances {
        /// The scope.
        scope: Scope,
        /// The instances.
        items: Vec<Arc<Instance>>,
    },
    /// Instance types.
    Types {
        /// The types.
        items: Vec<Arc<TypeSpec>>,
    },
    /// Prices.
    Offers {
        /// The prices.
        items: Vec<Offer>,
    },
    /// All commitments, and what could not be read of them.
    Commitments {
        /// All of them.
        holdings: Arc<Holdings>,
    },
    /// Verdicts on instances.
    Verdicts {
        /// By instance id.
        items: Vec<(Arc<str>, Arc<Verdict>)>,
    },
    /// GPU telemetry.
    Sweep {
        /// What one source said.
        sweep: Arc<Sweep>,
    },
    /// A closed hour of GPU telemetry.
    Hours {
        /// Which source.
        source: SourceId,
        /// Which one of its kind.
        origin: Arc<str>,
        /// The hour.
        hour: Hour,
        /// What the GPUs did.
        items: Vec<GpuHour>,
    },
    /// Since when GPUs idle, as far as it was seen before the recording.
    GpuStarts {
        /// By the id of the GPU.
        items: IdleStarts,
    },
}

/// How asking a source went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceSaid {
    /// Under way.
    Loading,
    /// Answered, with the share of what was asked for, 0–1.
    Good(f32),
    /// Failed.
    Bad(Arc<SourceError>),
}
