//! Text in place of a list of storage without a row.

use super::parts::paragraph;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::Reading;

/// Lines shown in place of a list without rows.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let list = app.storage_tab().look().spec();
    if app.storage().is_none() {
        return reading(width);
    }
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

/// Lines shown before storage was read.
fn reading(width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Storage is being read")];
    let text = "Buckets with their sizes and rules, volumes and snapshots of the accounts that are read appear by \
                themselves. Where they do not, ! says which call is denied, and `burntop iam-policy` prints what has \
                to be allowed.";
    paragraph(Role::Text, text, width, &mut lines);
    let text = "Objects on disks need no account: `burntop storage explore --dir DIR`.";
    paragraph(Role::Dim, text, width, &mut lines);
    lines
}
