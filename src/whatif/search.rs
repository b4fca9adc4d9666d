//! The best whole number of units of an offer over the engine's futures, by trying them.

use super::engine::{Engine, EngineError, mean, moved_offer};
use super::{Buy, Workers};

/// No family has more units than this.
const MOST: f64 = 1e9;

/// Number of units with the lowest mean cost over the first `paths` futures, of the offer that a family's
/// slider moves, all else unchanged; the fewest of equal ones. Mean cost is convex in the units, so the search
/// ends at the first number after which one more does not pay. `None` without a price or an offer; fails where
/// a valuation does.
pub fn best_units(
    engine: &mut Engine,
    family: usize,
    paths: u32,
    workers: &dyn Workers,
) -> Result<Option<f64>, EngineError> {
    let Some(inputs) = engine.scenario().families.get(family).cloned() else { return Ok(None) };
    let Some(offer) = moved_offer(&inputs).and_then(|at| inputs.offers.get(at)) else {
        return Ok(None);
    };
    if inputs.on_demand.is_none() {
        return Ok(None);
    }
    let offer = offer.name.clone();
    let mut cost = |units: f64| {
        let mut tried = inputs.clone();
        tried.buys.retain(|buy| buy.offer != offer || buy.week != 0);
        tried.buys.push(Buy { offer: offer.clone(), units, week: 0 });
        engine.what_would(family, &tried, paths, workers).map(|found| mean(&found.costs))
    };
    // What one more saves must be more than rounding.
    let mut pays = |units: f64| -> Result<bool, EngineError> {
        let (here, next) = (cost(units)?, cost(units + 1.0)?);
        Ok(here - next > 1e-9 * here.abs())
    };
    let mut high = 1.0;
    while high < MOST && pays(high)? {
        high *= 2.0;
    }
    let mut low = 0.0_f64;
    while low < high {
        let mid = f64::midpoint(low, high).floor();
        if pays(mid)? { low = mid + 1.0 } else { high = mid }
    }
    Ok(Some(low))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::*;
    use super::*;

    #[test]
    fn no_other_number_of_units_is_cheaper() {
        let hours = (0..8 * HOURS_PER_WEEK).map(|h| ((h * 7 + h / 168 * 5) % 30) as f64);
        let demand = Arc::new(Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![Family { name: "a".into(), hours: hours.collect() }],
            notes: Vec::new(),
        });
        let with = |units: f64| Scenario {
            future: Future { paths: 200, ..Future::default() },
            families: vec![FamilyInputs {
                name: "a".into(),
                on_demand: Some(10.0),
                drift: 0.01,
                offers: vec![Offer {
                    name: "ri".into(),
                    kind: OfferKind::StandardRi,
                    weeks: 52,
                    payment: Payment::NoUpfront,
                    rate: Some(6.0),
                }],
                buys: vec![Buy { offer: "ri".into(), units, week: 0 }],
                ..FamilyInputs::default()
            }],
            ..Scenario::default()
        };
        let mut engine = Engine::new(Arc::clone(&demand), &with(3.0)).unwrap();
        let best = best_units(&mut engine, 0, 200, &OneByOne).unwrap().unwrap();
        let cost = |units: f64| {
            let mut engine = Engine::new(Arc::clone(&demand), &with(units)).unwrap();
            engine.value(200, &OneByOne).unwrap().total.mean_usd
        };
        let brute = (0..60).map(f64::from).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap();
        assert_eq!(best, brute);
        assert!(best > 5.0);
    }
}
