//! Lines that the pages of storage have in common.

use crate::app::content::{Line, wrap};
use crate::app::{Action, App, Role};
use crate::domain::storage::StorageFinding;
use crate::tabs::storage::picture::words;
use crate::view::{Symbols, ViewContext, reasons};

/// Columns of the names of facts.
const NAME: usize = 16;

/// A heading with an empty line above it.
pub(crate) fn heading(text: impl Into<String>, lines: &mut Vec<Line>) {
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    lines.push(Line::of(Role::Heading, text.into()));
}

/// Adds a fact, its name and its text, wrapped to `width` cells.
pub(crate) fn fact(name: &str, text: &str, width: usize, lines: &mut Vec<Line>) {
    role_fact(Role::Text, name, text, width, lines);
}

/// A fact that means something.
pub(crate) fn role_fact(role: Role, name: &str, text: &str, width: usize, lines: &mut Vec<Line>) {
    fact_at(NAME, role, name, text, width, lines);
}

/// A fact whose text begins `column` cells after its name.
pub(crate) fn fact_at(
    column: usize,
    role: Role,
    name: &str,
    text: &str,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let room = width.saturating_sub(column + 2).max(8);
    for (i, part) in wrap(text, room).into_iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        lines.push(Line::new().text("  ").column(Role::Dim, name, column).with(role, part));
    }
}

/// An indented paragraph.
pub(crate) fn paragraph(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    for part in wrap(text, width.saturating_sub(2).max(8)) {
        lines.push(Line::new().text("  ").with(role, part));
    }
}

/// A text, and the key that does more of it: `1 run: R`. The text alone where the user took the key away.
pub(crate) fn with_key(app: &App, text: &str, action: Action) -> String {
    match app.keymap().keys(action).first() {
        Some(key) => format!("{text}: {key}"),
        None => text.to_owned(),
    }
}

/// Dollars per month, or the sign for unknown.
pub(crate) fn usd(amount: Option<f64>, symbols: Symbols) -> String {
    symbols.or_unknown(amount, words::usd)
}

/// A finding with what to do.
pub(crate) fn finding(f: &StorageFinding, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let kind = f.kind.word().replace('_', " ");
    let saves = match f.usd_per_month {
        Some(usd) => format!("saves {}/month", words::usd(usd)),
        None => format!("saves {} (not known)", ctx.symbols.unknown()),
    };
    let risk = words::risk_of(f).unwrap_or("not measured");
    lines.push(
        Line::new()
            .text("  ")
            .with(Role::Idle, saves)
            .text("  ")
            .with(Role::Accent, kind)
            .with(Role::Dim, format!("  effort {}, risk {risk}", words::effort(f.effort))),
    );
    paragraph(Role::Text, &reasons::storage(&f.reason), width.saturating_sub(2), lines);
    paragraph(Role::Dim, &reasons::storage_fix(&f.reason), width.saturating_sub(2), lines);
}

/// Source of the prices in words: `list price of 2026-08-01`.
pub(crate) fn provenance(of: &crate::domain::Provenance) -> String {
    use crate::domain::Provenance;
    match of {
        Provenance::Live { at } => format!("list price, read {}", at.strftime("%Y-%m-%d")),
        Provenance::Embedded { date } => format!("list price of {date}"),
        Provenance::Demo => "prices of the demo".to_owned(),
        Provenance::Configured => "configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    }
}
