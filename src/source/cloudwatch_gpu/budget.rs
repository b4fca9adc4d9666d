//! What reading GPUs from CloudWatch may cost, over all accounts and regions together.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::domain::{Scope, SourceError};
use crate::source::ledger::{BilledApi, Ledger};

/// Shortest time between two sweeps, seconds.
pub const SHORTEST_S: u64 = 300;
/// The longest.
const LONGEST_S: u64 = 86_400;
/// The part of the daily cap that sweeps by themselves may use: hourly metrics take up to a half,
/// and a quarter is left for refreshes by hand and for other processes.
const PART: u64 = 4;

/// Spending plan that all CloudWatch GPU sources share.
#[derive(Debug, Default)]
pub struct Budget {
    /// `None` where calls are free.
    ledger: Option<Ledger>,
    /// Cost of a sweep of each scope, millionths of a dollar.
    sweeps: Mutex<HashMap<Scope, u64>>,
}

impl Budget {
    /// Plan within the cap of `ledger`.
    pub fn new(ledger: Ledger) -> Self {
        Self { ledger: Some(ledger), sweeps: Mutex::default() }
    }

    /// Charges a call before it is made. Err when the ledger refuses.
    pub async fn charge(
        &self,
        api: BilledApi,
        units: u64,
        now: Timestamp,
    ) -> Result<(), SourceError> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        ledger.charge(api, units, now).await.map_err(|refused| refused.error(api.name()))
    }

    /// Stores the number of series that a sweep of `scope` reads.
    pub fn note(&self, scope: &Scope, series: u64) {
        let cost = BilledApi::GetMetricData.cost_micro_usd(series);
        let mut sweeps = self.sweeps.lock().unwrap_or_else(PoisonError::into_inner);
        sweeps.insert(scope.clone(), cost);
    }

    /// Time between two sweeps: five minutes while a day of them fits into its share of the cap, else longer as needed,
    /// at most a day.
    pub fn every(&self) -> Duration {
        let sweeps = self.sweeps.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = sweeps.values().fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        let cap = self.ledger.as_ref().map_or(u64::MAX, Ledger::cap_micro_usd);
        Duration::from_secs(every_s(cost, cap))
    }
}

fn every_s(sweep_micro_usd: u64, cap_micro_usd: u64) -> u64 {
    let part = (cap_micro_usd / PART).max(1);
    let seconds = LONGEST_S.saturating_mul(sweep_micro_usd).div_ceil(part);
    seconds.div_ceil(SHORTEST_S).saturating_mul(SHORTEST_S).clamp(SHORTEST_S, LONGEST_S)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn eight_thousand_gpus_are_read_as_often_as_the_cap_allows() {
        // $0.00001 per series: 8,000 cost 8 cents, 288 times a day $23.
        let sweep = BilledApi::GetMetricData.cost_micro_usd(8_000);
        assert_eq!(sweep, 80_000);
        assert_eq!(every_s(sweep, 100_000_000), 300, "a cap of $100");
        assert_eq!(every_s(sweep, 10_000_000), 2_765_u64.div_ceil(300) * 300, "a cap of $10");
        assert_eq!(every_s(sweep, 0), 86_400);
        assert_eq!(every_s(0, 1_000_000), 300);
        assert_eq!(every_s(sweep, u64::MAX), 300);
    }

    proptest! {
        #[test]
        fn a_day_never_costs_more_than_its_part(cost in 0..1_000_000_u64, cap in 1..1_000_000_000_u64) {
            let every = every_s(cost, cap);
            prop_assert!((300..=86_400).contains(&every) && every.is_multiple_of(300));
            prop_assert!(every == 86_400 || 86_400 * cost / every <= cap / PART + 1);
        }
    }
}
