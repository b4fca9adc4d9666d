//! Burn and waste by team or place.

use std::collections::HashMap;
use std::hash::Hash;

use crate::fleet::Row;

/// Sums over the running instances of one team or place.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name of the group; `None` for instances without the tag.
    pub name: Option<String>,
    /// Number of running instances.
    pub instances: u32,
    /// Number of instances without a price, which the sums leave out.
    pub unpriced: u32,
    /// GPU equivalents of instances of known types.
    pub gpus: f64,
    /// Burn of the priced instances, USD/h.
    pub burn: f64,
    /// Waste of the instances with a known waste, USD/h.
    pub waste: f64,
    /// Number of instances whose waste is not known: without a price, not judged, or of unknown verdict.
    pub waste_unknown: u32,
}

impl Group {
    /// Burn, USD/h; `None` when no instance has a price.
    pub fn known_burn(&self) -> Option<f64> {
        (self.unpriced < self.instances).then_some(self.burn)
    }

    /// Waste, USD/h; `None` when it is known for no instance, or when the known ones waste nothing and others
    /// are not known.
    pub fn known_waste(&self) -> Option<f64> {
        let told =
            self.waste_unknown == 0 || (self.waste_unknown < self.instances && self.waste > 0.0);
        told.then_some(self.waste)
    }
}

/// Groups `rows` by `key`, whose name is `name`, costliest first, then by name.
pub(super) fn by<'a, K: Eq + Hash>(
    rows: impl Iterator<Item = &'a Row>,
    key: impl Fn(&'a Row) -> K,
    name: impl Fn(K) -> Option<String>,
) -> Vec<Group> {
    let mut groups: HashMap<K, Group> = HashMap::new();
    for row in rows {
        let group = groups.entry(key(row)).or_insert(Group {
            name: None,
            instances: 0,
            unpriced: 0,
            gpus: 0.0,
            burn: 0.0,
            waste: 0.0,
            waste_unknown: 0,
        });
        group.instances += 1;
        group.gpus += row.gpus().unwrap_or(0.0);
        match row.usd_per_hour() {
            Some(usd) => group.burn += usd,
            None => group.unpriced += 1,
        }
        match row.waste_usd_per_hour() {
            Some(usd) => group.waste += usd,
            None => group.waste_unknown += 1,
        }
    }
    let named = groups.into_iter().map(|(key, group)| Group { name: name(key), ..group });
    let mut groups: Vec<Group> = named.collect();
    groups.sort_by(|a, b| b.burn.total_cmp(&a.burn).then_with(|| a.name.cmp(&b.name)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_is_no_zero_while_others_are_not_known() {
        let of = |instances, waste_unknown, waste| {
            let group = Group {
                name: None,
                instances,
                unpriced: 0,
                gpus: 0.0,
                burn: 9.0,
                waste,
                waste_unknown,
            };
            group.known_waste()
        };
        assert_eq!(of(3, 0, 0.0), Some(0.0));
        assert_eq!(of(3, 1, 0.0), None);
        assert_eq!(of(3, 3, 0.0), None);
        assert_eq!(of(3, 1, 2.0), Some(2.0), "known of two");
    }
}
