//! When a message that was not taken is sent again.

use std::time::Duration;

/// Wait after the first try that failed; each further one doubles it.
const FIRST: Duration = Duration::from_secs(30);
/// Longest wait, a server's wish included.
const LONGEST: Duration = Duration::from_hours(1);
/// Age of a message from which on it is sent no more.
const GIVES_UP: Duration = Duration::from_hours(24);
/// Share by which chance makes a wait longer or shorter, 0–1.
const JITTER: f64 = 0.2;

/// Wait until a message is sent again; `None` = no more, it is a dead letter.
///
/// `attempts` counts the tries so far, all of which failed; `age` is the time since the first; `asked` what the server
/// asked for, of which an hour counts at most; `chance` is a random number, 0–1. A wait is never shorter than what was
/// asked for.
pub fn next_try(
    attempts: u32,
    age: Duration,
    asked: Option<Duration>,
    chance: f64,
) -> Option<Duration> {
    let doubled = FIRST.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
    let own = doubled.min(LONGEST).mul_f64(1.0 + JITTER * (2.0 * chance.clamp(0.0, 1.0) - 1.0));
    let wait = own.max(asked.unwrap_or_default()).min(LONGEST);
    (age.saturating_add(wait) <= GIVES_UP).then_some(wait)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEW: Duration = Duration::ZERO;

    #[test]
    fn waits_double_from_half_a_minute_to_an_hour() {
        let waits: Vec<u64> =
            (1..=9).map(|n| next_try(n, NEW, None, 0.5).unwrap().as_secs()).collect();
        assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
        assert_eq!(next_try(u32::MAX, NEW, None, 0.5), Some(LONGEST));
        assert_eq!(next_try(0, NEW, None, 0.5), Some(FIRST));
    }

    #[test]
    fn chance_moves_a_wait_by_a_fifth() {
        assert_eq!(next_try(1, NEW, None, 0.0), Some(Duration::from_secs(24)));
        assert_eq!(next_try(1, NEW, None, 1.0), Some(Duration::from_secs(36)));
        assert_eq!(
            next_try(20, NEW, None, 1.0),
            Some(LONGEST),
            "and none is longer than the longest"
        );
    }

    #[test]
    fn what_the_server_asks_for_is_waited_up_to_an_hour() {
        let asked = |seconds| next_try(1, NEW, Some(Duration::from_secs(seconds)), 0.0);
        assert_eq!(asked(300), Some(Duration::from_mins(5)));
        assert_eq!(asked(1), Some(Duration::from_secs(24)), "and not less than without it");
        assert_eq!(asked(86_400), Some(LONGEST));
    }

    #[test]
    fn after_a_day_it_is_given_up() {
        let (day, last) = (Duration::from_hours(24), Duration::from_hours(23));
        assert_eq!(next_try(30, last, None, 0.5), Some(LONGEST));
        assert_eq!(next_try(30, last + Duration::from_secs(1), None, 0.5), None);
        assert_eq!(next_try(1, Duration::MAX, None, 0.5), None);
        // Tries one after the other end as well.
        let (mut age, mut tries) = (NEW, 0);
        while let Some(wait) = next_try(tries + 1, age, None, 0.5) {
            (age, tries) = (age + wait, tries + 1);
        }
        assert_eq!((tries, age <= day, age > last), (29, true, true));
    }

    proptest! {
        #[test]
        fn a_wait_has_its_bounds(attempts: u32, age: u64, asked: Option<u64>, chance in 0.0..=1.0) {
            let asked = asked.map(Duration::from_millis);
            if let Some(wait) = next_try(attempts, Duration::from_millis(age), asked, chance) {
                prop_assert!(wait >= FIRST.mul_f64(0.8) && wait <= LONGEST);
                prop_assert!(wait >= asked.unwrap_or_default().min(LONGEST));
                prop_assert!(Duration::from_millis(age) + wait <= GIVES_UP);
            }
        }
    }
}
