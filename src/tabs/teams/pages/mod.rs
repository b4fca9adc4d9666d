//! The Teams tab in words: what stands above its lists, and its pages.

mod bars;
mod empty;
mod row;
mod strip;

pub use empty::empty;
pub use row::row;
pub use strip::strip;

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::bill::pages::about;
use crate::tabs::storage::pages::parts::{heading, paragraph};

/// Lines of the page about the dollars: what the report says below its rows, then the bills.
pub fn source(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let tab = app.teams_tab();
    heading(tab.look().spec().title.to_owned(), &mut lines);
    for note in tab.rows().notes(tab.look()) {
        let (role, text) = noted(note);
        paragraph(role, text, width, &mut lines);
    }
    if let Some(teams) = app.teams() {
        lines.extend(about(&teams.heads, &teams.unreadable, app.appearance().symbols, width));
    }
    lines
}

/// A line of a report: what is odd begins with `! `.
fn noted(note: &str) -> (Role, &str) {
    match note.strip_prefix("! ") {
        Some(text) => (Role::Warn, text),
        None => (Role::Text, note.trim_start()),
    }
}
