//! How much one source may keep in memory of what it was sent: shared by all that it reads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Limit on the bytes that a source keeps in memory.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    used: AtomicUsize,
}

impl Budget {
    /// A limit of `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { most, used: AtomicUsize::new(0) }
    }

    /// Reserves `bytes`; false, with nothing reserved, when fewer are left.
    pub fn take(&self, bytes: usize) -> bool {
        let more = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.most);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Returns reserved `bytes`.
    pub fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// True when more than half is used: unneeded data should be dropped.
    pub fn is_tight(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.most / 2
    }

    /// The limit, bytes.
    pub fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let budget = Budget::new(100);
        assert!(budget.take(60) && budget.is_tight());
        assert!(!budget.take(41) && budget.take(40) && !budget.take(1));
        assert!(!budget.take(usize::MAX));
        budget.give(60);
        assert!(!budget.is_tight() && budget.take(60) && budget.most() == 100);
    }
}
