//! What Spot comes to: re-work, restarts and on-demand fallback (Young 1974, Daly 2006), by
//! [`crate::whatif::supply::spot`].

use super::fit::Terms;
use super::rules::{Assumptions, WorkKind};
use crate::whatif::Spot;
use crate::whatif::supply::spot::{SpotCost, best_interval, cost, overhead_limit};

/// The longest interval between checkpoints that is advised, hours. The Advisor's bands count the
/// instances taken back within a month, of which many run for hours only, so a quiet band speaks of
/// how long one bears a risk and not of how much work one should put at it.
const LONGEST_INTERVAL: f64 = 4.0;
/// A longer one where writing takes so long that it would be more than this part of the time.
const MOST_WRITING: f64 = 1.0 / 24.0;

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
    /// Hours between them by the interruptions alone, where that is longer than is advised.
    pub shortened_from: Option<f64>,
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
    /// Interruptions per hour from which it does; `None` where it is dearer without any, the time to
    /// write checkpoints included.
    pub bears_per_hour: Option<f64>,
}

impl Worth {
    /// True where Spot is cheaper per useful hour: overhead below d ÷ (1 − d).
    pub fn pays(&self) -> bool {
        self.overhead.is_some_and(|overhead| overhead < self.limit)
    }
}

pub(super) fn worth(ask: &Ask, terms: &Terms, assume: &Assumptions) -> Worth {
    let (write, fixed) = match ask.kind {
        WorkKind::Batch => (0.0, Some(assume.job_hours)),
        WorkKind::Serving => (0.0, Some(0.0)),
        _ => (terms.checkpoint_hours.value, None),
    };
    let longest = LONGEST_INTERVAL.max(write / MOST_WRITING);
    let best = best_interval(write, ask.per_hour).filter(|_| fixed.is_none());
    let restart = terms.restart_hours.value;
    let spot = Spot {
        share: 1.0,
        price: ask.spot,
        availability: terms.availability.value.clamp(0.0, 1.0),
        interruptions_per_hour: ask.per_hour,
        checkpoint_hours: write,
        interval_hours: fixed.or(best.map(|hours| hours.min(longest))),
        restart_hours: restart,
    };
    let SpotCost { interval_hours, efficiency, effective, blended, list_discount, .. } =
        cost(&spot, ask.on_demand);
    Worth {
        checkpoint_every: interval_hours.filter(|hours| fixed.is_none() && *hours > 0.0),
        shortened_from: best.filter(|hours| *hours > longest),
        efficiency,
        on_spot: effective,
        blended,
        overhead: (efficiency > 0.0).then(|| 1.0 / efficiency - 1.0),
        limit: overhead_limit(list_discount),
        bears_per_hour: (list_discount > 0.0)
            .then(|| match fixed {
                Some(interval) => list_discount / (interval / 2.0 + restart),
                None => bears(list_discount, write, longest, restart),
            })
            .filter(|per_hour| per_hour.is_finite() && *per_hour > 0.0),
    }
}

/// Interruptions per hour at which the part of the time that is lost equals the discount d, so that
/// s ÷ (1 − d) = p. At the best interval √(2 w λ) + λ R is lost; where that is longer than the longest
/// T, w ÷ T + λ (T ÷ 2 + R). Not above 0 where writing alone loses more than the discount.
fn bears(discount: f64, write: f64, longest: f64, restart: f64) -> f64 {
    let half = (2.0 * write).sqrt();
    let root = if restart > 0.0 {
        (-half + (2.0 * write + 4.0 * restart * discount).sqrt()) / (2.0 * restart)
    } else {
        discount / half
    };
    let per_hour = root * root;
    if 2.0 * write > per_hour * longest * longest {
        (discount - write / longest) / (longest / 2.0 + restart)
    } else {
        per_hour
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::spot::fit::Given;

    fn trained(per_hour: f64, write: f64) -> Worth {
        let given = |value| Given { value, assumed: false };
        let terms = Terms {
            checkpoint_hours: given(write),
            restart_hours: given(0.25),
            availability: given(1.0),
        };
        let ask = Ask { on_demand: 2.0, spot: 1.0, per_hour, kind: WorkKind::Training };
        worth(&ask, &terms, &Assumptions::default())
    }

    #[test]
    fn checkpoints_are_four_hours_apart_at_most() {
        // √(2 · (1/12) ÷ 0.001) = 12.91 h. At 4 h: 1 − (1/12) ÷ 4 − 0.001 · (2 + 0.25).
        let calm = trained(0.001, 1.0 / 12.0);
        assert_eq!(calm.checkpoint_every, Some(4.0));
        assert!((calm.shortened_from.unwrap() - 12.909_944).abs() < 1e-6);
        assert!((calm.efficiency - (1.0 - 0.020_833_333 - 0.002_25)).abs() < 1e-8);
        // One that takes half an hour may take a 24th of the time: 12 h instead of √(1 ÷ 0.001).
        let slow = trained(0.001, 0.5);
        assert_eq!(slow.checkpoint_every, Some(12.0));
        assert!((slow.shortened_from.unwrap() - 31.622_776_6).abs() < 1e-6);
        // √((1/6) · 24) = 2 h is left as it is.
        let rough = trained(1.0 / 24.0, 1.0 / 12.0);
        assert!((rough.checkpoint_every.unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(rough.shortened_from, None);
    }

    #[test]
    fn what_a_small_discount_bears_counts_the_shorter_interval() {
        // 3% off; writing takes 1/48 of the time at 4 h: (0.03 − 0.0208333) ÷ 2.25.
        assert!((bears(0.03, 1.0 / 12.0, 4.0, 0.25) - 0.004_074_074).abs() < 1e-8);
        // 2% off is less than writing takes.
        assert!(bears(0.02, 1.0 / 12.0, 4.0, 0.25) < 0.0);
    }
}
