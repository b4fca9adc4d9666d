//! Text in place of a list of storage without a row.

use super::parts::paragraph;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::Reading;

/// Lines shown in place of a list without rows.
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
    let readings = app.storage().into_iter().flat_map(|s| &s.readings);
    for text in readings.filter_map(Reading::trouble) {
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    lines
}
