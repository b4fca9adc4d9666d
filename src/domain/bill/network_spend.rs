//! What bytes and requests cost on a bill, and what fixes would avoid of it.

use serde::{Deserialize, Serialize};

use super::{Month, Usd};
use crate::domain::storage::{Effort, Risk};

/// Effective cost of bytes on their way and of requests to buckets on one bill. Hours of gateways, endpoints and balancers
/// are not in it: those are known as resources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkSpend {
    /// The period.
    pub period: Month,
    /// Days of the period that the bill tells of, from 1.
    pub days: u8,
    /// Cost, US dollars.
    pub usd: Usd,
    /// Number of paths.
    pub paths: u32,
    /// What fixes avoid of it, US dollars, one entry per kind of fix; none of it twice, and never more than `usd`.
    pub fixes: Vec<NetworkSaving>,
    /// Number of paths with a fix of which the bill does not tell how much it avoids.
    pub unknown: u32,
}

/// What a kind of fix avoids.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkSaving {
    /// What it avoids, US dollars, after its own price.
    pub usd: Usd,
    /// Number of paths.
    pub paths: u32,
    /// Number of these of which it is an upper bound.
    pub bounds: u32,
    /// Effort to carry it out.
    pub effort: Effort,
    /// Possible loss by it.
    pub risk: Risk,
}

impl NetworkSpend {
    /// Several bills of one period added up; `None` without any.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all = all.into_iter();
        let mut sum = all.next()?;
        for other in all {
            sum.days = sum.days.max(other.days);
            sum.usd += other.usd;
            sum.paths += other.paths;
            sum.unknown += other.unknown;
            sum.fixes.extend(other.fixes);
        }
        Some(sum)
    }

    /// Dollars of the bill as a rate over its days, USD/h.
    pub fn per_hour(&self, usd: Usd) -> f64 {
        usd.to_f64() / (f64::from(self.days.max(1)) * 24.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bills_of_a_month_add_up_and_their_dollars_are_a_rate_over_its_days() {
        let of = |usd: i64, days: u8| NetworkSpend {
            period: "2026-10".parse().unwrap(),
            days,
            usd: Usd::whole(usd),
            paths: 2,
            fixes: vec![NetworkSaving {
                usd: Usd::whole(usd / 2),
                paths: 1,
                bounds: 0,
                effort: Effort::Low,
                risk: Risk::Low,
            }],
            unknown: 1,
        };
        let sum = NetworkSpend::sum([of(100, 9), of(140, 10)]).unwrap();
        assert_eq!((sum.usd, sum.days, sum.paths, sum.unknown), (Usd::whole(240), 10, 4, 2));
        assert_eq!(sum.fixes.len(), 2);
        assert!((sum.per_hour(sum.usd) - 1.0).abs() < 1e-12);
        assert_eq!(NetworkSpend::sum([]), None);
    }
}
