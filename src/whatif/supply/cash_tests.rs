//! Cash flows against closed forms and the fact sheet's figures.

use proptest::prelude::*;

use super::cash::*;
use super::payback::*;
use crate::whatif::Payment;

const ALL: [Payment; 3] = [Payment::NoUpfront, Payment::PartialUpfront, Payment::AllUpfront];

/// Discounts by payment, typical for GPU families: one year, three years.
const YEAR: [f64; 3] = [0.366, 0.396, 0.408];
const THREE: [f64; 3] = [0.573, 0.605, 0.628];

fn schedules(discounts: [f64; 3], weeks: u16) -> [Schedule; 3] {
    [0, 1, 2].map(|at| Schedule::of(1.0 - discounts[at], weeks, ALL[at]))
}

#[test]
fn a_year_is_8760_hours_and_12_payments() {
    let schedule = Schedule::of(1.0, 52, Payment::PartialUpfront);
    assert_eq!(
        (schedule.total_usd, schedule.upfront_usd, schedule.monthly_usd),
        (8760.0, 4380.0, 365.0)
    );
    assert_eq!(schedule.payments().len(), 13);
    assert_eq!(schedule.cumulative(12).last(), Some(&8760.0));
}

#[test]
fn a_block_of_three_weeks_is_paid_at_once() {
    let block = Schedule::of(2.0, 3, Payment::AllUpfront);
    assert_eq!(block.upfront_usd, 2.0 * 3.0 * 168.0);
    assert_eq!(block.cumulative(1), [1008.0, 1008.0]);
}

#[test]
fn paying_early_earns_what_the_fact_sheet_says() {
    let earns = |discounts, weeks| {
        let [none, _, all] = schedules(discounts, weeks);
        100.0 * return_of_paying_early(&all, &none).unwrap()
    };
    // 13.7 % and 9.6 % from the unrounded discounts.
    assert!((earns(YEAR, 52) - 13.7).abs() < 0.1, "{}", earns(YEAR, 52));
    assert!((earns(THREE, 156) - 9.6).abs() < 0.1, "{}", earns(THREE, 156));
}

#[test]
fn equal_schedules_have_no_rate() {
    let one = Schedule::of(1.0, 52, Payment::NoUpfront);
    assert_eq!(return_of_paying_early(&one, &one), None);
    // Paying at once for nothing off loses: the rate is 0 or below.
    let early = Schedule::of(1.1, 52, Payment::AllUpfront);
    assert!(return_of_paying_early(&early, &one).unwrap() < 0.0);
}

#[test]
fn dear_capital_pays_late() {
    let best = |discounts, weeks, wacc| ALL[cheapest(&schedules(discounts, weeks), wacc).unwrap()];
    let year = |wacc| best(YEAR, 52, wacc);
    assert_eq!((year(0.05), year(0.10), year(0.14)), (ALL[2], ALL[1], ALL[1]));
    assert_eq!(year(0.20), ALL[0]);
    let three = |wacc| best(THREE, 156, wacc);
    assert_eq!((three(0.08), three(0.10), three(0.12)), (ALL[2], ALL[1], ALL[0]));
}

#[test]
fn safe_months_are_the_fact_sheets() {
    let months = |r: f64, t: f64, u: f64| safe_months(r, 1.0, u, t);
    assert!((months(0.634, 12.0, 1.0).unwrap() - 7.6).abs() < 0.05);
    assert!((months(0.427, 36.0, 1.0).unwrap() - 15.4).abs() < 0.05);
    // Used at the break-even of 60 %, the whole year is needed; below it, never.
    assert!((months(0.6, 12.0, 0.6).unwrap() - 12.0).abs() < 1e-9);
    assert_eq!(months(0.6, 12.0, 0.59), None);
    assert_eq!(months(0.6, 12.0, 0.0), None);
}

#[test]
fn a_price_cut_turns_one_year_and_not_three() {
    // 44 % in month 3: 7.61 against 7.24 months; 15.4 against 19.3.
    assert!(!survives_price_cut(0.634, 1.0, 0.9, 12.0, (3.0, 0.44)));
    assert!(survives_price_cut(0.427, 1.0, 0.9, 36.0, (3.0, 0.44)));
    let unit = |rate, weeks| Unit {
        rate,
        on_demand: 1.0,
        utilisation: 0.9,
        weeks,
        payment: Payment::NoUpfront,
        price_cut: Some((3.0, 0.44)),
    };
    assert_eq!(unit(0.634, 52).safe_months(), None);
    let safe = unit(0.427, 156).safe_months().unwrap();
    // 0.9 (3 + (m − 3) 0.56) = 15.372.
    assert!((safe - (3.0 + (15.372 / 0.9 - 3.0) / 0.56)).abs() < 1e-9, "{safe}");
}

#[test]
fn a_commitment_before_the_cut_of_p5_is_dearer_than_on_demand() {
    // 36.6 % off $98.32 against $55.04 after the cut of 2025-06: 13.2 % above.
    let above: f64 = 98.32 * (1.0 - 0.366) / 55.04 - 1.0;
    assert!((above - 0.132).abs() < 6e-4, "{above}");
    assert!(!survives_price_cut(98.32 * 0.634, 98.32, 1.0, 12.0, (0.0, 0.44)));
}

#[test]
fn all_upfront_is_back_after_upfront_by_use() {
    let unit = Unit {
        rate: 0.6,
        on_demand: 1.0,
        utilisation: 0.8,
        weeks: 52,
        payment: Payment::AllUpfront,
        price_cut: None,
    };
    // Upfront ÷ (p u 730) = 5,256 ÷ 584 = 9 months, which is also when it is safe.
    assert!((unit.break_even_months().unwrap() - 9.0).abs() < 1e-9);
    assert!((unit.safe_months().unwrap() - 9.0).abs() < 1e-9);
    let monthly = Unit { payment: Payment::NoUpfront, ..unit };
    assert_eq!(monthly.break_even_months(), Some(0.0));
    let idle = Unit { utilisation: 0.5, ..unit };
    assert_eq!((idle.break_even_months(), idle.safe_months()), (None, None));
    assert_eq!(Unit { utilisation: 0.5, ..monthly }.break_even_months(), None);
}

#[test]
fn the_picture_crosses_where_the_number_says() {
    let unit = Unit {
        rate: 0.6,
        on_demand: 1.0,
        utilisation: 0.8,
        weeks: 52,
        payment: Payment::AllUpfront,
        price_cut: None,
    };
    let picture = unit.payback();
    assert_eq!(picture.committed_usd.len(), 13);
    assert!(picture.on_demand_usd[8] < picture.committed_usd[8]);
    assert!(picture.on_demand_usd[10] > picture.committed_usd[10]);
}

fn any_payment() -> impl Strategy<Value = Payment> {
    prop::sample::select(ALL.to_vec())
}

proptest! {
    #[test]
    fn the_present_value_is_the_closed_form(
        rate in 0.1..20.0f64, years in 1u16..=3, payment in any_payment(), wacc in 0.001..0.5f64,
    ) {
        let schedule = Schedule::of(rate, years * 52, payment);
        let (i, t) = (monthly_interest(wacc), schedule.months);
        let annuity = (1.0 - (1.0 + i).powf(-t)) / i;
        let closed = schedule.upfront_usd + schedule.monthly_usd * annuity;
        prop_assert!((schedule.npv(wacc) - closed).abs() < 1e-9 * closed);
        prop_assert!((schedule.npv(0.0) - schedule.total_usd).abs() < 1e-9 * closed);
    }

    #[test]
    fn payments_are_the_whole_sum(weeks in 1u16..200, payment in any_payment(), rate in 0.1..20.0f64) {
        let schedule = Schedule::of(rate, weeks, payment);
        let sum: f64 = schedule.payments().iter().map(|(_, usd)| usd).sum();
        prop_assert!((sum - schedule.total_usd).abs() < 1e-9 * sum);
    }

    #[test]
    fn the_rate_of_return_is_a_root(
        none in 0.5..1.0f64, less in 0.001..0.3f64, years in 1u16..=3,
    ) {
        let late = Schedule::of(none, years * 52, Payment::NoUpfront);
        let early = Schedule::of(none * (1.0 - less), years * 52, Payment::AllUpfront);
        let annual = return_of_paying_early(&early, &late).unwrap();
        let apart = late.npv(annual) - early.npv(annual);
        prop_assert!(apart.abs() < 1e-6 * late.total_usd, "{annual}: {apart}");
    }

    #[test]
    fn the_break_even_is_where_cash_crosses_for_good(
        rate in 0.2..1.0f64, u in 0.2..1.0f64, payment in any_payment(),
        month in 0.0..12.0f64, cut in -0.5..0.9f64,
    ) {
        let unit = Unit {
            rate, on_demand: 1.0, utilisation: u, weeks: 52, payment, price_cut: Some((month, cut)),
        };
        let schedule = unit.schedule();
        let ahead = |m: f64| unit.on_demand_usd(m) - schedule.upfront_usd - schedule.monthly_usd * m;
        let slack = 1e-6 * schedule.total_usd;
        let after = |from: f64| (0..=1200).map(|k| f64::from(k) / 100.0).filter(move |m| *m >= from);
        match unit.break_even_months() {
            Some(found) => {
                prop_assert!(after(found).all(|m| ahead(m) >= -slack));
                prop_assert!(found == 0.0 || ahead(found - 0.01) < slack);
            }
            None => prop_assert!(ahead(12.0) < slack),
        }
        let safe = unit.safe_months();
        prop_assert_eq!(safe.is_some(), survives_price_cut(rate, 1.0, u, 12.0, (month, cut)));
        if let Some(safe) = safe {
            prop_assert!((unit.on_demand_usd(safe) - schedule.total_usd).abs() < slack);
        }
    }
}
