//! Numbers that no scenario may have, whoever wrote it.

use super::super::{Demand, FamilyInputs, Future, OfferKind, Scenario, StepKind};
use super::EngineError;

/// Any units, dollars or hours: finite and not absurd, so that nothing overflows.
const MOST: f64 = 1e12;

fn within(
    what: impl FnOnce() -> String,
    value: f64,
    low: f64,
    high: f64,
    range: &'static str,
) -> Result<(), EngineError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(EngineError::Number { what: what(), value, range })
    }
}

/// All of a scenario against the demand.
pub(super) fn scenario(scenario: &Scenario, demand: &Demand) -> Result<(), EngineError> {
    future(&scenario.future)?;
    for (at, inputs) in scenario.families.iter().enumerate() {
        if demand.family(&inputs.name).is_none() {
            let known = demand.families.iter().map(|family| family.name.clone()).collect();
            return Err(EngineError::UnknownFamily { family: inputs.name.clone(), known });
        }
        if scenario.families[..at].iter().any(|other| other.name == inputs.name) {
            return Err(EngineError::FamilyTwice { family: inputs.name.clone() });
        }
        family(scenario, demand, inputs)?;
    }
    if !scenario.families.iter().any(|family| family.on_demand.is_some()) {
        return Err(EngineError::NoPrice);
    }
    for plan in &scenario.compute_plans {
        let of = |what: &str| format!("{what} of {}", plan.name);
        within(|| of("dollars per hour"), plan.usd_per_hour, 0.0, MOST, "0 or more")?;
        for rate in &plan.rates {
            let what = || format!("the rate of {} under {}", rate.family, plan.name);
            within(what, rate.rate, f64::MIN_POSITIVE, MOST, "more than 0")?;
        }
    }
    Ok(())
}

fn future(future: &Future) -> Result<(), EngineError> {
    let say = |what: &'static str| move || what.to_owned();
    within(say("weeks"), f64::from(future.weeks), 1.0, 156.0, "1 to 156")?;
    within(say("paths"), f64::from(future.paths), 0.0, 50_000.0, "0 to 50,000")?;
    within(say("correlation"), future.correlation, 0.0, 1.0, "0 to 1")?;
    within(say("wacc"), future.wacc, -0.5, 10.0, "-50% to 1,000%")
}

fn family(all: &Scenario, demand: &Demand, inputs: &FamilyInputs) -> Result<(), EngineError> {
    let of = |what: &str| format!("{what} of {}", inputs.name);
    let amount = |what: &str, value: f64| within(|| of(what), value, 0.0, MOST, "0 or more");
    let part = |what: &str, value: f64| within(|| of(what), value, 0.0, 1.0, "0 to 1");
    amount("on-demand price", inputs.on_demand.unwrap_or(0.0))?;
    within(|| of("growth"), inputs.growth, -0.999, 100.0, "above -100% and at most 10,000%")?;
    within(|| of("drift"), inputs.drift, 0.0, 0.1, "0 to 10% a week")?;
    within(|| of("shock"), inputs.shock, 0.0, 3.0, "0 to 300%")?;
    for step in &inputs.steps {
        match &step.kind {
            StepKind::Launch { units } => {
                within(|| of("launched units"), *units, -MOST, MOST, "a number")?;
            }
            StepKind::Scale { factor } => amount("scaling factor", *factor)?,
            StepKind::Move { share, to, ratio } => {
                part("moved share", *share)?;
                amount("ratio of a move", *ratio)?;
                if !all.families.iter().any(|family| family.name == *to) {
                    let known = demand.families.iter().map(|f| f.name.clone()).collect();
                    return Err(EngineError::UnknownFamily { family: to.clone(), known });
                }
            }
        }
    }
    if let Some(cut) = inputs.price_cut {
        within(|| of("price cut"), cut.share, -10.0, 1.0, "at most 1 (all of it)")?;
    }
    if let Some(spot) = inputs.spot {
        part("spot share", spot.share)?;
        part("spot availability", spot.availability)?;
        amount("spot price", spot.price)?;
        amount("interruptions per hour", spot.interruptions_per_hour)?;
        amount("checkpoint hours", spot.checkpoint_hours)?;
        amount("restart hours", spot.restart_hours)?;
        amount("checkpoint interval", spot.interval_hours.unwrap_or(1.0))?;
    }
    for held in &inputs.held {
        amount("held units", held.units)?;
        amount("held rate", held.rate)?;
    }
    for offer in inputs.offers.iter().filter(|o| o.kind != OfferKind::CapacityReservation) {
        amount("offered rate", offer.rate.unwrap_or(0.0))?;
    }
    inputs.buys.iter().try_for_each(|buy| amount("units bought", buy.units))
}
