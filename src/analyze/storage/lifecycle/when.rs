//! Dates of lifecycle rules.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The moment that a rule's date names: RFC 3339, or a day alone, which is midnight UTC. `None`
/// for anything else.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    if text.len() != 10 {
        return None;
    }
    let day: Date = text.parse().ok()?;
    day.to_zoned(TimeZone::UTC).ok().map(|z| z.timestamp())
}

/// True at midnight UTC, the only time of day that S3 takes.
pub(super) fn is_midnight(moment: Timestamp) -> bool {
    moment.as_millisecond().rem_euclid(86_400_000) == 0 && moment.subsec_nanosecond() == 0
}

/// One spelling for every moment: `2026-01-31T00:00:00Z`; what is no date stays as it is.
pub(super) fn canonical(text: &str) -> String {
    moment(text).map_or_else(|| text.to_owned(), |m| m.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_spelling_are_one_moment() {
        for text in ["2026-01-31", "2026-01-31T00:00:00Z", "2026-01-31T00:00:00.000Z"] {
            assert_eq!(canonical(text), "2026-01-31T00:00:00Z", "{text}");
        }
        assert_eq!(canonical("2026-01-31T01:00:00+01:00"), "2026-01-31T00:00:00Z");
        assert_eq!(canonical("tomorrow"), "tomorrow");
        assert!(is_midnight(moment("2026-01-31").unwrap()));
        assert!(!is_midnight(moment("2026-01-31T00:00:01Z").unwrap()));
    }
}
