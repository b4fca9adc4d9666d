//! CSV that a spreadsheet may open.

use std::borrow::Cow;

use super::sheet::{Sheet, rounded};
use crate::domain::text::clean_to;
use crate::view::Value;

/// The sheet as CSV with a header row of field names.
pub(super) fn table(sheet: &Sheet) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let header: Vec<Cow<'_, str>> = sheet.columns.iter().map(|c| c.name.into()).collect();
    let rows = sheet.rows.iter().map(|r| r.iter().map(|c| cell(&c.value)).collect());
    for record in std::iter::once(header).chain(rows) {
        // Into memory, with records of one length: neither of the writer's errors can occur.
        // Cells are clean; this is the second line of defence.
        let record: Vec<_> = record.iter().map(|cell| clean_to(cell, usize::MAX)).collect();
        let written = writer.write_record(record.iter().map(|cell| cell.as_bytes()));
        debug_assert!(written.is_ok());
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn cell<'a>(value: &'a Value<'_>) -> Cow<'a, str> {
    match value {
        Value::Unknown => "".into(),
        Value::Number(n) => rounded(*n).to_string().into(),
        Value::Usd(usd) => usd.to_string().into(),
        Value::Time(t) => t.to_string().into(),
        Value::Text(text) => guard(text),
    }
}

/// Text that no spreadsheet takes for a formula: one that would begin like it gets an apostrophe.
fn guard(text: &str) -> Cow<'_, str> {
    let formula = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    // A spreadsheet passes over what stands before it: blanks, and what was replaced.
    let first = text.trim_start_matches([' ', char::REPLACEMENT_CHARACTER]);
    if text.starts_with(formula) || first.starts_with(formula) {
        format!("'{text}").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_formula_is_guarded_and_numbers_are_not() {
        let text = |t: &'static str| Value::Text(t.into());
        let cases = [
            (text("=1+1"), "'=1+1"),
            (text("+1"), "'+1"),
            (text("-2"), "'-2"),
            (text("@SUM(A1)"), "'@SUM(A1)"),
            (text("\tx"), "'\tx"),
            (text("\rx"), "'\rx"),
            (text("＝1"), "'＝1"),
            (text("  =1"), "'  =1"),
            (text("\u{FFFD}=1"), "'\u{FFFD}=1"),
            (text("a=1"), "a=1"),
            (Value::Number(-2.0), "-2"),
            (Value::Number(21.957_642), "21.957642"),
            (Value::Number(0.1 + 0.2), "0.3"),
            (Value::Unknown, ""),
        ];
        for (value, want) in cases {
            assert_eq!(cell(&value), want);
        }
    }
}
