//! How long the operators wait, and how often they try.

use std::time::Duration;

use crate::act::plan::{POLL, POLL_AT_MOST, VISIBLE_WITHIN};

/// Time limits, pauses and numbers of attempts of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// All questions about instances in a preflight, or in the look before a call. What comes later
    /// counts as not known. About storage each question has the time of a call.
    pub look: Duration,
    /// Longest time of one call, or of one poll of states.
    pub call: Duration,
    /// Calls for the same row or step at most, the first included.
    pub attempts: u32,
    /// Pause before the second attempt; doubled before each further one.
    pub back_off: Duration,
    /// Pause before the second look at states; a quarter longer before each further one.
    pub poll: Duration,
    /// The longest that this pause grows to.
    pub poll_at_most: Duration,
    /// Longest time until an accepted call must be visible in the state; then the row is unknown.
    pub visible_within: Duration,
    /// Longest time that a snapshot may take. One that has not completed by then is left to
    /// complete: the same plan finds it later.
    pub snapshot_within: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            look: Duration::from_mins(1),
            call: Duration::from_mins(1),
            attempts: 3,
            back_off: Duration::from_secs(2),
            poll: POLL,
            poll_at_most: POLL_AT_MOST,
            visible_within: VISIBLE_WITHIN,
            snapshot_within: Duration::from_hours(2),
        }
    }
}

impl Patience {
    /// Limits for storage, whose states are polled half as often in the end: every 30 s.
    pub fn storage() -> Self {
        Self { poll_at_most: Duration::from_secs(30), ..Self::default() }
    }

    /// Pause that follows `pause` between two looks at states.
    pub(super) fn next_poll(&self, pause: Duration) -> Duration {
        pause.saturating_mul(5).div_f64(4.0).min(self.poll_at_most)
    }
}
