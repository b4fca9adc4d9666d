//! Text in place of the list while it has no row.

use crate::app::content::Line;
use crate::app::keymap::Action;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::paragraph;

/// Lines shown in place of the list.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(why) = app.tabs.actions.trouble() {
        lines.push(Line::of(Role::Heading, "The audit log cannot be read"));
        paragraph(Role::Crit, why, width, &mut lines);
        return lines;
    }
    let Some(of) = app.actions() else {
        return vec![Line::of(Role::Dim, "Reading the audit log.")];
    };
    lines.push(Line::of(Role::Heading, "Nothing was done yet"));
    let key = |action: Action| {
        let key = app.keymap().keys(action).first();
        key.map_or_else(|| format!("`{}`", action.spec().name), ToString::to_string)
    };
    let text = format!(
        "Here stands what burntop did: what, when, by whom, with what result, and the way back to copy. {} on an \
         instance opens what can be done; nothing is done before you confirm it.",
        key(Action::Act)
    );
    paragraph(Role::Text, &text, width, &mut lines);
    for (role, text) in super::reservations(of) {
        paragraph(role, &text, width, &mut lines);
    }
    paragraph(Role::Dim, &format!("The log: {}", of.file), width, &mut lines);
    lines
}
