//! How often a frame may be drawn.

use std::time::{Duration, Instant};

/// Keys are answered at once and at most 60 times a second.
const INPUT_INTERVAL: Duration = Duration::from_micros(16_667);
/// New data are shown at most 10 times a second: nobody reads faster, and each frame is bytes.
const DATA_INTERVAL: Duration = Duration::from_millis(100);

/// Limits the rate of frames: at most 60 per second for keys, 10 per second for data.
#[derive(Debug, Default)]
pub(super) struct Pace {
    input: bool,
    data: bool,
    last_input: Option<Instant>,
    last: Option<Instant>,
}

impl Pace {
    /// Requests a frame for a key, a resize or a resume.
    pub(super) fn want_for_input(&mut self) {
        self.input = true;
    }

    /// Requests a frame for new data or the passing of time.
    pub(super) fn want_for_data(&mut self) {
        self.data = true;
    }

    /// True when a frame is requested, for now or later.
    pub(super) fn wants(&self) -> bool {
        self.input || self.data
    }

    /// Earliest time of the requested frame, in the past or `now` when it is due; `None` when none is requested. A key
    /// does not wait for the pace of data: only frames for keys delay it.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let after = |last: Option<Instant>, interval| last.map_or(now, |at| at + interval);
        let input = self.input.then(|| after(self.last_input, INPUT_INTERVAL));
        let data = self.data.then(|| after(self.last, DATA_INTERVAL));
        input.into_iter().chain(data).min()
    }

    /// Notes a drawn frame, which answers all requests.
    pub(super) fn drawn(&mut self, now: Instant) {
        if self.input {
            self.last_input = Some(now);
        }
        self.last = Some(now);
        self.input = false;
        self.data = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn nothing_wanted_is_never_due() {
        let mut pace = Pace::default();
        let t0 = Instant::now();
        assert_eq!(pace.due(t0), None);
        pace.want_for_data();
        pace.drawn(t0);
        assert_eq!(pace.due(t0 + ms(1_000)), None);
        assert!(!pace.wants());
    }

    #[test]
    fn the_first_key_is_answered_at_once_even_right_after_data() {
        let mut pace = Pace::default();
        let t0 = Instant::now();
        pace.want_for_data();
        pace.drawn(t0);
        pace.want_for_input();
        let now = t0 + ms(1);
        assert!(pace.due(now).unwrap() <= now);
    }

    #[test]
    fn a_held_key_draws_sixty_frames_a_second() {
        let mut pace = Pace::default();
        let t0 = Instant::now();
        let frames = (0..1_000)
            .filter(|&n| {
                let now = t0 + ms(n);
                pace.want_for_input();
                let due = pace.due(now).is_some_and(|at| at <= now);
                if due {
                    pace.drawn(now);
                }
                due
            })
            .count();
        assert!((55..=60).contains(&frames), "{frames}");
    }

    #[test]
    fn a_stream_of_data_draws_ten_frames_a_second() {
        let mut pace = Pace::default();
        let t0 = Instant::now();
        let frames = (0..1_000)
            .filter(|&n| {
                let now = t0 + ms(n);
                pace.want_for_data();
                let due = pace.due(now).is_some_and(|at| at <= now);
                if due {
                    pace.drawn(now);
                }
                due
            })
            .count();
        assert_eq!(frames, 10);
    }
}
