//! What a future costs above the best that could have been done in it, had it been known: the best
//! whole number of units of the offer that the slider moves, all else as it is. A search by halves
//! for each path, since the cost is convex.

use super::super::{Answer, HOURS_PER_WEEK, Workers};
use super::draws::{CHUNK, each};
use super::kernel::{self, Extra};
use super::{Engine, offers};

impl Engine {
    /// Regret of a family by future of the last valuation, USD, from 0 on. `None` without a price or an offer
    /// to move, and for a valuation of the history.
    pub fn regrets(&self, family: usize, workers: &dyn Workers) -> Option<Vec<f64>> {
        let inputs = self.scenario.families.get(family)?;
        let mine = self.schedule.families.get(family).filter(|schedule| schedule.priced)?;
        let offer = &inputs.offers[offers::moved_offer(inputs)?];
        let rate = offer.rate?;
        let mut others = inputs.clone();
        let slider = others.buys.iter_mut().filter(|buy| buy.week == 0 && buy.offer == offer.name);
        slider.for_each(|buy| buy.units = 0.0);
        let others = mine.supplied_by(&others).ok()?;
        let weeks = usize::from(offer.weeks).min(others.supply.len());
        let paid = others.supply.iter().map(|week| week.fixed).sum::<f64>();
        let price = rate * (weeks * HOURS_PER_WEEK) as f64;
        let costs = &self.family_costs(family)?.costs;
        if self.of_history {
            return None;
        }
        let tables = &self.families[family].tables;
        // Reserved capacity is usage as well: a commitment may cover all of it.
        let reserved = others.supply.iter().map(|week| week.reserved).fold(0.0, f64::max);
        let regrets = each(workers, costs.len().div_ceil(CHUNK), |chunk| {
            let costs = &costs[chunk * CHUNK..costs.len().min((chunk + 1) * CHUNK)];
            let part = self.part(family, chunk, costs.len());
            let usd = |units: &[f64]| -> Vec<f64> {
                let extra = Extra { units, weeks };
                let mut usd = kernel::with_extra(&others, tables, part, extra);
                usd.iter_mut().zip(units).for_each(|(usd, units)| *usd += paid + units * price);
                usd
            };
            let peak = kernel::peak(&others, tables, part) / (1.0 - mine.spot_share).max(1e-3);
            let best = usd(&best(peak.max(reserved), self.step(family), &usd, costs.len()));
            costs.iter().zip(best).map(|(cost, best)| (cost - best).max(0.0)).collect::<Vec<_>>()
        });
        Some(regrets.concat())
    }

    /// Sets the mean regret of each family, and their sum, in an answer of the last valuation.
    pub fn fill_regret(&self, answer: &mut Answer, workers: &dyn Workers) {
        let mut total = None;
        for (at, family) in answer.families.iter_mut().enumerate() {
            let Some(family) = family else { continue };
            let Some(regrets) = self.regrets(at, workers) else { continue };
            let usd = super::mean(&regrets);
            family.value.regret_usd = Some(usd);
            total = Some(total.unwrap_or(0.0) + usd);
        }
        answer.total.regret_usd = total;
    }
}

/// For each path the first whole number of units `step` more of which cost more than they save.
fn best(peak: f64, step: f64, usd: &impl Fn(&[f64]) -> Vec<f64>, paths: usize) -> Vec<f64> {
    let most = peak.ceil().max(0.0);
    let (mut low, mut high) = (vec![0.0; paths], vec![most; paths]);
    while low.iter().zip(&high).any(|(low, high)| low < high) {
        let mid: Vec<f64> =
            low.iter().zip(&high).map(|(low, high)| f64::midpoint(*low, *high).floor()).collect();
        let more: Vec<f64> = mid.iter().map(|units| units + step).collect();
        let (here, beyond) = (usd(&mid), usd(&more));
        for path in 0..paths {
            if low[path] >= high[path] {
                continue;
            }
            if beyond[path] >= here[path] {
                high[path] = mid[path];
            } else {
                low[path] = mid[path] + 1.0;
            }
        }
    }
    low
}
