//! Cash flows against closed forms and the fact sheet's figures.

use proptest::prelude::*;

use super::cash::*;
use super::payback::*;
use crate::whatif::Payment;

const ALL: [Payment; 3] = [Payment::NoUpfront, Payment::PartialUpfront, Payment::AllUpfront];

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
fn safe_months_are_the_fact_sheets() {
    let months = |r: f64, t: f64, u: f64| safe_months(r, 1.0, u, t);
    assert!((months(0.634, 12.0, 1.0).unwrap() - 7.6).abs() < 0.05);
    assert!((months(0.427, 36.0, 1.0).unwrap() - 15.4).abs() < 0.05);
    // Used at the break-even of 60%, the whole year is needed; below it, never.
    assert!((months(0.6, 12.0, 0.6).unwrap() - 12.0).abs() < 1e-9);
    assert_eq!(months(0.6, 12.0, 0.59), None);
    assert_eq!(months(0.6, 12.0, 0.0), None);
}

#[test]
fn a_price_cut_turns_one_year_and_not_three() {
    // 44% in month 3: 7.61 against 7.24 months; 15.4 against 19.3.
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
        // r T ≤ p u (t + (T − t)(1 − x)).
        let paid = month + (12.0 - month) * (1.0 - cut);
        prop_assert_eq!(safe.is_some(), rate * 12.0 <= u * paid);
        if let Some(safe) = safe {
            prop_assert!((unit.on_demand_usd(safe) - schedule.total_usd).abs() < slack);
        }
    }
}
