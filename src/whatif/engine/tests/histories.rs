//! Errors, the history itself, and what follows from it.

use proptest::prelude::*;

use super::super::*;
use super::make::{Dice, any_demand, any_scenario, demand, offer};
use crate::whatif::supply::spot;
use crate::whatif::{Buy, Future, LoadDuration, OfferKind, OneByOne, Step, StepKind};

fn family(name: &str) -> FamilyInputs {
    FamilyInputs {
        name: name.to_owned(),
        on_demand: Some(3.0),
        offers: vec![offer("1y", OfferKind::StandardRi, 52, 1.8)],
        ..FamilyInputs::default()
    }
}

fn scenario(families: Vec<FamilyInputs>) -> Scenario {
    Scenario {
        future: Future { paths: 50, weeks: 52, ..Future::default() },
        families,
        ..Scenario::default()
    }
}

fn buy(inputs: &mut FamilyInputs, units: f64) {
    inputs.buys = vec![Buy { offer: "1y".to_owned(), units, week: 0 }];
}

#[test]
fn a_history_without_a_whole_week_is_valued_itself() {
    let short = demand(vec![("p4d", (0..100).map(|h| f64::from(h % 24)).collect())]);
    let mut plan = scenario(vec![family("p4d")]);
    let mut engine = Engine::new(short.clone(), &plan).unwrap();
    let error = engine.value(50, &OneByOne).unwrap_err();
    assert_eq!(error, EngineError::NoWholeWeek { hours: 100 });
    assert!(error.to_string().contains("100 hours"));
    buy(&mut plan.families[0], 9.0);
    plan.future.paths = 0;
    engine.set(&plan).unwrap();
    let answer = engine.value(0, &OneByOne).unwrap();
    let curve = LoadDuration::new(short.families[0].known()).unwrap();
    assert!((answer.total.mean_usd - curve.cost(9.0, 3.0, 1.8)).abs() < 1e-9);
    assert_eq!(answer.total.esr, curve.esr(9.0, 3.0, 1.8));
    assert_eq!(answer.total.coverage, curve.coverage(9.0));
    assert_eq!(answer.total.utilisation, curve.utilisation(9.0));
    let family = answer.families[0].as_ref().unwrap();
    assert_eq!(family.offers[0].best_units, Some(curve.optimum_whole(3.0, 1.8)));
    assert_eq!(answer.paths, 0);
    // Nothing of a future is told of it.
    assert_eq!(engine.drawn_week(0, 0), None);
    assert_eq!(engine.regrets(0, &OneByOne), None);
}

#[test]
fn one_hour_and_no_demand() {
    let mut plan = scenario(vec![family("p4d")]);
    plan.future.paths = 0;
    let mut engine = Engine::new(demand(vec![("p4d", vec![7.0])]), &plan).unwrap();
    let answer = engine.value(0, &OneByOne).unwrap();
    assert_eq!(answer.total.mean_usd, 21.0);
    assert_eq!(answer.families[0].as_ref().unwrap().offers[0].best_units, Some(7.0));
    plan.future.paths = 50;
    let mut engine = Engine::new(demand(vec![("p4d", vec![0.0; 400])]), &plan).unwrap();
    let total = engine.value(50, &OneByOne).unwrap().total;
    assert_eq!(
        (total.mean_usd, total.esr, total.coverage, total.utilisation),
        (0.0, None, None, None)
    );
    assert_eq!(total.prob_above_on_demand, 0.0);
}

#[test]
fn errors_say_what_to_do() {
    let hours = demand(vec![("p4d", vec![1.0; 168]), ("p5", vec![1.0; 168])]);
    let error = |change: &dyn Fn(&mut Scenario)| {
        let mut plan = scenario(vec![family("p4d")]);
        change(&mut plan);
        Engine::new(hours.clone(), &plan).unwrap_err()
    };
    let unknown = error(&|plan| plan.families[0].name = "h100".to_owned());
    assert_eq!(unknown.to_string(), "the demand has no family \"h100\"; it has p4d, p5");
    assert_eq!(error(&|plan| plan.families[0].on_demand = None), EngineError::NoPrice);
    let twice = error(&|plan| plan.families.push(family("p4d")));
    assert_eq!(twice, EngineError::FamilyTwice { family: "p4d".to_owned() });
    for (weeks, paths) in [(0, 1), (157, 1), (52, 50_001)] {
        let error = error(&|plan| (plan.future.weeks, plan.future.paths) = (weeks, paths));
        assert!(matches!(error, EngineError::Number { .. }), "{error}");
    }
    let nan = error(&|plan| plan.families[0].growth = f64::NAN);
    assert!(nan.to_string().starts_with("growth of p4d is NaN"), "{nan}");
    let no_offer = error(&|plan| {
        buy(&mut plan.families[0], 1.0);
        plan.families[0].offers.clear();
    });
    assert!(matches!(no_offer, EngineError::UnknownOffer { .. }));
    let no_rate = error(&|plan| {
        buy(&mut plan.families[0], 1.0);
        plan.families[0].offers[0].rate = None;
    });
    assert!(matches!(no_rate, EngineError::NoRate { .. }));
    // Not buying it is no error.
    let mut plan = scenario(vec![family("p4d")]);
    plan.families[0].offers[0].rate = None;
    buy(&mut plan.families[0], 0.0);
    assert!(Engine::new(hours, &plan).is_ok());
}

#[test]
fn a_failed_move_leaves_the_engine_as_it_was() {
    let plan = scenario(vec![family("p4d")]);
    let mut engine = Engine::new(demand(vec![("p4d", vec![4.0; 168])]), &plan).unwrap();
    let before = engine.value(50, &OneByOne).unwrap();
    let mut wrong = plan.clone();
    wrong.families[0].on_demand = None;
    assert!(engine.set(&wrong).is_err());
    assert_eq!(engine.scenario(), &plan);
    assert_eq!(engine.value(50, &OneByOne).unwrap(), before);
}

#[test]
fn a_family_without_a_price_is_left_out() {
    let hours = demand(vec![("p4d", vec![4.0; 168]), ("p5", vec![2.0; 168])]);
    let mut plan = scenario(vec![family("p4d"), family("p5")]);
    plan.families[1].on_demand = None;
    let answer = Engine::new(hours, &plan).unwrap().value(50, &OneByOne).unwrap();
    assert!(answer.families[1].is_none());
    let first = answer.families[0].as_ref().unwrap();
    assert_eq!(first.value.mean_usd, answer.total.mean_usd);
}

/// With the same growth and the same factors the hours move exactly.
#[test]
fn a_move_takes_the_hours_along() {
    let [from, into]: [Vec<f64>; 2] =
        [3, 7].map(|n: u32| (0..336).map(|h| f64::from((h * n) % 31)).collect());
    let joined: Vec<f64> = into.iter().zip(&from).map(|(b, a)| b + 0.4 * a).collect();
    let mut plan = scenario(vec![family("p4d"), family("p5")]);
    plan.future.correlation = 1.0;
    for inputs in &mut plan.families {
        (inputs.growth, inputs.drift, inputs.shock) = (0.3, 0.01, 0.05);
        buy(inputs, 12.0);
    }
    let mut alone = plan.clone();
    let to = "p5".to_owned();
    plan.families[0].steps =
        vec![Step { week: 0, kind: StepKind::Move { share: 1.0, to, ratio: 0.4 } }];
    alone.families.remove(0);
    let both = demand(vec![("p4d", from), ("p5", into)]);
    let mut moved = Engine::with_precision(both, &plan, Precision::Exact).unwrap();
    let mut direct =
        Engine::with_precision(demand(vec![("p5", joined)]), &alone, Precision::Exact).unwrap();
    moved.value(50, &OneByOne).unwrap();
    direct.value(50, &OneByOne).unwrap();
    let [moved, direct] = [moved.family_costs(1), direct.family_costs(0)].map(Option::unwrap);
    for (a, b) in moved.costs.iter().zip(&direct.costs) {
        assert!((a / b - 1.0).abs() < 1e-12);
    }
}

/// Drift and shock spread the futures; the mean stays where growth has it.
#[test]
fn noise_does_not_move_the_mean() {
    let hours = demand(vec![("p4d", vec![10.0; 168])]);
    let mut plan = scenario(vec![family("p4d")]);
    plan.future.paths = 20_000;
    plan.families[0].growth = 0.3;
    let still = Engine::new(hours.clone(), &plan).unwrap().value(20_000, &OneByOne).unwrap().total;
    (plan.families[0].drift, plan.families[0].shock) = (0.01, 0.1);
    let noisy = Engine::new(hours, &plan).unwrap().value(20_000, &OneByOne).unwrap().total;
    assert_eq!(still.p5_usd, still.p95_usd);
    assert!(noisy.p95_usd > 1.2 * noisy.p5_usd);
    // Twice the printed two standard errors.
    assert!((noisy.mean_usd - still.mean_usd).abs() < 2.0 * noisy.mean_error_usd);
    // 52 weeks on the way to 30% more.
    let grown: f64 = (1..=52).map(|k| 1.3f64.powf(f64::from(k) / 52.0)).sum();
    assert!((still.mean_usd / (grown * 10.0 * 168.0 * 3.0) - 1.0).abs() < 1e-6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Foresight: each slot of each week at the cheapest of its prices. Nothing can cost less.
    #[test]
    fn never_below_foresight(seed in 0..u64::MAX) {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let mut scenario = any_scenario(&mut dice);
        scenario.compute_plans.clear();
        let mut engine = Engine::new(demand, &scenario).unwrap();
        engine.value(5, &OneByOne).unwrap();
        for (i, inputs) in scenario.families.iter().enumerate() {
            let paths = engine.family_costs(i).unwrap();
            let price = inputs.on_demand.unwrap();
            let rates = inputs.held.iter().map(|held| held.rate);
            let rates = rates.chain(inputs.offers.iter().filter_map(|offer| offer.rate));
            let cheapest = rates.fold(f64::INFINITY, f64::min);
            let cut = inputs.price_cut.map_or(0.0, |cut| cut.share).max(0.0);
            let spot = inputs.spot.map_or(f64::INFINITY, |s| spot::cost(&s, price * (1.0 - cut)).blended);
            let dearest = price * (1.0 - inputs.price_cut.map_or(0.0, |cut| cut.share).min(0.0));
            // Unit-hours at the dearest on-demand price are at least so many.
            let floor = cheapest.min(spot).min(price * (1.0 - cut)) / dearest;
            for (cost, all) in paths.costs.iter().zip(&paths.on_demand) {
                prop_assert!(*cost >= all * floor * (1.0 - 1e-5) - 1e-6);
            }
        }
    }

    /// The history by the curve, hour by hour, with plans: as a future that is the history.
    #[test]
    fn the_history_is_a_future_of_itself(seed in 0..u64::MAX) {
        let mut dice = Dice::new(seed);
        let mut demand = any_demand(&mut dice);
        let mut scenario = any_scenario(&mut dice);
        // One week, so that the only future is the history; nothing but supply.
        for family in &mut Arc::make_mut(&mut demand).families {
            family.hours.truncate(168);
        }
        scenario.future.weeks = 1;
        for inputs in &mut scenario.families {
            (inputs.growth, inputs.drift, inputs.shock) = (0.0, 0.0, 0.0);
            inputs.steps.clear();
            inputs.price_cut = None;
            inputs.held.iter_mut().for_each(|held| held.weeks_left += 1);
            inputs.buys.iter_mut().for_each(|buy| buy.week = 0);
        }
        scenario.compute_plans.iter_mut().for_each(|plan| plan.week = 0);
        let mut engine = Engine::with_precision(demand, &scenario, Precision::Exact).unwrap();
        let future = engine.value(1, &OneByOne).unwrap();
        let past = engine.value(0, &OneByOne).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
        let pairs = future.families.iter().zip(&past.families).map(|(a, b)| {
            (a.as_ref().unwrap().value.clone(), b.as_ref().unwrap().value.clone())
        });
        for (a, b) in pairs.chain([(future.total, past.total)]) {
            prop_assert!(close(a.mean_usd, b.mean_usd), "{} {}", a.mean_usd, b.mean_usd);
            prop_assert!(close(a.on_demand_usd, b.on_demand_usd));
            prop_assert!(close(a.fixed_usd, b.fixed_usd), "{} {}", a.fixed_usd, b.fixed_usd);
            prop_assert!(close(a.coverage.unwrap_or(0.0), b.coverage.unwrap_or(0.0)));
            prop_assert!(close(a.utilisation.unwrap_or(0.0), b.utilisation.unwrap_or(0.0)));
            prop_assert!(close(a.commit, b.commit));
            prop_assert!(close(a.lock_in_months, b.lock_in_months));
        }
    }

    /// Without a cost of capital the present value is the cost.
    #[test]
    fn present_value_at_no_interest(seed in 0..u64::MAX) {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let mut scenario = any_scenario(&mut dice);
        scenario.future.wacc = 0.0;
        let mut engine = Engine::new(demand, &scenario).unwrap();
        let total = engine.value(5, &OneByOne).unwrap().total;
        let unit = total.mean_usd.max(total.on_demand_usd).max(1.0);
        prop_assert!((total.npv_usd - total.mean_usd).abs() < 1e-6 * unit);
        scenario.future.wacc = 0.2;
        engine.set(&scenario).unwrap();
        let later = engine.value(5, &OneByOne).unwrap().total;
        prop_assert_eq!(later.mean_usd, total.mean_usd);
        if total.mean_usd > 1.0 {
            prop_assert!(later.npv_usd < total.npv_usd + 1e-9);
        }
    }
}
