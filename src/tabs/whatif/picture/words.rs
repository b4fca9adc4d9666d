//! Dollars, shares and months of a plan in words.

use super::Input;
use crate::view::format;
use crate::whatif::engine::moved_offer;
use crate::whatif::{Answer, Demand, DemandOrigin, Scenario};

pub use crate::view::format::usd_short;

/// Dollars like [`usd_short`], with `+` before positive sums: `+$1.2k`.
pub fn usd_signed(amount: f64) -> String {
    format::usd_signed(amount, usd_short)
}

/// A share (0–1) as a percentage with one decimal: `27.6%`.
pub fn share(part: f64) -> String {
    format::percent_trimmed(part * 100.0, 1)
}

/// Months with one decimal: `7.6 mo`.
pub fn months(months: f64) -> String {
    format!("{} mo", format::trimmed(months, 1))
}

/// Units with at most one decimal.
pub fn units(units: f64) -> String {
    format::trimmed(units, 1)
}

/// Units with their noun: `1 unit`, `2.5 units`.
pub fn units_in_words(number: f64) -> String {
    let text = units(number);
    let noun = format::noun(usize::from(text == "1"), "unit");
    format!("{text} {noun}")
}

/// Unit of a family that its payback is of: the one bought last of the offer that its slider moves, the first one where none
/// is bought.
pub fn payback_unit(scenario: &Scenario, family: usize) -> &'static str {
    let moved = scenario.families.get(family).and_then(moved_offer);
    let bought = moved.and_then(|offer| Input::Bought(family, offer).get(scenario));
    if bought.is_some_and(|units| units > 0.0) { "unit bought last" } else { "first unit" }
}

/// Number of futures behind an answer, as text.
pub fn futures(answer: &Answer, scenario: &Scenario) -> String {
    let (of, all) = (answer.paths, scenario.future.paths);
    let count = |n: u32| format::grouped(f64::from(n), 0);
    let noun = format::noun(all as usize, "future");
    match of {
        0 => "the history itself".to_owned(),
        of if of < all => format!("{} of {} {noun}", count(of), count(all)),
        of => format!("{} {noun}, seed {}", count(of), scenario.future.seed),
    }
}

/// Source of a demand and its hours as text, the longest first; of one that nobody gave, that it was read by itself, and how
/// to give another.
pub fn demand(demand: &Demand) -> [String; 4] {
    let date = |at: jiff::Timestamp| at.strftime("%Y-%m-%d").to_string();
    let given = match &demand.origin {
        DemandOrigin::Csv(path) | DemandOrigin::Bill(path) => path.rsplit(['/', '\\']).next(),
        DemandOrigin::History | DemandOrigin::Demo => None,
    };
    let origin = given.unwrap_or("what ran here");
    let [read, another] = match given {
        Some(_) => ["", ""],
        None => [", read by itself", "; :demand FILE takes another"],
    };
    let weeks = demand.whole_weeks().len();
    let (from, to) = (date(demand.start), date(demand.end()));
    let whole = format::plural(weeks, "whole week");
    let full = format!("demand: {origin}, {from} to {to}, {whole}{read}{another}");
    let least = format!("{origin}, {}", format::plural(weeks, "week"));
    let short = format!("demand: {least}{read}");
    [full, format!("{short}{another}"), short, least]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_is_singular() {
        let texts = [0.0, 1.0, 1.04, 1.5, 2.0].map(units_in_words);
        assert_eq!(texts, ["0 units", "1 unit", "1 unit", "1.5 units", "2 units"]);
    }

    #[test]
    fn a_demand_that_nobody_gave_says_so_and_how_to_give_one() {
        let given = crate::tabs::whatif::picture::fixture::demand_of(1);
        let ran = Demand { origin: DemandOrigin::History, ..given.clone() };
        let said = "demand: what ran here, 12 weeks, read by itself";
        let least = "what ran here, 12 weeks".to_owned();
        let another = format!("{said}; :demand FILE takes another");
        assert_eq!(demand(&ran)[1..], [another, said.into(), least]);
        assert!(demand(&ran)[0].starts_with("demand: what ran here, 2025-10-06 to 2025-12-29, "));
        assert_eq!(demand(&given)[2..], ["demand: fleet.csv, 12 weeks", "fleet.csv, 12 weeks"]);
    }

    #[test]
    fn the_payback_is_of_the_unit_bought_last() {
        use crate::tabs::whatif::picture::fixture::{full, start};
        assert_eq!(payback_unit(&start(), 0), "first unit");
        assert_eq!(payback_unit(&full(), 0), "unit bought last");
    }

    #[test]
    fn shares_and_months_have_one_digit() {
        assert_eq!((share(0.276), months(7.608)), ("27.6%".into(), "7.6 mo".into()));
    }
}
