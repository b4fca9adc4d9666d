//! What commitments paid for over the hours, added up.

use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{Commitment, CommitmentKind, Commits, Holdings};
use crate::fleet::commitments::{Applied, Applier, block_usd_per_hour};

/// What an instance-hour is, where a commitment pays for one type alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Types {
    /// Nothing yet.
    #[default]
    None,
    /// One type, and its on-demand price.
    One(Arc<str>, Option<f64>),
    /// Several.
    Mixed,
}

/// One commitment over the hours in which it was in force.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Hours in which it was in force.
    pub hours: u32,
    /// What it held in those hours: instance-hours, or USD of a plan.
    pub held: f64,
    /// Part of `held` that was used, in the same unit.
    pub used: f64,
    /// Amount paid, USD; `None` when not known.
    pub paid: Option<f64>,
    /// Instance-hours that it covered.
    pub units: f64,
    /// On-demand price of the covered instance-hours, USD; `None` when one is not known.
    pub on_demand: Option<f64>,
    /// Instance types of the covered instance-hours.
    pub types: Types,
}

/// What a commitment holds in an hour: instance-hours, or USD of a plan. `None` for what is not
/// applied to instances.
pub(super) fn holds(item: &Commitment) -> Option<f64> {
    match &item.commits {
        Commits::Reserved(reserved) => Some(f64::from(reserved.count)),
        Commits::Capacity(capacity) => Some(f64::from(capacity.total)),
        Commits::Plan(plan) => {
            matches!(item.kind(), CommitmentKind::ComputePlan | CommitmentKind::Ec2InstancePlan)
                .then_some(plan.usd_per_hour)
        }
    }
}

impl Tally {
    fn hour(&mut self, holds: f64, paid: Option<f64>) {
        if self.hours == 0 {
            (self.paid, self.on_demand) = (Some(0.0), Some(0.0));
        }
        self.hours += 1;
        self.held += holds;
        self.paid = self.paid.zip(paid).map(|(a, b)| a + b);
    }

    fn cover(&mut self, of: &Arc<str>, price: Option<f64>, units: f64) {
        self.units += units;
        self.on_demand = self.on_demand.zip(price).map(|(sum, price)| sum + units * price);
        match &self.types {
            Types::None => self.types = Types::One(of.clone(), price),
            Types::One(one, _) if one == of => {}
            _ => self.types = Types::Mixed,
        }
    }

    /// Share of the held hours or dollars that was used, 0–1; `None` when nothing was held.
    pub(super) fn utilisation(&self) -> Option<f64> {
        (self.held > 0.0).then(|| (self.used / self.held).clamp(0.0, 1.0))
    }
}

/// So much of the instance-hours may have no price before shares of the rest say nothing.
const UNPRICED: f64 = 0.05;

/// All of it, and the sums over usage.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    pub items: Vec<Tally>,
    pub hours: u32,
    /// On-demand price of usage that something covered, and of all usage, USD.
    pub covered: f64,
    pub usage: f64,
    /// What reservations and plans cost, and usage that nothing covers, USD.
    pub committed: f64,
    pub open: f64,
    /// Instance-hours of all usage, and of usage without an on-demand price.
    pub units: f64,
    pub unpriced: f64,
    /// True while no commitment pays for usage without a price, and all that was paid is known.
    pub all_covered_priced: bool,
    pub all_paid_known: bool,
}

impl Tallies {
    /// On-demand price of all usage, USD, for shares of it; `None` where a share would be none: without
    /// any, where commitments pay for usage whose price is not known, or too much of it has none.
    pub(super) fn priced_usage(&self) -> Option<f64> {
        let little = self.unpriced <= UNPRICED * self.units;
        Some(self.usage).filter(|usd| *usd > 0.0 && self.all_covered_priced && little)
    }

    pub(super) fn new(items: usize) -> Self {
        Self {
            items: vec![Tally::default(); items],
            all_covered_priced: true,
            all_paid_known: true,
            ..Self::default()
        }
    }

    /// Adds an hour. `in_force` says of each commitment whether it was, `blocks` of each Capacity
    /// Block how many instances ran in it and what one costs on demand.
    pub(super) fn add(
        &mut self,
        applier: &Applier,
        applied: &Applied,
        holdings: &Holdings,
        in_force: &[bool],
        blocks: impl Fn(usize) -> (f64, Option<f64>),
    ) {
        self.hours += 1;
        let mut room = vec![None; holdings.items.len()];
        applier.rooms().for_each(|(meter, item)| room[item] = Some(meter));
        for (place, item) in holdings.items.iter().enumerate().filter(|(place, _)| in_force[*place])
        {
            let Some(holds) = holds(item) else { continue };
            let tally = &mut self.items[place];
            match &item.commits {
                Commits::Reserved(reserved) => {
                    let paid = reserved.usd_per_hour.map(|usd| holds * usd);
                    tally.hour(holds, paid);
                    self.all_paid_known &= paid.is_some();
                    self.committed += paid.unwrap_or(0.0);
                }
                Commits::Plan(_) => {
                    tally.hour(holds, Some(holds));
                    self.committed += holds;
                }
                Commits::Capacity(capacity) => {
                    if let Some(meter) = room[place] {
                        let price = applier.prices()[meter];
                        tally.hour(holds, price.map(|price| holds * price));
                        let used = (holds - applied.units[meter]).max(0.0);
                        tally.used += used;
                        tally.cover(&capacity.instance_type, price, used);
                    } else {
                        tally.hour(holds, block_usd_per_hour(item));
                        let (used, price) = blocks(place);
                        let used = used.clamp(0.0, holds);
                        tally.used += used;
                        tally.cover(&capacity.instance_type, price, used);
                    }
                }
            }
        }
        for step in &applied.covered {
            let tally = &mut self.items[step.commitment];
            tally.used += step.taken;
            let price = applier.prices()[step.meter];
            tally.cover(&applier.meters()[step.meter].instance_type, price, step.units);
            self.all_covered_priced &= price.is_some();
            self.covered += step.units * price.unwrap_or(0.0);
        }
        for ((units, open), price) in
            applied.units.iter().zip(&applied.on_demand_units).zip(applier.prices())
        {
            self.units += units;
            self.unpriced += if price.is_none() { *units } else { 0.0 };
            let price = price.unwrap_or(0.0);
            self.usage += units * price;
            self.open += open * price;
        }
    }
}

/// True for each commitment, by index in [`Holdings::items`], that is in force at `at`.
pub(super) fn in_force(holdings: &Holdings, at: Timestamp, now: Timestamp) -> Vec<bool> {
    let was = |item: &Arc<Commitment>| crate::fleet::commitments::was_in_force(item, at, now);
    holdings.items.iter().map(was).collect()
}
