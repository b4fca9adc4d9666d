//! The exact portfolio in hindsight over several tiers and terms.
//!
//! Cost is separable over slots (slot k is in use in the hours in which more than k units run), so
//! each slot chooses for itself the cheapest of: a long commitment, the shorter ones that lie in
//! the same time, or paying by use. Terms begin at the first hour and follow each other, and each
//! divides the next longer one, so the choices form a tree of periods. The further a slot is up,
//! the less it runs; so a period's commitment is worth it up to one level and never above, and that
//! level is found by bisection. It is the solution of the linear program of the same question.

use super::tiers::{Portfolio, PortfolioError, Tier, TierKind, TierUse, Units};
use super::usage::Usage;

/// The portfolio of lowest cost for these hours (`NaN` = not known: free in any tier).
///
/// Of equal choices the one with fewer commitments; of commitments with the same term only the cheapest is
/// used, the first of equals. Fails unless exactly one tier serves everything by the hour, rates and shares are
/// in range, and terms divide each other.
pub fn portfolio(hours: &[f64], tiers: &[Tier], units: Units) -> Result<Portfolio, PortfolioError> {
    let by_use = by_use(tiers)?;
    let levels = levels(hours.len(), tiers)?;
    let leaf_hours = levels.last().map_or(hours.len(), |level| level.hours).max(1);
    let leaves: Vec<Usage> = hours.chunks(leaf_hours).map(Usage::new).collect();
    let tree = Tree { by_use: &by_use, levels: &levels, leaves: &leaves, leaf_hours, units };
    let mut bought: Vec<Vec<f64>> = levels.iter().map(|_| Vec::new()).collect();
    let mut committed = vec![0.0; leaves.len()];
    if let Some(top) = levels.first() {
        for period in 0..hours.len().div_ceil(top.hours) {
            tree.buy(0, period, 0.0, &mut bought, &mut committed);
        }
    }
    Ok(tree.sum(tiers, &bought, &committed))
}

/// A tier by use, in the order in which demand is served: the cheapest last, for the part that the
/// dearer ones need not serve.
struct ByUse {
    tier: usize,
    rate: f64,
    /// This part of each hour's demand can go to cheaper tiers only, or to this one.
    from: f64,
    /// And with this one, this part.
    to: f64,
}

fn by_use(tiers: &[Tier]) -> Result<Vec<ByUse>, PortfolioError> {
    let mut found = Vec::new();
    for (tier, Tier { name, rate, kind }) in tiers.iter().enumerate() {
        if !(*rate > 0.0 && rate.is_finite()) {
            return Err(PortfolioError::Rate { name: name.clone(), rate: *rate });
        }
        match kind {
            TierKind::Usage { share } if !(0.0..=1.0).contains(share) => {
                return Err(PortfolioError::Share { name: name.clone(), share: *share });
            }
            TierKind::Usage { share } => {
                found.push(ByUse { tier, rate: *rate, from: 0.0, to: *share });
            }
            TierKind::Commitment { term_hours: 0 } => {
                return Err(PortfolioError::Term { name: name.clone() });
            }
            TierKind::Commitment { .. } => {}
        }
    }
    let count = found.iter().filter(|tier| tier.to >= 1.0).count();
    if count != 1 {
        return Err(PortfolioError::OnDemand { count });
    }
    found.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let mut served = 0.0_f64;
    for tier in &mut found {
        tier.from = served;
        tier.to = tier.to.max(served);
        served = tier.to;
    }
    Ok(found)
}

/// Commitments of one term.
struct Level {
    hours: usize,
    tier: usize,
    rate: f64,
}

/// The cheapest commitment of each term, longest first.
fn levels(hours: usize, tiers: &[Tier]) -> Result<Vec<Level>, PortfolioError> {
    let mut levels: Vec<Level> = Vec::new();
    for (tier, Tier { rate, kind, .. }) in tiers.iter().enumerate() {
        if let TierKind::Commitment { term_hours } = kind {
            let term = (*term_hours).min(hours.max(1));
            match levels.iter_mut().find(|level| level.hours == term) {
                Some(level) if level.rate <= *rate => {}
                Some(level) => *level = Level { hours: term, tier, rate: *rate },
                None => levels.push(Level { hours: term, tier, rate: *rate }),
            }
        }
    }
    levels.sort_by_key(|level| std::cmp::Reverse(level.hours));
    for pair in levels.windows(2) {
        let [longer, shorter] = [pair[0].hours, pair[1].hours];
        // All periods fit into the one that is as long as the series.
        if longer < hours && !longer.is_multiple_of(shorter) {
            return Err(PortfolioError::Nested { longer, shorter });
        }
    }
    Ok(levels)
}

struct Tree<'a> {
    by_use: &'a [ByUse],
    levels: &'a [Level],
    leaves: &'a [Usage],
    leaf_hours: usize,
    units: Units,
}

impl Tree<'_> {
    /// Leaves of a period.
    fn within(&self, level: usize, period: usize) -> std::ops::Range<usize> {
        let per = self.levels[level].hours.div_ceil(self.leaf_hours);
        (period * per).min(self.leaves.len())..((period + 1) * per).min(self.leaves.len())
    }

    /// Buys for a period what is worth it above `below` units that longer terms cover.
    fn buy(
        &self,
        level: usize,
        period: usize,
        below: f64,
        bought: &mut [Vec<f64>],
        committed: &mut [f64],
    ) {
        let leaves = self.within(level, period);
        let upto = self.worth(level, period).max(below);
        bought[level].push(upto - below);
        for units in &mut committed[leaves.clone()] {
            *units = upto;
        }
        if level + 1 < self.levels.len() {
            let per = self.levels[level + 1].hours.div_ceil(self.leaf_hours);
            for child in leaves.start / per..leaves.end.div_ceil(per) {
                self.buy(level + 1, child, upto, bought, committed);
            }
        }
    }

    /// The level up to which the period's own commitment beats what lies within it.
    fn worth(&self, level: usize, period: usize) -> f64 {
        let leaves = self.within(level, period);
        let hours: usize = self.leaves[leaves.clone()].iter().map(Usage::hours).sum();
        let price = self.levels[level].rate * hours as f64;
        let pays = |slot: f64| self.cheaper(level, period, slot) > price * (1.0 + 1e-12);
        let peak = self.leaves[leaves.clone()].iter().map(Usage::peak).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0_f64, peak.ceil());
        if !pays(0.0) {
            return 0.0;
        }
        // `low` pays; `high` does not.
        match self.units {
            Units::Whole => {
                while high - low > 1.0 {
                    let middle = f64::midpoint(low, high).floor();
                    if pays(middle) { low = middle } else { high = middle }
                }
                // The slot that begins at `low` is the last that pays.
                low + 1.0
            }
            Units::Parts => {
                for _ in 0..40 {
                    let middle = f64::midpoint(low, high);
                    if pays(middle) { low = middle } else { high = middle }
                }
                // Use changes only at the demand of an hour, or the part of it that some tier
                // cannot serve: the next such level is the exact one.
                loop {
                    let next = self.next_change(leaves.clone(), low);
                    if next >= high {
                        return if next.is_finite() { next } else { high };
                    }
                    if !pays(next) {
                        return next;
                    }
                    low = next;
                }
            }
        }
    }

    /// USD of a slot in a period, without the period's own commitment.
    fn cheaper(&self, level: usize, period: usize, slot: f64) -> f64 {
        let leaves = self.within(level, period);
        if level + 1 == self.levels.len() {
            return leaves.map(|leaf| self.use_cost(&self.leaves[leaf], slot)).sum();
        }
        let next = &self.levels[level + 1];
        let per = next.hours.div_ceil(self.leaf_hours);
        let mut sum = 0.0;
        for child in leaves.start / per..leaves.end.div_ceil(per) {
            let hours: usize =
                self.leaves[self.within(level + 1, child)].iter().map(Usage::hours).sum();
            sum += (next.rate * hours as f64).min(self.cheaper(level + 1, child, slot));
        }
        sum
    }

    /// USD by use of the slot that begins at this level: an infinitely thin one, or a whole unit.
    fn use_cost(&self, leaf: &Usage, slot: f64) -> f64 {
        match self.units {
            Units::Parts => self
                .by_use
                .iter()
                .map(|tier| {
                    // The same product as in `next_change`, so that rounding agrees.
                    let hours = |part: f64| {
                        let sorted = leaf.sorted();
                        let below = sorted.partition_point(|u| u * (1.0 - part) <= slot);
                        (sorted.len() - below) as f64
                    };
                    tier.rate * (hours(tier.from) - hours(tier.to))
                })
                .sum(),
            Units::Whole => self
                .by_use
                .iter()
                .map(|tier| tier.rate * (served(leaf, tier, slot) - served(leaf, tier, slot + 1.0)))
                .sum(),
        }
    }

    /// The next level above `low` at which some hour's use of a slot changes; infinite when none.
    fn next_change(&self, leaves: std::ops::Range<usize>, low: f64) -> f64 {
        let mut next = f64::INFINITY;
        for leaf in &self.leaves[leaves] {
            for tier in self.by_use {
                let left = 1.0 - tier.from;
                if left > 0.0 {
                    let at = leaf.sorted().partition_point(|units| units * left <= low);
                    if let Some(units) = leaf.sorted().get(at) {
                        next = next.min(units * left);
                    }
                }
            }
        }
        next
    }

    fn sum(&self, tiers: &[Tier], bought: &[Vec<f64>], committed: &[f64]) -> Portfolio {
        let hours: usize = self.leaves.iter().map(Usage::hours).sum();
        let mut uses: Vec<TierUse> = tiers
            .iter()
            .map(|tier| TierUse {
                name: tier.name.clone(),
                units: 0.0,
                periods: Vec::new(),
                unit_hours: 0.0,
                cost_usd: 0.0,
            })
            .collect();
        let mut held = 0.0;
        for (at, (level, periods)) in self.levels.iter().zip(bought).enumerate() {
            let paid = |(period, units): (usize, &f64)| {
                let leaves = &self.leaves[self.within(at, period)];
                units * leaves.iter().map(Usage::hours).sum::<usize>() as f64
            };
            let entry = &mut uses[level.tier];
            entry.unit_hours = periods.iter().enumerate().map(paid).sum();
            entry.cost_usd = level.rate * entry.unit_hours;
            entry.units = periods.iter().copied().fold(0.0, f64::max);
            entry.periods.clone_from(periods);
            held += entry.unit_hours;
        }
        for tier in self.by_use {
            let entry = &mut uses[tier.tier];
            let leaves = self.leaves.iter().zip(committed);
            entry.unit_hours = leaves.map(|(leaf, units)| served(leaf, tier, *units)).sum();
            entry.cost_usd = tier.rate * entry.unit_hours;
            entry.units = if hours == 0 { 0.0 } else { entry.unit_hours / hours as f64 };
        }
        let demand: f64 = self.leaves.iter().map(Usage::total).sum();
        let open: f64 =
            self.leaves.iter().zip(committed).map(|(leaf, units)| leaf.units_above(*units)).sum();
        let on_demand = self.by_use.iter().find(|tier| tiers_all(tiers, tier.tier));
        let on_demand_usd = on_demand.map_or(0.0, |tier| tier.rate) * demand;
        let cost_usd = uses.iter().map(|tier| tier.cost_usd).sum();
        Portfolio {
            tiers: uses,
            cost_usd,
            on_demand_usd,
            esr: (demand > 0.0).then(|| 1.0 - cost_usd / on_demand_usd),
            coverage: (demand > 0.0).then(|| (demand - open) / demand),
            utilisation: (held > 0.0).then(|| (demand - open) / held),
        }
    }
}

fn tiers_all(tiers: &[Tier], at: usize) -> bool {
    matches!(tiers[at].kind, TierKind::Usage { share } if share >= 1.0)
}

/// Unit-hours of a tier by use, beyond `committed` units.
fn served(leaf: &Usage, tier: &ByUse, committed: f64) -> f64 {
    // (left × d − C)+ summed = left × L(C ÷ left).
    let above = |part: f64| match 1.0 - part {
        left if left > 0.0 => left * leaf.units_above(committed / left),
        _ => 0.0,
    };
    above(tier.from) - above(tier.to)
}

#[cfg(test)]
mod tests;
