//! The load-duration curve of a series of hours: what a commitment of any size would have cost, in
//! O(log hours), and which size would have been best.
//!
//! With demand dₜ, commitment c, on-demand price p and committed rate r over H hours:
//! cost(c) = r·c·H + p·L(c), where L(c) = Σ max(dₜ − c, 0). It is convex; its slope to the right is
//! r·H − p·N(c), where N(c) counts the hours above c. So the best c is the smallest with
//! N(c)/H ≤ r/p: the quantile of demand at 1 − r/p.

/// Hours of demand, sorted, with sums.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadDuration {
    /// Units, ascending.
    sorted: Vec<f64>,
    /// `above[i]` = sum of `sorted[i..]`; one longer than `sorted`.
    above: Vec<f64>,
}

impl LoadDuration {
    /// Curve of these hours, in units each; `NaN` (not known) is left out. `None` without any known hour.
    pub fn new(hours: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = hours.into_iter().filter(|units| !units.is_nan()).collect();
        if sorted.is_empty() {
            return None;
        }
        sorted.sort_unstable_by(f64::total_cmp);
        let mut above = vec![0.0; sorted.len() + 1];
        for at in (0..sorted.len()).rev() {
            above[at] = above[at + 1] + sorted[at];
        }
        Some(Self { sorted, above })
    }

    /// Number of known hours, at least 1.
    pub fn hours(&self) -> usize {
        self.sorted.len()
    }

    /// Unit-hours of all demand.
    pub fn total(&self) -> f64 {
        self.above[0]
    }

    /// Units of the hour with the most.
    pub fn peak(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// Units of all known hours, ascending.
    pub fn ascending(&self) -> &[f64] {
        &self.sorted
    }

    /// N(c): hours in which more than `units` run.
    pub fn hours_above(&self, units: f64) -> usize {
        self.sorted.len() - self.sorted.partition_point(|&d| d <= units)
    }

    /// L(c): unit-hours above `units`.
    pub fn above(&self, units: f64) -> f64 {
        let from = self.sorted.partition_point(|&d| d <= units);
        let hours = (self.sorted.len() - from) as f64;
        (self.above[from] - hours * units).max(0.0)
    }

    /// USD for `units` committed at `rate`, used or not, and the rest at `on_demand`; both USD per unit and
    /// hour.
    pub fn cost(&self, units: f64, on_demand: f64, rate: f64) -> f64 {
        rate * units * self.hours() as f64 + on_demand * self.above(units)
    }

    /// USD for all demand at `on_demand` USD per unit and hour.
    pub fn on_demand_cost(&self, on_demand: f64) -> f64 {
        on_demand * self.total()
    }

    /// Effective savings rate of a commitment: 1 − cost ÷ on-demand cost. Below 0 = a loss. `None`
    /// where on-demand would cost nothing.
    pub fn esr(&self, units: f64, on_demand: f64, rate: f64) -> Option<f64> {
        let all = self.on_demand_cost(on_demand);
        (all > 0.0).then(|| 1.0 - self.cost(units, on_demand, rate) / all)
    }

    /// Share of the demand's unit-hours that `units` committed would cover, 0–1; `None` without demand.
    pub fn coverage(&self, units: f64) -> Option<f64> {
        (self.total() > 0.0).then(|| 1.0 - self.above(units) / self.total())
    }

    /// Share of `units` committed unit-hours that would be used, 0–1; `None` without a commitment.
    pub fn utilisation(&self, units: f64) -> Option<f64> {
        let committed = units * self.hours() as f64;
        (committed > 0.0).then(|| (self.total() - self.above(units)) / committed)
    }

    /// Part of the hours in which unit number `slot` (1 = the first) runs, 0–1: worth committing
    /// where it is at least the break-even.
    #[cfg(test)]
    pub fn slot_utilisation(&self, slot: f64) -> f64 {
        let below = slot.ceil() - 1.0;
        self.hours_above(below) as f64 / self.hours() as f64
    }

    /// The commitment of lowest cost, in units: the smallest c with N(c)/H ≤ rate ÷ on-demand. 0 where the rate
    /// is not below on-demand.
    pub fn optimum(&self, on_demand: f64, rate: f64) -> f64 {
        let hours = self.hours();
        // More than 0 and not a number: a rate of 0 asks for the peak.
        let share = rate / on_demand;
        if !(0.0..1.0).contains(&share) {
            return 0.0;
        }
        // The tolerance keeps 0.63 × 100 hours at 63.
        let allowed = (hours as f64 * share * (1.0 + 1e-12)).floor() as usize;
        self.sorted[hours - 1 - allowed.min(hours - 1)].max(0.0)
    }

    /// The cheapest commitment in whole units; the smaller of two that cost the same.
    #[cfg(test)]
    pub fn optimum_whole(&self, on_demand: f64, rate: f64) -> f64 {
        let best = self.optimum(on_demand, rate);
        let (low, high) = (best.floor(), best.ceil());
        // Convex: the best whole number lies beside the best real one.
        let cheaper = self.cost(low, on_demand, rate) <= self.cost(high, on_demand, rate);
        if cheaper { low } else { high }
    }
}

/// Share of the hours that a unit must run to pay, from 0 on: rate ÷ on-demand. `None` where on-demand costs
/// nothing.
pub fn break_even(on_demand: f64, rate: f64) -> Option<f64> {
    (on_demand > 0.0 && rate >= 0.0).then(|| rate / on_demand)
}

#[cfg(test)]
mod tests;
