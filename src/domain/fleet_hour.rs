//! How many instances ran in an hour, as burntop saw it.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::hour::Hour;
use super::intern;
use super::scope::Scope;

/// Running instances of one account and region within one hour, summed over all polls in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetHour {
    /// UTC hour.
    pub hour: Hour,
    /// Account and region it lies in.
    pub scope: Scope,
    /// Number of polls of the inventory within the hour; ≥ 1.
    pub looks: u32,
    /// Running instances by type, summed over the polls; divide by `looks` for the mean.
    pub seen: TypeCounts,
}

impl FleetHour {
    /// Mean number of running instances of a type; 0 when none was seen.
    pub fn mean(&self, instance_type: &str) -> f64 {
        self.mean_of(self.seen.of(instance_type))
    }

    /// Mean number of running instances of each type that was seen, by name.
    pub fn means(&self) -> impl Iterator<Item = (&Arc<str>, f64)> {
        self.seen.iter().map(move |(name, seen)| (name, self.mean_of(seen)))
    }

    fn mean_of(&self, seen: u64) -> f64 {
        seen as f64 / f64::from(self.looks.max(1))
    }

    /// Adds the polls of another record of the same hour and scope.
    pub fn add(&mut self, other: &Self) {
        self.looks = self.looks.saturating_add(other.looks);
        for (name, seen) in other.seen.iter() {
            self.seen.add(name, seen);
        }
    }
}

/// Number of instances per instance type, sorted by type. A list takes a third of the memory of a map; half a year of a
/// fleet holds tens of thousands of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TypeCounts(Vec<(Arc<str>, u64)>);

impl TypeCounts {
    /// Count of a type; 0 for a type that is not listed.
    pub fn of(&self, instance_type: &str) -> u64 {
        self.place(instance_type).map_or(0, |at| self.0[at].1)
    }

    /// Adds `n` to the count of a type.
    pub fn add(&mut self, instance_type: &Arc<str>, n: u64) {
        match self.place(instance_type) {
            Ok(at) => self.0[at].1 = self.0[at].1.saturating_add(n),
            Err(at) => self.0.insert(at, (instance_type.clone(), n)),
        }
    }

    /// All types with their counts, sorted by type.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, u64)> {
        self.0.iter().map(|(name, n)| (name, *n))
    }

    fn place(&self, instance_type: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(name, _)| (**name).cmp(instance_type))
    }
}

impl FromIterator<(Arc<str>, u64)> for TypeCounts {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, u64)>>(all: I) -> Self {
        let mut counts = Self::default();
        all.into_iter().for_each(|(name, n)| counts.add(&name, n));
        counts
    }
}

impl<'de> Deserialize<'de> for TypeCounts {
    /// As a map is stored; in its order, whatever the bytes say.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = Vec::<(intern::Text, u64)>::deserialize(from)?;
        let read: Vec<(Arc<str>, u64)> = read.into_iter().map(|(name, n)| (name.0, n)).collect();
        let is_sorted = read.is_sorted_by(|a, b| a.0 < b.0);
        Ok(if is_sorted { Self(read) } else { read.into_iter().collect() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn looks_add_up_to_a_mean() {
        let look = |n: u64| FleetHour {
            hour: Hour(490_000),
            scope: Scope::new("123456789012", "us-east-1"),
            looks: 1,
            seen: [("p4d.24xlarge".into(), n)].into_iter().collect(),
        };
        let mut hour = look(3);
        hour.add(&look(4));
        hour.add(&FleetHour { seen: TypeCounts::default(), ..look(0) });
        assert_eq!((hour.looks, hour.mean("p4d.24xlarge")), (3, 7.0 / 3.0));
        assert_eq!(hour.mean("p5.48xlarge"), 0.0);
        let means: Vec<_> = hour.means().map(|(name, mean)| (&**name, mean)).collect();
        assert_eq!(means, [("p4d.24xlarge", 7.0 / 3.0)]);
    }

    /// What earlier versions stored is read, and what is stored they read.
    #[test]
    fn it_is_stored_as_a_map_is() {
        let names = ["p5.48xlarge", "g5.xlarge", "m5.large"].map(Arc::<str>::from);
        let all = || names.iter().cloned().zip([3_u64, 1 << 40, 0]);
        let (counts, map): (TypeCounts, BTreeMap<Arc<str>, u64>) =
            (all().collect(), all().collect());
        let bytes = postcard::to_stdvec(&counts).unwrap();
        assert_eq!(bytes, postcard::to_stdvec(&map).unwrap());
        let read: TypeCounts = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read, counts);
        let order: Vec<&str> = read.iter().map(|(name, _)| &**name).collect();
        assert_eq!(order, ["g5.xlarge", "m5.large", "p5.48xlarge"]);
        let again: TypeCounts = postcard::from_bytes(&bytes).unwrap();
        let name = |counts: &TypeCounts| counts.0[0].0.clone();
        assert!(Arc::ptr_eq(&name(&read), &name(&again)), "a name is kept once");
    }

    #[test]
    fn bytes_in_another_order_are_the_same_counts() {
        let odd = [("m5.large", 2_u64), ("a1.large", 1), ("m5.large", 3)];
        let read: TypeCounts =
            postcard::from_bytes(&postcard::to_stdvec(&odd[..]).unwrap()).unwrap();
        assert_eq!((read.of("m5.large"), read.of("a1.large"), read.iter().count()), (5, 1, 2));
    }
}
