//! Text in place of a list of savings without a row.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::Reading;
use crate::tabs::storage::pages::parts::paragraph;

/// Lines shown in place of a list without rows.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let list = app.savings_tab().shown().spec();
    let mut lines = Vec::new();
    let Some(savings) = app.savings() else {
        lines.push(Line::of(Role::Heading, format!("{}: not known yet", list.title)));
        let text = "What could be saved is worked out once commitments, prices over time and \
                    resources were read.";
        paragraph(Role::Text, text, width, &mut lines);
        return lines;
    };
    let [what, why] = (list.empty)(savings);
    lines.push(Line::of(Role::Heading, format!("{}: {what}", list.title)));
    paragraph(Role::Text, why, width, &mut lines);
    for unread in &savings.unread {
        paragraph(Role::Warn, &unread.sentence(), width, &mut lines);
    }
    let readings = savings.readings.iter().filter(|r| list.sources.contains(&r.source));
    for text in readings.filter_map(Reading::trouble) {
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    paragraph(
        Role::Dim,
        "o shows the next list, 1 or esc goes back to the overview.",
        width,
        &mut lines,
    );
    lines
}
