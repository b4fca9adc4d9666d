//! Exemption by tag.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::domain::{ExemptBy, Tags};

/// The tag that exempts what bears it: `true`, or the last UTC day on which it is exempt. Its key is
/// found in any case: a key in the wrong case still tells what its writer meant.
pub const EXEMPT_TAG: &str = "burntop:exempt";

/// Meaning of the exemption tag at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// No such tag.
    None,
    /// Exempt without end.
    Always,
    /// Exempt until the end of this UTC day.
    Until(Date),
    /// Was exempt until the end of this UTC day; no longer.
    Expired(Date),
    /// The value is neither `true` nor a date. Exempt: who wrote it wanted to be left alone.
    Malformed,
}

impl Exemption {
    /// Exemption by `tags` at `now`.
    pub fn of(tags: &Tags, now: Timestamp) -> Self {
        let Some(value) = tags.find(&[EXEMPT_TAG]) else { return Self::None };
        let value = value.trim();
        if value.eq_ignore_ascii_case("true") {
            return Self::Always;
        }
        match value.parse::<Date>() {
            Err(_) => Self::Malformed,
            Ok(day) if now.to_zoned(TimeZone::UTC).date() <= day => Self::Until(day),
            Ok(day) => Self::Expired(day),
        }
    }

    /// True when the instance is exempt.
    pub fn holds(&self) -> bool {
        self.by().is_some()
    }

    /// How it is exempt; `None` when it is not.
    pub fn by(&self) -> Option<ExemptBy> {
        match self {
            Self::None | Self::Expired(_) => None,
            Self::Always => Some(ExemptBy::Always),
            Self::Until(day) => Some(ExemptBy::Until(*day)),
            Self::Malformed => Some(ExemptBy::Malformed),
        }
    }

    /// Last UTC day of an exemption that is over; `None` for any other.
    pub(in crate::analyze) fn ended(&self) -> Option<Date> {
        if let Self::Expired(day) = self { Some(*day) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tag: (&str, &str), now: &str) -> Exemption {
        Exemption::of(&Tags::from_raw([tag]), now.parse().unwrap())
    }

    #[test]
    fn the_tag_and_its_expiry() {
        let now = "2026-07-01T12:00:00Z";
        let day = jiff::civil::date(2026, 7, 1);
        assert_eq!(at(("team", "true"), now), Exemption::None);
        assert_eq!(at((EXEMPT_TAG, "true"), now), Exemption::Always);
        assert_eq!(at(("BurnTop:Exempt", " TRUE "), now), Exemption::Always);
        assert_eq!(at((EXEMPT_TAG, "2026-07-01"), now), Exemption::Until(day));
        // The whole day counts, to its last moment in UTC.
        assert_eq!(at((EXEMPT_TAG, "2026-07-01"), "2026-07-01T23:59:59Z"), Exemption::Until(day));
        assert_eq!(at((EXEMPT_TAG, "2026-07-01"), "2026-07-02T00:00:00Z"), Exemption::Expired(day));
        for odd in ["", "false", "2026-13-01", "next week", "2026-07-01T00:00:00Z", "\u{FFFD}"] {
            let seen = at((EXEMPT_TAG, odd), now);
            assert_eq!(seen, Exemption::Malformed, "{odd:?}");
            assert!(seen.holds());
        }
        assert!(!Exemption::Expired(day).holds());
    }
}
