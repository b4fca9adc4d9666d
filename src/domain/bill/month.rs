//! A billing period: a calendar month, UTC.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// A calendar month, UTC; written `2026-10`. Months order by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Month {
    year: i16,
    month: i8,
}

impl Month {
    /// The month of a date.
    pub fn of(date: Date) -> Self {
        Self { year: date.year(), month: date.month() }
    }

    /// The month, UTC, of a moment.
    pub fn at(at: Timestamp) -> Self {
        Self::of(at.to_zoned(TimeZone::UTC).date())
    }

    /// Its first day.
    pub fn first(self) -> Date {
        Date::new(self.year, self.month, 1).unwrap_or(Date::ZERO)
    }

    /// Its day number `day`, from 1; the last one where the month is shorter, the first one for less than 1.
    pub fn day(self, day: u8) -> Date {
        let day = i8::try_from(day).unwrap_or(i8::MAX).clamp(1, self.days() as i8);
        Date::new(self.year, self.month, day).unwrap_or(Date::ZERO)
    }

    /// Number of its days, 28–31.
    pub fn days(self) -> u8 {
        self.first().days_in_month() as u8
    }

    /// Its begin, UTC.
    pub fn begin(self) -> Timestamp {
        self.first().to_zoned(TimeZone::UTC).map_or(Timestamp::UNIX_EPOCH, |at| at.timestamp())
    }

    /// Begin of the month after it, UTC.
    pub fn end(self) -> Timestamp {
        self.plus(1).begin()
    }

    /// The month `months` later, or earlier where negative.
    #[must_use]
    pub fn plus(self, months: i32) -> Self {
        let all = i32::from(self.year) * 12 + i32::from(self.month) - 1 + months;
        let year = all.div_euclid(12).clamp(-9_998, 9_998);
        Self { year: year as i16, month: (all.rem_euclid(12) + 1) as i8 }
    }

    /// Months from `before` to this one; negative where it is later.
    pub fn since(self, before: Self) -> i32 {
        (i32::from(self.year) - i32::from(before.year)) * 12 + i32::from(self.month)
            - i32::from(before.month)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// Why a text is no month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a month is written YYYY-MM, as in 2026-10")]
pub struct NoMonth;

impl FromStr for Month {
    type Err = NoMonth;

    fn from_str(text: &str) -> Result<Self, NoMonth> {
        let (year, month) = text.split_once('-').ok_or(NoMonth)?;
        let digits = |t: &str, len| t.len() == len && t.bytes().all(|b| b.is_ascii_digit());
        if !digits(year, 4) || !digits(month, 2) {
            return Err(NoMonth);
        }
        let (year, month) =
            (year.parse().map_err(|_| NoMonth)?, month.parse().map_err(|_| NoMonth)?);
        Date::new(year, month, 1).map(Self::of).map_err(|_| NoMonth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_read_write_and_count() {
        let month: Month = "2026-11".parse().unwrap();
        assert_eq!(month.to_string(), "2026-11");
        assert_eq!(month.plus(2).to_string(), "2027-01");
        assert_eq!(month.plus(-11).to_string(), "2025-12");
        assert_eq!(month.plus(2).since(month), 2);
        assert_eq!(month.days(), 30);
        assert_eq!("2024-02".parse::<Month>().unwrap().days(), 29);
        assert_eq!(month.begin().to_string(), "2026-11-01T00:00:00Z");
        assert_eq!(month.end().to_string(), "2026-12-01T00:00:00Z");
        assert_eq!(Month::at("2026-11-30T23:59:59Z".parse().unwrap()), month);
        assert_eq!(month.day(31).to_string(), "2026-11-30");
        for text in ["2026-13", "2026-1", "26-01", "2026", "2026-00", "2026/01", "+026-01", ""] {
            assert_eq!(text.parse::<Month>(), Err(NoMonth), "{text}");
        }
    }
}
