//! The pages of the action sheet.

mod choose;
pub mod dialog;
mod instance;
mod review;
mod run;

use std::ops::Range;

use super::{Line, columns, wrap};
use crate::app::App;
use crate::app::Role;
use crate::app::sheet::{Sheet, Stage};
use crate::view::{Symbols, format};

/// A page of the sheet.
#[derive(Clone, Debug, Default)]
pub struct SheetPage {
    /// Lines of the page.
    pub lines: Vec<Line>,
    /// Lines of the entry under the cursor, whose first one has the marker; `None` without a cursor.
    pub cursor: Option<Range<usize>>,
    /// First line the cursor can be on; above it is the head of the page. `None` without a cursor.
    pub first: Option<usize>,
}

/// The page of the sheet's current stage.
pub fn page(app: &App, sheet: &Sheet, width: usize) -> SheetPage {
    let mut page = SheetPage::default();
    if let Some(word) = sheet.word() {
        paragraph(Role::Warn, word, width, &mut page.lines);
        page.lines.push(Line::new());
    }
    match sheet.stage() {
        Stage::Choose(choice) => choose::choose(app, sheet, choice, width, &mut page),
        Stage::Checking(plan) => choose::checking(app, sheet, plan, width, &mut page),
        Stage::Review(review) | Stage::Confirm(review, _) => {
            review::review(app, sheet, review, width, &mut page);
        }
        Stage::Run(run) => run::run(app, run, width, &mut page),
    }
    page
}

/// A status glyph with the word shown beside it.
pub(super) struct Sign {
    unicode: &'static str,
    ascii: &'static str,
    word: &'static str,
    role: Role,
}

impl Sign {
    const fn new(
        unicode: &'static str,
        ascii: &'static str,
        word: &'static str,
        role: Role,
    ) -> Self {
        Self { unicode, ascii, word, role }
    }

    fn text(&self, symbols: Symbols) -> String {
        let glyph = if symbols == Symbols::Ascii { self.ascii } else { self.unicode };
        format!("{glyph} {}", self.word)
    }
}

/// Of a row that is left out of the plan.
const LEFT_OUT: Sign = Sign::new("·", ".", "left out", Role::Dim);

/// `, 1 left out`; empty where none is.
fn left_out(sheet: &Sheet) -> String {
    match sheet.left_out() {
        0 => String::new(),
        count => format!(", {count} left out"),
    }
}

/// `1 instance`, `3 instances`.
fn instances(count: usize) -> String {
    format::plural(count, "instance")
}

/// An account as it is named where one decides about it: never shortened.
fn account(app: &App, id: &str) -> String {
    match app.accounts().iter().find(|a| *a.id == *id) {
        Some(known) if *known.label != *known.id => format!("{} {id}", known.label),
        _ => id.to_owned(),
    }
}

/// `account prod-ml 123456789012`, or several of them.
fn accounts<'a>(app: &App, ids: impl Iterator<Item = &'a std::sync::Arc<str>>) -> String {
    let counts = crate::app::sheet::by_account(ids);
    let word = format::noun(counts.len(), "account");
    let one = counts.len() == 1;
    let names: Vec<String> = counts
        .iter()
        .map(|(id, count)| {
            let name = account(app, id);
            if one { name } else { format!("{name} ({count})") }
        })
        .collect();
    format!("{word} {}", names.join(", "))
}

fn paragraph(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    lines.extend(wrap(text, width).into_iter().map(|l| Line::of(role, l)));
}

/// A paragraph `indent` columns from the left.
fn indented(role: Role, text: &str, indent: usize, width: usize, lines: &mut Vec<Line>) {
    let indent = indent.min(width / 2);
    for part in wrap(text, width.saturating_sub(indent)) {
        lines.push(Line::new().text(" ".repeat(indent)).with(role, part));
    }
}

/// `text` in at most `width` columns; what was cut ends with a sign for it.
fn fit(text: &str, width: usize, symbols: Symbols) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        if used + columns(cluster) + 1 > width {
            break;
        }
        used += columns(cluster);
        out.push_str(cluster);
    }
    if width > 0 {
        out.push_str(symbols.ellipsis());
    }
    out
}
