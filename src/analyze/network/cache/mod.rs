//! What a cache would save: how often the same bytes are read, and which share of them a cache of each size would have had.
//!
//! The cache is LRU and bounded in bytes. It keeps whole objects: one that is read and not kept is taken in, then the objects
//! whose last read is longest ago go until all fit; an object larger than the cache is not kept. After each read it therefore
//! holds the objects read last, skipping those larger than itself, as many as fit one after the other. So an object of *s*
//! bytes is found in a cache of *c* bytes if *s* ≤ *c* and *s* plus the sizes of the different objects of at most *c* bytes
//! that were read since is at most *c*: exact, for objects of all sizes, from one pass over the reads.
//!
//! | file | holds |
//! |---|---|
//! | `recency` | sums of bytes by the moment of the last read |
//! | `stack` | objects of one cache, each with its last read: which caches would have had a read |
//! | `tally` | hits by size of the cache, and how far a sample of objects may be off |
//! | `pattern` | how objects are read again |
//! | `fold` | reads of all groups, within bounds of memory |
//! | `saving` | what it is worth in a month, and what the cache costs |
//! | `rows` | a row per group: the size that is worth it, and what to do |

mod fold;
mod pattern;
mod recency;
mod rows;
mod saving;
mod stack;
mod tally;
#[cfg(test)]
mod tests;

pub use fold::{CacheFold, CacheReads, GroupReads};
pub use pattern::Pattern;
pub use rows::{CacheAdvice, CacheChoice, CacheRow, cache_rows};
pub use saving::{
    CachePath, CachePrices, Medium, PathPrice, Saving, best_size, lustre_gib, saving,
};
pub use tally::CurvePoint;

/// Sizes of caches whose hits are told, bytes: powers of two from 1 GiB to 256 TiB.
pub const CACHE_SIZES: [u64; 19] = {
    let mut sizes = [0; 19];
    let mut place = 0;
    while place < sizes.len() {
        sizes[place] = 1 << (30 + place);
        place += 1;
    }
    sizes
};

/// Most sizes of caches, those that are asked for among them: as many as a verdict has bits for.
const SIZES_AT_MOST: usize = 29;
