//! What decides the plan beside its figures.

use super::paragraph;
use crate::app::content::Line;
use crate::app::keymap::Action;
use crate::app::{App, Role};
use crate::tabs::whatif::picture::notes;
use crate::view::format;

/// The page.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "What to know before this decides anything")];
    for note in all(app) {
        lines.push(Line::new());
        paragraph(Role::Warn, &note, width, &mut lines);
    }
    lines
}

/// How many notes there are, with the key that shows them: `3 notes: i`. `None` without a plan.
pub fn count(app: &App) -> Option<String> {
    let tab = app.whatif();
    let count = format::plural(notes::count(tab.demand()?, tab.scenario()?), "note");
    Some(match app.keymap().keys(Action::PlanNotes).first() {
        Some(key) => format!("{count}: {key}"),
        None => count,
    })
}

fn all(app: &App) -> Vec<String> {
    let tab = app.whatif();
    let (Some(demand), Some(scenario)) = (tab.demand(), tab.scenario()) else { return Vec::new() };
    notes::notes(demand, scenario, app.appearance().symbols)
}
