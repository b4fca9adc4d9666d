//! What an engine keeps between moves never shows.

use proptest::prelude::*;

use super::super::*;
use super::make::{Dice, any_demand, any_scenario};
use crate::whatif::OneByOne;

/// Three threads, the last piece first.
struct Three;

impl Workers for Three {
    fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for thread in 0..3 {
                scope.spawn(move || {
                    (0..pieces).rev().filter(|piece| piece % 3 == thread).for_each(work);
                });
            }
        });
    }
}

/// A worker that forgets every other piece.
struct Lazy;

impl Workers for Lazy {
    fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..pieces).step_by(2).for_each(work);
    }
}

fn fresh(demand: &Arc<Demand>, scenario: &Scenario, paths: u32) -> (Answer, Vec<f64>) {
    let mut engine = Engine::new(demand.clone(), scenario).unwrap();
    let answer = engine.value(paths, &OneByOne).unwrap();
    (answer, engine.costs().to_vec())
}

/// A scenario with plans now and then: every hour of every path takes long.
fn scenario_of(dice: &mut Dice, paths: u32) -> Scenario {
    let mut scenario = any_scenario(dice);
    scenario.future.paths = paths;
    if dice.below(6) > 0 {
        scenario.compute_plans.clear();
    }
    scenario
}

/// One thing of a scenario, changed.
fn moved(scenario: &Scenario, dice: &mut Dice) -> Scenario {
    let mut other = scenario.clone();
    let at = dice.below(3) as usize;
    let family = &mut other.families[at];
    match dice.below(12) {
        0 => family.growth = dice.between(-0.3, 1.0),
        1 => family.drift = dice.between(0.0, 0.02),
        2 => family.shock = dice.between(0.0, 0.2),
        3 => family.buys[1].units = dice.between(0.0, 40.0).floor(),
        4 => family.on_demand = Some(dice.between(1.0, 9.0)),
        5 => family.spot = None,
        6 => family.steps = Vec::new(),
        7 => family.held = Vec::new(),
        8 => other.future.seed += 1,
        9 => other.future.weeks += 1,
        10 => other.compute_plans = Vec::new(),
        _ => {
            other.families.swap_remove(at);
            let names: Vec<String> = other.families.iter().map(|f| f.name.clone()).collect();
            for family in &mut other.families {
                family.steps.retain(|step| match &step.kind {
                    crate::whatif::StepKind::Move { to, .. } => names.contains(to),
                    _ => true,
                });
            }
        }
    }
    other
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_move_is_as_a_new_engine(seed in 0..u64::MAX) {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let mut scenario = scenario_of(&mut dice, 700);
        let mut engine = Engine::new(demand.clone(), &scenario).unwrap();
        for _ in 0..4 {
            let paths = [0, 3, 40, 700][dice.below(4) as usize];
            let answer = engine.value(paths, &OneByOne).unwrap();
            let (new, costs) = fresh(&demand, &scenario, paths);
            prop_assert_eq!(&answer, &new);
            prop_assert_eq!(engine.costs(), &costs[..]);
            if scenario.families.len() == 3 {
                scenario = moved(&scenario, &mut dice);
            }
            engine.set(&scenario).unwrap();
        }
    }

    #[test]
    fn any_workers_give_the_same_digits(seed in 0..u64::MAX) {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let scenario = scenario_of(&mut dice, 1300);
        let mut engine = Engine::new(demand.clone(), &scenario).unwrap();
        let one = engine.figures(1300, &OneByOne).unwrap();
        let costs = engine.costs().to_vec();
        for workers in [&Three as &dyn Workers, &Lazy] {
            let mut engine = Engine::new(demand.clone(), &scenario).unwrap();
            // Some first, the rest later.
            engine.figures(600, workers).unwrap();
            prop_assert_eq!(&costs[..600], engine.costs());
            prop_assert_eq!(&engine.figures(1300, workers).unwrap(), &one);
            prop_assert_eq!(engine.costs(), &costs[..]);
            let pictures = engine.value(40, workers).unwrap();
            prop_assert_eq!(pictures, fresh(&demand, &scenario, 40).0);
        }
    }

    #[test]
    fn what_would_is_what_would_be(seed in 0..u64::MAX) {
        let mut dice = Dice::new(seed);
        let demand = any_demand(&mut dice);
        let scenario = scenario_of(&mut dice, 600);
        let mut engine = Engine::new(demand.clone(), &scenario).unwrap();
        engine.figures(600, &OneByOne).unwrap();
        let before = engine.costs().to_vec();
        let other = moved(&scenario, &mut dice);
        if other.families.len() == 3 && other.future == scenario.future {
            for at in 0..3 {
                // One family's inputs alone, so that moves of the others stay.
                let inputs = &other.families[at];
                let asked = engine.what_would(at, inputs, 600, &OneByOne).unwrap();
                let mut only = scenario.clone();
                only.families[at] = inputs.clone();
                let mut new = Engine::new(demand.clone(), &only).unwrap();
                new.figures(600, &OneByOne).unwrap();
                prop_assert_eq!(&asked, new.family_costs(at).unwrap());
            }
        }
        prop_assert_eq!(engine.costs(), &before[..]);
    }
}

#[test]
fn from_today_a_grown_fleet_begins_where_it_is() {
    let hours = (0..20 * 168).map(|hour| 100.0 * 1.01_f64.powi(hour / 168)).collect();
    let demand = super::make::demand(vec![("p4d", hours)]);
    let family =
        FamilyInputs { name: "p4d".into(), on_demand: Some(2.0), ..FamilyInputs::default() };
    let future = crate::whatif::Future { weeks: 1, paths: 500, ..crate::whatif::Future::default() };
    let mut scenario = Scenario { families: vec![family], future, ..Scenario::default() };
    let (as_it_was, _) = fresh(&demand, &scenario, 500);
    scenario.future.from_today = true;
    let (from_today, costs) = fresh(&demand, &scenario, 500);
    let today = 2.0 * 168.0 * 100.0 * 1.01_f64.powi(19);
    assert!((from_today.total.mean_usd / today - 1.0).abs() < 1e-5, "{from_today:?}");
    assert!(as_it_was.total.mean_usd < 0.95 * today);

    // An engine that is moved there and back says the same.
    let mut engine = Engine::new(demand.clone(), &scenario).unwrap();
    scenario.future.from_today = false;
    engine.set(&scenario).unwrap();
    assert_eq!(engine.value(500, &OneByOne).unwrap(), as_it_was);
    scenario.future.from_today = true;
    engine.set(&scenario).unwrap();
    engine.value(500, &OneByOne).unwrap();
    assert_eq!(engine.costs(), costs);
}

/// A scenario beside itself: not a cent, in any future.
#[test]
fn a_scenario_differs_from_itself_by_nothing() {
    let mut dice = Dice::new(5);
    let demand = any_demand(&mut dice);
    let scenario = scenario_of(&mut dice, 600);
    let costs = |scenario: &Scenario| {
        let mut engine = Engine::new(demand.clone(), scenario).unwrap();
        engine.figures(600, &OneByOne).unwrap();
        engine.costs().to_vec()
    };
    let base = costs(&scenario);
    assert!(base.iter().zip(costs(&scenario)).all(|(a, b)| a - b == 0.0));
    let mut other = scenario.clone();
    other.future.seed += 1;
    assert_ne!(base, costs(&other));
    // Another order of the families draws the same futures.
    let mut turned = scenario.clone();
    turned.families.iter_mut().for_each(|family| family.steps.clear());
    let before = costs(&turned);
    turned.families.reverse();
    for (a, b) in before.iter().zip(costs(&turned)) {
        assert!((a - b).abs() <= 1e-12 * a.abs());
    }
}

/// Two families move together as far as the scenario says.
#[test]
fn correlation_is_as_wanted() {
    for rho in [0.0, 0.5, 1.0] {
        let rules = Rules { seed: 3, weeks: 2, base_weeks: 4, correlation: rho, exact: true };
        let family = |name: &str| FamilyInputs {
            name: name.to_owned(),
            drift: 0.02,
            shock: 0.1,
            ..FamilyInputs::default()
        };
        let spreads = [family("a"), family("b")].map(|inputs| draws::Spread::of(&inputs));
        let (mut both, mut one, mut n) = (0.0, 0.0, 0.0);
        for chunk in 0..40 {
            let scales = rules.scales(&[&spreads[0], &spreads[1]], chunk);
            for at in 0..2 * CHUNK {
                // Drift after one or two weeks and shock; the mean is taken off.
                let sigma = 0.02 * (at / CHUNK + 1) as f64;
                let mean = -0.5 * (sigma * sigma + 0.01);
                let [a, b] = [0, 1].map(|family| scales[family].at(at).ln() - mean);
                both += a * b;
                one += a * a;
                n += 1.0;
            }
        }
        let variance = f64::midpoint(0.0004 + 0.01, 0.0016 + 0.01);
        assert!((one / n / variance - 1.0).abs() < 0.03);
        assert!((both / one - rho).abs() < 0.03, "{rho}: {}", both / one);
    }
}
