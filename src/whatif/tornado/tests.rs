use std::sync::Arc;

use super::super::*;
use super::*;

fn demand() -> Arc<Demand> {
    // Whole units in a pattern of hours and weeks, 20 to 79.
    let hours = (0..20 * HOURS_PER_WEEK).map(|h| (20 + (h * 7 + h / 168 * 13) % 60) as f64);
    Arc::new(Demand {
        origin: DemandOrigin::Csv("t.csv".into()),
        start: jiff::Timestamp::UNIX_EPOCH,
        families: vec![Family { name: "a".into(), hours: hours.collect() }],
        notes: Vec::new(),
    })
}

fn scenario() -> Scenario {
    Scenario {
        future: Future { paths: 500, ..Future::default() },
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
            buys: vec![Buy { offer: "ri".into(), units: 40.0, week: 0 }],
            ..FamilyInputs::default()
        }],
        ..Scenario::default()
    }
}

fn bars() -> (Vec<TornadoBar>, Engine) {
    let mut engine = Engine::new(demand(), &scenario()).unwrap();
    let bars = tornado(&mut engine, 500, &OneByOne, &|| false).unwrap().unwrap();
    (bars, engine)
}

#[test]
fn each_bar_is_the_difference_of_two_valuations() {
    let (bars, engine) = bars();
    assert_eq!(engine.scenario(), &scenario(), "the engine is left as it was");
    let price = bars.iter().find(|bar| bar.input == "on-demand price").unwrap();
    assert_eq!(price.values, ["$9.00".to_owned(), "$11.00".to_owned()]);
    let cost = |usd: f64| {
        let mut other = scenario();
        other.families[0].on_demand = Some(usd);
        Engine::new(demand(), &other).unwrap().value(500, &OneByOne).unwrap().total.mean_usd
    };
    for (side, usd) in [(0, 9.0), (1, 11.0)] {
        let want = cost(usd) - cost(10.0);
        assert!((price.usd[side] - want).abs() < 1e-6 * want.abs(), "{side}");
    }
    // What is not committed is dearer, what is committed is not: up and down alike.
    assert!(price.usd[0] < 0.0 && price.usd[1] > 0.0);
    assert!((price.usd[0] + price.usd[1]).abs() < 1e-6 * price.usd[1]);
}

#[test]
fn the_largest_comes_first_and_decisions_are_told() {
    let (bars, _) = bars();
    assert!(bars.len() >= 5);
    assert!(bars.windows(2).all(|pair| size(&pair[0]) >= size(&pair[1])));
    let rate = bars.iter().find(|bar| bar.input == "rate of ri").unwrap();
    // By trying all numbers of units: 43 at $5.40, 39 at $6, 36 at $6.60.
    assert_eq!(rate.best_units, [39.0, 43.0, 36.0]);
    assert!(rate.decision_changes());
    let units = bars.iter().find(|bar| bar.input == "units of ri").unwrap();
    assert_eq!(units.values, ["36".to_owned(), "44".to_owned()]);
    assert!(!units.decision_changes(), "how much is bought does not change what is best");
}

#[test]
fn it_can_be_stopped() {
    let mut engine = Engine::new(demand(), &scenario()).unwrap();
    let stopped = tornado(&mut engine, 100, &OneByOne, &|| true).unwrap();
    assert_eq!(stopped, None);
    assert_eq!(engine.scenario(), &scenario());
}
