//! GitHub Markdown.

use std::borrow::Cow;

use super::sheet::Sheet;
use crate::domain::text::clean_to;
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

/// A line below a table: as it is, or behind a bullet as Markdown shows it.
pub(super) fn note(bullet: &str, text: &str) -> String {
    let shown = if bullet.is_empty() { clean_to(text, usize::MAX) } else { escape(text) };
    format!("{bullet}{shown}\n")
}

/// Text that Markdown shows as it is, on one line: a tag must not become a row, a column, a link, a
/// mention or markup.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    const SPECIAL: &[char] = &['\\', '|', '<', '>', '&', '*', '_', '`', '[', ']', '~', '@'];
    let text = clean_to(text, usize::MAX);
    // GitHub makes links of bare addresses.
    if !text.contains(SPECIAL) && !text.contains("://") && !text.contains("www.") {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            '.' if text[..at].ends_with("www") => out.push_str("&#46;"),
            '@' => out.push_str("&#64;"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_row_a_link_a_mention_or_markup() {
        for (text, shown) in [
            ("plain", "plain"),
            ("a\n| b |", "a\u{FFFD}\\| b \\|"),
            ("see http://evil.example", "see http&#58;//evil.example"),
            ("www.evil.example", "www&#46;evil.example"),
            ("[x](http://e)", "\\[x\\](http&#58;//e)"),
            ("<img src=x>", "&lt;img src=x&gt;"),
            ("@team", "&#64;team"),
            ("`a` *b* _c_ ~d~", "\\`a\\` \\*b\\* \\_c\\_ \\~d\\~"),
            ("\u{1b}]8;;x", "\u{FFFD}\\]8;;x"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }
}
