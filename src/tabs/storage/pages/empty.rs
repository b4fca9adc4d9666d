//! The lists without a row.

use super::parts::paragraph;
use crate::app::content::Line;
use crate::app::content::reading::failed_sources;
use crate::app::{App, Role};

/// What the tab says where its list has nothing to show.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let list = app.storage_tab().look().spec();
    let [what, why] = (list.empty)(app);
    let mut lines = vec![Line::of(Role::Heading, format!("{}: {what}", list.title))];
    paragraph(Role::Text, why, width, &mut lines);
    paragraph(
        Role::Dim,
        "o shows the next list, 4 or esc goes back to the buckets.",
        width,
        &mut lines,
    );
    for text in failed_sources(app.storage().iter().flat_map(|s| &s.readings)) {
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    lines
}
