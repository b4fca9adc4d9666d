//! Times as files write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, Zoned};

/// A time of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Moment {
    /// Known by itself: an offset or seconds since 1970.
    Exact(Timestamp),
    /// On some clock.
    Local(DateTime),
    /// A day without an hour.
    Day(Date),
}

/// Moments in a zone at which its clocks show a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Placed {
    /// One moment.
    Once(Timestamp),
    /// The clock showed it twice: first and second.
    Twice(Timestamp, Timestamp),
    /// The clock never showed it.
    Never,
}

/// The forms that are read.
pub(super) const FORMS: &str =
    "2026-01-31T13:00:00Z, 2026-01-31 13:00 or seconds since 1970 are understood";

/// Parses a time; `None` for a text in none of [`FORMS`].
pub(super) fn read(text: &str) -> Option<Moment> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        return match text.len() {
            8 => text.parse().ok().map(Moment::Day),
            9..=10 => Timestamp::from_second(number).ok().map(Moment::Exact),
            12..=13 => Timestamp::from_millisecond(number).ok().map(Moment::Exact),
            _ => None,
        };
    }
    // Some databases write the zone behind a blank.
    let text = match text.strip_suffix(" UTC") {
        Some(rest) => format!("{rest}Z"),
        None => text.to_owned(),
    };
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(Moment::Exact(moment));
    }
    if let Ok(moment) = text.parse::<Zoned>() {
        return Some(Moment::Exact(moment.timestamp()));
    }
    // Before the date-time, which takes a day for its midnight.
    if !text.contains(':') {
        return match text.contains(['T', 't', ' ']) {
            true => text.parse().ok().map(Moment::Local),
            false => text.parse().ok().map(Moment::Day),
        };
    }
    text.parse().ok().map(Moment::Local)
}

/// Moment of a clock's time in a zone; `None` outside the range of timestamps.
pub(super) fn place(local: DateTime, zone: &TimeZone) -> Option<Placed> {
    let ambiguous = zone.to_ambiguous_timestamp(local);
    Some(match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { offset } => Placed::Once(offset.to_timestamp(local).ok()?),
        AmbiguousOffset::Gap { .. } => Placed::Never,
        AmbiguousOffset::Fold { before, after } => {
            Placed::Twice(before.to_timestamp(local).ok()?, after.to_timestamp(local).ok()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms_are_read() {
        let at: Timestamp = "2026-01-31T13:00:00Z".parse().unwrap();
        for text in [
            "2026-01-31T13:00:00Z",
            "2026-01-31 13:00:00Z",
            "2026-01-31T14:00:00+01:00",
            "2026-01-31 13:00:00.000 UTC",
            "2026-01-31 13:00:00+00:00",
            "2026-01-31T14:00:00+01:00[Europe/Berlin]",
            "1769864400",
            "1769864400000",
        ] {
            assert_eq!(read(text), Some(Moment::Exact(at)), "{text}");
        }
        let local = jiff::civil::date(2026, 1, 31).at(13, 0, 0, 0);
        for text in ["2026-01-31 13:00", "2026-01-31T13:00:00", "2026-01-31 13:00:00.0"] {
            assert_eq!(read(text), Some(Moment::Local(local)), "{text}");
        }
        assert_eq!(read("2026-01-31"), Some(Moment::Day(local.date())));
        assert_eq!(read("20260131"), Some(Moment::Day(local.date())));
        for text in
            ["", "0", "17", "31.01.2026 13:00", "1/31/2026 13:00", "noon", "2026-02-30 00:00"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_clock_may_show_a_time_twice_or_never() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let at = |month, day| jiff::civil::date(2026, month, day).at(2, 0, 0, 0);
        assert!(matches!(place(at(1, 1), &zone), Some(Placed::Once(_))));
        assert_eq!(place(at(3, 29), &zone), Some(Placed::Never));
        let Some(Placed::Twice(first, second)) = place(at(10, 25), &zone) else {
            unreachable!("the clock goes back")
        };
        assert_eq!(second.as_second() - first.as_second(), 3600);
    }
}
