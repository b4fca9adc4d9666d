//! A section of the report: its table, its rows for JSON, its notes, its chart.

use serde_json::{Map, Value as Json};

use crate::report::html::Chart;
use crate::report::sheet::{Cell, Column, Sheet};
use crate::report::{List, ListField, Report, json};
use crate::view::{Align, Value, ViewContext};

/// A section.
pub(super) struct Part {
    /// Its name, for machines; unique in the report.
    pub name: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// Its table.
    pub sheet: Sheet,
    /// Its rows in JSON.
    pub rows: Vec<Json>,
    /// Lines below the table.
    pub notes: Vec<String>,
    /// Its chart in HTML; `None` for most.
    pub chart: Option<Chart>,
}

impl Part {
    /// A section with nothing in it yet.
    pub(super) fn named(name: &'static str, title: &'static str) -> Self {
        let sheet = Sheet { columns: Vec::new(), rows: Vec::new() };
        Self { name, title, sheet, rows: Vec::new(), notes: Vec::new(), chart: None }
    }

    /// With a table of cells; the rows of JSON are the cells as they are exported.
    pub(super) fn table(self, columns: Vec<Column>, cells: Vec<Vec<Cell>>) -> Self {
        let row = |cells: &Vec<Cell>| {
            let of = columns.iter().zip(cells);
            let fields =
                of.map(|(column, cell)| (column.name.to_owned(), json::value(&cell.value)));
            Json::Object(fields.collect::<Map<_, _>>())
        };
        let rows = cells.iter().map(row).collect();
        Self { rows, sheet: Sheet { columns, rows: cells }, ..self }
    }

    /// With a list as its subcommand has it, and what its figures mean.
    pub(super) fn list<F: ListField>(self, list: &List<F>, ctx: &ViewContext) -> Self {
        let mut notes = F::notes(list, ctx);
        notes.push(format!("basis: {}", F::basis(&list.of)));
        Self { rows: list.rows(ctx, usize::MAX), sheet: list.sheet(ctx), notes, ..self }
    }

    /// With one more line below it.
    pub(super) fn saying(mut self, note: &str) -> Self {
        self.notes.push(note.to_owned());
        self
    }
}

/// A column of text.
pub(super) fn left(name: &'static str, header: &'static str) -> Column {
    Column { name, header, align: Align::Left }
}

/// A column of figures.
pub(super) fn right(name: &'static str, header: &'static str) -> Column {
    Column { name, header, align: Align::Right }
}

/// A figure as `shown` has it; a dash for one that is not known.
pub(super) fn figure(
    value: Option<f64>,
    ctx: &ViewContext,
    shown: impl FnOnce(f64) -> String,
) -> Cell {
    let value = value.filter(|value| value.is_finite());
    Cell {
        shown: ctx.symbols.or_unknown(value, shown),
        value: value.map_or(Value::Unknown, Value::Number),
    }
}
