//! What a report says, and the one place where it becomes text.

use serde_json::Value as Json;

use super::sheet::Sheet;
use super::{Format, csv, json, markdown, text};
use crate::domain::{Reading, SourceId};
use crate::view::ViewContext;

/// A view with everything that is said of it, before it has a format. What is not overridden is what
/// most reports do: a table for people with lines below it, the same table for machines.
pub(crate) trait Report {
    /// Its name: `idle` of the schema `burntop/idle/1`.
    fn view(&self) -> &'static str;

    /// What the figures mean, one sentence.
    fn basis(&self) -> String;

    /// How the sources are doing, all that are known of.
    fn readings(&self) -> &[Reading] {
        &[]
    }

    /// The sources that it rests on; `None` for all.
    fn sources(&self) -> Option<&'static [SourceId]> {
        None
    }

    /// How the sources are doing that it rests on: the same wherever it is made, whatever else was
    /// read beside them.
    fn rests_on(&self) -> Vec<&Reading> {
        let sources = self.sources();
        let named = |r: &&Reading| sources.is_none_or(|all| all.contains(&r.source));
        self.readings().iter().filter(named).collect()
    }

    /// What failed, as JSON states it.
    fn errors(&self) -> Vec<Json> {
        json::errors(self.rests_on())
    }

    /// `rows[]` of the JSON document, `most` of them at most.
    fn rows(&self, _ctx: &ViewContext, _most: usize) -> Vec<Json> {
        Vec::new()
    }

    /// What stands beside the rows in JSON.
    fn beside(&self, _ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// The table for machines: what CSV holds.
    fn records(&self, ctx: &ViewContext) -> Sheet;

    /// The table for people.
    fn sheet(&self, ctx: &ViewContext) -> Sheet {
        self.records(ctx)
    }

    /// What people read below the table.
    fn notes(&self, ctx: &ViewContext) -> Notes;

    /// For people at a terminal.
    fn text(&self, ctx: &ViewContext) -> String {
        text::table(&self.sheet(ctx)) + &self.notes(ctx).text()
    }

    /// For people in a browser.
    fn markdown(&self, ctx: &ViewContext) -> String {
        markdown::table(&self.sheet(ctx)) + &self.notes(ctx).markdown()
    }
}

/// Lines below a table.
pub(crate) enum Notes {
    /// Directly below it; in Markdown each is a paragraph.
    Below(Vec<String>),
    /// Behind an empty line; in Markdown each is a point of a list.
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

/// Writes a report in a format.
pub(crate) fn write(report: &dyn Report, format: Format, ctx: &ViewContext) -> String {
    match format {
        Format::Table => report.text(ctx),
        Format::Json => json::document(report, ctx),
        Format::Csv => csv::table(&report.records(ctx)),
        Format::Md => report.markdown(ctx),
    }
}

/// The rows of a report as JSON, one per line, `most` at most.
pub(crate) fn json_lines(report: &dyn Report, most: usize, ctx: &ViewContext) -> String {
    let rows = report.rows(ctx, most);
    rows.iter().map(Json::to_string).collect::<Vec<_>>().join("\n")
}
