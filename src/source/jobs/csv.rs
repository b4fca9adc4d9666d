//! CSV with burntop's own columns.

use std::io::Read;

use super::columns::{no_values, of_head};
use super::error::{JobsFileError, LineError};
use super::{BUFFER, Reading, entry};
use crate::domain::records::Records;

/// Reads the rows of a CSV file. A record beyond the limits ends it: what follows has no known beginning.
pub(super) fn read(from: impl Read, reading: &mut Reading) -> Result<(), JobsFileError> {
    let mut records = Records::new(from, BUFFER);
    let head = match records.read() {
        Ok(head) => head.ok_or(JobsFileError::Empty)?,
        Err(error) => return Err(JobsFileError::Unreadable(error.to_string())),
    };
    let names: Vec<String> =
        head.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let columns = of_head(names.iter().map(String::as_str))?;
    let mut last = head.line;
    loop {
        let record = match records.read() {
            Ok(Some(record)) => record,
            Ok(None) => return Ok(()),
            Err(error) => {
                reading.fail(last + 1, LineError::Cut(error.to_string()));
                return Ok(());
            }
        };
        last = record.line;
        if record.len() != columns.len() {
            let why = LineError::Fields { found: record.len(), wanted: columns.len() };
            reading.fail(record.line, why);
            continue;
        }
        let mut values = no_values();
        for (column, value) in columns.iter().zip(record.iter()) {
            if let Some(column) = column {
                values[*column as usize] = String::from_utf8_lossy(value).into_owned();
            }
        }
        match entry::attempt(&values, &reading.clock) {
            Ok(attempt) => reading.keep(attempt, entry::log(&values))?,
            Err(why) => reading.fail(last, why),
        }
    }
}
