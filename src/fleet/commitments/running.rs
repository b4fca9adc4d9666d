//! What runs now, metered under the commitments in force: made once, asked often.

use std::sync::Arc;

use jiff::Timestamp;

use super::apply::Applier;
use super::meter::Meter;
use super::size;
use crate::domain::{Commits, FastMap, FastSet, Holdings, Instance, PlanType, Scope, Unread};
use crate::fleet::PriceBook;

/// The running instances as meters under the commitments in force, for many questions about one
/// moment: what if this stops, what if that becomes another type.
#[derive(Clone, Debug)]
pub struct Running {
    applier: Applier,
    units: Vec<f64>,
    by_instance: FastMap<Arc<str>, usize>,
    by_meter: FastMap<Meter, usize>,
    unknown: Vec<Option<Arc<str>>>,
    bill_usd: f64,
    on_demand_usd: f64,
}

impl Running {
    /// Meters the running instances. `also` are meters that a question may move usage to: types that
    /// nothing of runs yet.
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
        let unknown = unknown(&applier, holdings, at);
        let bill_usd = applier.total_usd(&units);
        let on_demand_usd = applier.on_demand_usd(&units);
        Self { applier, units, by_instance, by_meter, unknown, bill_usd, on_demand_usd }
    }

    /// Meters and commitments.
    pub fn applier(&self) -> &Applier {
        &self.applier
    }

    /// Instances of each meter.
    pub fn units(&self) -> &[f64] {
        &self.units
    }

    /// The meter of a running on-demand instance; `None` for what no commitment covers.
    pub fn meter_of(&self, instance: &str) -> Option<usize> {
        self.by_instance.get(instance).copied()
    }

    /// The place of a meter; `None` when nothing of it runs and it was not asked for.
    pub fn place_of(&self, meter: &Meter) -> Option<usize> {
        self.by_meter.get(meter).copied()
    }

    /// Why the net of a meter is not known, a clause; `None` when it is.
    pub fn unknown(&self, meter: usize) -> Option<&Arc<str>> {
        self.unknown.get(meter)?.as_ref()
    }

    /// The bill of on-demand usage and commitments, USD/h.
    pub fn bill_usd(&self) -> f64 {
        self.bill_usd
    }

    /// What the bill falls by when so many instances come and go (`change`: place of the meter,
    /// instances more), USD/h; negative when it grows.
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

/// The sentence of what could not be read.
fn sentence(unread: &Unread) -> Arc<str> {
    let place = if unread.scope.is_account_wide() {
        unread.scope.account.to_string()
    } else {
        unread.scope.to_string()
    };
    format!("{} of {place}: {}", unread.source.label(), unread.why).into()
}

/// Why the net of each meter is not known.
fn unknown(applier: &Applier, holdings: &Holdings, at: Timestamp) -> Vec<Option<Arc<str>>> {
    let meters = applier.meters();
    let mut by_scope: FastMap<&Scope, Option<Arc<str>>> = FastMap::default();
    let mut unknown: Vec<Option<Arc<str>>> = meters
        .iter()
        .map(|meter| {
            let say = || holdings.unknown(&meter.scope).map(sentence);
            by_scope.entry(&meter.scope).or_insert_with(say).clone()
        })
        .collect();
    rates_unknown(applier, holdings, at, &mut unknown);
    for (unknown, price) in unknown.iter_mut().zip(applier.prices()) {
        if unknown.is_none() && price.is_none() {
            *unknown = Some("its on-demand price is not known".into());
        }
    }
    unknown
}

/// A plan whose rates could not be read pays for nobody knows what: all that it reaches is unknown,
/// and all that other commitments share with that.
fn rates_unknown(
    applier: &Applier,
    holdings: &Holdings,
    at: Timestamp,
    unknown: &mut [Option<Arc<str>>],
) -> FastSet<usize> {
    let mut why: Option<Arc<str>> = None;
    let mut tainted: FastSet<usize> = FastSet::default();
    for item in holdings.items.iter().filter(|item| item.is_in_force(at)) {
        let Commits::Plan(plan) = &item.commits else { continue };
        let covers = matches!(plan.plan_type, PlanType::Compute | PlanType::Ec2Instance);
        if plan.rates_known || !covers {
            continue;
        }
        let why = why.get_or_insert_with(|| {
            format!("rates of {} {} are not known", item.kind().label(), item.id).into()
        });
        for (place, meter) in applier.meters().iter().enumerate() {
            let reaches = (holdings.sharing || meter.scope.account == item.account)
                && (plan.plan_type == PlanType::Compute
                    || (plan.region.as_ref().is_none_or(|r| *r == meter.scope.region)
                        && (plan.family.as_ref())
                            .is_none_or(|f| **f == *size::family(&meter.instance_type))));
            if reaches {
                tainted.insert(place);
                unknown[place].get_or_insert_with(|| why.clone());
            }
        }
    }
    let mut commitments: FastSet<usize> = FastSet::default();
    let Some(why) = why else { return commitments };
    let mut known = 0;
    while known != tainted.len() + commitments.len() {
        known = tainted.len() + commitments.len();
        applier.edges(|meter, commitment| {
            if tainted.contains(&meter) {
                commitments.insert(commitment);
            } else if commitments.contains(&commitment) {
                tainted.insert(meter);
                unknown[meter].get_or_insert_with(|| why.clone());
            }
        });
    }
    commitments
}

/// The Savings Plans whose use is not known because rates of a plan are not: the plan itself, and the
/// others that could pay for the same. By place in [`Holdings::items`].
pub fn uncertain_plans(applier: &Applier, holdings: &Holdings, at: Timestamp) -> FastSet<usize> {
    let mut unknown = vec![None; applier.meters().len()];
    let mut uncertain = rates_unknown(applier, holdings, at, &mut unknown);
    uncertain.retain(|item| matches!(holdings.items[*item].commits, Commits::Plan(_)));
    for (place, item) in holdings.items.iter().enumerate() {
        if matches!(&item.commits, Commits::Plan(plan) if !plan.rates_known) {
            uncertain.insert(place);
        }
    }
    uncertain
}
