//! Things that repeat, each kept once and named by a number.

use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash};

use crate::domain::hash::FastMap;

/// Things that repeat, each kept once and named by a number.
#[derive(Clone, Debug)]
pub struct Dict<T> {
    items: Vec<T>,
    /// By hash, the number of the item; of several with one hash each is at the next free one.
    ids: FastMap<u64, u32>,
    /// What was asked for last, which is asked for again more often than anything else.
    last: u32,
}

impl<T> Default for Dict<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ids: FastMap::default(), last: 0 }
    }
}

impl<T: Hash + Eq> Dict<T> {
    /// Number of an item, which is kept where it is new. There are fewer than 2³² of them.
    pub fn id(&mut self, item: T) -> u32 {
        if self.items.get(self.last as usize) != Some(&item) {
            self.last = self.find(item);
        }
        self.last
    }

    fn find(&mut self, item: T) -> u32 {
        let mut hash = self.ids.hasher().hash_one(&item);
        loop {
            match self.ids.entry(hash) {
                Entry::Occupied(found) if self.items[*found.get() as usize] == item => {
                    return *found.get();
                }
                Entry::Occupied(_) => hash = hash.wrapping_add(1),
                Entry::Vacant(place) => {
                    let id = self.items.len() as u32;
                    place.insert(id);
                    self.items.push(item);
                    return id;
                }
            }
        }
    }

    /// The item with a number that this dictionary gave.
    pub fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }

    /// All items, in the order of their numbers.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Takes the items of another one in: by its numbers, the numbers that they have here.
    pub fn take(&mut self, other: Self) -> Vec<u32> {
        other.items.into_iter().map(|item| self.id(item)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_have_one_number_and_others_another() {
        let mut dict = Dict::default();
        let ids: Vec<u32> = ["a", "b", "a", "c", "b"].map(|text| dict.id(text)).into();
        assert_eq!(ids, [0, 1, 0, 2, 1]);
        assert_eq!((dict.get(2), dict.items()), (&"c", &["a", "b", "c"][..]));
    }

    #[test]
    fn things_with_one_hash_are_told_apart() {
        #[derive(Debug, PartialEq, Eq)]
        struct Same(u8);
        impl Hash for Same {
            fn hash<H: std::hash::Hasher>(&self, to: &mut H) {
                0_u8.hash(to);
            }
        }
        let mut dict = Dict::default();
        let ids: Vec<u32> = [1, 2, 3, 2, 1].map(|of| dict.id(Same(of))).into();
        assert_eq!(ids, [0, 1, 2, 1, 0]);
    }

    #[test]
    fn what_is_taken_in_has_the_numbers_of_here() {
        let (mut one, mut other) = (Dict::default(), Dict::default());
        assert_eq!(["a", "b"].map(|text| one.id(text)), [0, 1]);
        assert_eq!(["c", "b"].map(|text| other.id(text)), [0, 1]);
        assert_eq!(one.take(other), [2, 1]);
        assert_eq!(one.items(), ["a", "b", "c"]);
    }
}
