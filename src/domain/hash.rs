//! Maps and sets for what is looked up thousands of times per refresh.

use std::collections::{HashMap, HashSet};

/// Hashes several times faster than the standard library's. Seeded by chance in each process; for
/// maps of bounded size, whose order nothing depends on.
pub type FastHasher = foldhash::fast::RandomState;

/// A [`HashMap`] that hashes fast; made by `FastMap::default()`.
pub type FastMap<K, V> = HashMap<K, V, FastHasher>;

/// A [`HashSet`] that hashes fast; made by `FastSet::default()`.
pub type FastSet<K> = HashSet<K, FastHasher>;
