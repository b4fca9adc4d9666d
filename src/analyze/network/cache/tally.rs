//! Hits by size of the cache, and how far a sample of objects may be off.

use super::pattern::{Pattern, Rereads};
use super::stack::{Found, IS_FAR, IS_NEAR};

/// Parts of the objects, by their hashes, whose spread tells how far a sample may be off.
const PARTS: usize = 16;

/// Standard errors that are stated.
const ERRORS: f64 = 3.0;

/// A point of the curve: what a cache of this size would have had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Size of the cache, bytes.
    pub cache_bytes: u64,
    /// Share of the bytes read that it would have had, 0–1.
    pub hit_bytes_ratio: f64,
    /// Share of the requests that it would have answered, 0–1.
    pub hit_requests_ratio: f64,
    /// How far a sample may be off, three standard errors; `None` where all objects were followed and the figures are exact.
    pub error: Option<CurveError>,
}

/// How far a curve of a sample of objects may be off: the exact one is within `ratio` of it at a size within `size`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveError {
    /// Of the ratio of hits, 0–1.
    pub ratio: f64,
    /// Of the size of the cache, as a share of it, 0–1.
    pub size: f64,
}

/// Sums of one group. Those of objects are each multiplied by how many objects one stands for.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Requests, and bytes that they read.
    pub requests: u64,
    pub bytes: u64,
    /// The same of the objects that were followed.
    followed: (u64, u64),
    /// Bytes that were read the first time.
    first: u64,
    /// Of bytes that were read again, those after most, and after little, of all others.
    far: u64,
    near: u64,
    /// Per size of the cache: hits, in requests and bytes.
    hits: Vec<(u64, u64)>,
    /// Bytes that were read, by part of the objects.
    parts: [u64; PARTS],
    /// Per size of the cache: of them, hits.
    part_hits: Vec<[u64; PARTS]>,
}

impl Tally {
    pub fn new(sizes: usize) -> Self {
        Self { hits: vec![(0, 0); sizes], part_hits: vec![[0; PARTS]; sizes], ..Self::default() }
    }

    /// Counts a request for `bytes` of an object that stands for 2^`halvings` of them.
    pub fn count(&mut self, found: Found, object: u64, bytes: u64, halvings: u32) {
        let part = (object % PARTS as u64) as usize;
        let (requests, bytes) = (1u64 << halvings, bytes << halvings);
        add(&mut self.followed.0, requests);
        add(&mut self.followed.1, bytes);
        add(&mut self.parts[part], bytes);
        if found.is_first {
            add(&mut self.first, bytes);
            return;
        }
        if found.verdict & IS_FAR != 0 {
            add(&mut self.far, bytes);
        }
        if found.verdict & IS_NEAR != 0 {
            add(&mut self.near, bytes);
        }
        for (place, (hits, parts)) in self.hits.iter_mut().zip(&mut self.part_hits).enumerate() {
            if found.verdict & (1 << place) != 0 {
                add(&mut hits.0, requests);
                add(&mut hits.1, bytes);
                add(&mut parts[part], bytes);
            }
        }
    }

    /// Bytes that were read at least once; estimated from the objects that were followed.
    pub fn distinct_bytes(&self) -> f64 {
        match self.followed.1 {
            0 => 0.0,
            followed if followed == self.bytes => self.first as f64,
            followed => self.first as f64 / followed as f64 * self.bytes as f64,
        }
    }

    /// The curve. `moments` are the sums of the sizes of the objects followed and of their squares; `None` where those were all.
    pub fn curve(
        &self,
        sizes: &[u64],
        moments: Option<(f64, f64)>,
        halvings: u32,
    ) -> Vec<CurvePoint> {
        let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let point = |(place, cache_bytes): (usize, &u64)| {
            let hits = self.hits[place];
            let hit_bytes_ratio = share(hits.1, self.followed.1);
            CurvePoint {
                cache_bytes: *cache_bytes,
                hit_bytes_ratio,
                hit_requests_ratio: share(hits.0, self.followed.0),
                error: moments.map(|moments| CurveError {
                    ratio: self.spread(place, hit_bytes_ratio),
                    size: size_error(moments, halvings, *cache_bytes),
                }),
            }
        };
        sizes.iter().enumerate().map(point).collect()
    }

    /// Three standard errors of the ratio of hits, by the spread among the parts of the objects: that of a ratio of two sums,
    /// √(*g* ÷ (*g* − 1) Σ (*h* − *r b*)²) ÷ Σ *b* over *g* parts (Cochran 1977, chapter 6).
    fn spread(&self, place: usize, ratio: f64) -> f64 {
        let all: f64 = self.parts.iter().map(|bytes| *bytes as f64).sum();
        if all <= 0.0 {
            return 1.0;
        }
        let off = |(hits, bytes): (&u64, &u64)| (*hits as f64 - ratio * *bytes as f64).powi(2);
        let squares: f64 = self.part_hits[place].iter().zip(&self.parts).map(off).sum();
        let parts = PARTS as f64;
        (ERRORS * (parts / (parts - 1.0) * squares).sqrt() / all).min(1.0)
    }

    /// How its objects are read again; `None` where no bytes were read.
    pub fn pattern(&self) -> Option<Pattern> {
        let Self { first, far, near, followed: (_, all), .. } = *self;
        Pattern::of(&Rereads { all, again: all.saturating_sub(first), far, near })
    }

    /// Adds up what each reader's own cache would have.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.requests, other.requests),
            (&mut self.bytes, other.bytes),
            (&mut self.followed.0, other.followed.0),
            (&mut self.followed.1, other.followed.1),
            (&mut self.first, other.first),
            (&mut self.far, other.far),
            (&mut self.near, other.near),
        ];
        pairs.into_iter().for_each(|(sum, part)| add(sum, part));
        for (sum, part) in self.hits.iter_mut().zip(&other.hits) {
            add(&mut sum.0, part.0);
            add(&mut sum.1, part.1);
        }
        self.parts.iter_mut().zip(&other.parts).for_each(|(sum, part)| add(sum, *part));
        for (sums, parts) in self.part_hits.iter_mut().zip(&other.part_hits) {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| add(sum, *part));
        }
    }
}

/// Three standard errors of the bytes between two reads, as a share of a cache that they just fill: of objects each followed
/// with the probability *p* = 2^−`halvings`, √((1 − *p*) Σ *s*²) ÷ Σ *s* for all, and more for fewer (Horvitz–Thompson).
fn size_error((sum, squares): (f64, f64), halvings: u32, cache: u64) -> f64 {
    if sum <= 0.0 {
        return 1.0;
    }
    let scale = f64::from(2u32.pow(halvings.min(31)));
    let of_all = ((1.0 - 1.0 / scale) * squares).sqrt() / sum;
    let fewer = (sum * scale / cache as f64).max(1.0);
    (ERRORS * of_all * fewer.sqrt()).min(1.0)
}

/// Sums of bytes end at the largest number rather than go round.
fn add(sum: &mut u64, part: u64) {
    *sum = sum.saturating_add(part);
}
