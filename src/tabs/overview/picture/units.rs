//! Unit costs in the words of the scorecard.

use crate::domain::Direction;
use crate::domain::bill::{NoCounts, UnitBound, UnitCost};
use crate::view::{Symbols, format};

/// Days that a unit cost rests on, or why it is not known: `2026-11, 12 days`, `2026-11, 12 days of jobs`.
pub fn unit_rests_on(unit: &UnitCost) -> String {
    match unit.no_counts {
        Some(NoCounts::NotAsked) => "asked by `burntop units`".to_owned(),
        Some(NoCounts::Unreadable) => "counts cannot be read".to_owned(),
        None if unit.usd_per_unit.is_none() => match unit.bound {
            UnitBound::Exact => format!("nothing counted in {}", unit.period),
            _ => format!("dollars not known in {}", unit.period),
        },
        None => {
            let of_jobs = if unit.is_of_jobs { " of jobs" } else { "" };
            format!("{}, {}{of_jobs}", unit.period, format::plural(unit.days, "day"))
        }
    }
}

/// What one costs, with the sign of a bound: `$0.5128`, `≥$12.50`; of what is not known its sign.
pub fn unit_price(unit: &UnitCost, symbols: Symbols) -> String {
    symbols.or_unknown(unit.usd_per_unit, |usd| format::unit_price(usd, unit.bound, symbols))
}

/// Its target and whether it is met: `≤$0.45: missed`, without one of its own `falling: met`; `None` where that is not known.
pub fn unit_against(unit: &UnitCost, symbols: Symbols) -> Option<String> {
    let met = if unit.is_met()? { "met" } else { "missed" };
    let target = unit.target.map_or_else(
        || Direction::Falling.word().to_owned(),
        |usd| format!("{}{}", symbols.at_most(), format::usd_rate(usd)),
    );
    Some(format!("{target}: {met}"))
}

/// All of it: `$0.5128 each; 2026-11, 12 days; target ≤$0.45: missed; rising, $0.40 before`.
pub fn unit_note(unit: &UnitCost, symbols: Symbols) -> String {
    let each = unit.usd_per_unit.map(|_| format!("{} each", unit_price(unit, symbols)));
    let target = unit_against(unit, symbols).map(|against| format!("target {against}"));
    let heading = unit.direction().map(|to| {
        let before = symbols.or_unknown(unit.usd_before, format::usd_rate);
        format!("{}, {before} before", to.word())
    });
    let parts = [each, Some(unit_rests_on(unit)), target, heading];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> UnitCost {
        UnitCost {
            name: "thousand predictions".into(),
            period: "2026-11".parse().unwrap(),
            days: 12,
            usd_per_unit: Some(0.5128),
            bound: UnitBound::Exact,
            usd_before: Some(0.4),
            target: Some(0.45),
            no_counts: None,
            is_of_jobs: false,
        }
    }

    #[test]
    fn a_unit_cost_says_what_one_costs_its_target_and_where_it_is_heading() {
        let note = |unit: &UnitCost| unit_note(unit, Symbols::Unicode);
        assert_eq!(
            note(&unit()),
            "$0.5128 each; 2026-11, 12 days; target ≤$0.45: missed; rising, $0.40 before"
        );
        let untargeted = UnitCost { target: None, usd_before: Some(0.6), days: 1, ..unit() };
        assert_eq!(
            note(&untargeted),
            "$0.5128 each; 2026-11, 1 day; target falling: met; falling, $0.60 before"
        );
        let bound = |bound| note(&UnitCost { bound, usd_before: None, ..unit() });
        // At least so much is above the target, at most so much may be below it.
        assert_eq!(
            bound(UnitBound::AtLeast),
            "≥$0.5128 each; 2026-11, 12 days; target ≤$0.45: missed"
        );
        assert_eq!(bound(UnitBound::AtMost), "≤$0.5128 each; 2026-11, 12 days");
        let unpriced = UnitCost { bound: UnitBound::AtLeast, usd_per_unit: None, ..unit() };
        assert_eq!(note(&unpriced), "dollars not known in 2026-11");
        let of_jobs = UnitCost { is_of_jobs: true, ..unit() };
        assert_eq!(unit_rests_on(&of_jobs), "2026-11, 12 days of jobs");
        assert_eq!(unit_against(&unit(), Symbols::Ascii).as_deref(), Some("<=$0.45: missed"));
    }

    #[test]
    fn one_that_is_not_known_says_why() {
        let of = |no_counts| {
            let unit =
                UnitCost { usd_per_unit: None, usd_before: None, days: 0, no_counts, ..unit() };
            unit_note(&unit, Symbols::Unicode)
        };
        assert_eq!(of(Some(NoCounts::NotAsked)), "asked by `burntop units`");
        assert_eq!(of(Some(NoCounts::Unreadable)), "counts cannot be read");
        assert_eq!(of(None), "nothing counted in 2026-11");
    }
}
