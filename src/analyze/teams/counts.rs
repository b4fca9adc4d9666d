//! Counts by day, from a CSV file or as a source of metrics gives them: predictions, tokens, runs.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::Date;

use crate::domain::records::{RecordError, Records};
use crate::domain::text::clean;

/// Days at most that are kept of a file: a century.
const DAYS_AT_MOST: usize = 36_525;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 14;

/// Names of the columns, the first that a file has counts.
const DATE: [&str; 4] = ["date", "day", "time", "timestamp"];
const COUNT: [&str; 4] = ["count", "value", "quantity", "total"];

/// How many were counted on each day, UTC.
pub type Counts = BTreeMap<Date, f64>;

/// Why a file has no counts. Nothing of it is used then.
#[derive(Debug, thiserror::Error)]
pub enum CountsError {
    /// It cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The header lacks a column.
    #[error("the header has no column of the {what}; name one of them {names}", names = names.join(", "))]
    NoColumn {
        /// What the column is of.
        what: &'static str,
        /// Names that it may have.
        names: &'static [&'static str],
    },
    /// A field cannot be read.
    #[error("line {line}: \"{text}\" is no {what}")]
    Field {
        /// The line.
        line: u64,
        /// The field, clean.
        text: String,
        /// What it should be.
        what: &'static str,
    },
    /// There are too many days.
    #[error("more than {DAYS_AT_MOST} days: keep the newest")]
    Long,
}

/// Counts of a CSV file with a header. Several lines of one day are added up.
pub fn counts(bytes: &[u8]) -> Result<Counts, CountsError> {
    // Spreadsheets begin UTF-8 with a mark.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut records = Records::new(bytes, BUFFER);
    let mut counts = Counts::new();
    let Some(header) = records.read()? else {
        return Err(CountsError::NoColumn { what: "day", names: &DATE });
    };
    let names: Vec<String> = header
        .iter()
        .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
        .collect();
    let find = |what, wanted: &'static [&'static str]| {
        let found = wanted.iter().find_map(|name| names.iter().position(|have| have == name));
        found.ok_or(CountsError::NoColumn { what, names: wanted })
    };
    let (date, count) = (find("day", &DATE)?, find("count", &COUNT)?);
    while let Some(record) = records.read()? {
        let line = record.line;
        let text =
            |field| String::from_utf8_lossy(record.get(field).unwrap_or_default()).into_owned();
        let wrong =
            |text: &str, what| CountsError::Field { line, text: clean(text.trim()).into(), what };
        let (day, number) = (text(date), text(count));
        // A moment is of its day.
        let begin = day.trim().get(..10).unwrap_or_default();
        let day: Date = begin.parse().map_err(|_| wrong(&day, "day, such as 2026-11-05"))?;
        let value: f64 = number.trim().parse().map_err(|_| wrong(&number, "count"))?;
        if !value.is_finite() || value < 0.0 {
            return Err(wrong(&number, "count"));
        }
        *counts.entry(day).or_default() += value;
        if counts.len() > DAYS_AT_MOST {
            return Err(CountsError::Long);
        }
    }
    Ok(counts)
}

/// Values of days as a source of metrics gives them, judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Counts of the days that have one.
    pub counts: Counts,
    /// Days whose value is no count (not a number, infinite, less than nothing), in their order. They are not known.
    pub odd: Vec<Date>,
}

/// Judges values of days. What lies beyond `days` is left out; of a day that stands there twice nothing is known, unless both
/// values are one.
pub fn samples(values: impl IntoIterator<Item = (Date, f64)>, days: &Range<Date>) -> Samples {
    let mut by_day: BTreeMap<Date, f64> = BTreeMap::new();
    for (day, value) in values.into_iter().filter(|(day, _)| days.contains(day)) {
        let kept = by_day.entry(day).or_insert(value);
        if kept.to_bits() != value.to_bits() {
            *kept = f64::NAN;
        }
    }
    let mut found = Samples::default();
    for (day, value) in by_day {
        if value.is_finite() && value >= 0.0 {
            found.counts.insert(day, value);
        } else {
            found.odd.push(day);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn days_are_added_up_and_what_is_no_count_is_told_with_its_line() {
        let found = counts(b"\xEF\xBB\xBFService,Day,Value\na,2026-11-01,3\nb,2026-11-01T05:00:00Z,4.5\na,2026-11-02,0\n").unwrap();
        let values: Vec<f64> = found.values().copied().collect();
        assert_eq!(values, [7.5, 0.0]);
        for (text, said) in [
            ("", "no column of the day"),
            ("date,n\n", "no column of the count"),
            ("date,count\n2026-13-01,1\n", "line 2: \"2026-13-01\" is no day"),
            ("date,count\n2026-11-01,-1\n", "line 2: \"-1\" is no count"),
            ("date,count\n\n2026-11-01,nan\n", "line 3: \"nan\" is no count"),
            ("date,count\n2026-11-01\n", "line 2: \"\" is no count"),
        ] {
            let error = counts(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn values_that_are_no_counts_are_unknown_days_and_named() {
        let day = |n: i8| Date::new(2026, 11, n).unwrap();
        let values = [
            (day(4), f64::INFINITY),
            (day(1), 10.0),
            (day(2), f64::NAN),
            (day(3), -1.0),
            (day(5), 0.0),
            (day(6), 7.0),
            (day(6), 7.0),
            (day(7), 7.0),
            (day(7), 8.0),
            (day(9), 1.0),
        ];
        let found = samples(values, &(day(1)..day(9)));
        let counts: Vec<(Date, f64)> = found.counts.into_iter().collect();
        assert_eq!(counts, [(day(1), 10.0), (day(5), 0.0), (day(6), 7.0)]);
        assert_eq!(found.odd, [day(2), day(3), day(4), day(7)]);
    }

    proptest! {
        #[test]
        fn any_value_is_a_count_or_a_day_that_is_named(
            values in proptest::collection::vec((1..=28_i8, any::<f64>()), 0..60)
        ) {
            let day = |n: i8| Date::new(2026, 2, n).unwrap();
            let days = day(5)..day(20);
            let given = values.iter().map(|(n, value)| (day(*n), *value));
            let found = samples(given.clone(), &days);
            prop_assert!(found.counts.values().all(|count| count.is_finite() && *count >= 0.0));
            let mut known: Vec<Date> = found.counts.keys().chain(&found.odd).copied().collect();
            known.sort_unstable();
            let mut wanted: Vec<Date> =
                given.map(|(day, _)| day).filter(|day| days.contains(day)).collect();
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(known, wanted);
        }

        #[test]
        fn any_bytes_end_well(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = counts(&bytes);
            let _ = counts(&[b"date,count\n".as_slice(), &bytes].concat());
        }
    }
}
