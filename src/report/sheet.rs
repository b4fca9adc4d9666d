//! A table before it has a format: its cells as they are shown and as they are exported.

use std::borrow::Cow;

use crate::view::{Align, TableField, Value, ViewContext};

/// Column of a sheet: name, heading, alignment.
#[derive(Clone)]
pub(crate) struct Column {
    /// Name of the field, for machines.
    pub(super) name: &'static str,
    /// Heading, for people.
    pub(super) header: &'static str,
    /// Alignment.
    pub(super) align: Align,
}

/// Cell of a sheet, as shown and as exported.
#[derive(Clone)]
pub(crate) struct Cell {
    /// As it is shown.
    pub(super) shown: String,
    /// As it is exported.
    pub(super) value: Value<'static>,
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        let shown = text.into();
        Self { value: Value::Text(Cow::Owned(shown.clone())), shown }
    }
}

/// A table before it has a format.
#[derive(Clone)]
pub(crate) struct Sheet {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// These columns of these rows.
pub(super) fn of<'a, F: TableField<Row: 'a>>(
    rows: impl Iterator<Item = &'a F::Row>,
    columns: &[F],
    ctx: &ViewContext,
) -> Sheet {
    let heads = columns.iter().map(|f| {
        let spec = f.spec();
        Column { name: spec.name, header: spec.header, align: spec.align }
    });
    let cells = |row: &F::Row| {
        columns
            .iter()
            .map(|f| Cell { shown: f.cell(row, ctx), value: f.exported(row, ctx).into_owned() })
            .collect()
    };
    Sheet { columns: heads.collect(), rows: rows.map(cells).collect() }
}

/// A quantity as exports state it: at most six digits behind the point, which is what prices have
/// and more than any sum of them means.
pub(super) fn rounded(number: f64) -> f64 {
    if number.abs() < 1e9 { (number * 1e6).round() / 1e6 } else { number }
}
