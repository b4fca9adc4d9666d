//! Maps and sets for what is looked up thousands of times per refresh.

use std::collections::{HashMap, HashSet};

/// Hasher several times faster than the standard library's, seeded at random in each process. For maps of bounded size,
/// whose order nothing depends on.
pub type FastHasher = foldhash::fast::RandomState;

/// A [`HashMap`] that hashes fast; made by `FastMap::default()`.
pub type FastMap<K, V> = HashMap<K, V, FastHasher>;

/// A [`HashSet`] that hashes fast; made by `FastSet::default()`.
pub type FastSet<K> = HashSet<K, FastHasher>;
