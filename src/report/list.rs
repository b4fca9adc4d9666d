//! Any list, written from its field table.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::sheet::{self, Sheet};
use super::{Notes, Report, filtered, json, troubles_of};
use crate::domain::{Reading, SourceId};
use crate::view::{TableField, ViewContext};

/// Rows of a list with everything that is said of them: what a subcommand has chosen, or what the
/// screen shows.
#[derive(Clone, Debug)]
pub struct List<F: ListField> {
    /// The rows, in their order.
    pub rows: Vec<Arc<F::Row>>,
    /// The columns that were chosen; empty for those that the list has by default.
    pub columns: Vec<F>,
    /// The filter that chose the rows, as typed; empty for none.
    pub filter: String,
    /// What they are rows of.
    pub of: F::Of,
}

/// A field of a list that can be reported: what the list says besides its fields.
pub trait ListField: TableField {
    /// What the rows are rows of.
    type Of: Send + Sync + 'static;

    /// The name of the list: `idle` of the schema `burntop/idle/1`.
    const VIEW: &'static str;

    /// The columns for people when none are chosen.
    const COLUMNS: &'static [Self] = Self::SCREEN_COLUMNS;

    /// The columns that say which row it is: CSV has them whatever was chosen.
    const IDENTITY: &'static [Self];

    /// What the figures mean, one sentence, without the filter.
    fn basis(of: &Self::Of) -> String;

    /// The sources that the rows rest on.
    const SOURCES: &'static [SourceId];

    /// How the sources are doing, all that are known of.
    fn readings(of: &Self::Of) -> &[Reading];

    /// What a row says before its fields in JSON, in this order; it stands for the fields of the same
    /// names.
    fn first(_row: &Self::Row, _of: &Self::Of, _ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// What a row says behind its fields in JSON: lists and parts; it stands for the fields of the
    /// same names.
    fn more(_row: &Self::Row, _of: &Self::Of) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// What stands beside the rows in JSON.
    fn beside(_list: &List<Self>, _ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// What people read below the table, before the basis and what failed.
    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String>;
}

impl<F: ListField> List<F> {
    /// Rows of a list without a choice of columns.
    pub fn of(rows: Vec<Arc<F::Row>>, filter: Option<&str>, of: F::Of) -> Self {
        Self { rows, columns: Vec::new(), filter: filter.unwrap_or_default().to_owned(), of }
    }

    /// The rows, one after the other.
    pub(super) fn each(&self) -> impl Iterator<Item = &F::Row> {
        self.rows.iter().map(|row| &**row)
    }

    /// The columns that were chosen, unless they are what the list has anyway.
    fn chosen(&self) -> Option<&[F]> {
        let chosen = &self.columns[..];
        (!chosen.is_empty() && chosen != F::SCREEN_COLUMNS).then_some(chosen)
    }

    fn table(&self, columns: &[F], ctx: &ViewContext) -> Sheet {
        sheet::of(self.each(), columns, ctx)
    }

    fn row(&self, row: &F::Row, ctx: &ViewContext) -> Json {
        let own = |(name, value): (&str, Json)| (name.to_owned(), value);
        let mut out: Map<String, Json> =
            F::first(row, &self.of, ctx).into_iter().map(own).collect();
        for field in F::all() {
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
        self.each().take(most).map(|row| self.row(row, ctx)).collect()
    }

    fn beside(&self, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        F::beside(self, ctx)
    }

    /// Every field where none are chosen.
    fn records(&self, ctx: &ViewContext) -> Sheet {
        let Some(chosen) = self.chosen() else { return self.table(F::all(), ctx) };
        let identity = F::IDENTITY.iter().filter(|field| !chosen.contains(field));
        let columns: Vec<F> = chosen.iter().chain(identity).copied().collect();
        self.table(&columns, ctx)
    }

    fn sheet(&self, ctx: &ViewContext) -> Sheet {
        self.table(self.chosen().unwrap_or(F::COLUMNS), ctx)
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        let mut lines = F::notes(self, ctx);
        lines.push(format!("basis: {}", self.basis()));
        lines.extend(troubles_of(self.rests_on()));
        Notes::Below(lines)
    }
}
