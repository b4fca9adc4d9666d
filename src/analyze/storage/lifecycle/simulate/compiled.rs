//! Lifecycle rules compiled for millions of keys.

use crate::analyze::storage::lifecycle::when::moment;
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{Lifecycle, MinimumSize, StorageClass, When};

/// Days beyond which nobody looks ahead.
const MOST_DAYS: i64 = 100_000;

/// When an action is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Days after creation.
    Age(i64),
    /// A day since 1970.
    Day(i64),
}

impl Due {
    /// The day on which it is due for what was created (rounded up) on `created`.
    pub(super) fn on(self, created: i64) -> i64 {
        match self {
            Self::Age(days) => created + days,
            Self::Day(day) => day.max(created),
        }
    }

    fn of(when: &When) -> Option<Self> {
        match when {
            When::Days(days) => Some(Self::Age((*days).clamp(0, MOST_DAYS))),
            When::Date(text) => Some(Self::Day(moment(text)?.as_second().div_euclid(86_400))),
        }
    }
}

/// An enabled rule.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// Index in the configuration.
    pub(super) rule: usize,
    prefix: Vec<u8>,
    /// Sizes from here on.
    low: u64,
    /// Sizes below this.
    high: u64,
    /// Tags are asked for, which no list has.
    pub(super) is_tagged: bool,
    has_size: bool,
    pub(super) moves: Vec<(Due, StorageClass)>,
    pub(super) expires: Option<Due>,
    /// Days, class; and whether newer versions are to be counted.
    pub(super) old_moves: Vec<(i64, StorageClass, bool)>,
    pub(super) old_expires: Option<(i64, bool)>,
}

/// All enabled rules.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) rules: Vec<Compiled>,
    minimum: Option<MinimumSize>,
    /// Distinct prefixes, ascending.
    prefixes: Vec<Vec<u8>>,
    /// For each prefix the longest other one that it begins with.
    parents: Vec<Option<u32>>,
    /// For each prefix all rules whose prefix it begins with.
    chains: Vec<Vec<u32>>,
    /// Sizes at which the answer of some filter changes, ascending.
    bounds: Vec<u64>,
    /// The largest number of days in any rule.
    pub(super) longest: i64,
}

impl Rules {
    pub(super) fn new(lifecycle: &Lifecycle) -> Self {
        let rules: Vec<Compiled> =
            lifecycle.rules.iter().enumerate().filter(|(_, r)| r.enabled).map(compile).collect();
        let mut prefixes: Vec<Vec<u8>> = rules.iter().map(|r| r.prefix.clone()).collect();
        prefixes.sort();
        prefixes.dedup();
        let mut parents = Vec::with_capacity(prefixes.len());
        let mut open: Vec<usize> = Vec::new();
        for (i, prefix) in prefixes.iter().enumerate() {
            while open.last().is_some_and(|p| !prefix.starts_with(&prefixes[*p])) {
                open.pop();
            }
            parents.push(open.last().map(|p| *p as u32));
            open.push(i);
        }
        let chain = |prefix: &Vec<u8>| {
            let mine = rules.iter().enumerate().filter(|(_, r)| prefix.starts_with(&r.prefix));
            mine.map(|(i, _)| i as u32).collect()
        };
        let chains = prefixes.iter().map(chain).collect();
        let mut bounds: Vec<u64> = rules.iter().flat_map(|r| [r.low, r.high]).collect();
        bounds.push(SMALL_OBJECT);
        bounds.retain(|b| *b > 0 && *b < u64::MAX);
        bounds.sort_unstable();
        bounds.dedup();
        let longest = rules.iter().map(Compiled::longest).max().unwrap_or(0);
        let minimum = lifecycle.minimum_size;
        Self { rules, minimum, prefixes, parents, chains, bounds, longest }
    }

    /// Index of the longest prefix of a rule that the key begins with; `None` for a key outside all of them.
    pub(super) fn prefix_of(&self, key: &[u8]) -> Option<u32> {
        let after = self.prefixes.partition_point(|p| p.as_slice() <= key);
        // Every prefix of the key is one of its predecessor in the order as well.
        let mut at = after.checked_sub(1).map(|i| i as u32);
        while let Some(i) = at {
            if key.starts_with(&self.prefixes[i as usize]) {
                return Some(i);
            }
            at = self.parents[i as usize];
        }
        None
    }

    /// The class of sizes in which no filter's answer changes.
    pub(super) fn size_class(&self, size: u64) -> u16 {
        self.bounds.partition_point(|b| *b <= size) as u16
    }

    /// True for a class of sizes under 128 KiB.
    pub(super) fn is_small(&self, class: u16) -> bool {
        self.lowest(class) < SMALL_OBJECT
    }

    fn lowest(&self, class: u16) -> u64 {
        usize::from(class).checked_sub(1).map_or(0, |i| self.bounds[i])
    }

    /// The rules that match a prefix and a class of sizes, those with tags included.
    pub(super) fn matching(&self, prefix: u32, size: u16) -> impl Iterator<Item = &Compiled> {
        let lowest = self.lowest(size);
        let chain = self.chains.get(prefix as usize).map_or(&[][..], Vec::as_slice);
        let all = chain.iter().map(|i| &self.rules[*i as usize]);
        all.filter(move |r| r.low <= lowest && lowest < r.high)
    }

    /// True when a rule may move an object into a class, by its size: a condition on size decides
    /// alone, otherwise the configuration's minimum does.
    pub(super) fn lets_move(&self, rule: &Compiled, class: StorageClass, is_small: bool) -> bool {
        let archive = matches!(class, StorageClass::Glacier | StorageClass::DeepArchive);
        !is_small || rule.has_size || archive && self.minimum == Some(MinimumSize::Varies)
    }
}

impl Compiled {
    fn longest(&self) -> i64 {
        let age = |due: &Due| match due {
            Due::Age(days) => *days,
            Due::Day(_) => 0,
        };
        let current = self.moves.iter().map(|(due, _)| age(due));
        let end = self.expires.iter().map(age);
        current.chain(end).max().unwrap_or(0)
    }
}

fn compile((index, rule): (usize, &crate::domain::storage::LifecycleRule)) -> Compiled {
    let class = |name: &str| StorageClass::from_api(name);
    let days = |days: i64| days.clamp(0, MOST_DAYS);
    let size = |n: Option<i64>| n.map(|n| u64::try_from(n).unwrap_or(0));
    Compiled {
        rule: index,
        prefix: rule.filter.prefix().as_bytes().to_vec(),
        low: size(rule.filter.larger_than).map_or(0, |n| n.saturating_add(1)),
        high: size(rule.filter.smaller_than).unwrap_or(u64::MAX),
        is_tagged: !rule.filter.tags.is_empty(),
        has_size: rule.filter.has_size(),
        moves: rule
            .transitions
            .iter()
            .filter_map(|t| Some((Due::of(&t.when)?, class(&t.class)?)))
            .collect(),
        expires: rule.expiration.as_ref().and_then(|e| Due::of(e.when.as_ref()?)),
        old_moves: rule
            .noncurrent_transitions
            .iter()
            .filter_map(|t| Some((days(t.days), class(&t.class)?, t.newer_versions.is_some())))
            .collect(),
        old_expires: rule
            .noncurrent_expiration
            .as_ref()
            .and_then(|n| Some((days(n.days?), n.newer_versions.is_some()))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::storage::{LifecycleFilter, LifecycleRule};

    proptest! {
        #[test]
        fn the_longest_prefix_is_found(
            prefixes in proptest::collection::vec("[ab/]{0,4}", 0..8), key in "[ab/]{0,6}",
        ) {
            let rule = |p: &String| LifecycleRule {
                enabled: true,
                filter: LifecycleFilter { prefix: Some(p.clone()), ..LifecycleFilter::default() },
                ..LifecycleRule::default()
            };
            let lifecycle =
                Lifecycle { rules: prefixes.iter().map(rule).collect(), minimum_size: None };
            let rules = Rules::new(&lifecycle);
            let found = rules.prefix_of(key.as_bytes());
            let want: Vec<usize> =
                (0..prefixes.len()).filter(|i| key.starts_with(&prefixes[*i])).collect();
            let have: Vec<usize> =
                found.map_or(Vec::new(), |p| rules.matching(p, 0).map(|r| r.rule).collect());
            prop_assert_eq!(have, want);
        }
    }
}
