//! Scenarios of which the demand differs, in words: by how much, and what can be compared nevertheless.

use super::words;
use crate::view::{Symbols, format};
use crate::whatif::compare::{DemandCost, DemandGap};

/// Most families that are named; the others are counted.
pub const NAMED: usize = 2;

/// Sentence that costs are not compared, with what parts the demand of `names`, the base and the other one.
pub fn differs(names: [&str; 2], gaps: &[DemandGap]) -> String {
    let mut parts: Vec<String> = gaps.iter().take(NAMED).map(|gap| apart(names, gap)).collect();
    if let Some(more) = gaps.len().checked_sub(NAMED).filter(|more| *more > 0) {
        parts.push(format::counted(more, "other family differs", "other families differ"));
    }
    format!("The demand differs, so costs are not compared: {}.", parts.join("; "))
}

/// Sentence in place of [`differs`] while it is not known by how much.
pub fn differs_somehow([base, other]: [&str; 2]) -> String {
    format!("{other} has another demand than {base}: by how much is being worked out.")
}

/// Sentence in place of [`differs`] where nothing will tell by how much.
pub fn not_compared([base, other]: [&str; 2]) -> String {
    format!("{other} has another demand than {base}, so costs are not compared.")
}

/// Sentence beside a difference in dollars where levers and moves alone part the demand.
pub fn same_work([base, other]: [&str; 2]) -> String {
    format!(
        "The demand of {other} differs from that of {base} by levers or moves alone, the same work done otherwise: \
         the cost is compared, while ESR does not count the smaller demand."
    )
}

/// Sentence that costs are not compared, as the futures are not the same.
pub fn other_futures([base, other]: [&str; 2]) -> String {
    format!(
        "{other} and {base} are not valued over the same futures (number, seed, weeks or families differ), so costs \
         are not compared."
    )
}

/// Sentence that costs are not compared, as one of them plans for one family and the other for another, or all.
pub fn other_families([base, other]: [&str; 2]) -> String {
    format!("{other} and {base} do not plan for the same families, so costs are not compared.")
}

/// What parts the demand of one family.
fn apart([base, other]: [&str; 2], gap: &DemandGap) -> String {
    let family = &gap.family;
    let (from, to) = match (gap.base, gap.other) {
        (Some(from), Some(to)) => (from, to),
        (Some(_), None) => return format!("{family} has a price in {base} alone"),
        _ => return format!("{family} has a price in {other} alone"),
    };
    let more = to.unit_hours - from.unit_hours;
    let word = if more < 0.0 { "fewer" } else { "more" };
    let hours = format::grouped(more.abs(), 0);
    let units = [from, to].map(|of| words::units(of.units));
    format!(
        "{other} has {hours} {word} hours of {family} than {base}{}, {} at a time instead of {}",
        percent_more(from, to),
        units[1],
        units[0]
    )
}

/// By which part of the first the second demand is larger, in brackets; nothing where there is none to begin with.
fn percent_more(from: DemandCost, to: DemandCost) -> String {
    if from.unit_hours <= 0.0 {
        return String::new();
    }
    let part = to.unit_hours / from.unit_hours - 1.0;
    let plus = if part > 0.0 { "+" } else { "" };
    format!(" ({plus}{})", words::share(part))
}

/// Which part of the cost of its own demand each of two scenarios saves: `saves 12% (ESR) instead of 9%`.
pub fn savings([base, other]: [Option<f64>; 2], symbols: Symbols) -> String {
    let [base, other] = [base, other].map(|esr| symbols.or_unknown(esr, words::share));
    format!("saves {other} (ESR) instead of {base}, each against its own demand on demand")
}

/// The same of one family, with what an hour of it costs; `None` where it cannot be told.
pub fn family_savings(gap: &DemandGap) -> Option<String> {
    let (from, to) = (gap.base?, gap.other?);
    let esr = [from.esr?, to.esr?].map(words::share);
    let usd = [from.usd_per_hour?, to.usd_per_hour?].map(format::usd);
    Some(format!(
        "{}: saves {} instead of {}, {} an hour instead of {}",
        gap.family, esr[1], esr[0], usd[1], usd[0]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(family: &str, hours: [Option<f64>; 2]) -> DemandGap {
        let cost = |unit_hours: f64| DemandCost {
            unit_hours,
            units: unit_hours / 8_736.0,
            on_demand_usd: unit_hours * 20.0,
            esr: Some(0.25),
            usd_per_hour: Some(15.0),
        };
        let [base, other] = hours.map(|hours| hours.map(cost));
        DemandGap { family: family.into(), base, other }
    }

    #[test]
    fn the_demand_is_said_in_hours_and_units_before_anything_is_compared() {
        let gaps = [gap("p4d", [Some(87_360.0), Some(100_464.0)])];
        assert_eq!(
            differs(["A", "B"], &gaps),
            "The demand differs, so costs are not compared: B has 13,104 more hours of p4d than A (+15%), 11.5 at \
             a time instead of 10."
        );
        let fewer = differs(["A", "B"], &[gap("p4d", [Some(8_736.0), Some(0.0)])]);
        assert!(
            fewer.ends_with(
                "B has 8,736 fewer hours of p4d than A (-100%), 0 at a time instead of 1."
            )
        );
    }

    #[test]
    fn families_beyond_the_first_are_counted() {
        let one = gap("p4d", [Some(8_736.0), Some(17_472.0)]);
        let said = differs(["A", "B"], &vec![one.clone(); NAMED + 1]);
        assert!(said.ends_with("; 1 other family differs."), "{said}");
        let said = differs(["A", "C"], &vec![one; NAMED + 3]);
        assert!(said.ends_with("; 3 other families differ."), "{said}");
        let alone = differs(["A", "B"], &[gap("p5", [None, Some(1.0)])]);
        assert!(alone.ends_with(": p5 has a price in B alone."), "{alone}");
    }

    #[test]
    fn what_is_saved_is_compared_by_the_part_and_by_the_hour() {
        let of = gap("p4d", [Some(8_736.0), Some(17_472.0)]);
        let said = family_savings(&of).unwrap();
        assert_eq!(said, "p4d: saves 25% instead of 25%, $15.00 an hour instead of $15.00");
        assert_eq!(family_savings(&gap("p4d", [None, Some(1.0)])), None);
        let all = savings([None, Some(0.1)], Symbols::Unicode);
        assert!(all.starts_with("saves 10% (ESR) instead of –"), "{all}");
    }
}
