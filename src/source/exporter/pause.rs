//! When a host that failed is asked again.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::domain::{Backoff, SourceError};

/// The longest pause, unless rounds are rarer.
const PAUSE_AT_MOST: Duration = Duration::from_mins(5);

/// A host that is left alone for a time after it failed.
#[derive(Debug, Default)]
pub struct Pause {
    backoff: Backoff,
    /// Not to be asked before.
    until: Option<Timestamp>,
    /// The last one.
    error: Option<Arc<SourceError>>,
}

impl Pause {
    /// The error for which the host is not asked now; `None` when it may be.
    pub fn holds(&self, now: Timestamp) -> Option<Arc<SourceError>> {
        self.until.filter(|until| now < *until).and(self.error.clone())
    }

    /// Clears the failures after a success.
    pub fn worked(&mut self) {
        *self = Self::default();
    }

    /// Notes a failure: the pause is one interval, then two, four, … up to five minutes.
    pub fn failed(&mut self, error: Arc<SourceError>, now: Timestamp, every_s: u32) {
        let every = Duration::from_secs(every_s.max(1).into());
        let pause = self.backoff.pause(every, PAUSE_AT_MOST.max(every));
        // Rounds come a little early or late; a pause of one interval ends before the next one.
        self.until = now.checked_add(pause.saturating_sub(every / 2)).ok();
        self.error = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::domain::ErrorKind;

    #[test]
    fn pauses_double_up_to_five_minutes_and_end_with_an_answer() {
        let error = || Arc::new(SourceError::new(ErrorKind::Network, "x", "no", ""));
        let mut pause = Pause::default();
        let mut now = Timestamp::UNIX_EPOCH;
        let mut asked = Vec::new();
        // A round each 15 seconds for 20 minutes, all of them failing.
        for round in 0..80 {
            if pause.holds(now).is_none() {
                asked.push(round);
                pause.failed(error(), now, 15);
            }
            now += SignedDuration::from_secs(15);
        }
        assert_eq!(asked, [0, 1, 3, 7, 15, 31, 51, 71], "pauses of 1, 2, 4, 8, 16, 20, 20 rounds");
        assert!(pause.holds(now).is_some());
        pause.worked();
        assert!(pause.holds(now).is_none());
    }
}
