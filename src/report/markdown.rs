//! GitHub Markdown.

use std::borrow::Cow;

use super::sheet::Sheet;
use crate::view::Align;

/// The sheet as a GitHub table.
pub(super) fn table(sheet: &Sheet) -> String {
    let mut out = line(sheet.columns.iter().map(|c| Cow::Borrowed(c.header)));
    let rule = |align| match align {
        Align::Left => "---",
        Align::Right => "---:",
    };
    out.push_str(&line(sheet.columns.iter().map(|c| Cow::Borrowed(rule(c.align)))));
    for row in &sheet.rows {
        out.push_str(&line(row.iter().map(|c| escape(&c.shown))));
    }
    out
}

fn line<'a>(cells: impl Iterator<Item = Cow<'a, str>>) -> String {
    let mut out = String::from("|");
    for cell in cells {
        out.push(' ');
        out.push_str(&cell);
        out.push_str(" |");
    }
    out.push('\n');
    out
}

/// Text that Markdown shows as it is: a tag must not become a column, a link or markup.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    const SPECIAL: &[char] = &['\\', '|', '<', '>', '&', '*', '_', '`', '[', ']', '~'];
    if !text.contains(SPECIAL) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => {
                if SPECIAL.contains(&c) {
                    out.push('\\');
                }
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}
