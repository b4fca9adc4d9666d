//! Lists of shared values.

use std::collections::HashMap;
use std::sync::Arc;

/// Wraps each value in an `Arc` of its own, in a list without spare room. `collect` would keep the memory of the values
/// for the pointers: megabytes for ten thousand instances, as long as the list lives.
pub fn arcs<T>(all: Vec<T>) -> Vec<Arc<T>> {
    let mut out = Vec::with_capacity(all.len());
    out.extend(all.into_iter().map(Arc::new));
    out
}

/// Values of the last picture by their names, such as instance ids. What is as it was stays the value that it was: the
/// old picture is on screen while the new one is made, and a second copy of each row would stand beside it.
pub struct Kept<'a, T>(HashMap<&'a str, &'a Arc<T>>);

impl<'a, T: PartialEq> Kept<'a, T> {
    /// Those of `all`, each with its name.
    pub fn of(all: impl IntoIterator<Item = (&'a str, &'a Arc<T>)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// The old value of this name where `value` equals it, else `value`.
    pub fn or_new(&self, name: &str, value: T) -> Arc<T> {
        match self.0.get(name) {
            Some(old) if ***old == value => Arc::clone(old),
            _ => Arc::new(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_it_was_is_the_value_that_it_was() {
        let old = [Arc::new(("a", 1)), Arc::new(("b", 2))];
        let kept = Kept::of(old.iter().map(|value| (value.0, value)));
        assert!(Arc::ptr_eq(&kept.or_new("a", ("a", 1)), &old[0]));
        assert_eq!(*kept.or_new("b", ("b", 3)), ("b", 3), "another value of that name");
        assert_eq!(*kept.or_new("c", ("b", 2)), ("b", 2), "another name");
    }

    #[test]
    fn there_is_room_for_the_pointers_alone() {
        let all: Vec<[u64; 16]> = (0..9).map(|n| [n; 16]).collect();
        let out = arcs(all);
        assert_eq!((out.len(), out.capacity(), out[8][0]), (9, 9, 8));
    }
}
