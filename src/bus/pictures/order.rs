//! Pictures that are made side by side and shown in order.

use std::sync::{Arc, Mutex, PoisonError};

/// Shows no picture after a newer one. Not only the one begun last either, or nothing would ever be
/// shown where making one takes longer than the next waits.
#[derive(Clone, Default)]
pub(super) struct InOrder(Arc<Mutex<u64>>);

impl InOrder {
    /// Shows the picture of this version unless a newer one was shown. Others wait meanwhile, so
    /// that one that was begun to be shown is shown first; for worker threads alone.
    pub(super) fn show(&self, version: u64, show: impl FnOnce()) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown < version {
            *shown = version;
            show();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn what_is_older_than_what_was_shown_is_dropped() {
        let order = InOrder::default();
        let mut shown = Vec::new();
        for version in [1, 3, 2, 4] {
            order.show(version, || shown.push(version));
        }
        assert_eq!(shown, [1, 3, 4]);
    }

    /// However long the way to the screen is, the next one takes it afterwards.
    #[test]
    fn two_that_are_shown_at_the_same_time_come_in_order() {
        let order = InOrder::default();
        let (screen, shown) = mpsc::channel();
        let (begun, begins) = mpsc::channel();
        std::thread::scope(|threads| {
            let (first, line) = (order.clone(), screen.clone());
            threads.spawn(move || {
                first.show(1, || {
                    begun.send(()).unwrap();
                    std::thread::yield_now();
                    line.send(1).unwrap();
                });
            });
            begins.recv().unwrap();
            order.show(2, || screen.send(2).unwrap());
        });
        assert_eq!(shown.try_iter().collect::<Vec<_>>(), [1, 2]);
    }
}
