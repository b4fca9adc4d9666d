//! The curve against caches that are played read by read.

mod brute;
mod exact;
mod money;
mod patterns;
mod sampled;

use super::{CacheFold, CacheReads};
use crate::domain::object_reads::{ReadEvent, ReadKind};

const GIB: u64 = 1 << 30;

/// A read of a whole object.
fn read(object: u64, size: u64) -> ReadEvent {
    part(object, size, size)
}

/// A read of a part of an object.
fn part(object: u64, bytes: u64, size: u64) -> ReadEvent {
    ReadEvent { at: 0, group: 0, kind: ReadKind::Read, object, bytes, size: Some(size) }
}

/// A hash for a small number, as keys have them.
fn hash(object: u64) -> u64 {
    object.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn folded(events: impl IntoIterator<Item = ReadEvent>, more: &[u64]) -> CacheReads {
    let mut fold = CacheFold::new(more);
    events.into_iter().for_each(|event| fold.take(&event));
    fold.finished()
}

/// Ratio of hits in a cache of this size.
fn ratio(reads: &CacheReads, cache: u64) -> f64 {
    let point = reads.all.curve.iter().find(|point| point.cache_bytes == cache).unwrap();
    point.hit_bytes_ratio
}
