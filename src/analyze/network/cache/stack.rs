//! Objects of one cache, each with its last read: which sizes of a cache would have had what is read now.

use super::recency::Recency;
use crate::domain::hash::FastMap;

/// Bit of a verdict: at least [`FAR`] of all bytes were read since.
pub(super) const IS_FAR: u32 = 1 << 31;

/// Bit of a verdict: at most [`NEAR`] of all bytes were read since.
pub(super) const IS_NEAR: u32 = 1 << 30;

/// Bit of a verdict: the object had been read before.
const IS_AGAIN: u32 = 1 << 29;

/// Share of all bytes from which on they count as far, and up to which as near.
const FAR: f64 = 0.75;
const NEAR: f64 = 0.25;

/// Most bytes of all objects: sums beyond it tell nothing, for no cache is that large.
const BYTES_AT_MOST: u64 = 1 << 62;

/// What is known of an object.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Moment of its last read.
    time: u64,
    /// Its size, bytes.
    size: u64,
    /// Bytes of the read that goes on, up to `size`.
    read: u64,
    /// Verdict of that read: a bit per size of the cache, [`IS_FAR`], [`IS_NEAR`], [`IS_AGAIN`].
    verdict: u32,
}

/// What a read was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Bit *k* is set where a cache of the *k*th size had it; [`IS_FAR`], [`IS_NEAR`].
    pub verdict: u32,
    /// Whether none of these bytes had been read before.
    pub is_first: bool,
}

/// Objects of one cache in the order of their last reads, by the smallest cache that may keep them.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    /// The time of the next read.
    now: u64,
    objects: FastMap<u64, Kept>,
    /// Per size of the cache: objects that fit in it and in no smaller one.
    classes: Vec<Recency>,
}

impl Stack {
    /// An empty one for `sizes` sizes of caches.
    pub fn new(sizes: usize) -> Self {
        Self { now: 1, objects: FastMap::default(), classes: vec![Recency::default(); sizes] }
    }

    /// Objects that are known.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// Reads `bytes` of object `id`, which has `size` bytes. `sizes` are those of the caches, ascending; of all objects one in
    /// 2^`halvings` is known.
    ///
    /// Requests for parts of an object are one read until they add up to its size: what the first of them finds holds for all.
    pub fn read(&mut self, id: u64, bytes: u64, size: u64, sizes: &[u64], halvings: u32) -> Found {
        let class = sizes.partition_point(|cache| *cache < size);
        let time = self.now;
        self.now += 1;
        let Some(kept) = self.objects.get_mut(&id) else {
            let is_kept = self.push(class, time, size);
            let kept = Kept { time: if is_kept { time } else { 0 }, size, read: bytes, verdict: 0 };
            self.objects.insert(id, kept);
            return Found { verdict: 0, is_first: true };
        };
        if kept.read < size {
            kept.read = kept.read.saturating_add(bytes);
            let is_first = kept.verdict & IS_AGAIN == 0;
            return Found { verdict: kept.verdict, is_first };
        }
        let since = kept.time;
        // Larger than all caches.
        if since == 0 {
            let verdict = IS_AGAIN | IS_FAR;
            (kept.read, kept.verdict) = (bytes, verdict);
            return Found { verdict, is_first: false };
        }
        let all: u64 = self.classes.iter().map(Recency::total).sum();
        let between = self.classes[class].remove(since, size);
        let mut verdict = IS_AGAIN;
        let mut sum = 0;
        for (place, (of, cache)) in self.classes.iter().zip(sizes).enumerate() {
            sum += match () {
                () if place == class => between,
                () if of.total() == 0 => 0,
                () => of.after(since),
            };
            let needed = (u128::from(sum) << halvings) + u128::from(size);
            if place >= class && needed <= u128::from(*cache) {
                verdict |= 1 << place;
            }
        }
        let share = (sum + size) as f64 / all as f64;
        if share <= NEAR {
            verdict |= IS_NEAR;
        }
        if share >= FAR {
            verdict |= IS_FAR;
        }
        self.classes[class].push(time, size);
        (kept.time, kept.read, kept.verdict) = (time, bytes, verdict);
        Found { verdict, is_first: false }
    }

    /// True where the object is kept in a class.
    fn push(&mut self, class: usize, time: u64, size: u64) -> bool {
        let all: u64 = self.classes.iter().map(Recency::total).sum();
        match self.classes.get_mut(class) {
            Some(of) if all < BYTES_AT_MOST => {
                of.push(time, size);
                true
            }
            _ => false,
        }
    }

    /// Forgets the objects whose id `is_known` denies.
    pub fn retain(&mut self, is_known: impl Fn(u64) -> bool, sizes: &[u64]) {
        let classes = &mut self.classes;
        self.objects.retain(|id, kept| {
            let is_known = is_known(*id);
            if !is_known && kept.time > 0 {
                classes[sizes.partition_point(|cache| *cache < kept.size)]
                    .remove(kept.time, kept.size);
            }
            is_known
        });
        self.objects.shrink_to_fit();
    }

    /// Sum of the sizes, and of their squares, of the objects that a cache may keep; bytes.
    pub fn moments(&self) -> (f64, f64) {
        let sizes = self.objects.values().filter(|kept| kept.time > 0).map(|kept| kept.size as f64);
        sizes.fold((0.0, 0.0), |(sum, squares), size| (sum + size, squares + size * size))
    }
}
