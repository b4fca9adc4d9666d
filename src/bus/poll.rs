//! A value that a task reads again and again.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::cache::Stored;
use crate::domain::is_due;

/// The last good value, when it was read, and how often it is.
pub(super) struct Poll<T> {
    pub value: T,
    /// `None` where it was never read, and where the last attempt failed: then it is due, however
    /// young what was there before.
    pub read_at: Option<Timestamp>,
    every: SignedDuration,
}

impl<T> Poll<T> {
    /// A value that was read at `read_at` and is to be read each `every`.
    pub fn new(value: T, read_at: Option<Timestamp>, every: SignedDuration) -> Self {
        Self { value, read_at, every }
    }

    /// True when it is to be read again.
    pub fn is_due(&self, now: Timestamp) -> bool {
        is_due(self.read_at, self.every, now)
    }

    /// Notes a reading that succeeded at `now`.
    pub fn good(&mut self, now: Timestamp, value: T) {
        (self.value, self.read_at) = (value, Some(now));
    }

    /// How long to wait before the next read.
    pub fn wait(&self) -> Duration {
        wait(self.every)
    }
}

/// How long to wait between two reads `every` so often: at least a second.
pub(super) fn wait(every: SignedDuration) -> Duration {
    Duration::try_from(every).unwrap_or_default().max(Duration::from_secs(1))
}

impl<T: Default> Poll<T> {
    /// What the last run left, or nothing, which is due.
    pub fn from_cache(stored: Option<Stored<T>>, every: SignedDuration) -> Self {
        let (value, read_at) = stored.map_or_else(Default::default, |s| (s.value, s.taken_at));
        Self { value, read_at, every }
    }
}
