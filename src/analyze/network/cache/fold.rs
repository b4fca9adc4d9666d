//! Reads of all groups, within bounds of memory: beyond them a sample of the objects is followed, chosen by their hashes.

use super::pattern::Pattern;
use super::stack::Stack;
use super::tally::{CurvePoint, Tally};
use super::{CACHE_SIZES, SIZES_AT_MOST};
use crate::domain::hash::{FastMap, mix};
use crate::domain::object_reads::{ReadEvent, ReadKind};

/// Objects that are followed at most, those of all groups together: what two million places of a table take. With it a log of
/// ten million lines needs some 250 MiB.
pub const OBJECTS_AT_MOST: usize = 1_800_000;

/// Objects written anew that are remembered at most.
const WRITTEN_AT_MOST: usize = 1 << 20;

/// Halvings of the sample after which no more are made: one object in 65,536.
const HALVINGS_AT_MOST: u32 = 16;

/// Bits of an object's hash that choose the sample: the highest.
const CHOOSING: u32 = 16;

/// Folds the reads of a log.
#[derive(Debug)]
pub struct CacheFold {
    sizes: Vec<u64>,
    at_most: usize,
    groups: Vec<Option<Group>>,
    /// Objects that are followed.
    objects: usize,
    /// One object in 2^`halvings` is followed.
    halvings: u32,
    /// How often an object was written anew.
    written: FastMap<u64, u32>,
    /// Objects written anew that are not remembered.
    unremembered: u64,
    /// Moments of the first and the last event, milliseconds since 1970.
    span: Option<(i64, i64)>,
}

#[derive(Debug)]
struct Group {
    stack: Stack,
    tally: Tally,
    flow_bytes: Option<u64>,
    has_unsized: bool,
}

/// What the reads of a log tell.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheReads {
    /// By group, in the order of their places; those without events are left out.
    pub groups: Vec<(u32, GroupReads)>,
    /// All groups together, each with a cache of its own of each size.
    pub all: GroupReads,
    /// Moments of the first and the last event, milliseconds since 1970; `None` without any.
    pub span: Option<(i64, i64)>,
    /// Share of the objects that were followed, 0–1; 1 = all, and the figures are exact.
    pub followed: f64,
    /// Objects written anew whose reads count as reads of what was there before.
    pub unremembered: u64,
}

/// Reads of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupReads {
    /// Requests that read objects; `None` where only flows tell of it.
    pub requests: Option<u64>,
    /// Bytes read, those of flows among them.
    pub read_bytes: u64,
    /// Bytes read at least once; `None` where only flows tell of it.
    pub distinct_bytes: Option<f64>,
    /// What caches would have had, the smallest first; empty where only flows tell of it.
    pub curve: Vec<CurvePoint>,
    /// How objects are read again; `None` where only flows tell of it.
    pub pattern: Option<Pattern>,
    /// Whether the log lacks sizes of objects: what reads in parts then look like is a read of the same again.
    pub has_unsized: bool,
}

impl CacheReads {
    /// Time from the first to the last event, milliseconds; `None` without any.
    pub fn span_ms(&self) -> Option<i64> {
        self.span.map(|(first, last)| last.saturating_sub(first))
    }
}

impl CacheFold {
    /// One for [`CACHE_SIZES`] and `more` sizes of caches, bytes, of which the first few count.
    pub fn new(more: &[u64]) -> Self {
        Self::within(more, OBJECTS_AT_MOST)
    }

    /// The same, following at most `at_most` objects.
    pub(super) fn within(more: &[u64], at_most: usize) -> Self {
        let more = more.iter().filter(|size| **size > 0).take(SIZES_AT_MOST - CACHE_SIZES.len());
        let mut sizes: Vec<u64> = CACHE_SIZES.iter().chain(more).copied().collect();
        sizes.sort_unstable();
        sizes.dedup();
        Self {
            sizes,
            at_most,
            groups: Vec::new(),
            objects: 0,
            halvings: 0,
            written: FastMap::default(),
            unremembered: 0,
            span: None,
        }
    }

    /// Takes the next event, in the order in which they happened.
    pub fn take(&mut self, event: &ReadEvent) {
        let (first, last) = self.span.unwrap_or((event.at, event.at));
        self.span = Some((first.min(event.at), last.max(event.at)));
        if event.kind == ReadKind::Written {
            self.write(event.object);
            return;
        }
        let (place, sizes) = (event.group as usize, self.sizes.len());
        if self.groups.len() <= place {
            self.groups.resize_with(place + 1, || None);
        }
        let new = || Group {
            stack: Stack::new(sizes),
            tally: Tally::new(sizes),
            flow_bytes: None,
            has_unsized: false,
        };
        let group = self.groups[place].get_or_insert_with(new);
        if event.kind == ReadKind::Flow {
            group.flow_bytes =
                Some(group.flow_bytes.unwrap_or_default().saturating_add(event.bytes));
            return;
        }
        group.tally.requests += 1;
        group.tally.bytes = group.tally.bytes.saturating_add(event.bytes);
        group.has_unsized |= event.size.is_none();
        if event.bytes == 0 || !is_chosen(event.object, self.halvings) {
            return;
        }
        let size = event.size.filter(|size| *size > 0).unwrap_or(event.bytes);
        let anew = match self.written.is_empty() {
            true => 0,
            false => self.written.get(&event.object).copied().unwrap_or_default(),
        };
        let before = group.stack.objects();
        let id = identity(event.object, size, anew);
        let found = group.stack.read(id, event.bytes, size, &self.sizes, self.halvings);
        group.tally.count(found, event.object, event.bytes, self.halvings);
        self.objects += group.stack.objects() - before;
        if self.objects > self.at_most && self.halvings < HALVINGS_AT_MOST {
            self.halve();
        }
    }

    /// What is read of the object from now on is not what was read before.
    fn write(&mut self, object: u64) {
        if self.written.len() >= WRITTEN_AT_MOST && !self.written.contains_key(&object) {
            self.unremembered += 1;
            return;
        }
        let times = self.written.entry(object).or_default();
        *times = times.wrapping_add(1);
    }

    /// Follows half of the objects from now on.
    fn halve(&mut self) {
        self.halvings += 1;
        let halvings = self.halvings;
        for group in self.groups.iter_mut().flatten() {
            group.stack.retain(|id| is_chosen(id, halvings), &self.sizes);
        }
        self.objects = self.groups.iter().flatten().map(|group| group.stack.objects()).sum();
    }

    /// What the reads tell.
    pub fn finished(self) -> CacheReads {
        let (sizes, halvings) = (&self.sizes, self.halvings);
        let (mut all, mut moments) = (Tally::new(sizes.len()), (0.0, 0.0));
        let (mut flows, mut has_unsized) = (None, false);
        let mut groups = Vec::new();
        for (place, group) in self.groups.iter().enumerate() {
            let Some(group) = group else { continue };
            let of = group.stack.moments();
            groups.push((
                place as u32,
                told(&group.tally, sizes, of, halvings, group.flow_bytes, group.has_unsized),
            ));
            all.add(&group.tally);
            moments = (moments.0 + of.0, moments.1 + of.1);
            if let Some(bytes) = group.flow_bytes {
                flows = Some(u64::saturating_add(flows.unwrap_or_default(), bytes));
            }
            has_unsized |= group.has_unsized;
        }
        CacheReads {
            all: told(&all, sizes, moments, halvings, flows, has_unsized),
            groups,
            span: self.span,
            followed: 0.5f64.powi(halvings as i32),
            unremembered: self.unremembered,
        }
    }
}

fn told(
    tally: &Tally,
    sizes: &[u64],
    moments: (f64, f64),
    halvings: u32,
    flows: Option<u64>,
    has_unsized: bool,
) -> GroupReads {
    let read_bytes = tally.bytes.saturating_add(flows.unwrap_or_default());
    if tally.requests == 0 {
        return GroupReads {
            requests: None,
            read_bytes,
            distinct_bytes: None,
            curve: Vec::new(),
            pattern: None,
            has_unsized,
        };
    }
    GroupReads {
        requests: Some(tally.requests),
        read_bytes,
        distinct_bytes: Some(tally.distinct_bytes()),
        curve: tally.curve(sizes, (halvings > 0).then_some(moments), halvings),
        pattern: tally.pattern(),
        has_unsized,
    }
}

/// Whether an object, or an identity of one, is in the sample.
fn is_chosen(object: u64, halvings: u32) -> bool {
    halvings == 0 || object >> (64 - halvings) == 0
}

/// What an object of this size is known by, after it was written anew so often. The bits that choose the sample stay.
fn identity(object: u64, size: u64, anew: u32) -> u64 {
    let mixed = mix(size.wrapping_add(u64::from(anew).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    object ^ (mixed >> CHOOSING)
}
