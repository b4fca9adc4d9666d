//! A demand of what burntop saw running.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::demand::{Demand, DemandOrigin, Family};
use crate::domain::{FleetHour, Hour, Scope};

/// Families that are told apart; what costs less is left out, and said to be.
pub const FAMILIES_AT_MOST: usize = 12;

/// Makes a demand of the hours before `until` (the hour that is still running). Families are
/// instance types, the dearest first: mean units × `price` (USD per hour; `None` where not known,
/// which comes last). It begins where every account and region that ever had an instance was looked
/// at; an hour in which one of them was not looked at is a gap. `None` when there is nothing.
pub fn demand(
    seen: &[FleetHour],
    origin: DemandOrigin,
    until: Hour,
    price: &dyn Fn(&str) -> Option<f64>,
) -> Option<Demand> {
    let seen: Vec<&FleetHour> = seen.iter().filter(|h| h.hour < until).collect();
    let scopes: BTreeSet<&Scope> =
        seen.iter().filter(|h| h.seen.values().any(|n| *n > 0)).map(|h| &h.scope).collect();
    let first_of = |scope: &Scope| seen.iter().filter(|h| h.scope == *scope).map(|h| h.hour).min();
    let firsts: Vec<(Hour, &Scope)> =
        scopes.iter().filter_map(|scope| Some((first_of(scope)?, *scope))).collect();
    let (from, latest) = firsts.iter().max_by_key(|(hour, _)| *hour)?;
    let to = seen.iter().filter(|h| scopes.contains(&h.scope)).map(|h| h.hour).max()?.plus(1);
    let length = usize::try_from(to.0 - from.0).ok().filter(|n| *n > 0)?;

    let mut looked = vec![0_usize; length];
    let mut units: BTreeMap<Arc<str>, Vec<f64>> = BTreeMap::new();
    for hour in seen.iter().filter(|h| h.hour >= *from && scopes.contains(&h.scope)) {
        let at = (hour.hour.0 - from.0) as usize;
        looked[at] += 1;
        for name in hour.seen.keys() {
            let all = units.entry(name.clone()).or_insert_with(|| vec![0.0; length]);
            all[at] += hour.mean(name);
        }
    }
    let is_gap: Vec<bool> = looked.iter().map(|n| *n < scopes.len()).collect();
    let known = is_gap.iter().filter(|gap| !**gap).count();
    if known == 0 {
        return None;
    }
    let mut ranked: Vec<(Option<f64>, f64, Family)> = units
        .into_iter()
        .map(|(name, mut hours)| {
            for (units, _) in hours.iter_mut().zip(&is_gap).filter(|(_, gap)| **gap) {
                *units = f64::NAN;
            }
            let family = Family { name: name.to_string(), hours };
            let mean = family.mean().unwrap_or(0.0);
            (price(&name).map(|usd| usd * mean), mean, family)
        })
        .filter(|(_, mean, _)| *mean > 0.0)
        .collect();
    // Dearest first; what has no price comes last, the most units first.
    ranked.sort_by(|a, b| {
        let usd = |x: &(Option<f64>, f64, Family)| x.0.unwrap_or(-1.0);
        usd(b).total_cmp(&usd(a)).then(b.1.total_cmp(&a.1)).then(a.2.name.cmp(&b.2.name))
    });
    let rest = ranked.split_off(ranked.len().min(FAMILIES_AT_MOST));

    let mut notes = Vec::new();
    if firsts.iter().any(|(hour, _)| hour < from) {
        notes.push(format!(
            "The history begins on {}: {}/{} was not looked at before.",
            from.start().strftime("%Y-%m-%d %H:%M UTC"),
            latest.account,
            latest.region,
        ));
    }
    let regions: BTreeSet<&str> = scopes.iter().map(|s| &*s.region).collect();
    if regions.len() > 1 {
        notes.push(format!(
            "Units of {} regions are added up; a reservation holds in one of them: narrow with --region.",
            regions.len()
        ));
    }
    if known < length {
        notes.push(gaps(&is_gap, *from));
    }
    if !rest.is_empty() {
        let usd: f64 = rest.iter().filter_map(|r| r.0).sum();
        let n = rest.len();
        notes.push(format!("{n} types that cost less are left out: ${usd:.2}/h at list price."));
    }
    let families = ranked.into_iter().map(|(_, _, family)| family).collect::<Vec<_>>();
    (!families.is_empty()).then(|| Demand { origin, start: from.start(), families, notes })
}

/// How many hours are gaps, and where the longest is.
fn gaps(is_gap: &[bool], from: Hour) -> String {
    let (mut longest, mut run) = ((0_usize, 0_usize), 0);
    for (at, gap) in is_gap.iter().enumerate() {
        run = if *gap { run + 1 } else { 0 };
        if run > longest.1 {
            longest = (at + 1 - run, run);
        }
    }
    let missing = is_gap.iter().filter(|gap| **gap).count();
    format!(
        "Nobody looked in {missing} of {} hours, at the longest in {} h from {} on; they are left out.",
        is_gap.len(),
        longest.1,
        from.plus(longest.0 as i32).start().strftime("%Y-%m-%d %H:%M UTC"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(hour: i32, region: &str, seen: &[(&str, u64)]) -> FleetHour {
        FleetHour {
            hour: Hour(490_000 + hour),
            scope: Scope::new("123456789012", region),
            looks: 2,
            seen: seen.iter().map(|(name, n)| ((*name).into(), 2 * n)).collect(),
        }
    }

    fn made(seen: &[FleetHour], until: i32) -> Option<Demand> {
        let price = |name: &str| match name {
            "p4d.24xlarge" => Some(20.0),
            "m5.large" => Some(0.1),
            _ => None,
        };
        demand(seen, DemandOrigin::History, Hour(490_000 + until), &price)
    }

    #[test]
    fn regions_add_up_and_the_dearest_comes_first() {
        let seen = [
            look(0, "a", &[("m5.large", 9), ("p4d.24xlarge", 1)]),
            look(0, "b", &[("p4d.24xlarge", 2), ("odd.large", 4)]),
            look(1, "a", &[("m5.large", 9)]),
            look(1, "b", &[("p4d.24xlarge", 2)]),
            look(2, "a", &[("m5.large", 1)]),
        ];
        // The running hour is not in it.
        let made = made(&seen, 2).unwrap();
        let names: Vec<&str> = made.families.iter().map(|f| &*f.name).collect();
        assert_eq!(names, ["p4d.24xlarge", "m5.large", "odd.large"]);
        assert_eq!(made.families[0].hours, [3.0, 2.0]);
        assert_eq!(made.families[1].hours, [9.0, 9.0]);
        assert_eq!(made.families[2].hours, [4.0, 0.0]);
        assert_eq!((made.start, made.notes.len()), (Hour(490_000).start(), 1));
        assert!(made.notes[0].starts_with("Units of 2 regions"), "{:?}", made.notes);
    }

    #[test]
    fn what_nobody_looked_at_is_a_gap_and_never_zero() {
        let seen = [
            look(0, "a", &[("m5.large", 1)]),
            look(1, "a", &[("m5.large", 1)]),
            look(1, "b", &[("m5.large", 1)]),
            look(3, "a", &[("m5.large", 1)]),
            look(4, "a", &[("m5.large", 1)]),
            look(4, "b", &[]),
            // A region that never had anything holds nothing up.
            look(9, "empty", &[]),
        ];
        let made = made(&seen, 5).unwrap();
        // It begins where both regions were looked at; hours 2 and 3 are not whole.
        assert_eq!(made.start, Hour(490_001).start());
        let hours = &made.families[0].hours;
        assert_eq!((hours.len(), hours[0], hours[3]), (4, 2.0, 1.0));
        assert!(hours[1].is_nan() && hours[2].is_nan());
        assert!(made.notes[0].contains("/b was not looked at"), "{:?}", made.notes);
        assert!(made.notes[2].contains("2 of 4 hours"), "{:?}", made.notes);
    }

    #[test]
    fn nothing_makes_no_demand() {
        assert_eq!(made(&[], 5), None);
        assert_eq!(made(&[look(0, "a", &[])], 5), None);
        assert_eq!(made(&[look(5, "a", &[("m5.large", 1)])], 5), None);
        // Two regions that were never looked at in the same hour: no hour is whole.
        let apart = [look(0, "a", &[("m5.large", 1)]), look(1, "b", &[("m5.large", 1)])];
        assert_eq!(made(&apart, 5), None);
    }

    #[test]
    fn small_fry_is_left_out_and_said_to_be() {
        let names: Vec<String> = (0..15).map(|n| format!("m5.{n}")).collect();
        let types: Vec<(&str, u64)> =
            names.iter().enumerate().map(|(n, name)| (name.as_str(), n as u64 + 1)).collect();
        let made = made(&[look(0, "a", &types)], 5).unwrap();
        assert_eq!(made.families.len(), FAMILIES_AT_MOST);
        assert_eq!(made.families[0].name, "m5.14");
        assert!(made.notes[0].starts_with("3 types"), "{:?}", made.notes);
    }
}
