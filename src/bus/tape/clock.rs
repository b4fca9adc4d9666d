//! The time of a tape that is played.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// The clock of a replay: it begins with the first entry, runs at the chosen speed, and never passes
/// the entry that is played next, so that nothing looks older than it was. At the end of the tape
/// it stands still.
#[derive(Debug)]
pub struct TapeClock {
    start: Timestamp,
    /// Seconds of the tape per second.
    speed: f64,
    /// Plays without waiting.
    hurry: AtomicBool,
    began: OnceLock<Instant>,
    /// Milliseconds of the epoch that the clock does not pass.
    bound: AtomicI64,
}

impl TapeClock {
    /// A clock that stands at `start` until something is played.
    pub fn new(start: Timestamp, speed: f64) -> Self {
        let bound = AtomicI64::new(start.as_millisecond());
        Self { start, speed, hurry: AtomicBool::new(false), began: OnceLock::new(), bound }
    }

    /// Plays without waiting from here on: for a report, which shows the end.
    pub fn hurry(&self) {
        self.hurry.store(true, Ordering::Relaxed);
    }

    /// The time on the tape.
    pub fn now(&self) -> Timestamp {
        let bound = self.bound.load(Ordering::Relaxed);
        let bound = Timestamp::from_millisecond(bound).unwrap_or(self.start);
        let Some(began) = self.began.get().filter(|_| !self.hurry.load(Ordering::Relaxed)) else {
            return bound;
        };
        let passed = began.elapsed().as_secs_f64() * self.speed;
        let passed = SignedDuration::try_from_secs_f64(passed).unwrap_or(SignedDuration::MAX);
        self.start.saturating_add(passed).unwrap_or(bound).min(bound)
    }

    /// Time to wait before an entry recorded at `at` is played; zero when in a hurry.
    pub(super) fn wait_for(&self, at: Timestamp) -> Duration {
        let began = *self.began.get_or_init(Instant::now);
        // Without a wait the time is that of what was taken in, not of what was read ahead.
        if self.hurry.load(Ordering::Relaxed) {
            return Duration::ZERO;
        }
        self.reached(at);
        let ahead = at.duration_since(self.start).as_secs_f64().max(0.0) / self.speed;
        Duration::try_from_secs_f64(ahead).unwrap_or(Duration::MAX).saturating_sub(began.elapsed())
    }
}

impl TapeClock {
    /// What was said at `at` is taken in now.
    pub(in crate::bus) fn reached(&self, at: Timestamp) {
        // Entries of several tasks may have crossed each other on their way to the tape.
        self.bound.fetch_max(at.as_millisecond(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_with_the_tape_and_stands_at_its_end() {
        let start = Timestamp::from_second(1_795_000_000).unwrap();
        let later = start + SignedDuration::from_secs(100);
        let clock = TapeClock::new(start, 1e9);
        assert_eq!(clock.now(), start);
        assert!(clock.wait_for(later) < Duration::from_secs(1), "fast as it is played");
        while clock.now() < later {
            std::thread::yield_now();
        }
        assert_eq!(clock.now(), later, "not a moment past what was said");
        let at_once = TapeClock::new(start, 1.0);
        at_once.hurry();
        assert_eq!(at_once.wait_for(later), Duration::ZERO);
        assert_eq!(at_once.now(), start, "nothing was taken in");
        at_once.reached(later);
        assert_eq!(at_once.now(), later);
        let slow = TapeClock::new(start, 0.5);
        assert!(slow.wait_for(later) > Duration::from_secs(199));
        assert!(slow.now() < later);
    }
}
