//! Dollars, shares and months of a plan in words.

use super::unit::few;
use crate::view::format;
use crate::whatif::{Answer, Demand, DemandOrigin, Scenario};

/// Dollars with about three digits: `$412`, `$88.5k`, `$1.14M`, `-$2.1k`.
pub fn short_usd(amount: f64) -> String {
    if !amount.is_finite() {
        return format::usd(amount);
    }
    if amount == 0.0 {
        return "$0".to_owned();
    }
    let mut value = amount.abs();
    let mut unit = "";
    for next in ["k", "M", "G", "T"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let decimals = match value {
        v if unit.is_empty() && v >= 99.95 => 0,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    let digits = format::grouped(value, decimals);
    let nothing = digits.bytes().all(|b| matches!(b, b'0' | b'.'));
    let sign = if amount < 0.0 && !nothing { "-" } else { "" };
    format!("{sign}${digits}{unit}")
}

/// Dollars like [`short_usd`], with `+` before positive sums: `+$1.2k`.
pub fn signed_usd(amount: f64) -> String {
    let text = short_usd(amount);
    if amount > 0.0 { format!("+{text}") } else { text }
}

/// A share (0–1) as a percentage with one decimal: `27.6%`.
pub fn share(part: f64) -> String {
    format!("{}%", few(part * 100.0, 1))
}

/// Months with one decimal: `7.6 mo`.
pub fn months(months: f64) -> String {
    format!("{} mo", few(months, 1))
}

/// Units with at most one decimal.
pub fn units(units: f64) -> String {
    few(units, 1)
}

/// Number of futures behind an answer, as text.
pub fn futures(answer: &Answer, scenario: &Scenario) -> String {
    let (of, all) = (answer.paths, scenario.future.paths);
    let count = |n: u32| format::grouped(f64::from(n), 0);
    match of {
        0 => "the history itself".to_owned(),
        of if of < all => format!("{} of {} futures", count(of), count(all)),
        of => format!("{} futures, seed {}", count(of), scenario.future.seed),
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
    let noun = if weeks == 1 { "whole week" } else { "whole weeks" };
    let notes = match demand.notes.len() {
        0 => String::new(),
        1 => ", 1 note".to_owned(),
        notes => format!(", {notes} notes"),
    };
    let (from, to) = (date(demand.start), date(demand.end()));
    let full = format!("demand: {origin}, {from} to {to}, {weeks} {noun}{notes}");
    [full, format!("{origin}, {weeks} weeks")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_keep_three_digits() {
        let cases = [
            (0.0, "$0"),
            (0.4, "$0.40"),
            (12.34, "$12.3"),
            (412.3, "$412"),
            (999.6, "$1.00k"),
            (88_540.0, "$88.5k"),
            (1_142_049.0, "$1.14M"),
            (-2_130.0, "-$2.13k"),
            (-0.001, "$0.00"),
            (184_210_000.0, "$184M"),
            (2.5e12, "$2.50T"),
            (f64::NAN, "–"),
        ];
        for (amount, text) in cases {
            assert_eq!(short_usd(amount), text);
        }
        assert_eq!(signed_usd(1_200.0), "+$1.20k");
        assert_eq!(signed_usd(-1_200.0), "-$1.20k");
        assert_eq!((share(0.276), months(7.608)), ("27.6%".into(), "7.6 mo".into()));
    }
}
