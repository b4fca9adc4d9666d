//! Any list, written from its field table.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::sheet::{self, Sheet};
use super::{Notes, Report, filtered, json, text, troubles_of};
use crate::domain::{Reading, SourceId};
use crate::view::room::{Extent, fit};
use crate::view::{FieldSpec, TableField, ViewContext, format};

/// Rows of a list with columns and filter, as a subcommand or the screen shows them.
#[derive(Clone, Debug)]
pub struct List<F: ListField> {
    /// The rows, in order.
    pub rows: Vec<Arc<F::Row>>,
    /// Chosen columns; empty = the default ones.
    pub columns: Vec<F>,
    /// True where the columns were named or all asked for: they are written whatever their number, and none is left
    /// out for want of room.
    pub is_exact: bool,
    /// Rows to write, from the first one on; `None` = all. Sums are of all rows either way.
    pub limit: Option<usize>,
    /// Filter over the rows, as typed; empty without one.
    pub filter: String,
    /// Where the rows come from: a fleet, a scan, savings.
    pub of: F::Of,
}

/// A field of a list that can be reported; adds what a report needs besides fields.
pub trait ListField: TableField {
    /// Type of what the rows come from.
    type Of: Send + Sync + 'static;

    /// Name of the list: `idle` in the schema `burntop/idle/1`.
    const VIEW: &'static str;

    /// Default columns of the table and of Markdown.
    const COLUMNS: &'static [Self] = Self::SCREEN_COLUMNS;

    /// Columns that identify a row; CSV contains them whatever was chosen.
    const IDENTITY: &'static [Self];

    /// False for a field that rows of `of` never have: it is left out of tables, CSV and JSON.
    fn is_of(self, _of: &Self::Of) -> bool {
        true
    }

    /// Default columns where they depend on what the rows come from; `None` = [`Self::COLUMNS`].
    fn columns_of(_of: &Self::Of) -> Option<Vec<Self>> {
        None
    }

    /// One sentence on what the figures mean, without the filter.
    fn basis(of: &Self::Of) -> String;

    /// Sources that the rows depend on.
    const SOURCES: &'static [SourceId];

    /// Readings of all sources, whether the rows depend on them or not.
    fn readings(of: &Self::Of) -> &[Reading];

    /// Heading of the column in text and Markdown.
    fn heading(self, _of: &Self::Of) -> &'static str {
        self.spec().header
    }

    /// JSON members of a row before its fields, in this order; a field of the same name is left out.
    fn first(_row: &Self::Row, _of: &Self::Of, _ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// JSON members of a row after its fields (lists and objects); a field of the same name is left out.
    fn more(_row: &Self::Row, _of: &Self::Of) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// JSON members of the document beside the rows.
    fn beside(_list: &List<Self>, _ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// Lines below the table, before the basis and the failed readings.
    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String>;
}

impl<F: ListField> List<F> {
    /// A list with the default columns.
    pub fn of(rows: Vec<Arc<F::Row>>, filter: Option<&str>, of: F::Of) -> Self {
        let filter = filter.unwrap_or_default().to_owned();
        Self { rows, columns: Vec::new(), is_exact: false, limit: None, filter, of }
    }

    /// All rows, one after the other.
    pub(super) fn each(&self) -> impl Iterator<Item = &F::Row> {
        self.rows.iter().map(|row| &**row)
    }

    /// The rows that are written.
    fn written(&self) -> impl Iterator<Item = &F::Row> {
        self.each().take(self.limit.unwrap_or(usize::MAX))
    }

    /// Number of rows that are not written.
    fn rows_left_out(&self) -> usize {
        self.limit.map_or(0, |limit| self.rows.len().saturating_sub(limit))
    }

    /// The columns that were chosen, unless they are what the list has anyway.
    fn chosen(&self) -> Option<&[F]> {
        let chosen = &self.columns[..];
        let is_usual = || {
            chosen == F::SCREEN_COLUMNS || F::columns_of(&self.of).is_some_and(|of| of == chosen)
        };
        (!chosen.is_empty() && (self.is_exact || !is_usual())).then_some(chosen)
    }

    /// The columns of text and Markdown: those chosen, else the default ones.
    fn shown(&self) -> Vec<F> {
        let usual = || F::columns_of(&self.of).unwrap_or_else(|| F::COLUMNS.to_vec());
        self.chosen().map_or_else(usual, |chosen| self.which_are(chosen))
    }

    /// Those of these fields that the rows have.
    fn which_are(&self, fields: &[F]) -> Vec<F> {
        fields.iter().copied().filter(|field| field.is_of(&self.of)).collect()
    }

    fn table(&self, columns: &[F], ctx: &ViewContext) -> Sheet {
        let mut sheet = sheet::of(self.written(), columns, ctx);
        for (column, field) in sheet.columns.iter_mut().zip(columns) {
            column.header = field.heading(&self.of);
        }
        sheet
    }

    /// The columns in `room` terminal columns: the rule of the screen, by the widths that the cells have. Texts that
    /// may grow there are cut here; what finds no room is named below.
    fn narrowed(&self, columns: &[F], room: u16, ctx: &ViewContext) -> String {
        let sheet = self.table(columns, ctx);
        let extent = |(field, most): (&F, usize)| {
            let spec = field.spec();
            let least = if spec.grows { most.min(usize::from(spec.width)) } else { most };
            Extent { least, most }
        };
        let extents: Vec<Extent> =
            columns.iter().zip(text::natural_widths(&sheet)).map(extent).collect();
        let fields: Vec<&'static FieldSpec> = columns.iter().map(|field| field.spec()).collect();
        let left_out = F::table().left_out(&fields);
        let kept = fit(&extents, left_out, text::GAP, usize::from(room));
        let is_kept = |i: usize| kept.iter().any(|(k, _)| *k == i);
        let names: Vec<&str> =
            (0..columns.len()).filter(|i| !is_kept(*i)).map(|i| columns[i].spec().name).collect();
        let mut out = text::narrowed(&sheet, &kept, ctx.symbols);
        if !names.is_empty() {
            out.push_str(&format!(
                "no room for {}; --columns chooses, --wide shows every column\n",
                names.join(", ")
            ));
        }
        out
    }

    fn row(&self, row: &F::Row, ctx: &ViewContext) -> Json {
        let own = |(name, value): (&str, Json)| (name.to_owned(), value);
        let mut out: Map<String, Json> =
            F::first(row, &self.of, ctx).into_iter().map(own).collect();
        for field in F::all().iter().filter(|field| field.is_of(&self.of)) {
            let name = field.spec().name;
            if !out.contains_key(name) {
                out.insert(name.to_owned(), json::value(&field.exported(row, ctx)));
            }
        }
        out.extend(F::more(row, &self.of).into_iter().map(own));
        Json::Object(out)
    }
}

impl<F: ListField> Report for List<F> {
    fn view(&self) -> &'static str {
        F::VIEW
    }

    fn basis(&self) -> String {
        F::basis(&self.of) + &filtered(&self.filter)
    }

    fn readings(&self) -> &[Reading] {
        F::readings(&self.of)
    }

    fn sources(&self) -> Option<&'static [SourceId]> {
        Some(F::SOURCES)
    }

    fn rows(&self, ctx: &ViewContext, most: usize) -> Vec<Json> {
        self.written().take(most).map(|row| self.row(row, ctx)).collect()
    }

    fn beside(&self, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        let mut beside = F::beside(self, ctx);
        if self.rows_left_out() > 0 {
            beside.push(("rows_left_out", self.rows_left_out().into()));
        }
        beside
    }

    /// Every field where none are chosen.
    fn records(&self, ctx: &ViewContext) -> Sheet {
        let Some(chosen) = self.chosen() else {
            return self.table(&self.which_are(F::all()), ctx);
        };
        let identity = F::IDENTITY.iter().filter(|field| !chosen.contains(field));
        let columns: Vec<F> = chosen.iter().chain(identity).copied().collect();
        self.table(&self.which_are(&columns), ctx)
    }

    fn sheet(&self, ctx: &ViewContext) -> Sheet {
        self.table(&self.shown(), ctx)
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let table = match ctx.width {
            Some(room) if !self.is_exact => self.narrowed(&self.shown(), room, ctx),
            room => text::table(&self.sheet(ctx), room),
        };
        table + &self.notes(ctx).text()
    }

    fn left_out(&self, _: &ViewContext) -> Option<String> {
        let (left_out, all) = (self.rows_left_out(), self.rows.len());
        let count = |n: usize| format::count(n as f64);
        (left_out > 0).then(|| {
            format!(
                "{} of {} {} left out by --limit; sums are of all",
                count(left_out),
                count(all),
                F::NOUNS[1],
            )
        })
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        let mut lines: Vec<String> = self.left_out(ctx).into_iter().collect();
        lines.extend(F::notes(self, ctx));
        lines.push(format!("basis: {}", self.basis()));
        lines.extend(troubles_of(self.rests_on()));
        Notes::Below(lines)
    }
}
