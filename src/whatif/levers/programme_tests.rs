//! A published case, and sums that must close.

use proptest::prelude::*;

use super::Programme;
use super::programme::{Phase, net_roi};

/// Four phases that cost $20K, $30K, $50K, $10K and save $315K a month together. The case states
/// its totals: $2.32M in the first year, $20K out through month 2, cash positive in month 3.
fn case() -> Programme {
    let phase = |once: f64, pay: f64, saving: f64, start: f64| Phase {
        one_off_usd: Some(once),
        pay_month: Some(pay),
        saving_usd: Some(saving),
        start_month: Some(start),
        ..Default::default()
    };
    Programme {
        phases: vec![
            phase(20e3, 1.0, 100e3, 3.0),
            phase(30e3, 3.0, 75e3, 5.0),
            phase(50e3, 5.0, 80e3, 7.0),
            phase(10e3, 7.0, 60e3, 9.0),
        ],
        ..Default::default()
    }
}

#[test]
fn the_case_returns_2_32_million_in_its_first_year_not_3_8() {
    let plan = case().plan().unwrap();
    assert_eq!((plan.investment_usd, plan.run_rate_usd), (110e3, 315e3));
    assert_eq!(plan.first_year_usd(), 2_320e3);
    assert_eq!(plan.payback_month(), Some(3));
    assert_eq!(plan.months[1].cumulative_usd, -20e3);
    assert!(plan.months[2].cumulative_usd > 0.0);
    assert_eq!(plan.deepest_usd(), 20e3);
}

#[test]
fn payback_in_ten_days_takes_all_savings_from_the_first_one() {
    let days = 110.0 / (3_800.0 / 365.0);
    assert!((days - 10.6_f64).abs() < 0.05);
    let notes = case().sheet().unwrap().notes;
    assert!(notes[0].contains("from month 3 on"), "{notes:?}");
}

#[test]
fn a_return_is_net() {
    // 3,454% is savings ÷ investment; net 3,354%, at the run rate 3,336%, on the plan 2,009%.
    assert!((3_800.0_f64 / 110.0 - 34.54).abs() < 0.01);
    let net = |gain: f64| net_roi(gain, 110e3).unwrap();
    assert!((net(3_800e3) - 33.54).abs() < 0.01);
    assert!((net(12.0 * 315e3) - 33.36).abs() < 0.01);
    assert!((case().plan().unwrap().roi().unwrap() - 20.09).abs() < 0.01);
    assert_eq!(net_roi(5.0, 0.0), None);
}

#[test]
fn phases_cannot_save_more_than_was_found() {
    // The case found "$280K" of waste; its own table sums to $362.5K; its phases save $315K.
    let found: f64 = [(0.45, 250.0), (0.60, 300.0), (0.70, 80.0), (0.40, 35.0)]
        .iter()
        .map(|(part, spend)| part * spend)
        .sum();
    assert!((found - 362.5).abs() < 1e-9);
    let says = |found| {
        let programme = Programme { found_usd: Some(found), ..case() };
        programme.sheet().unwrap().notes.iter().any(|note| note.contains("counted twice"))
    };
    assert!(says(280e3) && !says(362.5e3));
}

#[test]
fn a_net_monthly_saving_hides_its_cost() {
    // "$70K net" is $75K with $30K spread over six months: cash says −30, then 75.
    let phase = Programme {
        phases: vec![Phase {
            start_month: Some(1.0),
            pay_month: Some(1.0),
            ..case().phases[1].clone()
        }],
        months: Some(6.0),
        ..Default::default()
    };
    let plan = phase.plan().unwrap();
    assert_eq!(plan.months[5].cumulative_usd / 6.0, 70e3);
    assert_eq!(plan.months[0].cumulative_usd, 45e3);
}

#[test]
fn a_ramp_grows_to_the_whole() {
    let plan = Programme {
        phases: vec![Phase {
            saving_usd: Some(400.0),
            start_month: Some(2.0),
            ramp_months: Some(3.0),
            ..Default::default()
        }],
        months: Some(6.0),
        ..Default::default()
    }
    .plan()
    .unwrap();
    let savings: Vec<f64> = plan.months.iter().map(|month| month.saving_usd).collect();
    assert_eq!(savings, [0.0, 100.0, 200.0, 300.0, 400.0, 400.0]);
    assert_eq!(plan.payback_month(), Some(1));
}

#[test]
fn what_never_pays_back_says_so() {
    let plan = Programme {
        phases: vec![Phase {
            one_off_usd: Some(1e6),
            saving_usd: Some(1.0),
            start_month: Some(1.0),
            ..Default::default()
        }],
        ..Default::default()
    };
    assert_eq!(plan.plan().unwrap().payback_month(), None);
    assert!(plan.sheet().unwrap().notes[0].contains("not back within"));
}

fn any_phase() -> impl Strategy<Value = Phase> {
    (0.0..1e6f64, 1u32..24, 0.0..1e6f64, 1u32..24, 0u32..12).prop_map(
        |(once, pay, saving, start, ramp)| Phase {
            one_off_usd: Some(once),
            pay_month: Some(f64::from(pay)),
            saving_usd: Some(saving),
            start_month: Some(f64::from(start)),
            ramp_months: Some(f64::from(ramp)),
            ..Default::default()
        },
    )
}

proptest! {
    #[test]
    fn sums_close(phases in prop::collection::vec(any_phase(), 1..6), months in 1u32..60) {
        let programme = Programme { phases, months: Some(f64::from(months)), ..Default::default() };
        let plan = programme.plan().unwrap();
        let paid: f64 = plan.months.iter().map(|month| month.cost_usd).sum();
        let last = plan.months.last().unwrap().cumulative_usd;
        prop_assert!((last - (plan.saving_usd() - paid)).abs() < 1e-6);
        // Phase by phase it is the same: each is a programme of its own.
        let alone: f64 = programme.phases.iter().map(|phase| {
            let one = Programme { phases: vec![phase.clone()], ..programme.clone() };
            one.plan().unwrap().saving_usd()
        }).sum();
        prop_assert!((alone - plan.saving_usd()).abs() < 1e-6);
        if months >= 24 {
            prop_assert!((paid - plan.investment_usd).abs() < 1e-6);
        }
        prop_assert!(plan.saving_usd() <= plan.run_rate_usd * f64::from(months) + 1e-6);
    }

    #[test]
    fn the_present_value_is_the_discounted_cash(
        phases in prop::collection::vec(any_phase(), 1..4), wacc in 0.0..0.3f64,
    ) {
        let programme = Programme { phases, wacc: Some(wacc), ..Default::default() };
        let plan = programme.plan().unwrap();
        let mut worth = 0.0;
        for month in plan.months.iter().rev() {
            worth = (worth + month.saving_usd - month.cost_usd) / (1.0 + wacc).powf(1.0 / 12.0);
        }
        prop_assert!((worth - plan.npv_usd).abs() < 1e-6 * (1.0 + worth.abs()));
    }

    #[test]
    fn cash_is_in_the_black_from_the_month_it_says(phases in prop::collection::vec(any_phase(), 1..4)) {
        let plan = Programme { phases, ..Default::default() }.plan().unwrap();
        let cash: Vec<f64> = plan.months.iter().map(|month| month.cumulative_usd).collect();
        match plan.payback_month() {
            Some(first) => {
                let first = first as usize;
                prop_assert!(cash[first - 1..].iter().all(|usd| *usd >= -1e-9));
                prop_assert!(first == 1 || cash[first - 2] < 0.0);
            }
            None => prop_assert!(cash.last().unwrap() < &0.0),
        }
    }
}
