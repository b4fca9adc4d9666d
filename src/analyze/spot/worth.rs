//! What Spot comes to: re-work, restarts and on-demand fallback (Young 1974, Daly 2006), by
//! [`crate::whatif::supply::spot`].

use super::fit::Terms;
use super::rules::{Assumptions, WorkKind};
use crate::whatif::Spot;
use crate::whatif::supply::spot::{SpotCost, cost, overhead_limit};

/// What it is asked of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// USD/h on demand; above 0.
    pub on_demand: f64,
    /// USD/h on Spot.
    pub spot: f64,
    /// Interruptions per hour.
    pub per_hour: f64,
    /// What an interruption costs.
    pub kind: WorkKind,
}

/// What Spot comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    /// Hours between checkpoints; `None` where none are written.
    pub checkpoint_every: Option<f64>,
    /// Part of the time that is work kept, at most 1; may be negative.
    pub efficiency: f64,
    /// USD per useful hour on Spot; `None` where nothing is ever finished.
    pub on_spot: Option<f64>,
    /// USD per useful hour with the hours without Spot on demand; never above on demand.
    pub blended: f64,
    /// Extra hours over useful ones; `None` where nothing is ever finished.
    pub overhead: Option<f64>,
    /// The overhead from which Spot costs what on demand does; ≤ 0 where it is dearer as it is.
    pub limit: f64,
    /// Interruptions per hour from which it does; `None` where it is dearer without any.
    pub bears_per_hour: Option<f64>,
}

impl Worth {
    /// True where Spot is cheaper per useful hour: overhead below d ÷ (1 − d).
    pub fn pays(&self) -> bool {
        self.overhead.is_some_and(|overhead| overhead < self.limit)
    }
}

pub(super) fn worth(ask: &Ask, terms: &Terms, assume: &Assumptions) -> Worth {
    let (write, interval) = match ask.kind {
        WorkKind::Batch => (0.0, Some(assume.job_hours)),
        WorkKind::Serving => (0.0, Some(0.0)),
        _ => (terms.checkpoint_hours.value, None),
    };
    let restart = terms.restart_hours.value;
    let spot = Spot {
        share: 1.0,
        price: ask.spot,
        availability: terms.availability.value.clamp(0.0, 1.0),
        interruptions_per_hour: ask.per_hour,
        checkpoint_hours: write,
        interval_hours: interval,
        restart_hours: restart,
    };
    let SpotCost { interval_hours, efficiency, effective, blended, list_discount, .. } =
        cost(&spot, ask.on_demand);
    Worth {
        checkpoint_every: interval_hours.filter(|hours| interval.is_none() && *hours > 0.0),
        efficiency,
        on_spot: effective,
        blended,
        overhead: (efficiency > 0.0).then(|| 1.0 / efficiency - 1.0),
        limit: overhead_limit(list_discount),
        bears_per_hour: (list_discount > 0.0)
            .then(|| bears(list_discount, write, interval, restart))
            .filter(|per_hour| per_hour.is_finite()),
    }
}

/// Interruptions per hour at which the part of the time that is lost equals the discount d, so that
/// s ÷ (1 − d) = p. At the best interval √(2 w λ) + λ R is lost, at a fixed one λ (τ ÷ 2 + R).
fn bears(discount: f64, write: f64, interval: Option<f64>, restart: f64) -> f64 {
    if let Some(interval) = interval {
        return discount / (interval / 2.0 + restart);
    }
    let half = (2.0 * write).sqrt();
    let root = if restart > 0.0 {
        (-half + (2.0 * write + 4.0 * restart * discount).sqrt()) / (2.0 * restart)
    } else {
        discount / half
    };
    root * root
}
