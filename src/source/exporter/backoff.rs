//! When a host that failed is asked again.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::domain::SourceError;

/// The longest pause.
const MAX_PAUSE_S: i64 = 300;

/// Failures of one host, and the pause that follows from them.
#[derive(Debug, Default)]
pub struct Backoff {
    /// In a row.
    failures: u32,
    /// Not to be asked before.
    until: Option<Timestamp>,
    /// The last one.
    error: Option<Arc<SourceError>>,
}

impl Backoff {
    /// Error for which the host is not read at `now`; `None` when it may be read.
    pub fn holds(&self, now: Timestamp) -> Option<Arc<SourceError>> {
        self.until.filter(|until| now < *until).and(self.error.clone())
    }

    /// Clears the failures after a success.
    pub fn worked(&mut self) {
        *self = Self::default();
    }

    /// Notes a failure: the pause is one interval, then two, four, … up to five minutes.
    pub fn failed(&mut self, error: Arc<SourceError>, now: Timestamp, every_s: u32) {
        let every = i64::from(every_s.max(1));
        let pause = every.saturating_mul(1 << self.failures.min(16)).min(MAX_PAUSE_S.max(every));
        // Rounds come a little early or late; a pause of one interval ends before the next one.
        let slack = every * 1000 / 2;
        self.until = now.checked_add(SignedDuration::from_millis(pause * 1000 - slack)).ok();
        self.failures = self.failures.saturating_add(1);
        self.error = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorKind;

    #[test]
    fn pauses_double_up_to_five_minutes_and_end_with_an_answer() {
        let error = || Arc::new(SourceError::new(ErrorKind::Network, "x", "no", ""));
        let mut backoff = Backoff::default();
        let mut now = Timestamp::UNIX_EPOCH;
        let mut asked = Vec::new();
        // A round each 15 seconds for 20 minutes, all of them failing.
        for round in 0..80 {
            if backoff.holds(now).is_none() {
                asked.push(round);
                backoff.failed(error(), now, 15);
            }
            now += SignedDuration::from_secs(15);
        }
        assert_eq!(asked, [0, 1, 3, 7, 15, 31, 51, 71], "pauses of 1, 2, 4, 8, 16, 20, 20 rounds");
        assert!(backoff.holds(now).is_some());
        backoff.worked();
        assert!(backoff.holds(now).is_none());
    }
}
