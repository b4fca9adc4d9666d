//! Rows of an answer become the sums that the cubes give.

use std::sync::Arc;

use super::super::breakdown::Breakdown;
use super::super::keys::BillKey;
use crate::domain::bill::{Sums, Usd, clean_name, line_columns as line};
use crate::domain::hash::FastMap;
use crate::domain::text::clean_to;

/// Longest piece of an answer that a message repeats, characters.
const QUOTED: usize = 60;

/// Why an answer is no sums.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// Amounts are in a currency other than US dollars.
    #[error("the table has lines in the currency {0}; burntop adds up US dollars alone")]
    Currency(String),
    /// The period has no lines.
    #[error("the table has no lines of this period")]
    NoLines,
    /// A row has another form than the query asks for.
    #[error("row {row} of the answer has no {column}: {value:?}")]
    Row {
        /// Number of the row, from 1.
        row: usize,
        /// Name of the column.
        column: String,
        /// Value of the column; `None` for NULL or a missing column.
        value: Option<String>,
    },
}

/// Sums by keys: values that are the same when they are clean are one row, largest effective cost first.
pub(super) fn read(keys: &[BillKey], rows: &[Vec<Option<String>>]) -> Result<Breakdown, BadAnswer> {
    let mut sums: FastMap<Vec<Option<Arc<str>>>, Sums> = FastMap::default();
    for (at, row) in rows.iter().enumerate() {
        let cells = Cells { row: at + 1, cells: row };
        let value = |place: usize| {
            let text = row.get(place)?.as_deref().map(clean_name)?;
            (!text.is_empty()).then(|| text.into())
        };
        let values = (0..keys.len()).map(value).collect();
        let currency = cells.text(keys.len(), line::CURRENCY)?;
        if currency != "USD" {
            return Err(BadAnswer::Currency(clean_to(currency, QUOTED).into_owned()));
        }
        *sums.entry(values).or_default() += &cells.sums(keys.len() + 1)?;
    }
    if sums.is_empty() {
        return Err(BadAnswer::NoLines);
    }
    Ok(Breakdown::of(keys, sums))
}

struct Cells<'a> {
    row: usize,
    cells: &'a [Option<String>],
}

impl<'a> Cells<'a> {
    fn bad(&self, place: usize, column: &str) -> BadAnswer {
        let value = self.cells.get(place).cloned().flatten();
        let value = value.map(|value| clean_to(&value, QUOTED).into_owned());
        BadAnswer::Row { row: self.row, column: column.to_owned(), value }
    }

    fn text(&self, place: usize, column: &str) -> Result<&'a str, BadAnswer> {
        let cell = self.cells.get(place).and_then(Option::as_deref);
        cell.ok_or_else(|| self.bad(place, column))
    }

    fn count(&self, place: usize, column: &str) -> Result<u64, BadAnswer> {
        self.text(place, column)?.parse().map_err(|_| self.bad(place, column))
    }

    /// Sums in the columns from `first` on.
    fn sums(&self, first: usize) -> Result<Sums, BadAnswer> {
        let mut costs = [Usd::ZERO; line::COSTS.len()];
        for (at, (cost, name)) in costs.iter_mut().zip(line::COSTS).enumerate() {
            let place = first + at;
            // No line of it says a list price.
            let text = match self.cells.get(place) {
                Some(None) if name == "list" => "0",
                _ => self.text(place, name)?,
            };
            *cost = Usd::parse(text.as_bytes()).ok_or_else(|| self.bad(place, name))?;
        }
        let [billed, effective, list, net] = costs;
        let lines = self.count(first + costs.len(), line::LINE_ITEMS)?;
        let without_list = self.count(first + costs.len() + 1, line::WITHOUT_LIST)?;
        Ok(Sums { billed, effective, list, net, quantity: 0.0, lines, without_list })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<Option<String>> {
        cells.iter().map(|cell| (*cell != "NULL").then(|| (*cell).to_owned())).collect()
    }

    #[test]
    fn rows_are_sums_whose_names_are_clean() {
        let rows = [
            row(&["EC2\u{1b}[2J", "USD", "1.5", "1.250000000000000000", "NULL", "1", "3", "3"]),
            row(&["EC2\u{1b}[2J ", "USD", "1E-7", "0", "2", "0", "1", "0"]),
            row(&["NULL", "USD", "-3", "-3", "0", "-3", "1", "0"]),
        ];
        let found = read(&[BillKey::Service], &rows).unwrap();
        let first = &found.rows[0];
        assert!(!first.values[0].as_deref().unwrap().contains('\u{1b}'));
        assert_eq!(first.sums.billed.to_string(), "1.5000001");
        assert_eq!((first.sums.lines, first.sums.without_list), (4, 3));
        assert_eq!((found.rows.len(), &found.rows[1].values[0]), (2, &None));
        assert_eq!(found.total.billed.to_string(), "-1.4999999");
    }

    #[test]
    fn what_is_no_row_of_dollars_is_refused() {
        let good = ["EC2", "USD", "1", "1", "1", "1", "1", "0"];
        for (place, bad) in [(2, "NULL"), (3, "x"), (5, "NULL"), (6, "-1"), (7, "1.5")] {
            let mut cells = good;
            cells[place] = bad;
            let error = read(&[BillKey::Service], &[row(&cells)]).unwrap_err();
            assert!(matches!(error, BadAnswer::Row { row: 1, .. }), "{error}");
        }
        let mut euros = good;
        euros[1] = "EUR";
        let error = read(&[BillKey::Service], &[row(&euros)]).unwrap_err();
        assert_eq!(error, BadAnswer::Currency("EUR".to_owned()));
        assert_eq!(read(&[BillKey::Service], &[]), Err(BadAnswer::NoLines));
        assert!(read(&[BillKey::Service], &[vec![]]).is_err());
    }
}
