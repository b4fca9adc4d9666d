//! Days, weeks and months of the UTC calendar.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::domain::Hour;

/// Length of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PeriodKind {
    /// A UTC day.
    Day,
    /// Monday to Sunday, as ISO 8601 counts weeks.
    Week,
    /// A calendar month.
    #[default]
    Month,
}

impl PeriodKind {
    /// All kinds, the shortest first.
    pub const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// Their names.
    pub const WORDS: [&'static str; 3] = [Self::Day.word(), Self::Week.word(), Self::Month.word()];

    /// Name on the command line and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }
}

/// A whole day, week or month in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Its length.
    pub kind: PeriodKind,
    /// First day, counted from the epoch.
    pub from: i32,
    /// First day after it, counted from the epoch.
    pub to: i32,
}

impl Period {
    /// The period that a day (counted from the epoch) lies in.
    pub fn containing(kind: PeriodKind, day: i32) -> Self {
        let (from, to) = match kind {
            PeriodKind::Day => (day, day.saturating_add(1)),
            PeriodKind::Week => {
                // The epoch is a Thursday, three days after a Monday.
                let monday = day - (day.saturating_add(3)).rem_euclid(7);
                (monday, monday.saturating_add(7))
            }
            PeriodKind::Month => {
                let first = date_of(day).first_of_month();
                let from = day - i32::from(date_of(day).day() - first.day());
                (from, from + i32::from(first.days_in_month()))
            }
        };
        Self { kind, from, to }
    }

    /// The period that ended last before `now`.
    pub fn last_whole(kind: PeriodKind, now: Timestamp) -> Self {
        Self::containing(kind, Hour::containing(now).day()).before()
    }

    /// The period before it.
    #[must_use]
    pub fn before(self) -> Self {
        Self::containing(self.kind, self.from.saturating_sub(1))
    }

    /// The period after it.
    #[must_use]
    pub fn after(self) -> Self {
        Self::containing(self.kind, self.to)
    }

    /// Its name: `2026-11-28`, `2026-W48`, `2026-11`.
    pub fn name(self) -> String {
        let date = date_of(self.from);
        match self.kind {
            PeriodKind::Day => date.to_string(),
            PeriodKind::Week => {
                let week = date.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            PeriodKind::Month => format!("{:04}-{:02}", date.year(), date.month()),
        }
    }

    /// Its first day.
    pub fn first_day(self) -> Date {
        date_of(self.from)
    }

    /// Its last day.
    pub fn last_day(self) -> Date {
        date_of(self.to.saturating_sub(1))
    }

    /// First moment.
    pub fn begins(self) -> Timestamp {
        Hour(self.from.saturating_mul(24)).start()
    }

    /// First moment after it.
    pub fn ends(self) -> Timestamp {
        Hour(self.to.saturating_mul(24)).start()
    }

    /// True for a day (counted from the epoch) that lies in it.
    pub const fn has(self, day: i32) -> bool {
        self.from <= day && day < self.to
    }

    /// Hours of the time between two moments that lie in it.
    pub fn hours_of(self, from: Timestamp, to: Timestamp) -> f64 {
        let from = from.max(self.begins());
        let to = to.min(self.ends());
        (to.as_millisecond() - from.as_millisecond()).max(0) as f64 / 3_600_000.0
    }
}

/// The date of a day counted from the epoch.
fn date_of(day: i32) -> Date {
    Hour(day.saturating_mul(24)).start().to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> i32 {
        let at: Timestamp = format!("{text}T00:00:00Z").parse().unwrap();
        Hour::containing(at).day()
    }

    fn of(kind: PeriodKind, text: &str) -> (String, String, String) {
        let period = Period::containing(kind, day(text));
        (period.name(), period.first_day().to_string(), period.last_day().to_string())
    }

    #[test]
    fn periods_are_those_of_the_calendar() {
        use PeriodKind::{Day, Month, Week};
        let same = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(of(Day, "2026-11-28"), same("2026-11-28", "2026-11-28", "2026-11-28"));
        // A Saturday.
        assert_eq!(of(Week, "2026-11-28"), same("2026-W48", "2026-11-23", "2026-11-29"));
        assert_eq!(of(Week, "2026-11-23"), same("2026-W48", "2026-11-23", "2026-11-29"));
        assert_eq!(of(Week, "2026-11-29"), same("2026-W48", "2026-11-23", "2026-11-29"));
        // The first days of a year may lie in the last week of the year before.
        assert_eq!(of(Week, "2027-01-01"), same("2026-W53", "2026-12-28", "2027-01-03"));
        assert_eq!(of(Month, "2028-02-29"), same("2028-02", "2028-02-01", "2028-02-29"));
        assert_eq!(of(Month, "1969-12-31"), same("1969-12", "1969-12-01", "1969-12-31"));
        assert_eq!(of(Week, "1969-12-31"), same("1970-W01", "1969-12-29", "1970-01-04"));
    }

    #[test]
    fn each_period_begins_where_the_one_before_ends() {
        for kind in PeriodKind::ALL {
            let mut period = Period::containing(kind, day("2026-11-28"));
            for _ in 0..40 {
                let before = period.before();
                assert_eq!((before.to, before.after()), (period.from, period));
                period = before;
            }
        }
        let now: Timestamp = "2026-11-30T00:00:00Z".parse().unwrap();
        assert_eq!(Period::last_whole(PeriodKind::Week, now).name(), "2026-W48");
        assert_eq!(Period::last_whole(PeriodKind::Month, now).name(), "2026-10");
    }

    #[test]
    fn hours_outside_of_it_are_not_of_it() {
        let week = Period::containing(PeriodKind::Week, day("2026-11-28"));
        let at = |text: &str| -> Timestamp { text.parse().unwrap() };
        assert!(
            (week.hours_of(at("2026-11-01T00:00:00Z"), at("2026-12-31T00:00:00Z")) - 168.0).abs()
                < 1e-9
        );
        assert!(
            (week.hours_of(at("2026-11-29T21:30:00Z"), at("2026-12-31T00:00:00Z")) - 2.5).abs()
                < 1e-9
        );
        assert!(week.hours_of(at("2026-12-01T00:00:00Z"), at("2026-12-31T00:00:00Z")).abs() < 1e-9);
        assert!(week.hours_of(at("2026-11-29T00:00:00Z"), at("2026-11-25T00:00:00Z")).abs() < 1e-9);
    }
}
