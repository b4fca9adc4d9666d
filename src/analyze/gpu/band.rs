//! How good an activity is for its kind of work.

use crate::domain::Workload;

/// Activity from which on inference is Good, 0–1.
pub const GOOD_INFERENCE: f32 = 0.50;

/// A band of activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    /// Most of the money buys nothing.
    Poor,
    /// Usual activity for the kind of work.
    Average,
    /// Well used.
    Good,
    /// As good as it gets.
    Elite,
}

impl Band {
    /// The band of an activity, 0–1. `None` where the kind of work is not known: the same figure is
    /// good for one and average for the other.
    ///
    /// The field's benchmark tables give Poor / Average / Good / Elite as `<20 / 40 / 65 / 85+`%
    /// for training and `<10 / 25 / 50 / 75+`% for inference, which waits for requests: the outer
    /// bands are bounds, the inner ones typical values, and Good begins at its own.
    pub fn of(workload: Workload, activity: f32) -> Option<Self> {
        let (average, good, elite) = match workload {
            Workload::Training => (0.20, 0.65, 0.85),
            Workload::Inference => (0.10, GOOD_INFERENCE, 0.75),
            Workload::Unknown => return None,
        };
        Some(match activity {
            a if a >= elite => Self::Elite,
            a if a >= good => Self::Good,
            a if a >= average => Self::Average,
            _ => Self::Poor,
        })
    }

    /// The name in JSON, CSV and filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poor => "poor",
            Self::Average => "average",
            Self::Good => "good",
            Self::Elite => "elite",
        }
    }

    /// Label on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Poor => "Poor",
            Self::Average => "Average",
            Self::Good => "Good",
            Self::Elite => "Elite",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_differ_by_kind_of_work() {
        use Band::{Average, Elite, Good, Poor};
        for (workload, activity, want) in [
            (Workload::Training, 0.19, Some(Poor)),
            (Workload::Training, 0.40, Some(Average)),
            (Workload::Training, 0.65, Some(Good)),
            (Workload::Training, 0.85, Some(Elite)),
            (Workload::Inference, 0.09, Some(Poor)),
            (Workload::Inference, 0.25, Some(Average)),
            (Workload::Inference, 0.50, Some(Good)),
            (Workload::Inference, 0.75, Some(Elite)),
            (Workload::Unknown, 0.75, None),
        ] {
            assert_eq!(Band::of(workload, activity), want, "{workload:?} {activity}");
        }
    }
}
