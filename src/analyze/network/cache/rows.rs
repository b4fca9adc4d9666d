//! A row per group: which size of a cache is worth it, what it saves, what it costs, and what to do.

use std::sync::Arc;

use super::{
    CachePrices, CacheReads, CurvePoint, GroupReads, Medium, PathPrice, Pattern, Saving, best_size,
    saving,
};

/// Ratio of hits below which a cache is not worth naming.
const LITTLE: f64 = 0.05;

/// What is chosen of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheChoice {
    /// Its size, bytes; `None` = the smallest with nearly all hits of the largest.
    pub cache_bytes: Option<u64>,
    /// What the path of the bytes charges; `None` where that is not known.
    pub price: Option<PathPrice>,
    /// Prices of the region.
    pub prices: CachePrices,
    /// Whether each group is a reader with a cache of its own, of the same size for all.
    pub is_per_reader: bool,
}

/// What a cache would save of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheRow {
    /// Name of the group; empty for the whole log.
    pub name: Arc<str>,
    /// Its reads.
    pub reads: GroupReads,
    /// What the chosen cache would have had; `None` where no cache would have had anything, and where only flows tell of it.
    pub point: Option<CurvePoint>,
    /// What it saves.
    pub saving: Saving,
    /// What the chosen cache costs a month as a gp3 volume, US dollars; `None` where that is not known.
    pub gp3_usd: Option<f64>,
    /// What it costs a month in `FSx` for Lustre, US dollars; `None` where that is not known.
    pub lustre_usd: Option<f64>,
    /// Share of the bytes read that a part of the objects, fixed in a cache of the size, would have had, 0–1; `None` without a
    /// size.
    pub pinned_bytes_ratio: Option<f64>,
    /// What to do; `None` where only flows tell of it.
    pub advice: Option<CacheAdvice>,
}

impl CacheRow {
    /// Share of the bytes read that the chosen cache would have had, 0–1; 0 without a cache.
    pub fn hit_bytes_ratio(&self) -> f64 {
        self.point.map_or(0.0, |point| point.hit_bytes_ratio)
    }

    /// Bytes read that it would have had.
    pub fn hit_bytes(&self) -> f64 {
        self.hit_bytes_ratio() * self.reads.read_bytes as f64
    }
}

/// What to do about reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CacheAdvice {
    /// Nothing is read twice: no cache helps.
    ReadOnce,
    /// The set goes round and is larger than the cache: LRU has nothing of it, a fixed part has its share.
    LoopTooLarge {
        /// Bytes of the set.
        set_bytes: f64,
        /// Size of the cache, bytes; `None` = every size that is told is too small.
        cache_bytes: Option<u64>,
        /// Share of the bytes read that a fixed part in such a cache has, 0–1; `None` without a size.
        pinned_bytes_ratio: Option<f64>,
    },
    /// The cache has what is read again.
    Keep {
        /// How it is read again.
        pattern: Pattern,
        /// Size of the cache, bytes.
        cache_bytes: u64,
        /// Share of the bytes read that it has, 0–1.
        hit_bytes_ratio: f64,
    },
    /// What is read again is spread too far for the cache.
    TooSmall {
        /// Size of the cache, bytes; `None` = every size that is told is too small.
        cache_bytes: Option<u64>,
        /// Share of the bytes read that it has, 0–1.
        hit_bytes_ratio: f64,
    },
}

/// Rows of groups with `names`, most bytes first.
pub fn cache_rows(reads: CacheReads, names: &[Arc<str>], choice: &CacheChoice) -> Vec<CacheRow> {
    let span_ms = reads.span_ms().unwrap_or_default();
    // Caches of readers are bought alike.
    let common = choice.is_per_reader.then(|| best_size(&reads.all.curve)).flatten();
    let common = choice.cache_bytes.or(common.map(|point| point.cache_bytes));
    let row = |(place, reads): (u32, GroupReads)| {
        let name = names.get(place as usize).cloned().unwrap_or_default();
        let of_size = |bytes| reads.curve.iter().find(|point| point.cache_bytes == bytes);
        let point = common.map_or_else(|| best_size(&reads.curve), of_size).copied();
        let read = (reads.read_bytes, reads.requests.unwrap_or_default());
        // Flows tell nothing of what would be hit.
        let price = choice.price.filter(|_| reads.requests.is_some());
        let saving = saving(point.as_ref(), read, span_ms, price, &choice.prices);
        let cost = |medium: Medium| medium.usd_per_month(point?.cache_bytes as f64, &choice.prices);
        let pinned_bytes_ratio = point.and_then(|point| pinned(&reads, point.cache_bytes));
        CacheRow {
            name,
            point,
            saving,
            gp3_usd: cost(Medium::Gp3),
            lustre_usd: cost(Medium::Lustre),
            pinned_bytes_ratio,
            advice: advice(&reads, point.as_ref(), pinned_bytes_ratio),
            reads,
        }
    };
    let mut rows: Vec<CacheRow> = reads.groups.into_iter().map(row).collect();
    rows.sort_by(|a, b| {
        b.reads.read_bytes.cmp(&a.reads.read_bytes).then_with(|| a.name.cmp(&b.name))
    });
    rows
}

/// Share of the bytes read that a fixed part of the objects has: of what is read again, as much as the part is of the set.
fn pinned(reads: &GroupReads, cache_bytes: u64) -> Option<f64> {
    let (distinct, all) = (reads.distinct_bytes?, reads.read_bytes as f64);
    let again = if all > 0.0 { 1.0 - distinct / all } else { 0.0 };
    let part = if distinct > 0.0 { (cache_bytes as f64 / distinct).min(1.0) } else { 0.0 };
    Some((again * part).clamp(0.0, 1.0))
}

fn advice(
    reads: &GroupReads,
    point: Option<&CurvePoint>,
    pinned_bytes_ratio: Option<f64>,
) -> Option<CacheAdvice> {
    let pattern = reads.pattern?;
    let hit_bytes_ratio = point.map_or(0.0, |point| point.hit_bytes_ratio);
    let cache_bytes = point.map(|point| point.cache_bytes);
    Some(match (pattern, point) {
        (Pattern::Once, _) => CacheAdvice::ReadOnce,
        (_, Some(point)) if hit_bytes_ratio >= LITTLE => {
            CacheAdvice::Keep { pattern, cache_bytes: point.cache_bytes, hit_bytes_ratio }
        }
        (Pattern::Loop, _) => CacheAdvice::LoopTooLarge {
            set_bytes: reads.distinct_bytes?,
            cache_bytes,
            pinned_bytes_ratio,
        },
        _ => CacheAdvice::TooSmall { cache_bytes, hit_bytes_ratio },
    })
}
