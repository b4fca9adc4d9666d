//! A demand from a CSV file: a header, the time first, then one column per family.
//!
//! Separators are `,` `;` or tab; with `;` and tab numbers may have a decimal comma. Nothing is
//! filled in or dropped silently: what had to be mended stands in [`Demand::notes`], what cannot be
//! mended is an error with its line and column.

mod cells;
mod hours;
mod rows;
mod series;
#[cfg(test)]
mod tests;
mod time;

pub use series::{LoadSeries, series};

use std::fmt;

use jiff::tz::TimeZone;

use super::{Demand, DemandOrigin, Family};
use crate::domain::text::clean;

/// Longest stretch that a file may cover, hours: 20 years. More is a mistyped year.
pub const MAX_HOURS: usize = 20 * 8_766;

/// Most families of one file.
pub const MAX_FAMILIES: usize = 1_000;

/// Most cells of one file, with those between its rows: 200 families by the hour for ten years have 17.5
/// million.
pub const MAX_CELLS: usize = 20_000_000;

/// Most rows of one file: nine years by the minute.
pub const MAX_ROWS: usize = 5_000_000;

/// Which columns of a CSV file to read, and how.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// Path of the file, for error messages.
    pub name: String,
    /// Columns to read.
    pub columns: Columns,
    /// Time zone of times without an offset.
    pub zone: TimeZone,
}

impl CsvOptions {
    /// Options for all columns of the file `name`, times without an offset in UTC.
    pub fn new(name: &str) -> Self {
        Self { name: clean(name).into_owned(), columns: Columns::All, zone: TimeZone::UTC }
    }
}

/// Columns of a file that are families.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Every column after the time.
    All,
    /// The only column after the time; more than one is an error that lists them.
    Single,
    /// The column of this name; the others are not read.
    One(String),
    /// Rows of several families below each other: the column with the units and the one with the
    /// family's name.
    Long {
        /// Name of the column with the units.
        value: String,
        /// Name of the column with the family.
        family: String,
    },
}

/// Why a file gives no demand; with all problems found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct CsvError {
    /// Path of the file, as given; clean text.
    pub name: String,
    /// The first few problems, in the order of the lines.
    pub problems: Vec<CsvProblem>,
    /// Number of further problems.
    pub more: usize,
}

/// A problem at one place of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvProblem {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what would be right; clean text.
    pub message: String,
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            let CsvProblem { line, column, message } = problem;
            write!(f, "{}:{line}:{column}: {message}", self.name)?;
        }
        if self.more > 0 {
            write!(f, "\n{}: {} more like these", self.name, self.more)?;
        }
        Ok(())
    }
}

/// Most problems in one error.
const TOLD: usize = 5;

/// The problems found so far.
#[derive(Debug, Default)]
struct Problems {
    told: Vec<CsvProblem>,
    more: usize,
}

impl Problems {
    fn push(&mut self, line: usize, column: usize, message: impl AsRef<str>) {
        if self.told.len() < TOLD {
            let message = clean(message.as_ref()).into_owned();
            self.told.push(CsvProblem { line, column, message });
        } else {
            self.more += 1;
        }
    }

    fn end(self, name: &str) -> Result<(), CsvError> {
        match self.told.is_empty() {
            true => Ok(()),
            false => Err(CsvError { name: name.to_owned(), problems: self.told, more: self.more }),
        }
    }
}

/// Reads a demand from the text of a CSV file. Fails with every problem that cannot be mended; mended ones
/// become [`Demand::notes`].
pub fn parse(text: &str, options: &CsvOptions) -> Result<Demand, CsvError> {
    let mut problems = Problems::default();
    let mut notes = Vec::new();
    let rows = rows::read(text, options, &mut notes, &mut problems);
    problems.end(&options.name)?;
    let mut problems = Problems::default();
    let hours = hours::of(rows, &mut notes, &mut problems);
    problems.end(&options.name)?;
    let families = hours.families.into_iter().map(|(name, hours)| Family { name, hours }).collect();
    let origin = DemandOrigin::Csv(options.name.clone());
    Ok(Demand { origin, start: hours.start, families, notes })
}
