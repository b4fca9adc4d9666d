//! Maps and sets for what is looked up thousands of times per refresh, and a mixer of bits that is the same in every run.

use std::collections::{HashMap, HashSet};

/// Hasher several times faster than the standard library's, seeded at random in each process. For maps of bounded size,
/// whose order nothing depends on.
pub type FastHasher = foldhash::fast::RandomState;

/// A [`HashMap`] that hashes fast; made by `FastMap::default()`.
pub type FastMap<K, V> = HashMap<K, V, FastHasher>;

/// A [`HashSet`] that hashes fast; made by `FastSet::default()`.
pub type FastSet<K> = HashSet<K, FastHasher>;

/// What [`mix`] multiplies by, one after the other; both are odd.
pub const MULTIPLIERS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// The finaliser of `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014): a bijection that scatters near numbers over all 64 bits.
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(MULTIPLIERS[0]);
    let x = (x ^ (x >> 27)).wrapping_mul(MULTIPLIERS[1]);
    x ^ (x >> 31)
}
