//! The page of a row of a list without a page of its own: every field with its value, of a rule and a setting below what would have been.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::jobs::state::JobsList;
use crate::tabs::storage::pages::parts::{fact_at, heading, paragraph};

/// Lines of the page.
pub fn row(app: &App, list: JobsList, id: &str, width: usize) -> Vec<Line> {
    let ctx = app.view_context();
    let found = app.jobs_tab().list(list).rows().and_then(|rows| {
        let is_it = |row: &u32| rows.key(*row).is_some_and(|key| **key == *id);
        Some((rows, (0..rows.len() as u32).find(is_it)?))
    });
    let Some((rows, place)) = found else {
        return vec![Line::of(Role::Dim, "It is not there any more.")];
    };
    let mut lines = match list {
        JobsList::Replays => super::replay::replay(app, id, width),
        JobsList::Scaling => super::scaling::scaling(app, id, width),
        _ => Vec::new(),
    };
    if !lines.is_empty() {
        heading("Every field", &mut lines);
    }
    let longest = rows.table().fields().iter().map(|field| field.name.len()).max();
    let column = longest.unwrap_or_default() + 2;
    for field in rows.table().fields() {
        let Some(cell) = rows.cell(place, field, &ctx) else { continue };
        let name = field.words();
        let unit = if field.unit == "$" { "" } else { field.unit };
        let text = format!("{} {unit}", cell.text.trim());
        fact_at(column, cell.role, &name, text.trim_end(), width, &mut lines);
    }
    heading("What the fields are, as filters and --columns call them", &mut lines);
    for field in rows.table().fields() {
        paragraph(Role::Dim, &format!("{}: {}", field.name, field.doc), width, &mut lines);
    }
    lines
}
