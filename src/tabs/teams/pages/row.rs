//! The page of a row: each of its fields with what it means, and what to do about it.

use std::sync::Arc;

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::{fact_at, heading, paragraph};
use crate::tabs::teams::lists::TeamsList;
use crate::tabs::teams::picture::{
    AllocationField, BudgetField, PeopleField, QuotaField, TagField, UnitField,
};
use crate::tabs::teams::state::rows_of;
use crate::view::{TableField, reasons};

/// Columns of the names of fields, the longest of which is `returned hours per month`.
const NAME: usize = 26;

/// Lines of the page.
pub fn row(app: &App, list: TeamsList, id: &Arc<str>, width: usize) -> Vec<Line> {
    let rows = app.teams_tab().rows();
    let found = match list {
        TeamsList::Teams => {
            lines::<AllocationField>(app, rows_of(rows.allocation.as_ref()), id, width)
        }
        TeamsList::Tags => lines::<TagField>(app, rows_of(rows.tags.as_ref()), id, width),
        TeamsList::Budgets => lines::<BudgetField>(app, rows_of(rows.budgets.as_ref()), id, width),
        TeamsList::Units => lines::<UnitField>(app, rows_of(rows.units.as_ref()), id, width),
        TeamsList::Quotas => lines::<QuotaField>(app, rows_of(rows.quotas.as_ref()), id, width),
        TeamsList::People => lines::<PeopleField>(app, rows_of(rows.people.as_ref()), id, width),
    };
    let Some(mut lines) = found else {
        return vec![Line::of(Role::Dim, "There is no such row any more.")];
    };
    if let Some(text) = said(app, list, id) {
        lines.push(Line::new());
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    if list == TeamsList::People {
        heading("Total cost, calculated from it", &mut lines);
        paragraph(Role::Accent, &rows.tco, width, &mut lines);
    }
    if list == TeamsList::Tags {
        let row = rows_of(rows.tags.as_ref()).iter().find(|row| row.id == *id);
        if let Some(row) = row.filter(|row| !row.command.is_empty()) {
            heading("Tag it", &mut lines);
            paragraph(Role::Accent, &row.command, width, &mut lines);
        }
    }
    lines
}

/// All fields of a row, each by its name; `None` where it is not there any more.
fn lines<F: TableField>(
    app: &App,
    rows: &[Arc<F::Row>],
    id: &Arc<str>,
    width: usize,
) -> Option<Vec<Line>> {
    let row = rows.iter().find(|row| F::id(row) == id)?;
    let ctx = app.view_context();
    let mut lines = vec![Line::of(Role::Heading, id.trim().to_owned())];
    for field in F::all() {
        let spec = field.spec();
        // A command has a place of its own.
        if spec.name != "command" {
            let (name, text) = (spec.words(), field.cell(row, &ctx));
            fact_at(NAME, Role::Text, &name, &text, width, &mut lines);
        }
    }
    Some(lines)
}

/// What is exceeded, one sentence; `None` where nothing is.
fn said(app: &App, list: TeamsList, id: &Arc<str>) -> Option<String> {
    let rows = app.teams_tab().rows();
    let exceeded = match list {
        TeamsList::Budgets => {
            let row = rows_of(rows.budgets.as_ref()).iter().find(|row| row.id == *id)?;
            reasons::budget_exceeded(&row.of)
        }
        TeamsList::Quotas => {
            let row = rows_of(rows.quotas.as_ref()).iter().find(|row| row.id == *id)?;
            reasons::quota_exceeded(&row.of)
        }
        _ => None,
    };
    exceeded.map(|what| format!("Exceeds {what}."))
}
