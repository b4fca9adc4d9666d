//! How long a dialog has stood on the screen: an answer counts only from somebody who saw it.

use std::time::Duration;

/// How long a dialog must have stood before keys count. A little over the time in which anybody
/// reacts to a picture; keys that come sooner were meant for what was there before.
pub const KEY_DELAY: Duration = Duration::from_millis(300);

/// Time since which a dialog has been on the screen, by a monotonic clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    since: Option<Duration>,
}

impl Standing {
    /// Starts the delay, once the whole dialog is on the screen.
    pub fn drawn(&mut self, uptime: Duration) {
        self.since.get_or_insert(uptime);
    }

    /// Restarts the delay before keys count; called when the dialog is hidden or redrawn elsewhere.
    pub fn gone(&mut self) {
        self.since = None;
    }

    /// True when a key counts. One that does not restarts the delay: input that began before the dialog
    /// appeared is dropped to its end.
    pub fn counts(&mut self, uptime: Duration) -> bool {
        match self.since {
            None => false,
            Some(since) if uptime.saturating_sub(since) >= KEY_DELAY => true,
            Some(_) => {
                self.since = Some(uptime);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_that_began_too_early_is_dropped_to_its_end() {
        let ms = Duration::from_millis;
        let mut standing = Standing::default();
        assert!(!standing.counts(ms(10_000)), "never drawn");
        standing.drawn(ms(1_000));
        assert!(!standing.counts(ms(1_299)));
        standing.drawn(ms(1_300));
        assert!(!standing.counts(ms(1_598)), "the time began anew");
        assert!(standing.counts(ms(1_898)));
        assert!(standing.counts(ms(1_899)));
        standing.gone();
        assert!(!standing.counts(ms(9_000)));
    }
}
