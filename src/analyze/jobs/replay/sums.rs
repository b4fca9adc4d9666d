//! What a rule would have saved and cost.

use super::history::{History, Outcome, Tried};
use crate::analyze::jobs::lost::Amount;
use crate::domain::bill::Usd;
use crate::domain::jobs::GpuTime;

/// What a rule would have saved and cost. Dollars are of attempts with a price; the others are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplaySums {
    /// Attempts that would have gone otherwise.
    pub attempts: u32,
    /// Those of them that would have lost less, and the members of sweeps that might have been stopped early.
    pub spared: u32,
    /// Those of them that completed.
    pub completed: u32,
    /// GPU time that would not have been lost.
    pub saved: GpuTime,
    /// The same in dollars.
    pub saved_usd: Usd,
    /// GPU time that it would have cost.
    pub cost: GpuTime,
    /// The same in dollars.
    pub cost_usd: Usd,
    /// Attempts of them that cost something known.
    pub priced: u32,
    /// Attempts of them without a known price.
    pub unpriced: u32,
    /// Attempts of them of which what was lost, and so what is saved, is an upper bound.
    pub upper_bounds: u32,
}

impl ReplaySums {
    /// Dollars that would not have been lost; `None` where nothing has a price.
    pub fn saved_usd_known(&self) -> Option<Usd> {
        self.known(self.saved_usd)
    }

    /// A sum of dollars; `None` where no attempt that cost something has a price.
    pub(super) fn known(&self, usd: Usd) -> Option<Usd> {
        (self.priced > 0 || self.unpriced == 0).then_some(usd)
    }
}

/// Sums by the key of the rows.
pub(super) struct ByKey(Vec<ReplaySums>);

impl ByKey {
    /// Nothing yet.
    pub fn of(history: &History) -> Self {
        Self(vec![ReplaySums::default(); history.keys.len()])
    }

    /// In the order of the keys.
    pub fn sums(&self) -> &[ReplaySums] {
        &self.0
    }

    /// Adds an attempt that would have gone otherwise, if it counts.
    pub fn add(&mut self, of: &Tried, saved: Amount, cost: Amount) {
        let Some(sums) = self.0.get_mut(of.key as usize).filter(|_| of.counts) else { return };
        let is = |is: bool| u32::from(is);
        let time = |amount: Amount| amount.gpu_time.unwrap_or_default();
        let usd = |amount: Amount| amount.usd.unwrap_or_default();
        let is_spared = !time(saved).is_zero() || !usd(saved).is_zero();
        sums.attempts += 1;
        sums.spared += is(is_spared);
        sums.completed += is(of.outcome == Outcome::Completed);
        sums.saved += time(saved);
        sums.saved_usd += usd(saved);
        sums.cost += time(cost);
        sums.cost_usd += usd(cost);
        let price = of.held().usd;
        sums.priced += is(price.is_some_and(|usd| !usd.is_zero()));
        sums.unpriced += is(price.is_none());
        sums.upper_bounds += is(is_spared && of.is_upper_bound);
    }
}
