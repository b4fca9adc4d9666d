//! A scenario as numbers per week: what of it does not depend on the draw.
//!
//! Demand of family i in week k and hour h is max(0, aᵢₖ + sᵢₖ·g·Σⱼ wᵢⱼ·xⱼₕ), where g is the path's
//! factor of family i, x the base week drawn, s growth and scaling, a the launches, and w which
//! families' hours it is made of: its own, and after a move those of the family that moved, too.
//!
//! - Growth is (1 + growth)^((k+1)/52): the week that ends after 52 weeks is `growth` above today.
//! - Steps hold from their week on, in the order of their weeks, then of families and of the list.
//!   A launch does not grow; a scaling takes the launches before it along.
//! - A moved part takes the hours' shape along, at the level that it is expected to have in the week
//!   of the move; from then on it grows and varies with the family it joined. With the same growth
//!   and a common g this is exact.
//! - Demand never falls below 0; a move shares out demand as it is before that limit.

use std::ops::Range;

use super::super::supply::spot;
use super::super::{
    FamilyInputs, HOURS_PER_WEEK, OfferKind, Payment, PlanRate, Scenario, StepKind, WEEKS_PER_YEAR,
};
use super::EngineError;

/// A family's demand in one week.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WeekDemand {
    /// Factor of the base week, growth and steps.
    pub(super) scale: f64,
    /// Units added.
    pub(super) shift: f64,
    /// Index of the mixture of families' hours.
    pub(super) mixture: usize,
    /// USD per unit and hour on demand; 0 where not known.
    pub(super) on_demand: f64,
}

/// Supply of a family in one week.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WeekSupply {
    /// Units committed.
    pub(super) committed: f64,
    /// Units of capacity reserved at the on-demand price.
    pub(super) reserved: f64,
    /// USD of the week for what is committed.
    pub(super) fixed: f64,
    /// USD per unit and hour of spot, what it lacks bought on demand.
    pub(super) spot: f64,
}

impl WeekSupply {
    /// Units that are paid whether used or not. Reserved capacity is usage for the bill, so that a
    /// commitment covers it: max(d, O) above C is (O − C)⁺ for certain and d above max(C, O).
    pub(super) fn level(&self) -> f64 {
        self.committed.max(self.reserved)
    }

    /// Units of reserved capacity that no commitment covers.
    pub(super) fn reserved_alone(&self) -> f64 {
        (self.reserved - self.committed).max(0.0)
    }
}

/// A dated obligation, for cash and lock-in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Obligation {
    /// Its first week within the scenario.
    pub(super) from: usize,
    /// The week after its last, which may lie behind the scenario's end.
    pub(super) to: usize,
    /// USD per week, amortised.
    pub(super) weekly: f64,
    /// How it is paid; what is held is by the month.
    pub(super) payment: Payment,
}

/// A family by week.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FamilySchedule {
    pub(super) demand: Vec<WeekDemand>,
    pub(super) supply: Vec<WeekSupply>,
    /// Part of the demand that can run on spot, 0–1.
    pub(super) spot_share: f64,
    /// Mixtures: weights by family, the first of them the family's own hours alone.
    pub(super) mixtures: Vec<Vec<f64>>,
    pub(super) obligations: Vec<Obligation>,
    /// False without an on-demand price.
    pub(super) priced: bool,
}

/// A Compute Savings Plan by week.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlanSchedule {
    /// USD per hour while it runs.
    pub(super) usd_per_hour: f64,
    pub(super) from: usize,
    pub(super) to: usize,
    /// USD per unit and hour by family; `None` where not covered.
    pub(super) rates: Vec<Option<f64>>,
    pub(super) obligation: Obligation,
}

/// All of a scenario by week.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Schedule {
    pub(super) weeks: usize,
    pub(super) families: Vec<FamilySchedule>,
    pub(super) plans: Vec<PlanSchedule>,
}

impl Schedule {
    pub(super) fn new(scenario: &Scenario) -> Result<Self, EngineError> {
        let weeks = usize::from(scenario.future.weeks);
        let demands = demands(scenario, weeks);
        let mut families = Vec::with_capacity(demands.len());
        for ((demand, mixtures), inputs) in demands.into_iter().zip(&scenario.families) {
            let (supply, obligations) = supply(inputs, &demand, weeks)?;
            families.push(FamilySchedule {
                demand,
                supply,
                mixtures,
                obligations,
                spot_share: inputs.spot.map_or(0.0, |spot| spot.share),
                priced: inputs.on_demand.is_some(),
            });
        }
        Ok(Self { weeks, families, plans: plans(scenario, weeks) })
    }
}

impl FamilySchedule {
    /// The same demand with the supply of other inputs. Err for inputs that cannot be valued.
    pub(super) fn supplied_by(&self, inputs: &FamilyInputs) -> Result<Self, EngineError> {
        let (supply, obligations) = supply(inputs, &self.demand, self.demand.len())?;
        Ok(Self { supply, obligations, ..self.clone() })
    }

    /// With so many units more in some weeks, at this rate.
    pub(super) fn with(&self, units: f64, rate: f64, weeks: Range<usize>) -> Self {
        let mut more = self.clone();
        for week in &mut more.supply[weeks] {
            week.committed += units;
            week.fixed += units * rate * HOURS_PER_WEEK as f64;
        }
        more
    }
}

/// The mean growth of a family up to the end of a week.
fn grown(inputs: &FamilyInputs, week: usize) -> f64 {
    (1.0 + inputs.growth).powf((week + 1) as f64 / WEEKS_PER_YEAR)
}

/// Effect of the steps so far on a family: weights of all families' hours, units added.
struct State {
    weights: Vec<f64>,
    shift: f64,
}

/// Each family's demand by week and the mixtures it needs.
fn demands(scenario: &Scenario, weeks: usize) -> Vec<(Vec<WeekDemand>, Vec<Vec<f64>>)> {
    let count = scenario.families.len();
    let own = |i: usize| (0..count).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    let mut states: Vec<State> =
        (0..count).map(|i| State { weights: own(i), shift: 0.0 }).collect();
    let mut made: Vec<(Vec<WeekDemand>, Vec<Vec<f64>>)> =
        (0..count).map(|i| (Vec::with_capacity(weeks), vec![own(i)])).collect();
    for week in 0..weeks {
        for (i, inputs) in scenario.families.iter().enumerate() {
            for step in inputs.steps.iter().filter(|step| usize::from(step.week) == week) {
                apply(scenario, &mut states, i, week, &step.kind);
            }
        }
        for (i, inputs) in scenario.families.iter().enumerate() {
            let (demand, mixtures) = &mut made[i];
            let (level, mixture) = mixture_of(&states[i].weights, i, mixtures);
            let cut = inputs.price_cut.filter(|cut| usize::from(cut.week) <= week);
            let price = inputs.on_demand.unwrap_or(0.0) * (1.0 - cut.map_or(0.0, |cut| cut.share));
            demand.push(WeekDemand {
                scale: grown(inputs, week) * level,
                shift: states[i].shift,
                mixture,
                on_demand: price,
            });
        }
    }
    made
}

fn apply(scenario: &Scenario, states: &mut [State], i: usize, week: usize, kind: &StepKind) {
    match kind {
        StepKind::Launch { units } => states[i].shift += units,
        StepKind::Scale { factor } => scale(&mut states[i], *factor),
        StepKind::Move { share, to, ratio } => {
            let Some(j) = scenario.families.iter().position(|family| family.name == *to) else {
                return;
            };
            if i == j {
                return;
            }
            let factor = share * ratio;
            let (from, into) = (&scenario.families[i], &scenario.families[j]);
            // The joined family's own growth is taken off, as it is put on again later.
            let level = grown(from, week) / grown(into, week);
            let moved: Vec<f64> = states[i].weights.iter().map(|w| w * factor * level).collect();
            states[j].weights.iter_mut().zip(moved).for_each(|(weight, more)| *weight += more);
            states[j].shift += states[i].shift * factor;
            scale(&mut states[i], 1.0 - share);
        }
    }
}

fn scale(state: &mut State, factor: f64) {
    state.weights.iter_mut().for_each(|weight| *weight *= factor);
    state.shift *= factor;
}

/// Level and index of the mixture that these weights are: they are told apart by their proportions,
/// so that a scaling needs no new table.
fn mixture_of(weights: &[f64], own: usize, mixtures: &mut Vec<Vec<f64>>) -> (f64, usize) {
    let sum: f64 = weights.iter().sum();
    let level = if weights[own] > 0.0 { weights[own] } else { sum };
    if level <= 0.0 {
        return (0.0, 0);
    }
    let wanted: Vec<f64> = weights.iter().map(|weight| weight / level).collect();
    let same = |known: &Vec<f64>| known.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12);
    let at = mixtures.iter().position(same).unwrap_or_else(|| {
        mixtures.push(wanted.clone());
        mixtures.len() - 1
    });
    (level, at)
}

/// Supply of a family by week, and its obligations.
fn supply(
    inputs: &FamilyInputs,
    demand: &[WeekDemand],
    weeks: usize,
) -> Result<(Vec<WeekSupply>, Vec<Obligation>), EngineError> {
    let mut supply = vec![WeekSupply::default(); weeks];
    let mut obligations = Vec::new();
    let mut commit = |units: f64, rate: f64, from: usize, to: usize, payment: Payment| {
        if units == 0.0 || from >= weeks {
            return;
        }
        let weekly = units * rate * HOURS_PER_WEEK as f64;
        for week in &mut supply[from..to.min(weeks)] {
            week.committed += units;
            week.fixed += weekly;
        }
        obligations.push(Obligation { from, to, weekly, payment });
    };
    for held in &inputs.held {
        let to = usize::from(held.weeks_left);
        commit(held.units, held.rate, 0, to, Payment::NoUpfront);
    }
    let mut reserved = Vec::new();
    for buy in inputs.buys.iter().filter(|buy| buy.units != 0.0) {
        let Some(offer) = inputs.offers.iter().find(|offer| offer.name == buy.offer) else {
            let (family, offer) = (inputs.name.clone(), buy.offer.clone());
            return Err(EngineError::UnknownOffer { family, offer });
        };
        let from = usize::from(buy.week);
        let to = from + usize::from(offer.weeks);
        if offer.kind == OfferKind::CapacityReservation {
            reserved.push((buy.units, from, to));
            continue;
        }
        let Some(rate) = offer.rate else {
            let (family, offer) = (inputs.name.clone(), buy.offer.clone());
            return Err(EngineError::NoRate { family, offer });
        };
        commit(buy.units, rate, from, to, offer.payment);
    }
    for (units, from, to) in reserved {
        for week in supply.iter_mut().take(to).skip(from) {
            week.reserved += units;
        }
    }
    for (week, demand) in supply.iter_mut().zip(demand) {
        week.spot = inputs
            .spot
            .map_or(demand.on_demand, |spot| spot::cost(&spot, demand.on_demand).blended);
    }
    Ok((supply, obligations))
}

fn plans(scenario: &Scenario, weeks: usize) -> Vec<PlanSchedule> {
    let rate_of = |rates: &[PlanRate], family: &FamilyInputs| {
        rates.iter().find(|rate| rate.family == family.name).map(|rate| rate.rate)
    };
    let plans = scenario.compute_plans.iter().filter(|plan| plan.usd_per_hour > 0.0);
    plans
        .map(|plan| {
            let from = if plan.held { 0 } else { usize::from(plan.week) };
            let to = from + usize::from(plan.weeks);
            let weekly = plan.usd_per_hour * HOURS_PER_WEEK as f64;
            let payment = if plan.held { Payment::NoUpfront } else { plan.payment };
            PlanSchedule {
                usd_per_hour: plan.usd_per_hour,
                from,
                to,
                rates: scenario.families.iter().map(|f| rate_of(&plan.rates, f)).collect(),
                obligation: Obligation { from, to, weekly, payment },
            }
        })
        .filter(|plan| plan.from < weeks)
        .collect()
}
