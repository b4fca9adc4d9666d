//! Durations and times as typed: `36h`, `4d`, `2026-12-31`.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::act::plan::{SHORTEST_GRACE, parse_span};
use crate::domain::text;
use crate::view::format::span_long;

/// The furthest that a time may lie ahead.
const FURTHEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Parses a duration, see [`parse_span`]. Fails with a message that lists the accepted forms.
pub fn duration(typed: &str) -> Result<SignedDuration, String> {
    let wrong = || {
        format!(
            "\"{}\" is no duration; accepted: 90m, 36h, 4d, 2w, at most 366d",
            text::clean(typed)
        )
    };
    parse_span(typed.trim()).ok_or_else(wrong)
}

/// Parses the end of a mark: a date (its start, UTC), a time, or a duration from `now` on. Fails where it is
/// sooner than [`SHORTEST_GRACE`] from now.
pub fn ahead(typed: &str, now: Timestamp) -> Result<Timestamp, String> {
    let typed = typed.trim();
    let at = if let Ok(at) = typed.parse::<Timestamp>() {
        at
    } else if let Some(date) = typed.parse::<Date>().ok().filter(|_| typed.len() == 10) {
        date.to_zoned(TimeZone::UTC).map_err(|e| e.to_string())?.timestamp()
    } else {
        let long = duration(typed).map_err(|_| {
            format!(
                "\"{}\" is no time; accepted: 2026-12-31, 2026-12-31T18:00:00Z, 36h, 4d, 2w",
                text::clean(typed)
            )
        })?;
        // To the whole second that follows, for it becomes a tag: never short of what was typed.
        let at = now.saturating_add(long).map_err(|e| e.to_string())?;
        let up = i64::from(at.subsec_nanosecond() > 0);
        Timestamp::from_second(at.as_second() + up).map_err(|e| e.to_string())?
    };
    let at = Timestamp::from_second(at.as_second()).map_err(|e| e.to_string())?;
    if at <= now {
        return Err(format!("{at} is past"));
    }
    let ahead = at.duration_since(now);
    if ahead < SHORTEST_GRACE {
        return Err(format!(
            "{at} is {} ahead, and whoever owns it has {} at least",
            span_long(ahead),
            span_long(SHORTEST_GRACE)
        ));
    }
    if at.duration_since(now) > FURTHEST {
        return Err(format!("{at} is more than a year ahead"));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Timestamp {
        "2026-11-21T12:30:00.5Z".parse().unwrap()
    }

    #[test]
    fn durations_have_a_unit_and_an_end() {
        for (typed, hours) in [("36h", 36), ("4d", 96), ("2w", 336), (" 120m ", 2)] {
            assert_eq!(duration(typed), Ok(SignedDuration::from_hours(hours)), "{typed}");
        }
        for typed in
            ["", "4", "d", "-4d", "+4d", "0h", "1.5h", "4 d", "400d", "99999999999999d", "４d"]
        {
            assert!(duration(typed).unwrap_err().contains("accepted"), "{typed}");
        }
    }

    #[test]
    fn times_lie_ahead() {
        let at = |typed| ahead(typed, now()).map(|t| t.to_string());
        assert_eq!(at("2026-12-31"), Ok("2026-12-31T00:00:00Z".into()));
        assert_eq!(at("2026-12-31T18:00:00+02:00"), Ok("2026-12-31T16:00:00Z".into()));
        assert_eq!(at("4d"), Ok("2026-11-25T12:30:01Z".into()));
        assert_eq!(at("60m"), Ok("2026-11-21T13:30:01Z".into()));
        for typed in ["4m", "59m", "2026-11-21T13:30:00Z"] {
            assert!(at(typed).unwrap_err().contains("has 1 hour at least"), "{typed}");
        }
        for typed in ["2026-11-21", "2020-01-01", "2036-01-01", "soon", "\u{1b}[2J"] {
            let error = at(typed).unwrap_err();
            assert!(!error.contains('\u{1b}'), "{error:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_ends_well(typed in "\\PC{0,20}") {
            let _ = duration(&typed);
            if let Ok(at) = ahead(&typed, now()) {
                prop_assert!(at.duration_since(now()) >= SHORTEST_GRACE);
            }
        }
    }
}
