//! What holds for every policy, and how ours does.

use proptest::prelude::*;

use super::*;
use crate::whatif::HOURS_PER_WEEK;

fn setting(discount: f64, term_weeks: usize, every_weeks: usize, warm_up_weeks: usize) -> Setting {
    Setting { on_demand: 1.0, reserved: 1.0 - discount, term_weeks, every_weeks, warm_up_weeks }
}

/// Weeks of units that swing by the hour, with jumps.
fn demand() -> impl Strategy<Value = Vec<f64>> {
    let week = (0_u32..60, 0_u32..20);
    prop::collection::vec(week, 4..16).prop_map(|weeks| {
        let hour = |(base, swing): (u32, u32), hour: usize| {
            f64::from(base + swing * u32::from(hour % 24 > 9))
        };
        weeks.into_iter().flat_map(|week| (0..HOURS_PER_WEEK).map(move |h| hour(week, h))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn nobody_beats_foresight_and_all_buy_whole_units(
        hours in demand(), discount in 0.1_f64..0.7, term in 1_usize..9, every in 1_usize..4,
    ) {
        let outcomes = backtest(&hours, &setting(discount, term, every, 2)).unwrap();
        let best = outcomes[0].cost_usd;
        for outcome in &outcomes {
            prop_assert!(outcome.cost_usd >= best - 1e-9 * best, "{outcome:?}");
            prop_assert!(outcome.bought.iter().all(|units| *units >= 0.0 && units.fract() == 0.0));
        }
    }

    #[test]
    fn prices_in_another_currency_change_nothing(
        hours in demand(), discount in 0.1_f64..0.7, term in 1_usize..9,
    ) {
        let one = setting(discount, term, 2, 2);
        // A power of two, so that nothing is rounded.
        let other = Setting { on_demand: 4.0, reserved: 4.0 * one.reserved, ..one };
        for (a, b) in backtest(&hours, &one).unwrap().iter().zip(&backtest(&hours, &other).unwrap()) {
            prop_assert_eq!(&a.bought, &b.bought);
            prop_assert!((4.0 * a.cost_usd - b.cost_usd).abs() <= 1e-9 * b.cost_usd);
        }
    }

    #[test]
    fn what_comes_later_changes_no_purchase(
        hours in demand(), other in demand(), at in 2_usize..12, term in 1_usize..9,
    ) {
        let at = at.min(hours.len() / HOURS_PER_WEEK - 1);
        let mut changed = hours[..at * HOURS_PER_WEEK].to_vec();
        changed.extend(other);
        let setting = setting(0.37, term, 1, 1);
        let (was, is) = (backtest(&hours, &setting).unwrap(), backtest(&changed, &setting).unwrap());
        // Foresight comes first and is the one that may differ. The purchase of week `at` is made
        // before its hours are known, so it is among those that agree.
        for (was, is) in was.iter().zip(&is).skip(1) {
            prop_assert_eq!(&was.bought[..at], &is.bought[..at], "{}", was.name);
        }
    }
}

#[test]
fn a_constant_series_is_bought_at_once_and_costs_nothing_above_foresight() {
    let hours = vec![50.0; 30 * HOURS_PER_WEEK];
    let outcomes = backtest(&hours, &setting(0.37, 52, 4, 4)).unwrap();
    let of = |name: &str| outcomes.iter().find(|o| o.name == name).unwrap();
    for name in ["burntop", "lookback_7d", "lookback_30d", "lookback_60d"] {
        assert!(of(name).cost_above_foresight.unwrap().abs() < 1e-12, "{name}");
        assert_eq!(of(name).bought[0], 50.0, "{name}");
    }
    // Closed forms: 1 ÷ 0.63, and 0.7 + 0.3 ÷ 0.63.
    assert!((of("nothing").cost_above_foresight.unwrap() - (1.0 / 0.63 - 1.0)).abs() < 1e-12);
    let average = 0.7 + 0.3 / 0.63 - 1.0;
    assert!((of("average_70").cost_above_foresight.unwrap() - average).abs() < 1e-12);
}

#[test]
fn wang_li_liang_waits_until_on_demand_has_cost_as_much_as_the_term() {
    // A term of 10 weeks at half the price: 5 weeks of use pay for it, so the first purchase is in
    // week 6, when more than 5 weeks have been seen; then it holds for 10 weeks.
    let hours = vec![3.0; 20 * HOURS_PER_WEEK];
    let outcomes = backtest(&hours, &setting(0.5, 10, 1, 1)).unwrap();
    let wang = outcomes.iter().find(|o| o.name == "wang_li_liang").unwrap();
    let first = wang.bought.iter().position(|units| *units > 0.0);
    assert_eq!(first, Some(5), "one week of warm-up and five more");
    assert_eq!(wang.bought[5], 3.0);
    assert_eq!(wang.bought[6..15].iter().sum::<f64>(), 0.0);
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let hours = vec![1.0; 3 * HOURS_PER_WEEK];
    let good = setting(0.3, 4, 1, 1);
    assert!(backtest(&hours, &good).is_ok());
    let bad = [
        (Setting { on_demand: 0.0, ..good }, "the on-demand price is 0"),
        (Setting { reserved: f64::NAN, ..good }, "the reserved price is NaN"),
        (Setting { term_weeks: 0, ..good }, "the term is 0 weeks"),
        (Setting { every_weeks: 0, ..good }, "the time between purchases is 0 weeks"),
        (Setting { warm_up_weeks: 3, ..good }, "the series has 3 weeks and 3 of them"),
    ];
    for (setting, message) in bad {
        let error = backtest(&hours, &setting).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn odd_series_are_replayed() {
    for hours in [vec![0.0; 900], vec![f64::NAN; 900], vec![0.3; 900], vec![1e7; 900]] {
        for outcome in backtest(&hours, &setting(0.4, 2, 1, 1)).unwrap() {
            assert!(outcome.cost_usd.is_finite(), "{outcome:?}");
        }
    }
    // Committing dearer than on demand: nobody who looks at prices buys.
    let outcomes = backtest(&vec![5.0; 900], &setting(-0.2, 2, 1, 1)).unwrap();
    for name in ["perfect_foresight", "burntop", "lookback_30d", "wang_li_liang"] {
        let outcome = outcomes.iter().find(|o| o.name == name).unwrap();
        assert_eq!(outcome.bought.iter().sum::<f64>(), 0.0, "{name}");
    }
}
