use std::time::Instant;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::whatif::optimum::term_hours;

fn tier(name: &str, rate: f64, kind: TierKind) -> Tier {
    Tier { name: name.to_owned(), rate, kind }
}

fn on_demand() -> Tier {
    tier("on-demand", 1.0, TierKind::Usage { share: 1.0 })
}

fn fixed(name: &str, rate: f64, term_hours: usize) -> Tier {
    tier(name, rate, TierKind::Commitment { term_hours })
}

/// Cost of holding these commitments, hour by hour.
fn by_hour(
    hours: &[f64],
    held: impl Fn(usize) -> f64,
    fixed_usd: f64,
    spot: Option<(f64, f64)>,
) -> f64 {
    let open = hours.iter().enumerate().map(|(hour, demand)| {
        let open = (demand - held(hour)).max(0.0);
        let on_spot = spot.map_or(0.0, |(share, _)| open.min(share * demand));
        open - on_spot + on_spot * spot.map_or(0.0, |(_, price)| price)
    });
    fixed_usd + open.sum::<f64>()
}

/// The linear program's answers, read from the golden file.
#[test]
fn equals_the_linear_program() {
    let cases: Value =
        serde_json::from_str(include_str!("../../../../tests/data/whatif/oracle_portfolio.json"))
            .unwrap();
    for case in cases.as_array().unwrap() {
        let hours = crate::whatif::optimum::tests::hours(case);
        let tiers: Vec<Tier> = case["question"]["tiers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tier| Tier {
                name: tier["name"].as_str().unwrap().to_owned(),
                rate: tier["rate"].as_f64().unwrap(),
                kind: match tier["usage_share"].as_f64() {
                    Some(share) => TierKind::Usage { share },
                    None => TierKind::Commitment {
                        term_hours: tier["term_hours"].as_u64().map_or(hours.len(), |h| h as usize),
                    },
                },
            })
            .collect();
        let found = portfolio(&hours, &tiers, Units::Parts).unwrap();
        let cost = case["answer"]["cost_usd"].as_f64().unwrap();
        assert!((found.cost_usd / cost - 1.0).abs() < 1e-9, "{} {cost}", found.cost_usd);
        let esr = case["answer"]["esr"].as_f64().unwrap();
        assert!((found.esr.unwrap() - esr).abs() < 1e-9);
        // Whole units cost the same or a little more.
        let whole = portfolio(&hours, &tiers, Units::Whole).unwrap();
        assert!(whole.cost_usd >= found.cost_usd * (1.0 - 1e-12));
        // Small series pay more for what is cut off.
        let slack = if case["hours"].is_array() { 1.05 } else { 1.001 };
        assert!(whole.cost_usd <= found.cost_usd * slack);
        let units = whole.tiers.iter().flat_map(|tier| &tier.periods);
        assert!(units.clone().all(|units| units.fract() == 0.0 && *units >= 0.0));
    }
}

#[test]
fn three_years_of_a_region_take_432_long_and_113_short_units() {
    let hours = crate::whatif::optimum::tests::column("snowflake_regions_1-2.csv", "region_2");
    let year = fixed("1y", 0.63, term_hours(52));
    let three = fixed("3y", 0.43, term_hours(156));
    let both =
        portfolio(&hours, &[on_demand(), year.clone(), three.clone()], Units::Whole).unwrap();
    assert_eq!(both.tiers[1].periods, [0.0, 0.0, 113.0]);
    assert_eq!(both.tiers[2].periods, [432.0]);
    assert_eq!((both.tiers[1].units, both.tiers[2].units), (113.0, 432.0));
    let esr = |tiers: &[Tier]| portfolio(&hours, tiers, Units::Whole).unwrap().esr.unwrap();
    assert!((esr(&[on_demand(), year.clone(), three.clone()]) - 0.4255).abs() < 5e-5);
    assert!((esr(&[on_demand(), year]) - 0.2803).abs() < 5e-5);
    assert!((esr(&[on_demand(), three]) - 0.4179).abs() < 5e-5);
}

#[test]
fn one_tier_is_the_quantile_and_its_identities_hold() {
    let hours: Vec<f64> = (0..1000).map(|hour| f64::from(hour * 37 % 101)).collect();
    let found = portfolio(&hours, &[on_demand(), fixed("1y", 0.63, 8760)], Units::Whole).unwrap();
    assert_eq!(found.tiers[1].units, Usage::new(&hours).level(0.63));
    let (coverage, used) = (found.coverage.unwrap(), found.utilisation.unwrap());
    // ESR = coverage × (1 − (1 − discount) ÷ utilisation).
    assert!((found.esr.unwrap() - coverage * (1.0 - 0.63 / used)).abs() < 1e-12);
}

proptest! {
    #[test]
    fn no_other_levels_are_cheaper(
        hours in prop::collection::vec(0_u8..12, 11..40),
        long in 0.2_f64..1.1, short in 0.2_f64..1.1, share in 0.0_f64..1.0, spot in 0.1_f64..1.0,
    ) {
        let hours: Vec<f64> = hours.into_iter().map(f64::from).collect();
        let tiers = [
            on_demand(),
            fixed("long", long, 1000),
            fixed("short", short, 10),
            tier("spot", spot, TierKind::Usage { share: share.min(0.99) }),
        ];
        let found = portfolio(&hours, &tiers, Units::Whole).unwrap();
        let spot = Some((share.min(0.99), spot));
        let cost = |base: f64, more: &[f64]| {
            let paid: f64 = hours
                .iter()
                .enumerate()
                .map(|(hour, _)| long * base + short * more[hour / 10])
                .sum();
            by_hour(&hours, |hour| base + more[hour / 10], paid, spot)
        };
        let more = &found.tiers[2].periods;
        let base = found.tiers[1].units;
        prop_assert!((cost(base, more) - found.cost_usd).abs() < 1e-9);
        // Brute force: for each base the best of each period.
        let periods = hours.len().div_ceil(10);
        let mut best = f64::INFINITY;
        for base in 0..=12 {
            let mut chosen = vec![0.0; periods];
            for period in 0..periods {
                let mut least = f64::INFINITY;
                let mut pick = 0.0;
                for units in 0..=12 {
                    let mut tried = chosen.clone();
                    tried[period] = f64::from(units);
                    let cost = cost(f64::from(base), &tried);
                    if cost < least - 1e-12 {
                        (least, pick) = (cost, f64::from(units));
                    }
                }
                chosen[period] = pick;
            }
            best = best.min(cost(f64::from(base), &chosen));
        }
        prop_assert!((found.cost_usd - best).abs() < 1e-9, "{} {best}", found.cost_usd);
        let parts = portfolio(&hours, &tiers, Units::Parts).unwrap();
        prop_assert!(parts.cost_usd <= found.cost_usd + 1e-9);
    }

    #[test]
    fn parts_grow_with_the_demand(
        hours in prop::collection::vec(0.0_f64..50.0, 1..60), rate in 0.1_f64..1.2, factor in 0.1_f64..9.0,
    ) {
        let tiers = [on_demand(), fixed("a", rate, 20), fixed("b", rate * 0.9, 60)];
        let one = portfolio(&hours, &tiers, Units::Parts).unwrap();
        let more: Vec<f64> = hours.iter().map(|units| units * factor).collect();
        let more = portfolio(&more, &tiers, Units::Parts).unwrap();
        prop_assert!((more.cost_usd - factor * one.cost_usd).abs() <= 1e-9 * more.cost_usd.max(1.0));
    }
}

#[test]
fn unknown_hours_cost_nothing() {
    let known = [3.0, 5.0, 5.0, 2.0];
    let gaps = [3.0, f64::NAN, 5.0, 5.0, f64::NAN, 2.0];
    let tiers = [on_demand(), fixed("a", 0.5, 100)];
    let [known, gaps] =
        [&known[..], &gaps[..]].map(|h| portfolio(h, &tiers, Units::Whole).unwrap());
    assert_eq!(known, gaps);
}

#[test]
fn nothing_is_nothing() {
    for hours in [vec![], vec![f64::NAN; 5], vec![0.0; 5]] {
        let found = portfolio(&hours, &[on_demand(), fixed("a", 0.5, 2)], Units::Parts).unwrap();
        assert_eq!((found.cost_usd, found.esr, found.utilisation), (0.0, None, None));
    }
}

#[test]
fn what_makes_no_question_says_why() {
    let spot = |share| tier("spot", 0.3, TierKind::Usage { share });
    let cases = [
        (vec![spot(0.5)], "0 tiers serve any demand"),
        (vec![on_demand(), on_demand()], "2 tiers serve any demand"),
        (vec![on_demand(), fixed("a", 0.0, 5)], "the rate of a is 0"),
        (vec![on_demand(), spot(1.5)], "the share of spot is 1.5"),
        (vec![on_demand(), fixed("a", 0.5, 0)], "the term of a is 0 hours"),
        (vec![on_demand(), fixed("a", 0.5, 6), fixed("b", 0.5, 4)], "terms of 6 h and 4 h"),
    ];
    for (tiers, message) in cases {
        let error = portfolio(&[1.0; 9], &tiers, Units::Parts).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    // All terms fit into one that is as long as the series.
    let tiers = [on_demand(), fixed("a", 0.5, 9), fixed("b", 0.5, 4)];
    assert!(portfolio(&[1.0; 9], &tiers, Units::Parts).is_ok());
}

#[test]
#[ignore = "a measurement: cargo test --release -- --ignored --nocapture five_families"]
fn five_families_of_a_year_in_milliseconds() {
    let mut dice = crate::whatif::backtest::dice::Dice::new(3);
    let families: Vec<Vec<f64>> = (0..5)
        .map(|_| (0..8760).map(|_| (300.0 + 90.0 * dice.normal()).round().max(0.0)).collect())
        .collect();
    let tiers = [on_demand(), fixed("1y", 0.63, 8760), fixed("3y", 0.43, 26280)];
    let mut times = Vec::new();
    for _ in 0..50 {
        let begin = Instant::now();
        let cost: f64 = families
            .iter()
            .map(|hours| portfolio(hours, &tiers, Units::Whole).unwrap().cost_usd)
            .sum();
        times.push((begin.elapsed(), cost));
    }
    times.sort_by_key(|(time, _)| *time);
    println!("five families × 8,760 h: median {:?}, fastest {:?}", times[25].0, times[0].0);
}
