//! Every GPU of the fleet, joined: telemetry × instances × prices × owners × verdicts.

mod blind;
mod merge;
mod place;
mod row;
mod share;
mod totals;
mod trail;
mod unify;

pub use blind::{Sources, blind};
pub use merge::{Candidate, Merged, merge};
pub use place::Places;
pub use row::{Blind, BlindCause, GpuNode, GpuRow, Told};
pub use share::{Part, Share, mig_slices, share};
pub use totals::GpuTotals;
pub use trail::Trail;
pub use unify::{Known, Named, index_of, place_key, unify};

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Every GPU known at one moment. Immutable; a change makes a new one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuFleet {
    /// Grows with every join in a process; view models are memoised by it.
    pub version: u64,
    /// The moment of the join; `None` for the empty fleet.
    pub as_of: Option<Timestamp>,
    /// All GPUs: costliest waste first, then worst state, then costliest, then by id.
    pub rows: Vec<Arc<GpuRow>>,
    /// Running instances with accelerators that report no or not all devices.
    pub blind: Vec<Blind>,
    /// Sums over all GPUs.
    pub totals: GpuTotals,
}
