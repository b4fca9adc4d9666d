//! What stands above the lists: the month in a line, bars of the first rows, what the report says below them, and the names of
//! the lists.

use super::{bars, noted};
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::PeriodState;
use crate::tabs::bill::pages::{provenance, strip_height, wrapped};
use crate::tabs::storage::pages::parts::paragraph;
use crate::tabs::storage::pages::strip::names;
use crate::tabs::teams::lists::{LISTS, TeamsList};
use crate::tabs::teams::state::TeamsPicture;
use crate::view::format;

/// The strip, as much of it as there is room for; the names of the lists are always there.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(teams) = app.teams() else { return Vec::new() };
    let tab = app.teams_tab();
    let body = app.layout().map_or(0, |layout| layout.body_height);
    let room = usize::from(strip_height(body)).saturating_sub(1);
    let mut lines = head(app, teams, width);
    let mut notes = Vec::new();
    for note in tab.rows().notes(tab.look()) {
        let (role, text) = noted(note);
        paragraph(role, text, width, &mut notes);
    }
    lines.truncate(room);
    notes.truncate(room - lines.len());
    let bars = bars::bars(app, room - lines.len() - notes.len(), width);
    lines.extend(bars);
    lines.extend(notes);
    lines.push(lists(app, width));
    lines
}

/// The month, or that it is of now; by what; where the dollars come from.
fn head(app: &App, teams: &TeamsPicture, width: usize) -> Vec<Line> {
    let (tab, symbols) = (app.teams_tab(), app.appearance().symbols);
    let ctx = app.view_context();
    let mut parts = Vec::new();
    let is_live = tab.look() == TeamsList::Quotas;
    match teams.period.filter(|_| !is_live) {
        Some(period) => {
            let is_open = teams.heads.iter().any(|head| head.state == PeriodState::Open);
            let state = if is_open { PeriodState::Open } else { PeriodState::Closed };
            parts.push((Role::Heading, format!("{period} {}", state.word())));
        }
        None => {
            let as_of = app.shown().and_then(|fleet| fleet.as_of);
            let age = as_of.map(|at| format::age(ctx.now.duration_since(at).as_secs()));
            let age = age.map(|age| format!(", read {age} ago")).unwrap_or_default();
            let (what, basis) = match tab.look() {
                TeamsList::Budgets if teams.told.is_some() => (
                    "AWS Budgets".to_owned(),
                    "no bill is kept: what AWS says of its own budgets alone",
                ),
                TeamsList::Units if teams.told.is_some() => {
                    ("jobs".to_owned(), "no bill is kept: what runs of jobs cost alone")
                }
                _ if is_live => (format!("what runs{age}"), "live prices, without commitments"),
                _ => (
                    format!("what runs{age}"),
                    "no bill is kept: a month of 730 h at live prices, without commitments",
                ),
            };
            parts.push((Role::Heading, what));
            parts.push((Role::Dim, basis.to_owned()));
        }
    }
    if tab.look() == TeamsList::Teams {
        parts.insert(1, (Role::Text, format!("by {}", tab.by().word().replace('_', " "))));
    }
    if let (TeamsList::Units, Some(by)) = (tab.look(), tab.units_by()) {
        parts.insert(1, (Role::Text, format!("what jobs cost by {}", by.word())));
    }
    if !is_live {
        parts.extend(provenance(&teams.heads, &ctx));
    }
    if !teams.unreadable.is_empty() {
        let notes = format::plural(teams.unreadable.len(), "note");
        parts.push((Role::Warn, format!("{notes}: i")));
    }
    wrapped(parts, symbols.separator(), width)
}

/// The lists by name, and whether the rows are behind.
fn lists(app: &App, width: usize) -> Line {
    let tab = app.teams_tab();
    let line = names(LISTS.iter().map(|list| list.title), tab.look().spec().title, width);
    if tab.is_behind() { line.with(Role::Warn, app.appearance().symbols.ellipsis()) } else { line }
}
