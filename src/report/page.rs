//! A report made of figures and one table, before it has a format.

use serde_json::Value as Json;

use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report, json, markdown, text};
use crate::domain::Reading;
use crate::view::{Align, Value, ViewContext};

/// A report of figures and at most one table.
#[derive(Default)]
pub(super) struct Page<'a> {
    /// Name of the schema, without version.
    pub view: &'static str,
    /// One sentence on what the figures mean.
    pub basis: String,
    /// Readings of the sources.
    pub readings: &'a [Reading],
    /// Further errors, as JSON objects.
    pub errors: Vec<Json>,
    /// Rows of the JSON document.
    pub rows: Vec<Json>,
    /// JSON members of the document beside the rows.
    pub more: Vec<(&'static str, Json)>,
    /// Figures above the table; also the CSV where there is no table.
    pub facts: Vec<Fact>,
    /// The table shown; `None` for figures alone.
    pub sheet: Option<Sheet>,
    /// The table for CSV where it differs from `sheet`; `None` = `sheet`.
    pub records: Option<Sheet>,
    /// Lines below the table.
    pub notes: Vec<String>,
}

/// One figure: its name for machines, its name for people, the figure.
pub(super) struct Fact {
    /// Name in CSV, `snake_case`.
    pub name: &'static str,
    /// Label in text and Markdown.
    pub label: &'static str,
    /// The figure.
    pub cell: Cell,
}

impl Fact {
    pub(super) fn new(name: &'static str, label: &'static str, cell: Cell) -> Self {
        Self { name, label, cell }
    }
}

impl Report for Page<'_> {
    fn view(&self) -> &'static str {
        self.view
    }

    fn basis(&self) -> String {
        self.basis.clone()
    }

    fn readings(&self) -> &[Reading] {
        self.readings
    }

    fn errors(&self) -> Vec<Json> {
        json::errors(self.readings).into_iter().chain(self.errors.iter().cloned()).collect()
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.rows.iter().take(most).cloned().collect()
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        self.more.clone()
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        let table = self.records.as_ref().or(self.sheet.as_ref());
        table.cloned().unwrap_or_else(|| self.facts())
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Below(self.notes.clone())
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let wide = self.facts.iter().map(|f| f.label.chars().count()).max().unwrap_or(0);
        let fact = |f: &Fact| {
            let blanks = " ".repeat(wide - f.label.chars().count());
            format!("{}{blanks}  {}\n", f.label, f.cell.shown)
        };
        let facts: String = self.facts.iter().map(fact).collect();
        apart(facts, self.sheet.as_ref().map(text::table)) + &self.notes(ctx).text()
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        let none = self.facts.is_empty();
        let facts = if none { String::new() } else { markdown::table(&self.facts()) };
        apart(facts, self.sheet.as_ref().map(markdown::table)) + &self.notes(ctx).markdown()
    }
}

impl Page<'_> {
    /// The figures as a table.
    fn facts(&self) -> Sheet {
        let rows = self.facts.iter().map(|fact| {
            let name = Cell { shown: fact.label.to_owned(), value: Value::Text(fact.name.into()) };
            vec![name, fact.cell.clone()]
        });
        let column = |name, header, align| Column { name, header, align };
        Sheet {
            columns: vec![
                column("name", "WHAT", Align::Left),
                column("value", "VALUE", Align::Right),
            ],
            rows: rows.collect(),
        }
    }
}

/// The facts, and behind an empty line the table.
fn apart(facts: String, table: Option<String>) -> String {
    match table {
        Some(table) if !facts.is_empty() => format!("{facts}\n{table}"),
        table => facts + &table.unwrap_or_default(),
    }
}
