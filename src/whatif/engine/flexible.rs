//! Compute Savings Plans: dollars per hour over all families, used or lost within the hour.
//!
//! After the families' own commitments, each hour's usage is charged to the plans in AWS's order:
//! the highest discount first, ties to the lower rate. What a plan covers costs its rate; spot then
//! takes what is left of its part, on-demand the rest. There is no table for this: every hour of
//! every path is visited.

use super::schedule::{PlanSchedule, Schedule};

/// A rate of a plan for a family.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rate {
    plan: usize,
    family: usize,
    usd: f64,
}

/// A family in one stretch of hours: what is paid, and what is in the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms {
    /// USD per unit and hour on demand.
    pub(super) on_demand: f64,
    /// USD per unit and hour on Spot, the part without Spot bought on demand.
    pub(super) spot: f64,
    /// Part of the demand that can run on spot.
    pub(super) spot_share: f64,
    /// Units committed or reserved.
    pub(super) level: f64,
    /// Units of reserved capacity that no commitment covers: usage in each hour.
    pub(super) reserved: f64,
}

/// The order of a week's plans.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    rates: Vec<Rate>,
    /// USD per hour of each plan; 0 outside its term.
    usd_per_hour: Vec<f64>,
}

/// Effect of Compute Savings Plans in a stretch of hours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Relief {
    /// USD that the rest costs less, what the plans cost not taken off.
    pub(super) saved: f64,
    /// USD of the plans that were used.
    pub(super) used: f64,
    /// Usage covered, USD at on-demand prices.
    pub(super) covered: f64,
}

impl Relief {
    pub(super) fn add(&mut self, other: Self) {
        self.saved += other.saved;
        self.used += other.used;
        self.covered += other.covered;
    }

    pub(super) fn divide(&mut self, by: f64) {
        self.saved /= by;
        self.used /= by;
        self.covered /= by;
    }
}

impl Order {
    /// The plans of a week: who comes first depends on the on-demand prices.
    pub(super) fn of(plans: &[PlanSchedule], on_demand: &[Option<f64>], week: usize) -> Self {
        let mut rates = Vec::new();
        let runs = |plan: &PlanSchedule| (plan.from..plan.to).contains(&week);
        for (at, plan) in plans.iter().enumerate().filter(|(_, plan)| runs(plan)) {
            let known = plan.rates.iter().zip(on_demand).enumerate();
            rates.extend(known.filter_map(|(family, (rate, price))| {
                price.and(rate.map(|usd| Rate { plan: at, family, usd }))
            }));
        }
        let paid = |rate: &Rate| rate.usd / on_demand[rate.family].unwrap_or(0.0);
        rates.sort_by(|a, b| paid(a).total_cmp(&paid(b)).then(a.usd.total_cmp(&b.usd)));
        let usd = |plan: &PlanSchedule| if runs(plan) { plan.usd_per_hour } else { 0.0 };
        Self { rates, usd_per_hour: plans.iter().map(usd).collect() }
    }

    /// True where no plan has a rate for any family with a price.
    pub(super) fn is_empty(&self) -> bool {
        self.rates.is_empty()
    }

    /// Charges the hours of a stretch. `demand[family]` is each family's demand by hour, equally many
    /// for all; `room` is scratch.
    pub(super) fn relief(&self, terms: &[Terms], demand: &[Vec<f64>], room: &mut Room) -> Relief {
        let mut relief = Relief::default();
        if self.is_empty() {
            return relief;
        }
        room.fit(self, terms, demand);
        for rate in &self.rates {
            let (left, usage) = (&mut room.left[rate.plan], &mut room.usage[rate.family]);
            let mut used = 0.0;
            for (left, usage) in left.iter_mut().zip(usage) {
                let charged = (*usage * rate.usd).min(*left);
                *left -= charged;
                *usage -= charged / rate.usd;
                used += charged;
            }
            relief.used += used;
            relief.covered += used / rate.usd * terms[rate.family].on_demand;
        }
        for ((terms, demand), (before, after)) in
            terms.iter().zip(demand).zip(room.before.iter().zip(&room.usage))
        {
            let dearer = terms.on_demand - terms.spot;
            let (mut covered, mut displaced) = (0.0, 0.0);
            for ((demand, before), after) in demand.iter().zip(before).zip(after) {
                let spot = (terms.spot_share * demand).min((demand - terms.level).max(0.0));
                covered += before - after;
                displaced += spot - spot.min(*after);
            }
            relief.saved += terms.on_demand * covered - dearer * displaced;
        }
        relief
    }
}

/// Scratch for the hours of one stretch, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    left: Vec<Vec<f64>>,
    before: Vec<Vec<f64>>,
    usage: Vec<Vec<f64>>,
}

impl Room {
    fn fit(&mut self, order: &Order, terms: &[Terms], demand: &[Vec<f64>]) {
        let hours = demand.first().map_or(0, Vec::len);
        self.left.resize_with(order.usd_per_hour.len(), Vec::new);
        for (left, usd) in self.left.iter_mut().zip(&order.usd_per_hour) {
            left.clear();
            left.resize(hours, *usd);
        }
        self.before.resize_with(terms.len(), Vec::new);
        for ((before, terms), demand) in self.before.iter_mut().zip(terms).zip(demand) {
            before.clear();
            let usage = |units: &f64| (units - terms.level).max(0.0) + terms.reserved;
            before.extend(demand.iter().map(usage));
        }
        self.usage.clone_from(&self.before);
    }
}

/// Each family's terms in a week.
pub(super) fn terms(schedule: &Schedule, week: usize) -> Vec<Terms> {
    let families = schedule.families.iter();
    families
        .map(|family| Terms {
            on_demand: family.demand[week].on_demand,
            spot: family.supply[week].spot.min(family.demand[week].on_demand),
            spot_share: family.spot_share,
            level: family.supply[week].level(),
            reserved: family.supply[week].reserved_alone(),
        })
        .collect()
}

/// Each family's on-demand price in a week; `None` where not known.
pub(super) fn prices(schedule: &Schedule, week: usize) -> Vec<Option<f64>> {
    let families = schedule.families.iter();
    families.map(|f| f.priced.then(|| f.demand[week].on_demand)).collect()
}
