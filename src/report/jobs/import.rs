//! What an import of jobs brought.

use serde_json::{Value as Json, json};

use crate::report::sheet::{Cell, Column, Sheet};
use crate::report::write::{Notes, Report};
use crate::view::format::{count, counted};
use crate::view::{Align, Value, ViewContext};

/// Failed lines of a file that text and Markdown name.
const NAMED: usize = 5;

/// A file after its import.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFile {
    /// Its name.
    pub file: String,
    /// Attempts that it holds.
    pub attempts: u64,
    /// Lines that could not be read, with the reason; the first ones of many.
    pub failed_lines: Vec<(u64, String)>,
    /// Number of all lines that could not be read.
    pub failed_count: u64,
    /// What is odd, one sentence each.
    pub notes: Vec<String>,
}

/// Result of `burntop jobs import`.
#[derive(Clone, Copy, Debug)]
pub struct JobsImportReport<'a> {
    /// Files that were read, in the order in which they were named.
    pub files: &'a [ImportedFile],
    /// Files of which nothing could be read, one sentence each.
    pub failed: &'a [String],
}

impl Report for JobsImportReport<'_> {
    fn view(&self) -> &'static str {
        "jobs-import"
    }

    fn basis(&self) -> String {
        "Attempts of jobs as the files have them; the same attempt read again replaces itself."
            .into()
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        let line = |(line, why): &(u64, String)| json!({"line": line, "why": why});
        let row = |file: &ImportedFile| {
            json!({
                "file": file.file,
                "attempts": file.attempts,
                "failed_lines": file.failed_lines.iter().map(line).collect::<Vec<_>>(),
                "failed_count": file.failed_count,
                "notes": file.notes,
            })
        };
        self.files.iter().take(most).map(row).collect()
    }

    fn errors(&self) -> Vec<Json> {
        self.failed.iter().map(|message| json!({"source": "jobs", "message": message})).collect()
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        let columns = [
            ("file", "FILE", Align::Left),
            ("attempts", "ATTEMPTS", Align::Right),
            ("failed_count", "FAILED LINES", Align::Right),
        ];
        let columns = columns.map(|(name, header, align)| Column { name, header, align });
        let number =
            |n: u64| Cell { shown: count(n as f64), value: Value::Text(n.to_string().into()) };
        let cells = |file: &ImportedFile| {
            vec![Cell::text(&*file.file), number(file.attempts), number(file.failed_count)]
        };
        Sheet { columns: columns.into(), rows: self.files.iter().map(cells).collect() }
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        let mut lines = Vec::new();
        for file in self.files {
            let of = &file.file;
            lines.extend(file.notes.iter().map(|note| format!("{of}: {note}")));
            let named = file.failed_lines.iter().take(NAMED);
            lines.extend(named.map(|(line, why)| format!("{of}, line {line}: {why}")));
            let more = file.failed_count.saturating_sub(NAMED as u64);
            if more > 0 {
                let more = counted(more as usize, "more line", "more lines");
                lines.push(format!("{of}: {more} could not be read; JSON has their reasons"));
            }
        }
        if !self.failed.is_empty() {
            let failed = counted(self.failed.len(), "file", "files");
            lines.push(format!("PARTIAL: {failed} could not be imported"));
        }
        Notes::Apart(lines)
    }
}
