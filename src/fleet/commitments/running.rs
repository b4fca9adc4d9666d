//! What runs now, metered under the commitments in force: made once, asked often.

use std::sync::Arc;

use jiff::Timestamp;

use super::apply::Applier;
use super::meter::Meter;
use super::size;
use crate::domain::{
    Commitment, Commits, FastMap, FastSet, Holdings, Instance, NetUnknown, PlanType, SavingsPlan,
    Scope,
};
use crate::fleet::prices::PriceBook;

/// Running instances as meters under the commitments in force, for many queries about one moment: what a stop or
/// another type would save.
#[derive(Clone, Debug)]
pub struct Running {
    applier: Applier,
    units: Vec<f64>,
    by_instance: FastMap<Arc<str>, usize>,
    by_meter: FastMap<Meter, usize>,
    unknown: Vec<Option<NetUnknown>>,
    bill_usd: f64,
    on_demand_usd: f64,
}

impl Running {
    /// Meters the running instances. `also` adds meters of types that nothing runs as yet, to which a query may move
    /// usage.
    pub fn new(
        instances: &[Arc<Instance>],
        also: impl IntoIterator<Item = Meter>,
        holdings: &Holdings,
        prices: &PriceBook,
        at: Timestamp,
    ) -> Self {
        let mut meters: Vec<Meter> = Vec::new();
        let mut units: Vec<f64> = Vec::new();
        let mut by_meter: FastMap<Meter, usize> = FastMap::default();
        let mut by_instance = FastMap::default();
        let mut place_of = |meter: Meter, count: f64| {
            let place = *by_meter.entry(meter).or_insert_with_key(|meter| {
                meters.push(meter.clone());
                units.push(0.0);
                units.len() - 1
            });
            units[place] += count;
            place
        };
        for instance in instances.iter().filter(|i| i.state.is_billed()) {
            if let Some(meter) = Meter::of(instance) {
                by_instance.insert(instance.id.clone(), place_of(meter, 1.0));
            }
        }
        for meter in also {
            place_of(meter, 0.0);
        }
        let applier =
            Applier::new(meters, holdings, prices, at).with_room_used_elsewhere(&units, holdings);
        let unknown = unknown(&applier, &units, holdings, at);
        let bill_usd = applier.total_usd(&units);
        let on_demand_usd = applier.on_demand_usd(&units);
        Self { applier, units, by_instance, by_meter, unknown, bill_usd, on_demand_usd }
    }

    /// The meters and commitments.
    pub fn applier(&self) -> &Applier {
        &self.applier
    }

    /// Number of running instances of each meter.
    pub fn units(&self) -> &[f64] {
        &self.units
    }

    /// Meter of a running on-demand instance by its id; `None` for instances that no commitment covers.
    pub fn meter_of(&self, instance: &str) -> Option<usize> {
        self.by_instance.get(instance).copied()
    }

    /// Place of a meter; `None` when nothing runs under it and it was not in `also`.
    pub fn place_of(&self, meter: &Meter) -> Option<usize> {
        self.by_meter.get(meter).copied()
    }

    /// Why the net cost of a meter is unknown; `None` when it is known.
    pub fn unknown(&self, meter: usize) -> Option<&NetUnknown> {
        self.unknown.get(meter)?.as_ref()
    }

    /// The bill of on-demand usage and commitments, USD/h.
    pub fn bill_usd(&self) -> f64 {
        self.bill_usd
    }

    /// Decrease of the bill for a change of running instances (`change`: place of the meter, instances added), USD/h;
    /// negative when the bill grows.
    pub fn saves_usd(&self, change: &[(usize, f64)]) -> f64 {
        let mut units = self.units.clone();
        for (meter, more) in change {
            if let Some(units) = units.get_mut(*meter) {
                *units = (*units + more).max(0.0);
            }
        }
        // Commitments cost the same before and after.
        let saves = self.on_demand_usd - self.applier.on_demand_usd(&units);
        // What rounding leaves is nothing.
        if saves.abs() <= 1e-9 * self.on_demand_usd.max(1.0) { 0.0 } else { saves }
    }
}

/// Why the net of each meter is not known: its own commitments or price are not, or those of what it
/// shares commitments with. A plan that pays for it would serve another first, if one knew better.
fn unknown(
    applier: &Applier,
    units: &[f64],
    holdings: &Holdings,
    at: Timestamp,
) -> Vec<Option<NetUnknown>> {
    let meters = applier.meters();
    let mut by_scope: FastMap<&Scope, Option<NetUnknown>> = FastMap::default();
    let mut unread = |scope| {
        let ask = || holdings.unknown(scope).cloned().map(NetUnknown::Unread);
        by_scope.entry(scope).or_insert_with(ask).clone()
    };
    let held: FastSet<&str> = holdings.items.iter().map(|item| &*item.id).collect();
    let mut doubt = Doubt::new(meters.len());
    let mut alone: Vec<Option<NetUnknown>> = Vec::with_capacity(meters.len());
    for (place, (meter, price)) in meters.iter().zip(applier.prices()).enumerate() {
        let unread = unread(&meter.scope);
        // What does not run takes nothing from others; behind the given ones stands room, which does.
        if units.get(place).is_none_or(|units| *units > 0.0) {
            match (&unread, price) {
                (Some(why), _) => doubt.seed(place, why),
                (None, None) => {
                    let instance_type = meter.instance_type.clone();
                    let region = meter.scope.region.clone();
                    doubt.seed(place, &NetUnknown::OnDemandPriceOf { instance_type, region });
                }
                (None, Some(_)) => {}
            }
        }
        // The account that holds it pays for the room that a stop leaves, and is not read.
        let elsewhere = || {
            let id = meter.reservation.as_ref().filter(|id| !held.contains(&***id))?;
            Some(NetUnknown::ForeignCapacity(id.clone()))
        };
        let priceless = || price.is_none().then_some(NetUnknown::OnDemandPrice);
        alone.push(unread.or_else(priceless).or_else(elsewhere));
    }
    rates_unknown(applier, holdings, at, &mut doubt);
    doubt.spread(applier);
    alone.into_iter().zip(doubt.meters).map(|(alone, shared)| alone.or(shared)).collect()
}

/// Reasons why the net of a meter or the use of a commitment is not known.
struct Doubt {
    meters: Vec<Option<NetUnknown>>,
    commitments: FastMap<usize, NetUnknown>,
}

impl Doubt {
    fn new(meters: usize) -> Self {
        Self { meters: vec![None; meters], commitments: FastMap::default() }
    }

    fn seed(&mut self, meter: usize, why: &NetUnknown) {
        self.meters[meter].get_or_insert_with(|| why.clone());
    }

    /// From what is in doubt to all that shares commitments with it.
    fn spread(&mut self, applier: &Applier) {
        let mut more = self.meters.iter().any(Option::is_some);
        while std::mem::take(&mut more) {
            applier.edges(|meter, commitment| {
                match (&self.meters[meter], self.commitments.get(&commitment)) {
                    (Some(why), None) => {
                        self.commitments.insert(commitment, why.clone());
                        more = true;
                    }
                    (None, Some(why)) => {
                        self.meters[meter] = Some(why.clone());
                        more = true;
                    }
                    _ => {}
                }
            });
        }
    }
}

/// A plan whose rates could not be read pays for nobody knows what: all that it reaches is in doubt.
fn rates_unknown(applier: &Applier, holdings: &Holdings, at: Timestamp, doubt: &mut Doubt) {
    for (item, plan) in blind_plans(holdings, at) {
        let why = NetUnknown::Rates { kind: item.kind(), id: item.id.clone() };
        for (place, meter) in applier.meters().iter().enumerate() {
            let reaches = holdings.beneficiary(&item.account, &meter.scope.account).is_some()
                && (plan.plan_type == PlanType::Compute
                    || (plan.region.as_ref().is_none_or(|r| *r == meter.scope.region)
                        && (plan.family.as_ref())
                            .is_none_or(|f| **f == *size::family(&meter.instance_type))));
            if reaches {
                doubt.seed(place, &why);
            }
        }
    }
}

/// Savings Plans in force whose rates for instances are unknown.
pub fn blind_plans(
    holdings: &Holdings,
    at: Timestamp,
) -> impl Iterator<Item = (&Commitment, &SavingsPlan)> {
    let held = holdings.items.iter().filter(move |item| item.is_in_force(at));
    held.filter_map(|item| match &item.commits {
        Commits::Plan(plan)
            if !plan.rates_known
                && matches!(plan.plan_type, PlanType::Compute | PlanType::Ec2Instance) =>
        {
            Some((&**item, plan))
        }
        _ => None,
    })
}

/// Savings Plans whose use is uncertain because rates of a plan are unknown: that plan, and others that could pay for
/// the same usage. Places in [`Holdings::items`].
pub fn uncertain_plans(applier: &Applier, holdings: &Holdings, at: Timestamp) -> FastSet<usize> {
    let mut doubt = Doubt::new(applier.meters().len());
    rates_unknown(applier, holdings, at, &mut doubt);
    doubt.spread(applier);
    let mut uncertain: FastSet<usize> = doubt.commitments.into_keys().collect();
    uncertain.retain(|item| matches!(holdings.items[*item].commits, Commits::Plan(_)));
    for (place, item) in holdings.items.iter().enumerate() {
        if matches!(&item.commits, Commits::Plan(plan) if !plan.rates_known) {
            uncertain.insert(place);
        }
    }
    uncertain
}
