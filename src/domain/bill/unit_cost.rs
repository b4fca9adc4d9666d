//! What one prediction or run costs by the newest bill, for the views of what runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::month::Month;
use super::words::words;
use crate::domain::Direction;

/// A cost that differs by no more is the same, as a share of what it was.
const LEVEL_WITHIN: f64 = 0.01;

words! {
    /// How sure a unit cost is.
    UnitBound {
        /// It is what one cost.
        Exact = "exact",
        /// One cost at least as much: of some attempts nobody knows the dollars.
        AtLeast = "at_least",
        /// One cost at most as much: there may have been more of what is counted.
        AtMost = "at_most",
        /// Both: nothing is known.
        Unknown = "unknown",
    }
}

impl UnitBound {
    /// True where a cost of `usd` is above `target`; `None` where that is not known.
    pub fn is_above(self, usd: f64, target: f64) -> Option<bool> {
        match (self, usd > target) {
            (Self::Exact, is_above) => Some(is_above),
            (Self::AtLeast, true) => Some(true),
            (Self::AtMost, false) => Some(false),
            _ => None,
        }
    }
}

/// A unit cost in the month of the newest bill, or of the newest jobs, beside as many days of the month before.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitCost {
    /// What one is.
    pub name: Arc<str>,
    /// The month.
    pub period: Month,
    /// Number of its days of which dollars and count are known.
    pub days: usize,
    /// What one cost on these days, US dollars; `None` where nothing was counted.
    pub usd_per_unit: Option<f64>,
    /// How sure that is.
    pub bound: UnitBound,
    /// What one cost on as many days of the month before; `None` where that is not known for sure.
    pub usd_before: Option<f64>,
    /// What one shall cost at most; `None` without a target.
    pub target: Option<f64>,
    /// Why there are no counts; `None` where there are.
    pub no_counts: Option<NoCounts>,
    /// True where dollars and count are those of jobs, false for dollars of the bill.
    pub is_of_jobs: bool,
}

/// Why a unit cost has no counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCounts {
    /// They are asked for by `burntop units` alone: of a server, or of CloudWatch, which bills it.
    NotAsked,
    /// Their file cannot be read.
    Unreadable,
}

impl UnitCost {
    /// Where it is heading, month against month; within a hundredth it is level. `None` without both months, and where this one is
    /// a bound.
    pub fn direction(&self) -> Option<Direction> {
        if self.bound != UnitBound::Exact {
            return None;
        }
        let (now, before) = self.usd_per_unit.zip(self.usd_before.filter(|usd| *usd > 0.0))?;
        Some(match now / before - 1.0 {
            by if by > LEVEL_WITHIN => Direction::Rising,
            by if by < -LEVEL_WITHIN => Direction::Falling,
            _ => Direction::Level,
        })
    }

    /// True where it costs no more than its target, and without one where it falls, which is what is published for costs
    /// per request and per run; `None` where that is not known.
    pub fn is_met(&self) -> Option<bool> {
        match self.target {
            Some(target) => {
                self.bound.is_above(self.usd_per_unit?, target).map(|is_above| !is_above)
            }
            None => self.direction().map(|to| to == Direction::Falling),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_cost_meets_its_target_or_falls() {
        let of = |now: Option<f64>, before: Option<f64>, target: Option<f64>| UnitCost {
            name: "run".into(),
            period: "2026-11".parse().unwrap(),
            days: 3,
            usd_per_unit: now,
            bound: UnitBound::Exact,
            usd_before: before,
            target,
            no_counts: None,
            is_of_jobs: false,
        };
        use Direction::{Falling, Level, Rising};
        let cases = [
            // now, before, target; direction, met
            (Some(0.45), Some(0.40), Some(0.45), Some(Rising), Some(true)),
            (Some(0.46), Some(0.50), Some(0.45), Some(Falling), Some(false)),
            (Some(0.46), Some(0.50), None, Some(Falling), Some(true)),
            (Some(1.009), Some(1.0), None, Some(Level), Some(false)),
            (Some(1.02), Some(1.0), None, Some(Rising), Some(false)),
            (Some(1.0), None, None, None, None),
            (Some(1.0), Some(0.0), None, None, None),
            (None, Some(1.0), Some(2.0), None, None),
        ];
        for (now, before, target, direction, met) in cases {
            let unit = of(now, before, target);
            assert_eq!((unit.direction(), unit.is_met()), (direction, met), "{unit:?}");
        }
    }
}
