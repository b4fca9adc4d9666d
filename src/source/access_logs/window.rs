//! Events in their order: files are delivered late and lines of one are not sorted, so that some are held back.

use crate::domain::object_reads::ReadEvent;

/// Events that are held back, and as many again before they are sorted.
const HELD: usize = 1 << 18;

/// Events that are held back until none is expected before them.
pub(super) struct Window {
    held: Vec<ReadEvent>,
    /// When the last event happened that was taken, milliseconds since 1970.
    last: i64,
    late: u64,
}

impl Window {
    pub fn new() -> Self {
        Self { held: Vec::new(), last: i64::MIN, late: 0 }
    }

    /// Adds an event; the earliest are taken once there are too many.
    pub fn push(&mut self, event: ReadEvent, take: &mut dyn FnMut(&ReadEvent)) {
        self.held.push(event);
        if self.held.len() >= 2 * HELD {
            self.drain(HELD, take);
        }
    }

    /// Takes all that are left. Returns how many came after one that happened later had been taken.
    pub fn finish(mut self, take: &mut dyn FnMut(&ReadEvent)) -> u64 {
        self.drain(0, take);
        self.late
    }

    /// Takes the earliest until `left` are left.
    fn drain(&mut self, left: usize, take: &mut dyn FnMut(&ReadEvent)) {
        // Those of one moment stay as they came.
        self.held.sort_by_key(|event| event.at);
        let number = self.held.len().saturating_sub(left);
        for event in self.held.drain(..number) {
            if event.at < self.last {
                self.late += 1;
            }
            self.last = self.last.max(event.at);
            take(&event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::object_reads::ReadKind;

    fn taken(moments: impl Iterator<Item = i64>) -> (Vec<i64>, u64) {
        let (mut window, mut taken) = (Window::new(), Vec::new());
        let mut take = |event: &ReadEvent| taken.push(event.at);
        for at in moments {
            let event =
                ReadEvent { at, group: 0, kind: ReadKind::Read, object: 1, bytes: 1, size: None };
            window.push(event, &mut take);
        }
        let late = window.finish(&mut take);
        (taken, late)
    }

    #[test]
    fn events_within_the_window_are_sorted_and_later_ones_are_told() {
        let number = 3 * HELD as i64;
        // Each block of a thousand backwards.
        let (sorted, late) = taken((0..number).map(|i| i / 1_000 * 1_000 + 999 - i % 1_000));
        assert_eq!(late, 0);
        assert!(sorted.is_sorted());
        let (all, late) = taken((10..number).chain(0..10));
        assert_eq!((all.len() as i64, late), (number, 10));
    }
}
