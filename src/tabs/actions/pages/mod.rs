//! The texts of the list of actions.

mod action;
mod empty;

pub use action::action;
pub use empty::empty;

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::actions::picture::ActionsPicture;
use crate::tabs::storage::pages::strip::join;
use crate::view::format;

/// The strip: how many runs there are, and what of the log is not among them.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(of) = app.actions() else { return Vec::new() };
    let open: usize = of.rows.iter().map(|row| row.counts.open).sum();
    let actions = format::plural(of.rows.len(), "action");
    let mut parts = vec![(Role::Heading, format!("{actions} in the audit log"))];
    if open > 0 {
        let rows = format::counted(open, "row has", "rows have");
        parts.push((Role::Warn, format!("{rows} no outcome yet")));
    }
    let separator = format!(" {} ", app.appearance().symbols.separator());
    let mut lines = vec![join(parts, &separator, width)];
    lines.extend(reservations(of).into_iter().map(|(role, text)| Line::of(role, text)));
    lines
}

/// What was not read of the log, a sentence each.
fn reservations(of: &ActionsPicture) -> Vec<(Role, String)> {
    let mut out = Vec::new();
    if of.damaged > 0 {
        let places = format::counted(of.damaged, "place", "places");
        let text = format!("The log is damaged in {places}: `burntop audit verify` says where.");
        out.push((Role::Crit, text));
    }
    if of.left_out > 0 {
        let bytes = format::bytes(of.left_out as f64);
        let text = format!("{bytes} of older lines are not shown: `burntop audit list` reads all.");
        out.push((Role::Dim, text));
    }
    out
}
