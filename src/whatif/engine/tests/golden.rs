//! 200 futures of 52 weeks whose costs were summed hour by hour by another program.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::super::draws::{CHUNK, Scales, Spread};
use super::super::*;
use crate::whatif::{Buy, DemandOrigin, Family, Future, Offer, OfferKind, OneByOne, Payment};

const WEEKS: &str = include_str!("../../../../tests/data/whatif/golden_base_weeks.csv");
const SCENARIOS: &str = include_str!("../../../../tests/data/whatif/golden_scenarios.csv");
const EXPECTED: &str = include_str!("../../../../tests/data/whatif/golden_expected.json");

/// An engine with the golden draws in place of its own.
fn golden(precision: Precision, p: f64, r: f64) -> Engine {
    let hours: Vec<f64> =
        WEEKS.lines().flat_map(|week| week.split(',').map(|x| x.trim().parse().unwrap())).collect();
    assert_eq!(hours.len(), 25 * 168);
    let demand = Demand {
        origin: DemandOrigin::Demo,
        start: Timestamp::UNIX_EPOCH,
        families: vec![Family { name: "x".to_owned(), hours }],
        notes: Vec::new(),
    };
    let offer = Offer {
        name: "1y".to_owned(),
        kind: OfferKind::StandardRi,
        weeks: 52,
        payment: Payment::NoUpfront,
        rate: Some(r),
    };
    let family = FamilyInputs {
        name: "x".to_owned(),
        on_demand: Some(p),
        // Anything but none, so that the factors are looked at.
        drift: 0.01,
        offers: vec![offer],
        ..FamilyInputs::default()
    };
    let scenario = Scenario {
        future: Future { paths: 200, ..Future::default() },
        families: vec![family],
        ..Scenario::default()
    };
    let mut engine = Engine::with_precision(Arc::new(demand), &scenario, precision).unwrap();
    let mut bases = vec![0u8; 52 * CHUNK];
    let mut scales = vec![1.0f64; 52 * CHUNK];
    for line in SCENARIOS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [path, week] = [0, 1].map(|at| cells[at].parse::<usize>().unwrap());
        bases[week * CHUNK + path] = cells[2].parse().unwrap();
        scales[week * CHUNK + path] = cells[3].parse().unwrap();
    }
    let scales = match precision {
        Precision::Exact => Scales::Exact(scales),
        Precision::Fast => Scales::Fast(scales.into_iter().map(|g| g as f32).collect()),
    };
    engine.draws.bases = vec![bases];
    engine.draws.scales = vec![(Spread::of(&scenario.families[0]), vec![scales])];
    engine
}

fn check(precision: Precision, within: f64) {
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    let (p, r) = (number(&expected, "p"), number(&expected, "r"));
    let mut engine = golden(precision, p, r);
    let mut worst: f64 = 0.0;
    let cases = expected["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let units = number(case, "c");
        let mut scenario = engine.scenario().clone();
        scenario.families[0].buys = vec![Buy { offer: "1y".to_owned(), units, week: 0 }];
        engine.set(&scenario).unwrap();
        let value = engine.value(200, &OneByOne).unwrap().total;
        let scale = number(&cases[0], "mean");
        for (name, ours, unit) in [
            ("mean", value.mean_usd, number(case, "mean")),
            ("p5", value.p5_usd, number(case, "p5")),
            ("p50_lower", value.p50_usd, number(case, "p50_lower")),
            ("p95", value.p95_usd, number(case, "p95")),
            ("first_path", engine.costs()[0], number(case, "first_path")),
            ("last_path", engine.costs()[199], number(case, "last_path")),
            // A difference of two costs: as exact as the larger of them.
            ("worst10_savings_mean", value.worst5_savings_usd, scale),
        ] {
            let error = (ours - number(case, name)).abs() / unit;
            assert!(error <= within, "{name} at {units}: {ours}, off by {error:e}");
            worst = worst.max(error);
        }
        let prob = number(case, "prob_cost_above_on_demand");
        assert_eq!(value.prob_above_on_demand, prob, "at {units}");
    }
    assert!(worst > 0.0 || precision == Precision::Exact);
}

#[test]
fn fast_is_the_hourly_sum_to_five_digits() {
    check(Precision::Fast, 1e-5);
}

#[test]
fn exact_is_the_hourly_sum_to_nine_digits() {
    check(Precision::Exact, 1e-9);
}
