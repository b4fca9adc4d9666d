//! What a report says, and the one place where it becomes text.

use serde_json::Value as Json;

use super::html::{Page, Section};
use super::sheet::Sheet;
use super::{Format, csv, exact_json, json, markdown, text};
use crate::domain::{Reading, SourceId};
use crate::view::ViewContext;
use crate::view::room::wrapped;

/// A report before it has a format. The default methods fit most reports: one table for text and CSV, with
/// lines below it.
pub(crate) trait Report {
    /// Name of the report: `idle` in the schema `burntop/idle/1`.
    fn view(&self) -> &'static str;

    /// One sentence on what the figures mean.
    fn basis(&self) -> String;

    /// Readings of all sources.
    fn readings(&self) -> &[Reading] {
        &[]
    }

    /// Sources that the report depends on; `None` = all.
    fn sources(&self) -> Option<&'static [SourceId]> {
        None
    }

    /// Readings of these sources only, so that a report is the same whatever else was read.
    fn rests_on(&self) -> Vec<&Reading> {
        let sources = self.sources();
        let named = |r: &&Reading| sources.is_none_or(|all| all.contains(&r.source));
        self.readings().iter().filter(named).collect()
    }

    /// Errors of the readings, as JSON objects.
    fn errors(&self) -> Vec<Json> {
        json::errors(self.rests_on())
    }

    /// `rows[]` of the JSON document, at most `most`.
    fn rows(&self, _ctx: &ViewContext, _most: usize) -> Vec<Json> {
        Vec::new()
    }

    /// JSON members of the document beside the rows.
    fn beside(&self, _ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// The table that CSV contains.
    fn records(&self, ctx: &ViewContext) -> Sheet;

    /// The table shown as text and Markdown.
    fn sheet(&self, ctx: &ViewContext) -> Sheet {
        self.records(ctx)
    }

    /// Lines below the table.
    fn notes(&self, ctx: &ViewContext) -> Notes;

    /// How many rows were left out because fewer were asked for, one sentence; `None` where all are written.
    fn left_out(&self, _: &ViewContext) -> Option<String> {
        None
    }

    /// The report as aligned text.
    fn text(&self, ctx: &ViewContext) -> String {
        text::table(&self.sheet(ctx), ctx.width) + &self.notes(ctx).text()
    }

    /// The report as Markdown.
    fn markdown(&self, ctx: &ViewContext) -> String {
        markdown::table(&self.sheet(ctx)) + &self.notes(ctx).markdown()
    }

    /// The report as one HTML page that needs nothing else.
    fn html(&self, ctx: &ViewContext) -> String {
        let (sheet, notes) = (self.sheet(ctx), self.notes(ctx).lines());
        let id = self.view();
        let section = Section { id, title: id, chart: None, sheet: &sheet, notes: &notes };
        Page { title: id, sections: vec![section], notes: &[] }.html()
    }
}

/// Lines below a table, and how they are set off.
pub(crate) enum Notes {
    /// Directly below it; in Markdown each is a paragraph.
    Below(Vec<String>),
    /// After an empty line; in Markdown each is a list item.
    Apart(Vec<String>),
}

impl Notes {
    /// As text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Below(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
            Self::Apart(lines) => {
                let lines = lines.iter().map(|line| markdown::note("", line));
                std::iter::once("\n".to_owned()).chain(lines).collect()
            }
        }
    }

    /// Its lines.
    pub(super) fn lines(self) -> Vec<String> {
        match self {
            Self::Below(lines) | Self::Apart(lines) => lines,
        }
    }

    /// As Markdown.
    pub(super) fn markdown(&self) -> String {
        match self {
            Self::Below(lines) => {
                lines.iter().map(|line| format!("\n{}\n", markdown::escape(line))).collect()
            }
            Self::Apart(lines) => {
                let lines = lines.iter().map(|line| markdown::note("- ", line));
                std::iter::once("\n".to_owned()).chain(lines).collect()
            }
        }
    }
}

/// Writes a report in a format; as text no line is wider than the terminal of `ctx`.
pub(crate) fn write(report: &dyn Report, format: Format, ctx: &ViewContext) -> String {
    match format {
        Format::Table => wrapped(report.text(ctx), ctx.width),
        Format::Json => json::document(report, ctx),
        Format::Csv => csv::table(&report.records(ctx)),
        Format::Md => report.markdown(ctx),
        Format::Html => report.html(ctx),
    }
}

/// The rows of a report as JSON lines, at most `most`.
pub(crate) fn json_lines(report: &dyn Report, most: usize, ctx: &ViewContext) -> String {
    let rows = report.rows(ctx, most);
    rows.iter().map(exact_json::compact).collect::<Vec<_>>().join("\n")
}
