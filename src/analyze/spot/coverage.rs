//! How much of the GPUs runs on Spot.

use crate::domain::Lifecycle;
use crate::fleet::Fleet;

/// The part of GPU hours on Spot that the articles set as a goal: more than 60 %.
pub const COVERAGE_TARGET: f64 = 0.6;

/// Spot's share of what runs now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpotCoverage {
    /// GPU equivalents that run.
    pub gpus: f64,
    /// Of them on Spot.
    pub on_spot: f64,
    /// Running instances of types that are not known, which count nowhere.
    pub unknown: u32,
}

impl SpotCoverage {
    /// Spot's share of GPU hours, 0–1; `None` without GPUs.
    pub fn share(&self) -> Option<f64> {
        (self.gpus > 0.0).then(|| self.on_spot / self.gpus)
    }
}

/// Spot's share of the GPU hours of this hour. Records of past hours count types, not how they were
/// bought, so nothing is said of those.
pub fn coverage(fleet: &Fleet) -> SpotCoverage {
    let mut out = SpotCoverage::default();
    for row in fleet.rows.iter().filter(|r| r.instance.state.is_billed()) {
        match row.gpus() {
            Some(gpus) => {
                out.gpus += gpus;
                if row.instance.lifecycle == Lifecycle::Spot {
                    out.on_spot += gpus;
                }
            }
            None => out.unknown += 1,
        }
    }
    out
}
