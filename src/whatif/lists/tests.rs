use super::*;
use crate::whatif::optimum::buy_now::tests::Known;
use crate::whatif::{Held, Payment, Step, StepKind};

fn offer(name: &str, weeks: u16, rate: Option<f64>) -> Offer {
    let kind = OfferKind::StandardRi;
    Offer { name: name.to_owned(), kind, weeks, payment: Payment::NoUpfront, rate }
}

fn family(offers: Vec<Offer>) -> FamilyInputs {
    FamilyInputs {
        name: "p4d.24xlarge".to_owned(),
        on_demand: Some(1.0),
        offers,
        ..FamilyInputs::default()
    }
}

fn of(inputs: &FamilyInputs, levels: &[f64], most: Option<f64>) -> Lists {
    let outlook = Known::new(levels, 1.0);
    lists(&[Candidate { inputs, outlook: &outlook, most }], &Future::default())
}

fn year() -> Offer {
    offer("1y", 52, Some(0.634))
}

#[test]
fn what_stays_is_bought_with_its_numbers() {
    let lists = of(&family(vec![year()]), &[40.0; 52], None);
    let [entry] = &lists.buy[..] else { panic!("{lists:?}") };
    assert_eq!((entry.units, entry.week), (40.0, 0));
    assert!((entry.usd_per_hour - 40.0 * 0.634).abs() < 1e-9);
    // 8,736 hours of 40 units, 36.6% off.
    assert!((entry.saves_usd - 0.366 * 40.0 * 8736.0).abs() < 1e-6);
    // A year is billed as 8,760 h, by the month.
    assert!((entry.monthly_usd - 40.0 * 0.634 * 730.0).abs() < 1e-6);
    assert_eq!(entry.upfront_usd, 0.0);
    assert!((entry.safe_months.unwrap() - 12.0 * 0.634).abs() < 1e-9);
    assert_eq!((entry.lock_in_months, entry.marks), (12.0, [true; 3]));
    let ListReason::Buy { slot, top_up_weeks: 4, next, term, limit: Limit::Next(left) } =
        entry.reason
    else {
        panic!("{entry:?}")
    };
    assert_eq!((slot, left.used), (40.0, 0.0));
    let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-9;
    assert!(near(next.used, 1.0) && near(term.used, 1.0) && near(term.needed, 0.634));
    assert!(lists.plan.is_empty() && lists.avoid.is_empty());
}

#[test]
fn what_comes_is_planned_and_dated() {
    let mut levels = vec![40.0; 52];
    levels[12..].iter_mut().for_each(|units| *units = 60.0);
    let lists = of(&family(vec![year()]), &levels, None);
    let [entry] = &lists.plan[..] else { panic!("{lists:?}") };
    assert_eq!((entry.units, entry.week), (20.0, 12));
    // Forty weeks are looked at: that is what the saving is over.
    assert!((entry.saves_usd - 0.366 * 20.0 * 40.0 * 168.0).abs() < 1e-6);
    assert!(matches!(entry.reason, ListReason::Plan { .. }), "{:?}", entry.reason);
}

#[test]
fn what_a_step_makes_worthless_is_not_bought() {
    let mut levels = vec![40.0; 52];
    levels[12..].iter_mut().for_each(|units| *units = 10.0);
    let mut inputs = family(vec![year()]);
    inputs.steps.push(Step { week: 12, kind: StepKind::Scale { factor: 0.25 } });
    let lists = of(&inputs, &levels, None);
    assert_eq!(lists.buy[0].units, 10.0);
    let [entry] = &lists.avoid[..] else { panic!("{lists:?}") };
    assert_eq!(entry.units, 30.0);
    let ListReason::Ends { slot, next, term, step } = entry.reason else { panic!("{entry:?}") };
    assert_eq!((slot, step), (11.0, Some(12)));
    // Twelve of the 52 weeks.
    assert!((next.used - 1.0).abs() < 1e-9 && (term.used - 12.0 / 52.0).abs() < 1e-9);
}

#[test]
fn what_is_held_counts_and_its_end_is_planned() {
    let mut inputs = family(vec![year()]);
    let name = "1y standard RI".to_owned();
    inputs.held.push(Held { name, units: 25.0, rate: 0.6, weeks_left: 20 });
    let lists = of(&inputs, &[40.0; 52], None);
    assert_eq!(lists.buy[0].units, 15.0);
    assert_eq!((lists.plan[0].units, lists.plan[0].week), (25.0, 20));
    // 25 units at 0.6 for 20 weeks, 15 at 0.634 for 52, weighted by the dollars left.
    let (held, new) = (25.0 * 0.6 * 20.0, 15.0 * 0.634 * 52.0);
    let months = (held * 20.0 + new * 52.0) / (held + new) * 12.0 / 52.0;
    assert!((lists.buy[0].lock_in_months - months).abs() < 1e-9);
}

#[test]
fn caution_stops_before_the_mean_does() {
    let lists = of(&family(vec![year()]), &[40.0; 52], Some(25.0));
    assert_eq!((lists.buy[0].units, lists.avoid[0].units), (25.0, 15.0));
    let avoided = &lists.avoid[0].reason;
    assert!(matches!(avoided, ListReason::Cautious { slot: 26.0, .. }), "{avoided:?}");
    // The purchase says itself why it is no larger.
    let reason = &lists.buy[0].reason;
    assert!(
        matches!(reason, ListReason::Buy { slot: 25.0, limit: Limit::Caution, .. }),
        "{reason:?}"
    );
}

#[test]
fn a_long_term_takes_the_base_and_a_short_one_the_rest() {
    let mut levels = vec![40.0; 52];
    levels[26..].iter_mut().for_each(|units| *units = 15.0);
    let inputs = family(vec![offer("half", 26, Some(0.8)), year()]);
    let lists = of(&inputs, &levels, None);
    let bought: Vec<(&str, f64)> = lists.buy.iter().map(|e| (&*e.offer, e.units)).collect();
    assert_eq!(bought, [("1y", 15.0), ("half", 25.0)]);
}

#[test]
fn what_is_never_worth_it_says_why() {
    let odcr = Offer { kind: OfferKind::CapacityReservation, ..offer("ODCR", 52, Some(1.0)) };
    let offers = vec![
        offer("unknown", 52, None),
        offer("dear", 52, Some(1.0)),
        offer("same", 52, Some(0.7)),
        year(),
        odcr,
        offer("3y", 156, Some(0.43)),
    ];
    // Half of the hours of each week, so that a year at 63.4% does not pay either.
    let outlook = Known {
        weeks: vec![crate::whatif::optimum::Usage::new(&[4.0, 0.0].repeat(84)); 52],
        on_demand: 1.0,
    };
    let inputs = family(offers);
    let candidate = Candidate { inputs: &inputs, outlook: &outlook, most: None };
    let lists = lists(&[candidate], &Future::default());
    assert!(lists.buy.is_empty() && lists.plan.is_empty());
    let reason = |name: &str| &lists.avoid.iter().find(|e| e.offer == name).unwrap().reason;
    assert_eq!(*reason("unknown"), ListReason::NoRate(OfferKind::StandardRi));
    assert_eq!(*reason("dear"), ListReason::Dear { rate: 1.0, on_demand: 1.0 });
    assert_eq!(*reason("same"), ListReason::Dearer { other: "1y".to_owned(), is_shorter: false });
    assert_eq!(*reason("ODCR"), ListReason::Capacity);
    let ListReason::Idle { slot: 1.0, best } = reason("1y") else { panic!("{:?}", reason("1y")) };
    assert!((best.used - 0.5).abs() < 1e-9 && (best.needed - 0.634).abs() < 1e-9);
    assert_eq!(*reason("3y"), ListReason::Beyond { weeks: 156, ahead: 52 });
    assert_eq!(lists.avoid.len(), 6);
}

#[test]
fn a_family_without_a_price_has_nothing_to_buy() {
    let inputs = FamilyInputs { on_demand: None, ..family(vec![year()]) };
    let outlook = Known::new(&[40.0; 52], 0.0);
    let candidate = Candidate { inputs: &inputs, outlook: &outlook, most: None };
    let lists = lists(&[candidate], &Future::default());
    assert!(lists.buy.is_empty() && lists.plan.is_empty());
    assert_eq!(lists.avoid[0].reason, ListReason::NoPrice);
}
