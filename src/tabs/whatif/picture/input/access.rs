//! Reading and writing the inputs of a scenario.

use super::Input;
use crate::whatif::{Buy, FamilyInputs, PlanRate, PriceCut, Scenario, Spot, StepKind};

/// A whole number of weeks, futures and so on: what is typed is rounded.
fn whole<N: TryFrom<u64>>(value: f64) -> Option<N> {
    // Limits were kept before: the cast cannot cut.
    N::try_from(value.round().max(0.0) as u64).ok()
}

/// A plan's rate for a family.
pub(super) fn plan_rate(scenario: &Scenario, plan: usize, family: &str) -> Option<f64> {
    scenario.compute_plans.get(plan)?.rates.iter().find(|r| r.family == family).map(|r| r.rate)
}

impl Input {
    /// Value in the scenario; `None` where it is not known or absent.
    pub fn get(self, scenario: &Scenario) -> Option<f64> {
        let future = &scenario.future;
        let family = |at: usize| scenario.families.get(at);
        let spot = |at: usize| family(at)?.spot;
        Some(match self {
            Self::Weeks => f64::from(future.weeks),
            Self::Paths => f64::from(future.paths),
            Self::Seed => future.seed as f64,
            Self::Correlation => future.correlation,
            Self::Wacc => future.wacc,
            Self::Caution => future.caution,
            Self::TopUp => f64::from(future.top_up_weeks),
            Self::OnDemand(f) => return family(f)?.on_demand,
            Self::Growth(f) => family(f)?.growth,
            Self::Drift(f) => family(f)?.drift,
            Self::Shock(f) => family(f)?.shock,
            Self::OfferRate(f, o) => return family(f)?.offers.get(o)?.rate,
            Self::Bought(f, o) => bought(family(f)?, o)?,
            Self::LaterUnits(f, b) => family(f)?.buys.get(b)?.units,
            Self::LaterWeek(f, b) => f64::from(family(f)?.buys.get(b)?.week),
            Self::SpotPrice(f) => spot(f)?.price,
            Self::SpotShare(f) => spot(f)?.share,
            Self::SpotAvailability(f) => spot(f)?.availability,
            Self::SpotInterruptions(f) => spot(f)?.interruptions_per_hour,
            Self::SpotCheckpoint(f) => spot(f)?.checkpoint_hours,
            Self::SpotInterval(f) => return spot(f)?.interval_hours,
            Self::SpotRestart(f) => spot(f)?.restart_hours,
            Self::CutShare(f) => family(f)?.price_cut?.share,
            Self::CutWeek(f) => f64::from(family(f)?.price_cut?.week),
            Self::StepSize(f, s) => match family(f)?.steps.get(s)?.kind {
                StepKind::Launch { units } => units,
                StepKind::Scale { factor } => factor,
                StepKind::Move { share, .. } => share,
            },
            Self::StepWeek(f, s) => f64::from(family(f)?.steps.get(s)?.week),
            Self::StepRatio(f, s) => match family(f)?.steps.get(s)?.kind {
                StepKind::Move { ratio, .. } => ratio,
                StepKind::Launch { .. } | StepKind::Scale { .. } => return None,
            },
            Self::HeldUnits(f, h) => family(f)?.held.get(h)?.units,
            Self::HeldWeeks(f, h) => f64::from(family(f)?.held.get(h)?.weeks_left),
            Self::PlanUsd(p) => scenario.compute_plans.get(p)?.usd_per_hour,
            Self::PlanWeeks(p) => f64::from(scenario.compute_plans.get(p)?.weeks),
            Self::PlanWeek(p) => f64::from(scenario.compute_plans.get(p)?.week),
            Self::PlanRate(p, f) => return plan_rate(scenario, p, &family(f)?.name),
            Self::NewStep(_) | Self::NewBuy(_) | Self::NewPlan => return None,
        })
    }

    /// True where it can be removed.
    pub fn is_optional(self) -> bool {
        matches!(
            self,
            Self::OnDemand(_)
                | Self::OfferRate(..)
                | Self::LaterUnits(..)
                | Self::SpotPrice(_)
                | Self::SpotInterval(_)
                | Self::CutShare(_)
                | Self::StepSize(..)
                | Self::PlanUsd(_)
                | Self::PlanRate(..)
        )
    }

    /// Sets the value, limited to its range; `None` removes it where that is possible. False where nothing was
    /// set.
    pub fn set(self, scenario: &mut Scenario, value: Option<f64>) -> bool {
        match value {
            Some(value) => self.put(scenario, value).is_some(),
            None => self.is_optional() && self.take(scenario).is_some(),
        }
    }

    fn put(self, scenario: &mut Scenario, value: f64) -> Option<()> {
        if let Self::PlanRate(p, f) = self {
            let name = scenario.families.get(f)?.name.clone();
            let rates = &mut scenario.compute_plans.get_mut(p)?.rates;
            match rates.iter_mut().find(|r| r.family == name) {
                Some(rate) => rate.rate = value,
                None => rates.push(PlanRate { family: name, rate: value }),
            }
            return Some(());
        }
        let Scenario { future, families, compute_plans, .. } = scenario;
        match self {
            Self::Weeks => future.weeks = whole(value)?,
            Self::Paths => future.paths = whole(value)?,
            Self::Seed => future.seed = whole(value)?,
            Self::Correlation => future.correlation = value,
            Self::Wacc => future.wacc = value,
            Self::Caution => future.caution = value,
            Self::TopUp => future.top_up_weeks = whole(value)?,
            Self::OnDemand(f) => families.get_mut(f)?.on_demand = Some(value),
            Self::Growth(f) => families.get_mut(f)?.growth = value,
            Self::Drift(f) => families.get_mut(f)?.drift = value,
            Self::Shock(f) => families.get_mut(f)?.shock = value,
            Self::OfferRate(f, o) => families.get_mut(f)?.offers.get_mut(o)?.rate = Some(value),
            Self::Bought(f, o) => buy(families.get_mut(f)?, o, value)?,
            Self::LaterUnits(f, b) => families.get_mut(f)?.buys.get_mut(b)?.units = value,
            Self::LaterWeek(f, b) => families.get_mut(f)?.buys.get_mut(b)?.week = whole(value)?,
            Self::SpotPrice(f) => {
                let spot = &mut families.get_mut(f)?.spot;
                match spot {
                    Some(spot) => spot.price = value,
                    // Nothing runs on it before somebody says how much can.
                    None => *spot = Some(first_spot(value)),
                }
            }
            Self::SpotShare(f) => families.get_mut(f)?.spot.as_mut()?.share = value,
            Self::SpotAvailability(f) => families.get_mut(f)?.spot.as_mut()?.availability = value,
            Self::SpotInterruptions(f) => {
                families.get_mut(f)?.spot.as_mut()?.interruptions_per_hour = value;
            }
            Self::SpotCheckpoint(f) => families.get_mut(f)?.spot.as_mut()?.checkpoint_hours = value,
            Self::SpotInterval(f) => {
                families.get_mut(f)?.spot.as_mut()?.interval_hours = Some(value);
            }
            Self::SpotRestart(f) => families.get_mut(f)?.spot.as_mut()?.restart_hours = value,
            Self::CutShare(f) => {
                let cut = &mut families.get_mut(f)?.price_cut;
                let week = cut.map_or(0, |c| c.week);
                *cut = Some(PriceCut { week, share: value });
            }
            Self::CutWeek(f) => families.get_mut(f)?.price_cut.as_mut()?.week = whole(value)?,
            Self::StepSize(f, s) => match &mut families.get_mut(f)?.steps.get_mut(s)?.kind {
                StepKind::Launch { units } => *units = value,
                StepKind::Scale { factor } => *factor = value,
                StepKind::Move { share, .. } => *share = value,
            },
            Self::StepWeek(f, s) => families.get_mut(f)?.steps.get_mut(s)?.week = whole(value)?,
            Self::StepRatio(f, s) => match &mut families.get_mut(f)?.steps.get_mut(s)?.kind {
                StepKind::Move { ratio, .. } => *ratio = value,
                StepKind::Launch { .. } | StepKind::Scale { .. } => return None,
            },
            Self::HeldUnits(f, h) => families.get_mut(f)?.held.get_mut(h)?.units = value,
            Self::HeldWeeks(f, h) => {
                families.get_mut(f)?.held.get_mut(h)?.weeks_left = whole(value)?;
            }
            Self::PlanUsd(p) => compute_plans.get_mut(p)?.usd_per_hour = value,
            Self::PlanWeeks(p) => compute_plans.get_mut(p)?.weeks = whole(value)?,
            Self::PlanWeek(p) => compute_plans.get_mut(p)?.week = whole(value)?,
            Self::PlanRate(..) | Self::NewStep(_) | Self::NewBuy(_) | Self::NewPlan => return None,
        }
        Some(())
    }

    fn take(self, scenario: &mut Scenario) -> Option<()> {
        if let Self::PlanRate(p, f) = self {
            let name = scenario.families.get(f)?.name.clone();
            scenario.compute_plans.get_mut(p)?.rates.retain(|r| r.family != name);
            return Some(());
        }
        if let Self::PlanUsd(p) = self {
            let plans = &mut scenario.compute_plans;
            return (p < plans.len()).then(|| drop(plans.remove(p)));
        }
        let families = &mut scenario.families;
        match self {
            Self::OnDemand(f) => families.get_mut(f)?.on_demand = None,
            Self::OfferRate(f, o) => families.get_mut(f)?.offers.get_mut(o)?.rate = None,
            Self::LaterUnits(f, b) => {
                let buys = &mut families.get_mut(f)?.buys;
                return (b < buys.len()).then(|| drop(buys.remove(b)));
            }
            Self::SpotPrice(f) => families.get_mut(f)?.spot = None,
            Self::SpotInterval(f) => families.get_mut(f)?.spot.as_mut()?.interval_hours = None,
            Self::CutShare(f) => families.get_mut(f)?.price_cut = None,
            Self::StepSize(f, s) => {
                let steps = &mut families.get_mut(f)?.steps;
                return (s < steps.len()).then(|| drop(steps.remove(s)));
            }
            _ => return None,
        }
        Some(())
    }
}

/// Units of an offer bought now.
fn bought(family: &FamilyInputs, offer: usize) -> Option<f64> {
    let name = &family.offers.get(offer)?.name;
    Some(family.buys.iter().filter(|b| b.week == 0 && b.offer == *name).map(|b| b.units).sum())
}

/// Makes the units of an offer that are bought now one purchase of so many.
fn buy(family: &mut FamilyInputs, offer: usize, units: f64) -> Option<()> {
    let name = family.offers.get(offer)?.name.clone();
    let is_now = |b: &Buy| b.week == 0 && b.offer == name;
    let first = family.buys.iter().position(is_now);
    match first {
        Some(at) => {
            family.buys[at].units = units;
            let mut place = 0;
            family.buys.retain(|b| {
                place += 1;
                place - 1 == at && units > 0.0 || !is_now(b)
            });
        }
        None if units > 0.0 => family.buys.push(Buy { offer: name, units, week: 0 }),
        None => {}
    }
    Some(())
}

/// Spot at a price, before anybody said more: always there, never interrupted, for nothing.
fn first_spot(price: f64) -> Spot {
    Spot {
        share: 0.0,
        price,
        availability: 1.0,
        interruptions_per_hour: 0.0,
        checkpoint_hours: 0.0,
        interval_hours: None,
        restart_hours: 0.0,
    }
}
