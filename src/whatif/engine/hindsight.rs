//! The history itself: what a scenario's commitments would have cost over the hours that are known.
//!
//! No future, so no growth, drift, shock, steps or price cuts: what is held or bought is taken as if
//! it had run through all of the history, and spot as if it had been there. Exact.

use super::super::supply::spot;
use super::super::{
    Answer, CostPoint, CurvePicture, FamilyAnswer, FamilyInputs, FanWeek, HOURS_PER_WEEK, Lists,
    LoadDuration, OfferAnswer, OfferKind, Stage, Valuation,
};
use super::flexible::{Order, Relief, Room, Terms};
use super::money;
use super::schedule::{Obligation, PlanSchedule, Schedule};
use super::{Engine, EngineError, offers};

/// Points of a load-duration curve.
pub(super) const CURVE_POINTS: usize = 101;

/// A family over the history.
struct Past {
    curve: LoadDuration,
    terms: Terms,
    fixed: f64,
    cost: f64,
    on_demand: f64,
}

impl Engine {
    /// Values the scenario over the history.
    pub(super) fn hindsight(&mut self) -> Result<Answer, EngineError> {
        let scenario = &self.scenario;
        let hours = self.demand.hours();
        let mut pasts = Vec::with_capacity(scenario.families.len());
        for inputs in &scenario.families {
            pasts.push(self.past(inputs)?);
        }
        let families = pasts.iter().zip(&scenario.families);
        let families: Vec<Option<FamilyAnswer>> = families
            .enumerate()
            .map(|(at, (past, inputs))| {
                let past = past.as_ref()?;
                Some(self.past_answer(at, past, inputs))
            })
            .collect();
        let (relief, paid) = self.past_relief(&pasts);
        let mut total = Valuation::default();
        let known: Vec<&Past> = pasts.iter().flatten().collect();
        let cost = known.iter().map(|past| past.cost).sum::<f64>() + paid - relief.saved;
        let on_demand = known.iter().map(|past| past.on_demand).sum::<f64>();
        exact(&mut total, cost, on_demand);
        total.commit = families.iter().flatten().map(|family| family.value.commit).sum();
        total.fixed_usd = known.iter().map(|past| past.fixed).sum::<f64>() + paid;
        let covered: f64 = known
            .iter()
            .map(|p| (p.curve.total() - p.curve.above(p.terms.level)) * p.terms.on_demand)
            .sum();
        total.coverage =
            (on_demand > 0.0).then(|| ((covered + relief.covered) / on_demand).clamp(0.0, 1.0));
        let used: f64 = families
            .iter()
            .flatten()
            .map(|family| family.value.fixed_usd * family.value.utilisation.unwrap_or(0.0))
            .sum();
        total.utilisation = (total.fixed_usd > 0.0)
            .then(|| ((used + relief.used) / total.fixed_usd).clamp(0.0, 1.0));
        let due = self.schedule.all_obligations();
        total.lock_in_months = money::lock_in(due, 0);
        (self.costs, self.on_demand) = (vec![cost], vec![on_demand]);
        self.of_history = true;
        for (state, past) in self.families.iter_mut().zip(&pasts) {
            if let Some(past) = past {
                state.paths.costs = vec![past.cost];
                state.paths.on_demand = vec![past.on_demand];
                state.paths.fixed_usd = past.fixed;
            }
        }
        Ok(Answer {
            stage: Stage::Settled,
            paths: 0,
            weeks: u16::try_from(hours / HOURS_PER_WEEK).unwrap_or(u16::MAX),
            total,
            families,
            lists: Lists::default(),
            advised: None,
            tornado: Vec::new(),
            calendar: Vec::new(),
        })
    }

    /// What a family has, all of it all the time; `None` without a price.
    fn past(&self, inputs: &FamilyInputs) -> Result<Option<Past>, EngineError> {
        let Some(on_demand) = inputs.on_demand else { return Ok(None) };
        let family = self.demand.family(&inputs.name);
        let curve = family.and_then(|family| LoadDuration::new(family.known()));
        let Some(curve) = curve else {
            return Err(EngineError::NoHours { family: inputs.name.clone() });
        };
        let mut committed: f64 = inputs.held.iter().map(|held| held.units).sum();
        let mut rate: f64 = inputs.held.iter().map(|held| held.units * held.rate).sum();
        let mut reserved = 0.0;
        for buy in inputs.buys.iter().filter(|buy| buy.units != 0.0) {
            // That the offer is there and has a rate was seen when the schedule was made.
            let Some(offer) = inputs.offers.iter().find(|offer| offer.name == buy.offer) else {
                continue;
            };
            if offer.kind == OfferKind::CapacityReservation {
                reserved += buy.units;
            } else {
                committed += buy.units;
                rate += buy.units * offer.rate.unwrap_or(0.0);
            }
        }
        let alone = (reserved - committed).max(0.0);
        let spot = inputs.spot.map_or(on_demand, |s| spot::cost(&s, on_demand).blended);
        let terms = Terms {
            on_demand,
            spot: spot.min(on_demand),
            spot_share: inputs.spot.map_or(0.0, |spot| spot.share),
            level: committed.max(reserved),
            reserved: alone,
        };
        let fixed = (rate + alone * on_demand) * curve.hours() as f64;
        let cost = fixed + variable(&curve, &terms, terms.level);
        let all = curve.on_demand_cost(on_demand);
        Ok(Some(Past { curve, terms, fixed, cost, on_demand: all }))
    }

    fn past_answer(&self, at: usize, past: &Past, inputs: &FamilyInputs) -> FamilyAnswer {
        let Past { curve, terms, fixed, .. } = past;
        let mut value = Valuation::default();
        exact(&mut value, past.cost, past.on_demand);
        let reserved_only = terms.reserved > 0.0;
        let committed = if reserved_only { terms.level - terms.reserved } else { terms.level };
        value.commit = committed;
        value.fixed_usd = *fixed;
        value.unit_hours = curve.total();
        value.coverage = curve.coverage(terms.level);
        value.utilisation = curve.utilisation(terms.level);
        value.lock_in_months = money::lock_in(self.schedule.families[at].obligations.iter(), 0);
        let held: f64 = inputs.held.iter().map(|held| held.units).sum();
        let best = |rate: f64| best_units(curve, terms, held, rate);
        let offers: Vec<OfferAnswer> = offers::answers(inputs, |offer| Some(best(offer.rate?)));
        let optima = offers::optima(&offers);
        let moved = offers::moved_offer(inputs).map(|at| &inputs.offers[at]);
        let costs = moved.and_then(|offer| Some((offer, offer.rate?))).map(|(offer, rate)| {
            let bought = offers::bought(inputs, &offer.name);
            let others = committed - bought;
            let rest = fixed - bought * rate * curve.hours() as f64;
            let levels = offers::levels(curve.peak(), &[bought, best(rate)]);
            let point = |units: &f64| {
                let cost = rest
                    + units * rate * curve.hours() as f64
                    + variable(curve, terms, (others + units).max(terms.level - committed));
                CostPoint {
                    commit: *units,
                    mean_usd: cost,
                    p5_usd: cost,
                    p95_usd: cost,
                    worst5_savings_usd: past.on_demand - cost,
                }
            };
            levels.iter().map(point).collect()
        });
        FamilyAnswer {
            value,
            curve: picture(curve, committed, optima),
            fan: self.past_weeks(inputs, committed),
            costs: costs.unwrap_or_default(),
            payback: None,
            offers,
        }
    }

    /// Mean demand by week of the history; weeks without any known hour repeat nothing and are 0.
    fn past_weeks(&self, inputs: &FamilyInputs, committed: f64) -> Vec<FanWeek> {
        let Some(family) = self.demand.family(&inputs.name) else { return Vec::new() };
        let weeks = family.hours.chunks_exact(HOURS_PER_WEEK);
        let mean = |week: &[f64]| LoadDuration::new(week.iter().copied());
        weeks
            .map(|week| mean(week).map_or(0.0, |curve| curve.total() / curve.hours() as f64))
            .map(|mean| FanWeek { p5: mean, p50: mean, p95: mean, committed })
            .collect()
    }

    /// Cost and effect of the Compute Savings Plans in the hours that all families know.
    fn past_relief(&self, pasts: &[Option<Past>]) -> (Relief, f64) {
        let whole: Vec<PlanSchedule> = self
            .schedule
            .plans
            .iter()
            .map(|plan| PlanSchedule { from: 0, to: 1, ..plan.clone() })
            .collect();
        let families: Vec<&[f64]> = self
            .scenario
            .families
            .iter()
            .map(|inputs| self.demand.family(&inputs.name).map_or(&[][..], |f| &f.hours))
            .collect();
        let known: Vec<usize> = (0..self.demand.hours())
            .filter(|&hour| families.iter().all(|hours| !hours[hour].is_nan()))
            .collect();
        let demand: Vec<Vec<f64>> =
            families.iter().map(|hours| known.iter().map(|&h| hours[h]).collect()).collect();
        let prices: Vec<Option<f64>> =
            pasts.iter().map(|past| past.as_ref().map(|past| past.terms.on_demand)).collect();
        let terms: Vec<Terms> =
            pasts.iter().map(|past| past.as_ref().map_or(Terms::default(), |p| p.terms)).collect();
        let order = Order::of(&whole, &prices, 0);
        let relief = order.relief(&terms, &demand, &mut Room::default());
        let per_hour: f64 = whole.iter().map(|plan| plan.usd_per_hour).sum();
        (relief, per_hour * known.len() as f64)
    }
}

/// USD beyond what is fixed, with `level` units committed: on-demand above them, and spot for its
/// part.
fn variable(curve: &LoadDuration, terms: &Terms, level: f64) -> f64 {
    let above = curve.above(level);
    let kept = 1.0 - terms.spot_share;
    let dear = if kept > 0.0 { kept * curve.above(level / kept) } else { 0.0 };
    terms.spot * above + (terms.on_demand - terms.spot) * dear
}

/// Whole units of one more commitment beside `held` with the lowest cost: the first that saves less
/// than it costs.
fn best_units(curve: &LoadDuration, terms: &Terms, held: f64, rate: f64) -> f64 {
    let per_hour = rate * curve.hours() as f64;
    let adds = |units: f64| {
        variable(curve, terms, held + units + 1.0) + per_hour - variable(curve, terms, held + units)
    };
    offers::first_whole(curve.peak() / (1.0 - terms.spot_share).max(1e-3), |units| {
        adds(units) >= 0.0
    })
}

/// One certain future.
fn exact(value: &mut Valuation, cost: f64, on_demand: f64) {
    super::stats::fill(value, &[cost], &[on_demand]);
    value.npv_usd = cost;
}

/// The curve of hours that are certain.
fn picture(curve: &LoadDuration, committed: f64, optima: Vec<(usize, f64)>) -> CurvePicture {
    let hours = curve.ascending();
    let last = hours.len() - 1;
    let units = (0..CURVE_POINTS).map(|at| {
        let part = at as f64 / (CURVE_POINTS - 1) as f64;
        hours[last - (part * last as f64).round() as usize]
    });
    let units: Vec<f64> = units.collect();
    CurvePicture { low: units.clone(), high: units.clone(), units, committed, optima }
}

/// The obligations of a scenario, the plans' last.
impl Schedule {
    pub(super) fn all_obligations(&self) -> impl Iterator<Item = &Obligation> {
        let families = self.families.iter().filter(|f| f.priced).flat_map(|f| &f.obligations);
        families.chain(self.plans.iter().map(|plan| &plan.obligation))
    }
}
