//! Training on several instances at once: one that is interrupted stops all of them.

use super::fit::Judged;
use super::lot::Lot;
use super::rules::WorkKind;
use crate::analyze::rightsize::{Traits, cluster};
use crate::fleet::Row;

/// With how many others an instance is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gang {
    /// With none: others do not feel its interruption.
    Alone,
    /// Perhaps with these, itself included; counted as alone, and said. At least 2.
    Perhaps(u32),
    /// With these, itself included: taken for one job. At least 2.
    One(u32),
}

impl Gang {
    /// Nodes of HyperPod and `ParallelCluster` that train, and lots of training boxes with EFA, which is
    /// bought to train across boxes, are taken for one job. Of others nobody knows.
    ///
    /// Those count that are on Spot by then: what stays on demand is not interrupted.
    pub fn of(row: &Row, judged: &Judged, lot: Option<&Lot>) -> Self {
        let Some(lot) = lot else { return Self::Alone };
        let size = lot.on_spot_then();
        // Trials of a search and jobs of a batch know nothing of each other.
        if size < 2 || !matches!(judged.kind, Some(WorkKind::Training | WorkKind::Other)) {
            return Self::Alone;
        }
        let efa = || row.spec.as_ref().is_some_and(|spec| Traits::of(spec).efa);
        if judged.kind == Some(WorkKind::Training) && (cluster(row).is_some() || efa()) {
            Self::One(size)
        } else {
            Self::Perhaps(size)
        }
    }

    /// How many times as often as one instance its work is interrupted.
    pub fn times(self) -> f64 {
        match self {
            Self::Alone | Self::Perhaps(_) => 1.0,
            Self::One(size) => f64::from(size),
        }
    }
}
