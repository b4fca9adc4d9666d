//! The largest rows of a directory, which the explorer shows each on its own.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::tally::Row;

/// A row with the last part of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// The row, without its name.
    pub row: Row,
    /// Last part of its key.
    pub name: Box<[u8]>,
}

/// Larger is worse: smaller size, then later name; the rest makes the order total, so that which
/// rows are kept never depends on the order in which they came.
fn compare(row: &Row, name: &[u8], other: &Kept) -> Ordering {
    other
        .row
        .size
        .cmp(&row.size)
        .then_with(|| name.cmp(&other.name))
        .then_with(|| row.cmp(&other.row))
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.row, &self.name, other)
    }
}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The rows kept of one directory, worst on top.
#[derive(Clone, Debug, Default)]
pub(super) struct Keep {
    heap: BinaryHeap<Kept>,
}

/// Result of offering a row to a directory.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// The row is kept, in addition to those before.
    Kept,
    /// The row is kept, and the row given here is dropped for it.
    Instead(Row),
    /// The row is not kept.
    Declined,
}

impl Keep {
    /// Offers a row to a directory that keeps at most `most` rows.
    pub fn offer(&mut self, row: Row, name: &[u8], most: usize) -> Offered {
        if self.heap.len() < most {
            self.heap.push(Kept { row, name: name.into() });
            return Offered::Kept;
        }
        let Some(mut worst) = self.heap.peek_mut() else { return Offered::Declined };
        if compare(&row, name, &worst) != Ordering::Less {
            return Offered::Declined;
        }
        let out = std::mem::replace(&mut *worst, Kept { row, name: name.into() });
        Offered::Instead(out.row)
    }

    /// Smallest size that would still be kept when `most` are.
    pub fn floor(&self, most: usize) -> u64 {
        if self.heap.len() < most {
            return 0;
        }
        self.heap.peek().map_or(u64::MAX, |worst| worst.row.size)
    }

    /// Drops all but `most` rows, the smallest first, passing each to `gone`.
    pub fn shrink(&mut self, most: usize, mut gone: impl FnMut(Row)) {
        while self.heap.len() > most {
            if let Some(kept) = self.heap.pop() {
                gone(kept.row);
            }
        }
        self.heap.shrink_to_fit();
    }

    /// Number of rows kept.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// All rows kept, unordered.
    pub fn into_rows(self) -> Vec<Kept> {
        self.heap.into_vec()
    }
}
