//! When what is read again and again is read next: a value by its age, and one that failed by its
//! failures in a row. Chance is left to who waits.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// True when what was read at `last` is to be read again. What was never read is due, and so is what
/// was read in the future: somebody set the clock back, and how old it is nobody knows.
pub fn is_due(last: Option<Timestamp>, every: SignedDuration, now: Timestamp) -> bool {
    last.is_none_or(|at| now.duration_since(at) >= every || at > now)
}

/// The failures in a row of something that is tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Notes a success: the next failure is the first in a row.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// True when the last attempt failed.
    pub fn has_failed(self) -> bool {
        self.failures > 0
    }

    /// Notes a failure and returns the pause before the next attempt: `first`, doubled with each failure in a row
    /// before this one, at most `most`.
    pub fn pause(&mut self, first: Duration, most: Duration) -> Duration {
        let pause = first.saturating_mul(2_u32.saturating_pow(self.failures)).min(most);
        self.failures = self.failures.saturating_add(1);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(first: u64, most: u64) -> Vec<u64> {
        let (mut backoff, s) = (Backoff::default(), Duration::from_secs);
        (0..8).map(|_| backoff.pause(s(first), s(most)).as_secs()).collect()
    }

    #[test]
    fn failures_double_the_pause_up_to_the_longest() {
        assert_eq!(pauses(15, 300), [15, 30, 60, 120, 240, 300, 300, 300]);
        assert_eq!(pauses(5, 300), [5, 10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(pauses(15, 900), [15, 30, 60, 120, 240, 480, 900, 900]);
        assert_eq!(pauses(300, 3_600), [300, 600, 1_200, 2_400, 3_600, 3_600, 3_600, 3_600]);
        assert_eq!(pauses(2, 60), [2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(pauses(900, 900), [900; 8], "no oftener than it is read when all is well");
        let mut long = Backoff { failures: u32::MAX };
        assert_eq!(
            long.pause(Duration::from_secs(1), Duration::MAX).as_secs(),
            u64::from(u32::MAX)
        );
        assert!(long.has_failed());
    }

    #[test]
    fn what_works_once_begins_anew() {
        let (mut backoff, s) = (Backoff::default(), Duration::from_secs);
        assert!(!backoff.has_failed());
        backoff.pause(s(1), s(9));
        backoff.pause(s(1), s(9));
        assert!(backoff.has_failed());
        backoff.reset();
        assert!(!backoff.has_failed());
        assert_eq!(backoff.pause(s(1), s(9)), s(1));
    }

    #[test]
    fn what_is_old_enough_is_due_and_so_is_what_nobody_can_date() {
        let (now, hour) = (Timestamp::UNIX_EPOCH, SignedDuration::from_hours(1));
        let due = |seconds| is_due(Some(now + SignedDuration::from_secs(seconds)), hour, now);
        assert!(due(-3_600) && !due(-3_599) && !due(0));
        assert!(due(1), "read in the future");
        assert!(is_due(None, hour, now), "never read");
    }
}
