//! Durations and times as typed: `36h`, `4d`, `2026-12-31`.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::domain::text;

/// The furthest that a time may lie ahead.
const FURTHEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// A duration: a whole number of minutes, hours, days (24 h) or weeks.
pub fn duration(typed: &str) -> Result<SignedDuration, String> {
    let wrong = || {
        format!(
            "\"{}\" is no duration; accepted: 90m, 36h, 4d, 2w, at most 366d",
            text::clean(typed)
        )
    };
    let typed_trimmed = typed.trim();
    let (number, unit) = typed_trimmed
        .char_indices()
        .next_back()
        .map(|(at, unit)| (&typed_trimmed[..at], unit))
        .ok_or_else(wrong)?;
    let minutes: i64 = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return Err(wrong()),
    };
    // Digits alone: `parse` would take a sign.
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let total = number.checked_mul(minutes).ok_or_else(wrong)?;
    if total == 0 || total > FURTHEST.as_mins() {
        return Err(wrong());
    }
    Ok(SignedDuration::from_mins(total))
}

/// A time ahead of `now`: a date (its first moment, UTC), a time, or a duration from now on.
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
        now.saturating_add(long).map_err(|e| e.to_string())?
    };
    // To the second: it becomes a tag.
    let at = Timestamp::from_second(at.as_second()).map_err(|e| e.to_string())?;
    if at <= now {
        return Err(format!("{at} is past"));
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
        assert_eq!(at("4d"), Ok("2026-11-25T12:30:00Z".into()));
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
                prop_assert!(at > now());
            }
        }
    }
}
