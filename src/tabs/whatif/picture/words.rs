//! Dollars, shares and months of a plan in words.

use crate::view::format;
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

/// Source of a demand and its hours as text, in full and short.
pub fn demand(demand: &Demand) -> [String; 2] {
    let date = |at: jiff::Timestamp| at.strftime("%Y-%m-%d").to_string();
    let origin = match &demand.origin {
        DemandOrigin::Csv(path) | DemandOrigin::Bill(path) => {
            path.rsplit(['/', '\\']).next().unwrap_or(path)
        }
        DemandOrigin::History => "seen by burntop",
        DemandOrigin::Demo => "the demo",
    };
    let weeks = demand.whole_weeks().len();
    let whole = format::plural(weeks, "whole week");
    let (from, to) = (date(demand.start), date(demand.end()));
    let full = format!("demand: {origin}, {from} to {to}, {whole}");
    [full, format!("{origin}, {}", format::plural(weeks, "week"))]
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
    fn shares_and_months_have_one_digit() {
        assert_eq!((share(0.276), months(7.608)), ("27.6%".into(), "7.6 mo".into()));
    }
}
