//! The dates of the demo: what was made or last used "nine days ago" keeps its date from look to look,
//! as it would in an account, so that a cache of yesterday still fits.
//!
//! Dates are counted from days of reckoning, about two a year: at one each thing is as old as its table
//! says, and ages until the next. What is younger than a week has days of its own, that it stays young. What
//! happened within a few days is counted back from midnight.

use jiff::Timestamp;

use crate::domain::Hour;

/// A day of reckoning: 2026-11-20, noon (UTC). The one before is 2026-06-10.
const ONE: Hour = Hour(498_660);

/// From one to the next, hours.
const EACH: i32 = 163 * 24;

/// What is younger has days of its own, hours.
const YOUNG: i32 = 7 * 24;

/// Last day of reckoning at or before `now`.
pub(super) fn reckoned(now: Hour) -> Hour {
    last(now, EACH)
}

/// Date of something that is `hours` old by its table: at least that old, and if younger than a week, less than twice
/// that.
pub(super) fn dated(now: Hour, hours: i32) -> Timestamp {
    let each = if hours < YOUNG { hours.max(1) } else { EACH };
    last(now, each).plus(-hours).start()
}

/// The midnight (UTC) before `now`: what is counted back from it stays where it is for a day.
pub(super) fn midnight(now: Timestamp) -> Timestamp {
    let hour = Hour::containing(now);
    hour.plus(-hour.0.rem_euclid(24)).start()
}

/// The last of the hours that lie so many hours apart.
fn last(now: Hour, each: i32) -> Hour {
    Hour(ONE.0 + (now.0 - ONE.0).div_euclid(each) * each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_stays_and_what_is_young_stays_young() {
        let noon: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(Hour::containing(noon), ONE);
        let age = |now: Hour, hours| now.0 - Hour::containing(dated(now, hours)).0;
        for days in [0, 1, 13, 162] {
            let now = ONE.plus(days * 24 + 5);
            assert_eq!(dated(now, 4_800), dated(ONE, 4_800));
            assert_eq!(age(now, 216), 216 + days * 24 + 5);
            assert!((72..144).contains(&age(now, 72)) && (2..4).contains(&age(now, 2)));
        }
        let of = |text: &str| midnight(text.parse().unwrap()).to_string();
        assert_eq!(of("2026-11-20T00:00:00Z"), "2026-11-20T00:00:00Z");
        assert_eq!(of("2026-11-20T23:59:59Z"), "2026-11-20T00:00:00Z");
        assert_eq!(reckoned(ONE.plus(-1)), ONE.plus(-EACH));
        assert_eq!(age(ONE, 72), 72);
    }
}
