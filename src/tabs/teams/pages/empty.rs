//! Text in place of a list without a row: how to get a bill, or why there is nothing.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::bill::pages::ways_to_a_bill;
use crate::tabs::storage::pages::parts::paragraph;
use crate::tabs::teams::lists::TeamsList;

/// Lines shown in place of a list without rows.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let tab = app.teams_tab();
    if let Some(why) = tab.trouble() {
        let mut lines = vec![Line::of(Role::Heading, "The bill cannot be read")];
        paragraph(Role::Crit, why, width, &mut lines);
        return lines;
    }
    let Some(teams) = app.teams() else {
        return vec![Line::of(Role::Dim, "Reading the bills.")];
    };
    let rests_on_bills = matches!(tab.look(), TeamsList::Budgets | TeamsList::Units);
    if teams.period.is_none() && teams.told.is_none() && rests_on_bills && !tab.is_behind() {
        let what = "What was spent of a budget, where its period ends, and what one prediction or run costs, a bill tells.";
        let mut lines = super::strip(app, width);
        lines.extend(ways_to_a_bill(what, width));
        return lines;
    }
    let mut lines = super::strip(app, width);
    let text = if tab.is_behind() {
        "Reading."
    } else if tab.rows().knows(tab.look()) {
        tab.look().spec().empty
    } else {
        "Nothing that runs is known yet, and no bill is kept."
    };
    paragraph(Role::Text, text, width, &mut lines);
    lines
}
