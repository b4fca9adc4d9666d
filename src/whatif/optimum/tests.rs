//! Real series, and the ladder against the linear program.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::whatif::backtest::weeks;

/// A column of a shipped series.
pub fn column(file: &str, name: &str) -> Vec<f64> {
    let text = match file {
        "snowflake_regions_1-2.csv" => {
            include_str!("../../../tests/data/whatif/snowflake_regions_1-2.csv")
        }
        _ => include_str!("../../../tests/data/whatif/helios_earth_2020-05.csv"),
    };
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

/// The hours of a case of the oracle: a column of a shipped series, or its own.
pub fn hours(case: &Value) -> Vec<f64> {
    match case["hours"].as_array() {
        Some(hours) => hours.iter().map(|units| units.as_f64().unwrap_or(f64::NAN)).collect(),
        None => column(case["file"].as_str().unwrap(), case["column"].as_str().unwrap()),
    }
}

#[test]
fn the_ladder_equals_the_linear_program() {
    let cases: Value =
        serde_json::from_str(include_str!("../../../tests/data/whatif/oracle_ladder.json"))
            .unwrap();
    for case in cases.as_array().unwrap() {
        let hours = hours(case);
        let question = &case["question"];
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let rungs: Vec<Rung> = question["rungs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rung| Rung {
                term_weeks: number(&rung["term_weeks"]),
                rate: rung["rate"].as_f64().unwrap(),
                every_weeks: number(&rung["every_weeks"]),
            })
            .collect();
        let weeks = &weeks(&hours)[number(&question["from_week"])..];
        let found = ladder(weeks, question["on_demand"].as_f64().unwrap(), &rungs);
        let cost = case["answer"]["cost_usd"].as_f64().unwrap();
        assert!((found.cost_usd / cost - 1.0).abs() < 1e-9, "{} {cost}", found.cost_usd);
    }
}

/// A slot can be handed over from one commitment to another, which a choice slot by slot misses.
#[test]
fn overlapping_terms_hand_a_slot_over() {
    let hours: Vec<f64> = [1.0, 2.0, 1.0, 0.0].iter().flat_map(|units| vec![*units; 168]).collect();
    let rung = Rung { term_weeks: 2, rate: 0.63, every_weeks: 1 };
    let found = ladder(&weeks(&hours), 1.0, &[rung]);
    assert!((found.cost_usd - 4.0 * 0.63 * 168.0).abs() < 1e-9, "{}", found.cost_usd);
    assert_eq!(found.committed, [1.0, 2.0, 1.0, 0.0]);
}

/// The cheapest whole-unit ladder by trying every combination.
fn brute(weeks: &[Usage], arcs: &[(usize, usize, f64)], held: &mut [f64], paid: f64) -> f64 {
    let Some(((from, to, cost), rest)) = arcs.split_first() else {
        let open = weeks.iter().zip(held.iter()).map(|(week, units)| week.units_above(*units));
        return paid + open.sum::<f64>();
    };
    let mut best = f64::INFINITY;
    for units in 0..=3 {
        held[*from..*to].iter_mut().for_each(|held| *held += f64::from(units));
        best = best.min(brute(weeks, rest, held, paid + cost * f64::from(units)));
        held[*from..*to].iter_mut().for_each(|held| *held -= f64::from(units));
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_combination_of_purchases_is_cheaper(
        days in prop::collection::vec((0_u8..4, 0_u8..4), 1..6), term in 1_usize..4, rate in 0.2_f64..0.9,
    ) {
        let weeks: Vec<Usage> = days
            .iter()
            .map(|(a, b)| Usage::new(&[f64::from(*a), f64::from(*a), f64::from(*b)]))
            .collect();
        let rung = Rung { term_weeks: term, rate, every_weeks: 1 };
        let found = ladder(&weeks, 1.0, &[rung]);
        let arcs: Vec<(usize, usize, f64)> = (0..weeks.len())
            .map(|from| (from, (from + term).min(weeks.len())))
            .map(|(from, to)| (from, to, rate * 3.0 * (to - from) as f64))
            .collect();
        let best = brute(&weeks, &arcs, &mut vec![0.0; weeks.len()], 0.0);
        prop_assert!((found.cost_usd - best).abs() < 1e-9, "{} {best}", found.cost_usd);
    }

    #[test]
    fn a_ladder_of_parts_grows_with_the_demand(
        hours in prop::collection::vec(0.0_f64..9.0, 1..200), factor in 0.01_f64..100.0, term in 1_usize..9,
    ) {
        let cut = |factor: f64| -> Vec<Usage> {
            let hours: Vec<f64> = hours.iter().map(|units| units * factor).collect();
            hours.chunks(12).map(Usage::new).collect()
        };
        let rungs = [
            Rung { term_weeks: term, rate: 0.6, every_weeks: 2 },
            Rung { term_weeks: 2 * term, rate: 0.5, every_weeks: 3 },
        ];
        let [one, more] = [cut(1.0), cut(factor)].map(|weeks| ladder(&weeks, 1.0, &rungs).cost_usd);
        prop_assert!((factor * one - more).abs() <= 1e-9 * more.max(1e-6), "{one} {more}");
    }
}
