//! Sums of bytes by the moment of the last read: a list that grows at its end, with sums of its blocks, of blocks of blocks, and
//! so on. A step touches few places, most of which the processor has at hand; a Fenwick tree of two million places takes three
//! times as long.

/// Places without bytes beyond which a list is packed.
const SLACK: usize = 1_024;

/// Places of a block, as a power of two.
const BLOCK: usize = 6;

/// Levels of sums; those of the last are added up one by one.
const LEVELS: usize = 3;

/// Bytes of objects in the order of their last reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Recency {
    /// Moments of the last reads, ascending.
    times: Vec<u64>,
    /// Bytes of the object that was read then; 0 where it was read again since.
    bytes: Vec<u64>,
    /// Per block the moment of its first place.
    firsts: Vec<u64>,
    /// Per level the sums of the blocks of the level before; the first one's are of places.
    sums: [Vec<u64>; LEVELS],
    /// Sum of all bytes.
    total: u64,
    /// Objects.
    objects: usize,
}

impl Recency {
    /// Bytes of all objects.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Adds an object of at least a byte that is read at `time`, later than all others.
    pub fn push(&mut self, time: u64, bytes: u64) {
        if self.times.len() > 2 * self.objects + SLACK {
            self.pack();
        }
        self.append(time, bytes);
        self.total += bytes;
        self.objects += 1;
    }

    fn append(&mut self, time: u64, bytes: u64) {
        let place = self.times.len();
        if place.trailing_zeros() as usize >= BLOCK {
            self.firsts.push(time);
        }
        self.times.push(time);
        self.bytes.push(bytes);
        for (level, sums) in self.sums.iter_mut().enumerate() {
            match sums.get_mut(place >> (BLOCK * (level + 1))) {
                Some(sum) => *sum += bytes,
                None => sums.push(bytes),
            }
        }
    }

    /// Removes the object that was read at `time`. Returns the bytes of those that were read after it.
    pub fn remove(&mut self, time: u64, bytes: u64) -> u64 {
        let next = self.until(time);
        if next == 0 {
            return self.total;
        }
        let (after, place) = (self.from(next), next - 1);
        self.bytes[place] -= bytes;
        for (level, sums) in self.sums.iter_mut().enumerate() {
            sums[place >> (BLOCK * (level + 1))] -= bytes;
        }
        self.total -= bytes;
        self.objects -= 1;
        after
    }

    /// Bytes of the objects that were read after `time`.
    pub fn after(&self, time: u64) -> u64 {
        self.from(self.until(time))
    }

    /// Bytes of a place and all behind it.
    fn from(&self, mut place: usize) -> u64 {
        let mut sum = 0;
        for of in std::iter::once(&self.bytes).chain(&self.sums[..LEVELS - 1]) {
            // To the end of the block; the level above goes on behind it.
            let end = place.next_multiple_of(1 << BLOCK);
            sum += of.get(place..end.min(of.len())).unwrap_or_default().iter().sum::<u64>();
            place = end >> BLOCK;
        }
        sum + self.sums[LEVELS - 1].get(place..).unwrap_or_default().iter().sum::<u64>()
    }

    /// Number of places up to `time`.
    fn until(&self, time: u64) -> usize {
        let block = self.firsts.partition_point(|first| *first <= time);
        if block == 0 {
            return 0;
        }
        let start = (block - 1) << BLOCK;
        let end = (start + (1 << BLOCK)).min(self.times.len());
        start + self.times[start..end].partition_point(|at| *at <= time)
    }

    /// Leaves out the places of objects that were read again.
    fn pack(&mut self) {
        let room = 2 * self.objects + SLACK + 1;
        let old = std::mem::take(self);
        (self.times, self.bytes) = (Vec::with_capacity(room), Vec::with_capacity(room));
        for (time, bytes) in old.times.into_iter().zip(old.bytes) {
            if bytes > 0 {
                self.append(time, bytes);
            }
        }
        (self.total, self.objects) = (old.total, old.objects);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        // A list is searched from its end at each step: few cases, each long enough to be packed.
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn sums_are_those_of_a_list(steps in prop::collection::vec((1u64..1 << 40, any::<bool>(), 0usize..64), 1..4_000)) {
            let (mut tree, mut list) = (Recency::default(), BTreeMap::new());
            for (time, (bytes, removes, which)) in steps.into_iter().enumerate() {
                let time = time as u64;
                if removes && let Some((at, bytes)) = list.iter().nth(which % list.len().max(1)).map(|(a, b)| (*a, *b)) {
                    list.remove(&at);
                    prop_assert_eq!(tree.remove(at, bytes), list.range(at..).map(|(_, b)| b).sum::<u64>());
                }
                tree.push(time, bytes);
                list.insert(time, bytes);
                let since = which as u64 * 7;
                prop_assert_eq!(tree.after(since), list.range(since + 1..).map(|(_, b)| b).sum::<u64>());
                prop_assert_eq!(tree.total(), list.values().sum::<u64>());
            }
            tree.pack();
            prop_assert_eq!(tree.times.len(), list.len());
            for since in [0, 5, 100, 3_000] {
                prop_assert_eq!(tree.after(since), list.range(since + 1..).map(|(_, b)| b).sum::<u64>());
            }
        }
    }
}
