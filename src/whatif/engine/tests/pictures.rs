//! Curve, fan, offers and curve of cost beside plain counts.

use super::super::*;
use super::make::{Dice, any_demand, any_scenario, demand, offer};
use crate::whatif::{Buy, Future, LoadDuration, OfferKind, OneByOne};

/// A steady family: each week as the other, no noise, so that the future is the history.
fn steady() -> (Arc<Demand>, Scenario) {
    let hours: Vec<f64> = (0..504).map(|h| f64::from((h % 168 * 7) % 40)).collect();
    let family = FamilyInputs {
        name: "p4d".to_owned(),
        on_demand: Some(3.0),
        offers: vec![
            offer("1y", OfferKind::StandardRi, 52, 1.8),
            offer("3y", OfferKind::StandardRi, 156, 1.2),
            offer("room", OfferKind::CapacityReservation, 52, 3.0),
        ],
        buys: vec![Buy { offer: "1y".to_owned(), units: 10.0, week: 0 }],
        ..FamilyInputs::default()
    };
    let scenario = Scenario {
        future: Future { paths: 300, weeks: 52, ..Future::default() },
        families: vec![family],
        ..Scenario::default()
    };
    (demand(vec![("p4d", hours)]), scenario)
}

#[test]
fn a_steady_future_is_the_history() {
    let (demand, scenario) = steady();
    let truth = LoadDuration::new(demand.families[0].known()).unwrap();
    let mut engine = Engine::new(demand, &scenario).unwrap();
    let answer = engine.value(300, &OneByOne).unwrap();
    let family = answer.families[0].as_ref().unwrap();
    // The curve, within the width of a level (the peak ÷ 96) and a point (a hundredth of the hours).
    let ascending = truth.ascending();
    for (point, units) in family.curve.units.iter().enumerate() {
        let at = |part: f64| {
            let place = (1.0 - part.clamp(0.0, 1.0)) * (ascending.len() - 1) as f64;
            ascending[place.round() as usize]
        };
        let part = point as f64 / 100.0;
        let (high, low) = (at(part - 0.015) + 0.5, at(part + 0.015) - 0.5);
        assert!((low..=high).contains(units), "{point}: {units} not in {low}..{high}");
    }
    assert!(family.curve.units.is_sorted_by(|a, b| a >= b));
    assert_eq!(family.curve.units.len(), 101);
    assert_eq!(family.curve.committed, 10.0);
    // The fan: the mean of the week, in every future.
    let mean = truth.total() / truth.hours() as f64;
    assert_eq!(family.fan.len(), 52);
    for week in &family.fan {
        assert!((week.p5 - mean).abs() < 1e-4 && (week.p95 - mean).abs() < 1e-4);
        assert_eq!(week.committed, 10.0);
    }
    // The offers: the quantiles.
    assert_eq!(family.offers[0].best_units, Some(truth.optimum_whole(3.0, 1.8)));
    assert_eq!(family.offers[1].best_units, Some(truth.optimum_whole(3.0, 1.2)));
    assert_eq!(family.offers[2].best_units, None);
    assert_eq!(family.curve.optima.len(), 2);
    assert_eq!(family.offers[0].break_even, Some(1.8 / 3.0));
    // The curve of cost: each of its points is the cost of that commitment.
    assert!(family.costs.len() >= 33 && family.costs.is_sorted_by(|a, b| a.commit < b.commit));
    for point in &family.costs {
        let cost = truth.cost(point.commit, 3.0, 1.8) * 52.0 / 3.0;
        assert!((point.mean_usd / cost - 1.0).abs() < 1e-5);
    }
    // Unit 10 of it.
    let payback = family.payback.as_ref().unwrap();
    assert!((payback.utilisation - truth.slot_utilisation(10.0)).abs() < 1e-4);
}

#[test]
fn the_moved_offer_is_the_one_bought_or_the_cheapest() {
    let (_, scenario) = steady();
    let mut inputs = scenario.families[0].clone();
    assert_eq!(moved_offer(&inputs), Some(0));
    inputs.buys.clear();
    assert_eq!(moved_offer(&inputs), Some(1));
    inputs.offers.truncate(0);
    assert_eq!(moved_offer(&inputs), None);
}

/// The best number of units of each offer, looked for one by one with the engine's own costs.
#[test]
fn no_other_number_of_units_is_cheaper() {
    for seed in 0..12 {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let mut scenario = any_scenario(&mut dice);
        scenario.compute_plans.clear();
        scenario.future.paths = 3;
        let mut engine = Engine::new(demand, &scenario).unwrap();
        let answer = engine.value(3, &OneByOne).unwrap();
        for at in 0..3 {
            let family = answer.families[at].as_ref().unwrap();
            for offer in &family.offers {
                let Some(best) = offer.best_units else { continue };
                if family.costs.last().unwrap().commit > 900.0 {
                    continue;
                }
                let mut inputs = scenario.families[at].clone();
                let mut cost = |units: f64| {
                    inputs.buys = vec![Buy { offer: offer.name.clone(), units, week: 0 }];
                    let paths = engine.what_would(at, &inputs, 3, &OneByOne).unwrap();
                    mean(&paths.costs)
                };
                let least = cost(best);
                for units in (0..200).map(|n| f64::from(n) * 5.0) {
                    assert!(least <= cost(units) * (1.0 + 2e-6), "{units} beside {best}");
                }
            }
        }
    }
}

/// Regret beside the least of all whole numbers, valued one by one.
#[test]
fn regret_is_what_the_best_would_have_saved() {
    for seed in 0..8 {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let mut scenario = any_scenario(&mut dice);
        scenario.compute_plans.clear();
        let mut engine = Engine::new(demand, &scenario).unwrap();
        let mut answer = engine.value(5, &OneByOne).unwrap();
        engine.fill_regret(&mut answer, &OneByOne);
        for at in 0..3 {
            let regrets = engine.regrets(at, &OneByOne).unwrap();
            let costs = engine.family_costs(at).unwrap().clone();
            let mut inputs = scenario.families[at].clone();
            let moved = inputs.offers[moved_offer(&inputs).unwrap()].name.clone();
            inputs.buys.retain(|buy| buy.offer != moved || buy.week != 0);
            let others = inputs.buys.clone();
            let mut least = [f64::INFINITY; 5];
            for units in 0..160 {
                inputs.buys = others.clone();
                let units = f64::from(units);
                inputs.buys.push(Buy { offer: moved.clone(), units, week: 0 });
                let paths = engine.what_would(at, &inputs, 5, &OneByOne).unwrap();
                least.iter_mut().zip(paths.costs).for_each(|(least, usd)| *least = least.min(usd));
            }
            for path in 0..5 {
                let truth = costs.costs[path] - least[path];
                let unit = costs.on_demand[path].max(costs.costs[path]);
                assert!(regrets[path] >= truth - 3e-6 * unit, "seed {seed}, {at}, {path}");
                if answer.families[at].as_ref().unwrap().costs.last().unwrap().commit < 160.0 {
                    assert!(regrets[path] <= truth.max(0.0) + 3e-6 * unit, "seed {seed}, {at}");
                }
            }
            let of_family = answer.families[at].as_ref().unwrap().value.regret_usd.unwrap();
            assert!((of_family - mean(&regrets)).abs() < 1e-9);
        }
        assert!(answer.total.regret_usd.unwrap() >= 0.0);
    }
}

#[test]
fn the_calendar_has_what_begins_and_ends() {
    let (demand, mut scenario) = steady();
    scenario.future.weeks = 30;
    let family = &mut scenario.families[0];
    family.offers.push(offer("block", OfferKind::CapacityBlock, 4, 2.0));
    family.buys.push(Buy { offer: "block".to_owned(), units: 5.0, week: 20 });
    family.held.push(crate::whatif::Held {
        name: "old".to_owned(),
        units: 3.0,
        rate: 2.0,
        weeks_left: 20,
    });
    let mut engine = Engine::new(demand, &scenario).unwrap();
    let answer = engine.value(300, &OneByOne).unwrap();
    let entries: Vec<(u16, &str, f64)> = answer
        .calendar
        .iter()
        .map(|entry| (entry.week, entry.name.as_str(), entry.units))
        .collect();
    assert_eq!(
        entries,
        [(0, "1y", 10.0), (20, "old", -3.0), (20, "block", 5.0), (24, "block", -5.0)]
    );
    // 13 units of 19.5 on average in week 0: each covers the hours above it.
    let curve = LoadDuration::new((0..168).map(|h| f64::from((h * 7) % 40))).unwrap();
    let coverage = answer.calendar[0].coverage.unwrap();
    assert!((coverage - curve.coverage(13.0).unwrap()).abs() < 1e-5);
    // After week 20 the year has 32 weeks left and the block 4; dollars left weigh.
    let (year, block) = (10.0 * 1.8 * 32.0, 5.0 * 2.0 * 4.0);
    let months = (year * 32.0 + block * 4.0) / (year + block) * 12.0 / 52.0;
    assert!((answer.calendar[2].lock_in_months - months).abs() < 1e-9);
}
