//! Ages in coarse steps, so that a cockpit at rest changes on screen a few times a minute at
//! most, not each second: every changed cell is bytes over SSH.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::view::format;

/// An age as shown: whole units, never finer than ten seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age {
    seconds: i64,
}

impl Age {
    /// Age at `now` of something taken at `then`; never negative, so that a clock set back makes things new.
    pub fn between(then: Timestamp, now: Timestamp) -> Self {
        Self { seconds: now.duration_since(then).as_secs().max(0) }
    }

    /// The size of the step that the age is shown in, seconds.
    fn step(self) -> i64 {
        match self.seconds {
            ..60 => 10,
            60..3600 => 60,
            3600..86_400 => 3600,
            _ => 86_400,
        }
    }

    /// Time at which the text of the age of something taken at `then` changes next.
    pub fn changes_at(self, then: Timestamp) -> Timestamp {
        let next = (self.seconds / self.step() + 1) * self.step();
        then.saturating_add(SignedDuration::from_secs(next)).unwrap_or(Timestamp::MAX)
    }
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.seconds;
        match s {
            ..10 => f.write_str("<10s"),
            10..60 => write!(f, "{}s", s / 10 * 10),
            _ => f.write_str(&format::age(s)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_768_440_000 + s).unwrap()
    }

    #[test]
    fn ages_read_well() {
        for (seconds, text) in [
            (-5, "<10s"),
            (0, "<10s"),
            (9, "<10s"),
            (10, "10s"),
            (59, "50s"),
            (60, "1m"),
            (3599, "59m"),
            (3600, "1h"),
            (86_399, "23h"),
            (86_400, "1d"),
            (172_800, "2d"),
        ] {
            assert_eq!(Age::between(at(0), at(seconds)).to_string(), text, "{seconds}");
        }
    }

    #[test]
    fn the_text_changes_exactly_when_said() {
        let then = at(0);
        let mut now = 0;
        for _ in 0..200 {
            let age = Age::between(then, at(now));
            let next = age.changes_at(then).as_second() - then.as_second();
            assert!(next > now);
            let before = Age::between(then, at(next - 1)).to_string();
            assert_eq!(before, age.to_string());
            assert_ne!(Age::between(then, at(next)).to_string(), age.to_string());
            now = next;
        }
    }
}
