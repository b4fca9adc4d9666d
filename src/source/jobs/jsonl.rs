//! JSON lines with burntop's own columns: an object a line, whose values are texts, numbers or lists of texts.

use std::io::BufRead;

use serde_json::{Map, Value as Json};

use super::columns::{Column, Values, no_values};
use super::error::{JobsFileError, LineError};
use super::lines::Lines;
use super::{Reading, entry};
use crate::domain::text::clean_to;

/// Characters of the parser's message that are repeated.
const SAID: usize = 120;

/// Reads the objects of a file; empty lines are passed over.
pub(super) fn read(from: impl BufRead, reading: &mut Reading) -> Result<(), JobsFileError> {
    let mut lines = Lines::new(from);
    while let Some((line, text)) = lines.next()? {
        let object = text.and_then(|text| match text.trim() {
            "" => Ok(None),
            text => serde_json::from_str::<Map<String, Json>>(text)
                .map(Some)
                .map_err(|error| LineError::Json(clean_to(&error.to_string(), SAID).into_owned())),
        });
        let values = match object {
            Ok(None) => continue,
            Ok(Some(object)) => Ok(values(&object)),
            Err(why) => Err(why),
        };
        match values.and_then(|of| Ok((entry::attempt(&of, &reading.clock)?, of))) {
            Ok((attempt, values)) => reading.keep(attempt, entry::log(&values))?,
            Err(why) => reading.fail(line, why),
        }
    }
    Ok(())
}

fn values(object: &Map<String, Json>) -> Values {
    let mut values = no_values();
    for (name, value) in object {
        if let Some(column) = Column::named(name) {
            values[column as usize] = text(value);
        }
    }
    values
}

/// A value as a CSV file would have it; empty for `null`, and for objects.
fn text(value: &Json) -> String {
    match value {
        Json::Null | Json::Object(_) => String::new(),
        Json::Bool(is) => is.to_string(),
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join(" "),
    }
}
