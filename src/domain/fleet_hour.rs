//! How many instances ran in an hour, as burntop saw it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::hour::Hour;
use super::scope::Scope;

/// What was seen of one account and region within one hour, over all looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetHour {
    /// The hour.
    pub hour: Hour,
    /// Account and region.
    pub scope: Scope,
    /// How often one looked; at least 1.
    pub looks: u32,
    /// Running instances by type, added up over the looks.
    pub seen: BTreeMap<Arc<str>, u64>,
}

impl FleetHour {
    /// Mean number of running instances of a type; 0 when none was seen.
    pub fn mean(&self, instance_type: &str) -> f64 {
        let seen = self.seen.get(instance_type).copied().unwrap_or(0);
        seen as f64 / f64::from(self.looks.max(1))
    }

    /// Adds the looks of another record of the same hour and scope.
    pub fn add(&mut self, other: &Self) {
        self.looks = self.looks.saturating_add(other.looks);
        for (name, seen) in &other.seen {
            let mine = self.seen.entry(name.clone()).or_default();
            *mine = mine.saturating_add(*seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_add_up_to_a_mean() {
        let look = |n: u64| FleetHour {
            hour: Hour(490_000),
            scope: Scope::new("123456789012", "us-east-1"),
            looks: 1,
            seen: BTreeMap::from([("p4d.24xlarge".into(), n)]),
        };
        let mut hour = look(3);
        hour.add(&look(4));
        hour.add(&FleetHour { seen: BTreeMap::new(), ..look(0) });
        assert_eq!((hour.looks, hour.mean("p4d.24xlarge")), (3, 7.0 / 3.0));
        assert_eq!(hour.mean("p5.48xlarge"), 0.0);
    }
}
