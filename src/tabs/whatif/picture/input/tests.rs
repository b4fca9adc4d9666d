use super::*;
use crate::whatif::OfferKind;
use crate::whatif::{
    Buy, ComputePlan, Future, Held, Offer, Payment, PlanRate, PriceCut, Spot, Step,
};

/// A scenario with something of everything.
fn full() -> Scenario {
    let offer = |name: &str, rate| Offer {
        name: name.into(),
        kind: OfferKind::StandardRi,
        weeks: 52,
        payment: Payment::NoUpfront,
        rate,
    };
    let family = FamilyInputs {
        name: "p4d".into(),
        on_demand: Some(2.745),
        growth: 0.3,
        drift: 0.01,
        shock: 0.05,
        steps: vec![
            Step { week: 4, kind: StepKind::Launch { units: 8.0 } },
            Step { week: 5, kind: StepKind::Scale { factor: 0.8 } },
            Step { week: 6, kind: StepKind::Move { share: 0.5, to: "p5".into(), ratio: 0.4 } },
        ],
        price_cut: Some(PriceCut { week: 13, share: 0.44 }),
        spot: Some(Spot {
            share: 0.6,
            price: 0.9,
            availability: 0.9,
            interruptions_per_hour: 0.01,
            checkpoint_hours: 0.1,
            interval_hours: Some(2.0),
            restart_hours: 0.2,
        }),
        held: vec![Held { name: "1y RI".into(), units: 10.0, rate: 1.7, weeks_left: 20 }],
        offers: vec![offer("1y", Some(1.74)), offer("3y", None)],
        buys: vec![
            Buy { offer: "1y".into(), units: 40.0, week: 0 },
            Buy { offer: "1y".into(), units: 20.0, week: 8 },
            Buy { offer: "1y".into(), units: 2.0, week: 0 },
        ],
        ..FamilyInputs::default()
    };
    let p5 = FamilyInputs { name: "p5".into(), ..FamilyInputs::default() };
    let plan = ComputePlan {
        name: "Compute SP 1".into(),
        usd_per_hour: 100.0,
        weeks: 52,
        week: 0,
        payment: Payment::NoUpfront,
        rates: vec![PlanRate { family: "p4d".into(), rate: 1.9 }],
        held: false,
    };
    Scenario { families: vec![family, p5], compute_plans: vec![plan], ..Scenario::default() }
}

fn inputs(scenario: &Scenario) -> Vec<Input> {
    let of = |group| {
        rows(scenario, group).into_iter().filter_map(|row| match row {
            Row::Input(input) => Some(input),
            Row::Heading(_) => None,
        })
    };
    groups(scenario).flat_map(of).collect()
}

#[test]
fn every_input_has_a_name_and_reads_back_what_is_set() {
    let scenario = full();
    let peaks = Peaks(vec![100.0]);
    for input in inputs(&scenario) {
        let slider = input.slider(&scenario, &peaks);
        assert!(!slider.name.is_empty(), "{input:?}");
        if input.is_new() {
            continue;
        }
        let (low, high) = slider.limits;
        assert!(low < high && slider.step > 0.0 && slider.leap > slider.step, "{input:?}");
        // A value of its own kind: whole where only whole ones can be.
        let value = high.min(7.0).min(f64::midpoint(low, high)).max(low);
        let value = if high > 1.0 && high < 1e5 { value.round() } else { value };
        let mut changed = scenario.clone();
        assert!(input.set(&mut changed, Some(value)), "{input:?}");
        let got = input.get(&changed).unwrap();
        assert!((got - value).abs() < 0.5 + 1e-9, "{input:?}: {got} for {value}");
        // Nothing but this changes.
        assert!(input.set(&mut changed, input.get(&scenario).or(Some(0.0))), "{input:?}");
        if !matches!(
            input,
            Input::Bought(..)
                | Input::PlanRate(..)
                | Input::OfferRate(..)
                | Input::OnDemand(_)
                | Input::SpotPrice(_)
                | Input::CutShare(_)
        ) {
            assert_eq!(changed, scenario, "{input:?}");
        }
    }
}

#[test]
fn what_is_bought_now_is_one_purchase() {
    let mut scenario = full();
    let bought = Input::Bought(0, 0);
    assert_eq!(bought.get(&scenario), Some(42.0));
    assert!(bought.set(&mut scenario, Some(60.0)));
    let units: Vec<_> = scenario.families[0].buys.iter().map(|b| (b.units, b.week)).collect();
    assert_eq!(units, [(60.0, 0), (20.0, 8)]);
    assert!(bought.set(&mut scenario, Some(0.0)));
    assert_eq!(scenario.families[0].buys.len(), 1, "nothing is no purchase");
    assert_eq!(bought.get(&scenario), Some(0.0));
    assert!(Input::Bought(0, 1).set(&mut scenario, Some(5.0)));
    assert_eq!(scenario.families[0].buys[1].offer, "3y");
}

#[test]
fn what_is_not_known_can_be_given_and_taken() {
    let mut scenario = full();
    let p5 = 1;
    for input in [
        Input::OnDemand(p5),
        Input::SpotPrice(p5),
        Input::CutShare(p5),
        Input::PlanRate(0, p5),
        Input::OfferRate(0, 1),
    ] {
        assert_eq!(input.get(&scenario), None, "{input:?}");
        assert!(input.set(&mut scenario, Some(0.5)));
        assert_eq!(input.get(&scenario), Some(0.5), "{input:?}");
        assert!(input.set(&mut scenario, None));
        assert_eq!(input.get(&scenario), None, "{input:?}");
    }
    assert!(!Input::Growth(p5).set(&mut scenario, None), "a growth is always known");
    assert!(!Input::Growth(9).set(&mut scenario, Some(0.1)));
    let steps = scenario.families[0].steps.len();
    assert!(Input::StepSize(0, 0).set(&mut scenario, None));
    assert_eq!(scenario.families[0].steps.len(), steps - 1);
    assert!(Input::PlanUsd(0).set(&mut scenario, None));
    assert!(scenario.compute_plans.is_empty());
    assert!(!Input::PlanUsd(0).set(&mut scenario, None));
}

#[test]
fn the_bar_of_growth_tells_none_from_what_is_usual() {
    let (low, high) = Input::Growth(0).slider(&full(), &Peaks::default()).bar.unwrap();
    // The columns that the knob goes through on the narrowest bar and on a wide one.
    for columns in [5.0, 7.0] {
        let knob = |growth: f64| ((growth - low) / (high - low) * columns).round();
        let [less, none, more, twice] = [-0.3, 0.0, 0.3, 0.6].map(knob);
        assert!(less < none && none < more && more < twice, "{columns}");
    }
}

#[test]
fn steps_land_on_round_numbers() {
    assert_eq!(next(0.3, 0.1, true), 0.4);
    assert_eq!(next(0.1 + 0.2, 0.1, false), 0.2);
    assert_eq!(next(62.5, 1.0, true), 63.0);
    assert_eq!(next(62.5, 1.0, false), 62.0);
    assert_eq!(next(-1.0, 1.0, true), 0.0);
    for (value, step) in [(8.5, 5.0), (10.0, 10.0), (0.219, 0.2), (1.99, 1.0), (0.0, 1.0)] {
        assert_eq!(nice(value), step, "{value}");
    }
    let ahead = Future::default().weeks;
    assert_eq!(
        Input::StepWeek(0, 0).slider(&full(), &Peaks::default()).bar,
        Some((0.0, f64::from(ahead)))
    );
}
