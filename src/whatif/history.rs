//! A demand made of the instances that burntop saw running.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::demand::{Demand, DemandOrigin, Family};
use crate::domain::format::{counted, usd_per_hour};
use crate::domain::{FleetHour, Hour, Scope};

/// Most families of a history's demand; cheaper types are left out, and a note counts them.
pub const FAMILIES_AT_MOST: usize = 12;

/// A value for each hour from the first to the last that it was asked for.
#[derive(Default)]
struct ByHour<T> {
    from: Hour,
    values: Vec<T>,
}

impl<T: Clone + Default> ByHour<T> {
    fn at(&mut self, hour: Hour) -> &mut T {
        if self.values.is_empty() {
            self.from = hour;
        }
        if let Ok(earlier @ 1..) = usize::try_from(self.from.0 - hour.0) {
            self.values.splice(..0, std::iter::repeat_n(T::default(), earlier));
            self.from = hour;
        }
        let at = (hour.0 - self.from.0) as usize;
        if at >= self.values.len() {
            self.values.resize(at + 1, T::default());
        }
        &mut self.values[at]
    }

    /// The values of `n` hours from `from` on; the default where there is none.
    fn part(&self, from: Hour, n: usize) -> Vec<T> {
        let of = |i: usize| {
            let at = usize::try_from(from.0 + i as i32 - self.from.0).ok()?;
            self.values.get(at).cloned()
        };
        (0..n).map(|i| of(i).unwrap_or_default()).collect()
    }
}

/// Counts of one account and region.
#[derive(Default)]
struct Seen {
    /// How often an hour was told of.
    looked: ByHour<u32>,
    /// True when an instance was ever there.
    any: bool,
}

/// Running instances per account, region, type and hour, summed as they are read: all rows of a large fleet at
/// once would be most of a plan's memory.
pub struct History {
    until: Hour,
    scopes: BTreeMap<Scope, Seen>,
    units: BTreeMap<Arc<str>, ByHour<f64>>,
}

impl History {
    /// An empty history of the hours before `until`, the hour that is not over.
    pub fn until(until: Hour) -> Self {
        Self { until, scopes: BTreeMap::new(), units: BTreeMap::new() }
    }

    /// Adds the instances of one account and region in one hour.
    pub fn add(&mut self, seen: &FleetHour) {
        if seen.hour >= self.until {
            return;
        }
        if !self.scopes.contains_key(&seen.scope) {
            self.scopes.insert(seen.scope.clone(), Seen::default());
        }
        if let Some(scope) = self.scopes.get_mut(&seen.scope) {
            *scope.looked.at(seen.hour) += 1;
            scope.any |= seen.seen.iter().any(|(_, n)| n > 0);
        }
        for (name, mean) in seen.means() {
            if !self.units.contains_key(name) {
                self.units.insert(name.clone(), ByHour::default());
            }
            if let Some(units) = self.units.get_mut(name) {
                *units.at(seen.hour) += mean;
            }
        }
    }

    /// Demand from this history. Families are instance types ranked by mean units × `price` (USD per hour;
    /// types without a price come last). It begins at the first hour in which every account and region that
    /// ever had an instance was read; a later hour in which one was not read is a gap (`NaN`). `None` when
    /// nothing was seen.
    pub fn demand(
        &self,
        origin: DemandOrigin,
        price: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<Demand> {
        let scopes: Vec<(&Scope, &ByHour<u32>)> = self
            .scopes
            .iter()
            .filter(|(_, s)| s.any)
            .map(|(scope, s)| (scope, &s.looked))
            .collect();
        let (latest, looked) = scopes.iter().max_by_key(|(_, looked)| looked.from)?;
        let from = looked.from;
        let to = |looked: &ByHour<u32>| looked.from.plus(looked.values.len() as i32);
        let to = scopes.iter().map(|(_, looked)| to(looked)).max()?;
        let length = usize::try_from(to.0 - from.0).ok().filter(|n| *n > 0)?;

        let mut looks = vec![0_usize; length];
        for (_, looked) in &scopes {
            let part = looked.part(from, length);
            looks.iter_mut().zip(part).for_each(|(all, n)| *all += n as usize);
        }
        let is_gap: Vec<bool> = looks.iter().map(|n| *n < scopes.len()).collect();
        let known = is_gap.iter().filter(|gap| !**gap).count();
        if known == 0 {
            return None;
        }
        let mut ranked: Vec<(Option<f64>, f64, Family)> = self
            .units
            .iter()
            .map(|(name, units)| {
                let mut hours = units.part(from, length);
                for (units, _) in hours.iter_mut().zip(&is_gap).filter(|(_, gap)| **gap) {
                    *units = f64::NAN;
                }
                let family = Family { name: name.to_string(), hours };
                let mean = family.mean().unwrap_or(0.0);
                (price(name).map(|usd| usd * mean), mean, family)
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
        if scopes.iter().any(|(_, looked)| looked.from < from) {
            notes.push(format!(
                "The history begins on {}: {}/{} was not looked at before.",
                from.start().strftime("%Y-%m-%d %H:%M UTC"),
                latest.account,
                latest.region,
            ));
        }
        let regions: BTreeSet<&str> = scopes.iter().map(|(scope, _)| &*scope.region).collect();
        if regions.len() > 1 {
            notes.push(format!(
                "Units of {} regions are added up; a reservation holds in one of them: narrow with --region.",
                regions.len()
            ));
        }
        if known < length {
            notes.push(gaps(&is_gap, from));
        }
        if !rest.is_empty() {
            let usd: f64 = rest.iter().filter_map(|r| r.0).sum();
            let types = counted(rest.len(), "type that costs less is", "types that cost less are");
            notes.push(format!("{types} left out: {} at list price.", usd_per_hour(usd)));
        }
        let families = ranked.into_iter().map(|(_, _, family)| family).collect::<Vec<_>>();
        (!families.is_empty()).then(|| Demand { origin, start: from.start(), families, notes })
    }
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
        let mut history = History::until(Hour(490_000 + until));
        seen.iter().for_each(|hour| history.add(hour));
        history.demand(DemandOrigin::History, &price)
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
    fn hours_come_in_any_order() {
        let mut seen = [
            look(3, "a", &[("m5.large", 3)]),
            look(1, "a", &[("m5.large", 1), ("p4d.24xlarge", 2)]),
            look(4, "b", &[("g5.large", 1)]),
            look(0, "a", &[("m5.large", 7)]),
            look(2, "b", &[("m5.large", 1)]),
            look(2, "a", &[("m5.large", 2)]),
            look(4, "a", &[]),
        ];
        let one = made(&seen, 5).unwrap();
        // It begins with the first look at the second region; hour 3 is not whole.
        let hours = &one.families[0].hours;
        assert_eq!((hours.len(), hours[0], hours[2]), (3, 3.0, 0.0));
        assert!(hours[1].is_nan());
        assert_eq!(one.families.len(), 2, "what ran before it is not in it");
        seen.sort_by_key(|hour| hour.hour);
        // Gaps are no numbers, which equal nothing.
        let told = |seen: &[FleetHour]| format!("{:?}", made(seen, 5).unwrap());
        assert_eq!(told(&seen), format!("{one:?}"));
        seen.reverse();
        assert_eq!(told(&seen), format!("{one:?}"));
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
