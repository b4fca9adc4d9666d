//! When nothing is sent.

use jiff::Timestamp;
use jiff::ToSpan as _;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

/// A stretch of time in which rules are silent.
#[derive(Clone, Debug, PartialEq)]
pub struct Silence {
    /// Names of the rules; empty = all.
    pub rules: Vec<String>,
    /// When.
    pub window: Window,
}

/// When.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    /// Days of the week with hours.
    Weekly {
        /// The days on which it begins; empty = all.
        days: Vec<Weekday>,
        /// Its beginning on these days.
        from: Time,
        /// Its end: on the next day where it is not after `from`.
        to: Time,
        /// The zone of both.
        zone: TimeZone,
    },
    /// From one moment, included, to another.
    Once(Timestamp, Timestamp),
}

impl Window {
    /// True at `now`.
    pub fn holds(&self, now: Timestamp) -> bool {
        match self {
            Self::Once(starts, ends) => *starts <= now && now < *ends,
            Self::Weekly { days, from, to, zone } => {
                let local = now.to_zoned(zone.clone()).datetime();
                let (date, time) = (local.date(), local.time());
                let begins = |day: Weekday| days.is_empty() || days.contains(&day);
                if from < to {
                    return begins(date.weekday()) && *from <= time && time < *to;
                }
                // Over midnight: the evening of its day, or the morning after.
                let yesterday = date.checked_sub(1.day()).map(Date::weekday);
                let is_evening = begins(date.weekday()) && *from <= time;
                is_evening || (time < *to && yesterday.is_ok_and(begins))
            }
        }
    }
}

impl Silence {
    /// True where the rule is silent at `now`.
    pub fn holds(&self, rule: &str, now: Timestamp) -> bool {
        let is_meant = self.rules.is_empty() || self.rules.iter().any(|name| name == rule);
        is_meant && self.window.holds(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn weekly(days: &[Weekday], from: &str, to: &str, zone: &str) -> Window {
        let zone = TimeZone::get(zone).unwrap();
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        Window::Weekly { days: days.to_vec(), from, to, zone }
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_begins() {
        let night = weekly(&[Weekday::Friday], "22:00", "06:00", "Europe/Berlin");
        for (text, silent) in [
            ("2026-11-27T20:59:59Z", false),
            // 22:00 in Berlin, in winter.
            ("2026-11-27T21:00:00Z", true),
            ("2026-11-28T04:59:59Z", true),
            ("2026-11-28T05:00:00Z", false),
            ("2026-11-28T22:00:00Z", false),
            ("2026-11-27T03:00:00Z", false),
        ] {
            assert_eq!(night.holds(at(text)), silent, "{text}");
        }
    }

    #[test]
    fn a_whole_day_ends_at_midnight_and_a_stretch_at_its_end() {
        let weekend = weekly(&[Weekday::Saturday, Weekday::Sunday], "00:00", "00:00", "UTC");
        for (text, silent) in [
            ("2026-11-27T23:59:59Z", false),
            ("2026-11-28T00:00:00Z", true),
            ("2026-11-29T23:59:59Z", true),
            ("2026-11-30T00:00:00Z", false),
        ] {
            assert_eq!(weekend.holds(at(text)), silent, "{text}");
        }
        let once = Window::Once(at("2026-12-24T12:00:00Z"), at("2026-12-27T08:00:00Z"));
        assert!(once.holds(at("2026-12-24T12:00:00Z")));
        assert!(!once.holds(at("2026-12-27T08:00:00Z")));
        let silence = Silence { rules: vec!["idle".into()], window: once };
        let during = at("2026-12-25T00:00:00Z");
        assert!(silence.holds("idle", during) && !silence.holds("budgets", during));
    }
}
