//! The lines of a scheduler that set what was replayed.

use crate::app::content::Line;
use crate::app::{Action, App, Role};
use crate::tabs::storage::pages::parts::{fact_at, heading, paragraph};

/// Adds the lines by where they belong, what they cannot do, and the key that copies them.
pub(super) fn what_sets_it(
    app: &App,
    settings: &[(&str, String)],
    limits: Option<&str>,
    width: usize,
    lines: &mut Vec<Line>,
) {
    heading("What sets it", lines);
    let column = settings.iter().map(|(name, _)| name.len()).max().unwrap_or_default() + 2;
    for (name, line) in settings {
        fact_at(column, Role::Accent, name, line, width, lines);
    }
    if let Some(text) = limits {
        paragraph(Role::Dim, text, width, lines);
    }
    if let Some(key) = app.keymap().keys(Action::CopyId).first() {
        let text = format!("{key} copies these lines. burntop runs nothing of it.");
        paragraph(Role::Dim, &text, width, lines);
    }
}
