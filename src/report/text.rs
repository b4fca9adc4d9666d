//! Aligned text.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use super::sheet::Sheet;
use crate::domain::text::clean_to;
use crate::view::Align;

/// The sheet in columns as wide as their widest cell, two blanks apart, without trailing blanks.
pub(super) fn table(sheet: &Sheet) -> String {
    let headers: Vec<&str> = sheet.columns.iter().map(|c| c.header).collect();
    // Cells are clean; this is the second line of defence.
    let shown: Vec<Vec<Cow<'_, str>>> = sheet
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| clean_to(&cell.shown, usize::MAX)).collect())
        .collect();
    let rows: Vec<Vec<&str>> = std::iter::once(headers)
        .chain(shown.iter().map(|row| row.iter().map(|cell| &**cell).collect()))
        .collect();
    let widths: Vec<usize> = (0..sheet.columns.len())
        .map(|i| rows.iter().map(|r| r[i].width()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, column), width) in row.iter().zip(&sheet.columns).zip(&widths) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            let blanks = " ".repeat(width - cell.width());
            match column.align {
                Align::Left => {
                    line.push_str(cell);
                    line.push_str(&blanks);
                }
                Align::Right => {
                    line.push_str(&blanks);
                    line.push_str(cell);
                }
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
