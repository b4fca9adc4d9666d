//! A load from a CSV file: its numbers in the file's order, whatever the first column says.

use jiff::Timestamp;

use super::rows::{self, wanted};
use super::time::{self, Moment};
use super::{CsvError, CsvOptions, MAX_ROWS, Problems, cells};

/// A load, as one column of a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadSeries {
    /// Heading of the column; clean text.
    pub name: String,
    /// Values in the file's order, from 0 on.
    pub values: Vec<f64>,
    /// Minutes between rows, where the first column is an evenly spaced time; else `None`.
    pub step_minutes: Option<f64>,
}

/// Reads one column of a CSV file, rows in their order: nothing is sorted, merged or averaged. Fails where the
/// column is missing, a value is empty or negative, or a limit is exceeded.
pub fn series(text: &str, options: &CsvOptions) -> Result<LoadSeries, CsvError> {
    let mut problems = Problems::default();
    let mut found = LoadSeries { name: String::new(), values: Vec::new(), step_minutes: None };
    let mut moments = Vec::new();
    let header = rows::header(text, &mut problems);
    let column = header.as_ref().and_then(|header| wanted(header, &options.columns, &mut problems));
    if let (Some(header), Some(column)) = (header, column) {
        let at = column.units[0];
        found.name.clone_from(&header.names[at]);
        for (line, text) in rows::lines(text).skip(1) {
            let cells = match cells::split(text, header.separator) {
                Ok(cells) => cells,
                Err(column) => {
                    problems.push(line, column, "nothing closes this quote");
                    continue;
                }
            };
            let Some(cell) = cells.get(at) else {
                problems.push(line, 1, format!("there is no {} in this line", found.name));
                continue;
            };
            match cells::units(&cell.text, header.separator) {
                Ok(value) if value.is_nan() => {
                    let message = "a load has no gaps: fill this one or take the line out";
                    problems.push(line, cell.column, message);
                }
                Ok(value) => found.values.push(value),
                Err(why) => problems.push(line, cell.column, format!("{}: {why}", found.name)),
            }
            moments.push(moment(&cells[0].text));
            if moments.len() > MAX_ROWS {
                problems.push(line, 1, rows::too_many());
                break;
            }
        }
        if moments.is_empty() {
            problems.push(1, 1, "there is a header and no row below it");
        }
    }
    problems.end(&options.name)?;
    found.step_minutes = step(&moments);
    Ok(found)
}

fn moment(text: &str) -> Option<Timestamp> {
    match time::read(text)? {
        Moment::Exact(at) => Some(at),
        // Only the distance counts.
        Moment::Local(local) => local.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|z| z.timestamp()),
        Moment::Day(_) => None,
    }
}

fn step(moments: &[Option<Timestamp>]) -> Option<f64> {
    let all: Vec<i64> =
        moments.iter().map(|at| at.map(Timestamp::as_second)).collect::<Option<_>>()?;
    let first = all.get(1)? - all[0];
    let even = first > 0 && all.windows(2).all(|pair| pair[1] - pair[0] == first);
    even.then(|| first as f64 / 60.0)
}

#[cfg(test)]
mod tests {
    use super::super::Columns;
    use super::*;

    fn read(text: &str, column: &str) -> Result<LoadSeries, CsvError> {
        let columns = Columns::One(column.to_owned());
        series(text, &CsvOptions { columns, ..CsvOptions::new("l.csv") })
    }

    #[test]
    fn numbers_stay_in_their_order() {
        let found = read("m,a,b\n0,3,x\n1,1,y\n", "a").unwrap();
        assert_eq!((found.values, found.step_minutes), (vec![3.0, 1.0], None));
        let text = "t;a\n2026-01-01 00:00;1,5\n2026-01-01 00:05;2\n2026-01-01 00:10;3\n";
        let found = read(text, "a").unwrap();
        assert_eq!((found.values, found.step_minutes), (vec![1.5, 2.0, 3.0], Some(5.0)));
        let uneven = "t,a\n2026-01-01 00:00,1\n2026-01-01 00:05,2\n2026-01-01 00:11,3\n";
        assert_eq!(read(uneven, "a").unwrap().step_minutes, None);
    }

    #[test]
    fn a_load_is_whole_numbers_of_every_line() {
        for (text, want) in [
            ("m,a\n0,\n", "l.csv:2:3: a load has no gaps"),
            ("m,a\n0,-1\n", "l.csv:2:3: a: -1 is negative"),
            ("m,a,b\n0\n", "l.csv:2:1: there is no a"),
            ("m,a\n", "l.csv:1:1: there is a header"),
        ] {
            let error = read(text, "a").unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        }
    }
}
