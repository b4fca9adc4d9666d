//! Headings between the rows of a list.

use std::sync::Arc;

/// Content of a line of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableLine {
    /// A heading, by its number.
    Head(u32),
    /// A row, by its index.
    Row(u32),
}

/// Lines of a list with group headings.
#[derive(Clone, Debug, Default)]
pub struct Heads {
    lines: Vec<TableLine>,
    /// Id of each heading, for the cursor.
    ids: Vec<Arc<str>>,
}

impl Heads {
    /// `lines` with headings, whose ids are in the order of their numbers.
    pub fn new(lines: Vec<TableLine>, ids: Vec<Arc<str>>) -> Self {
        Self { lines, ids }
    }

    /// Lines.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The rows, from the top.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().filter_map(|line| match line {
            TableLine::Row(row) => Some(*row),
            TableLine::Head(_) => None,
        })
    }

    pub(super) fn line(&self, at: usize) -> Option<TableLine> {
        self.lines.get(at).copied()
    }

    /// What the heading on a line is known by; `None` for a row.
    pub(super) fn id_at(&self, at: usize) -> Option<&Arc<str>> {
        match self.line(at)? {
            TableLine::Head(head) => self.ids.get(head as usize),
            TableLine::Row(_) => None,
        }
    }

    /// Line of the row that passes `is`, or of the heading `id`; `None` where neither is shown.
    pub(super) fn position(&self, is: impl Fn(u32) -> bool, id: &Arc<str>) -> Option<usize> {
        self.lines.iter().position(|line| match line {
            TableLine::Head(head) => self.ids.get(*head as usize) == Some(id),
            TableLine::Row(row) => is(*row),
        })
    }
}
