//! What stands on the What-if tab as text.

mod advice;
mod calculator;
mod calendar;
mod compare;
mod difference;
mod explain;
mod how;
mod lists;
mod notes;
mod overview;
mod sums;
mod tornado;

pub use how::how;
pub use notes::count as notes_count;
pub use overview::overview;
pub use sums::sums;

use crate::app::Role;
use crate::app::content::{Line, wrap};
use crate::app::{App, Area, PlanChart, PlanPage};

/// Lines of a page above the tab.
pub fn page(app: &App, page: PlanPage, width: usize) -> Vec<Line> {
    match page {
        PlanPage::Explain => explain::lines(app, width),
        PlanPage::Notes => notes::lines(app, width),
        PlanPage::Network | PlanPage::FailedRuns => calculator::lines(app, width),
    }
}

/// All lines of a list or table of the tab; none for plots.
pub fn list(app: &App, chart: PlanChart, area: Area) -> Vec<Line> {
    let width = usize::from(area.width);
    match chart {
        PlanChart::Tornado => tornado::lines(app, width),
        PlanChart::Lists => lists::lines(app, width),
        PlanChart::Calendar => calendar::lines(app, width),
        PlanChart::Compare => compare::lines(app, width),
        PlanChart::Curve | PlanChart::Fan | PlanChart::Cost | PlanChart::Payback => Vec::new(),
    }
}

/// A paragraph, wrapped.
fn paragraph(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    lines.extend(wrap(text, width.max(8)).into_iter().map(|part| Line::of(role, part)));
}

/// Text in place of a list that is not computed yet.
fn waiting(app: &App, what: &str, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let text = match app.whatif().plan() {
        Some(plan) if plan.trouble().is_some() => "There is no answer to show.".to_owned(),
        _ => format!("{what} take longer than the sums: they come by themselves."),
    };
    paragraph(Role::Dim, &text, width, &mut lines);
    lines
}
