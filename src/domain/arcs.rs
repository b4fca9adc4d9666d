//! Lists of shared values.

use std::sync::Arc;

/// Wraps each value in an `Arc` of its own, in a list without spare room. `collect` would keep the memory of the values
/// for the pointers: megabytes for ten thousand instances, as long as the list lives.
pub fn arcs<T>(all: Vec<T>) -> Vec<Arc<T>> {
    let mut out = Vec::with_capacity(all.len());
    out.extend(all.into_iter().map(Arc::new));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_the_pointers_alone() {
        let all: Vec<[u64; 16]> = (0..9).map(|n| [n; 16]).collect();
        let out = arcs(all);
        assert_eq!((out.len(), out.capacity(), out[8][0]), (9, 9, 8));
    }
}
