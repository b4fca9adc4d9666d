//! A table: filter, order, cursor, columns, marks. The cursor and the marks belong to rows, not to
//! lines, so that they stay put when data change.

mod columns;
mod heads;
mod marks;
mod placement;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

pub use columns::column_entries;
pub use heads::{Heads, TableLine};
pub use marks::Marked;
pub use placement::{GUTTER, Placed, Placement};

use super::keymap::Action;
use crate::query::QueryError;
use crate::view::{Field, Filter, Sort, TableField, ViewContext, table};

/// State of a table. Its rows are handed in: `rows` are always those of the last
/// [`Table::sync`].
#[derive(Clone, Debug)]
pub struct Table<F = Field> {
    /// The filter in force, as typed.
    filter_text: String,
    filter: Option<Filter<F>>,
    /// Grows with each change of the filter.
    filter_revision: u32,
    /// The order in force.
    pub sort: Sort<F>,
    /// Columns, from left to right.
    columns: Vec<F>,
    /// The column that the headings say already: it is not placed.
    implied: Option<F>,
    /// Columns scrolled away to the left.
    column_offset: usize,
    /// Indices of the rows shown.
    order: Vec<u32>,
    /// Headings between the rows; `None` where each line is a row.
    heads: Option<Heads>,
    /// Grows with each change of the headings.
    heads_revision: u32,
    /// What `order` was made from.
    made_from: Option<Inputs<F>>,
    /// Number of a line.
    cursor: usize,
    cursor_id: Option<Arc<str>>,
    /// True from when the user chose a row: until then the cursor stays on the first line, while
    /// rows arrive above the one that was painted first.
    chosen: bool,
    /// First line on screen.
    top: usize,
    /// Marked rows with what each burns, USD/h; `None` without a known price.
    marks: BTreeMap<Arc<str>, Option<f64>>,
    range_from: Option<Arc<str>>,
    /// The sums of the marks, kept so that drawing does not walk the rows.
    marked: Option<Marked>,
}

/// Everything that the selection and order of rows depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inputs<F> {
    version: u64,
    as_of: Option<Timestamp>,
    filter: u32,
    heads: u32,
    sort: Sort<F>,
    /// Spans are filtered by the time; an order never changes by time alone.
    now: Option<Timestamp>,
}

impl<F: TableField> Default for Table<F> {
    fn default() -> Self {
        Self {
            filter_text: String::new(),
            filter: None,
            filter_revision: 0,
            sort: Sort::default(),
            columns: F::SCREEN_COLUMNS.to_vec(),
            implied: None,
            column_offset: 0,
            order: Vec::new(),
            heads: None,
            heads_revision: 0,
            made_from: None,
            cursor: 0,
            cursor_id: None,
            chosen: false,
            top: 0,
            marks: BTreeMap::new(),
            range_from: None,
            marked: None,
        }
    }
}

impl<F: TableField> Table<F> {
    /// Brings selection and order up to date with `rows`, which `version` and `as_of` tell from
    /// others, when anything they depend on changed; the cursor stays on its row and, where it
    /// can, on its line of the screen. Another order, or a filter that takes the row away, begins
    /// at the first line: its answer is there.
    pub fn sync(
        &mut self,
        rows: &[Arc<F::Row>],
        version: u64,
        as_of: Option<Timestamp>,
        ctx: &ViewContext,
    ) {
        self.sync_arranged(rows, version, as_of, ctx, |_, _| None);
    }

    /// As [`Table::sync`]; `arrange` may put the selected rows into another order and headings
    /// between them. It is told whether the order may be made anew: whether nobody reads further
    /// down than the first line, or asked for another order.
    pub fn sync_arranged(
        &mut self,
        rows: &[Arc<F::Row>],
        version: u64,
        as_of: Option<Timestamp>,
        ctx: &ViewContext,
        arrange: impl FnOnce(&mut Vec<u32>, bool) -> Option<Heads>,
    ) {
        let inputs = Inputs {
            version,
            as_of,
            filter: self.filter_revision,
            heads: self.heads_revision,
            sort: self.sort,
            now: self.filter.is_some().then_some(ctx.now),
        };
        if self.made_from == Some(inputs) {
            return;
        }
        let before = self.made_from.replace(inputs);
        let new_rows =
            before.is_none_or(|m| (m.version, m.as_of) != (inputs.version, inputs.as_of));
        self.chosen &= before.is_none_or(|m| m.sort == inputs.sort);
        self.order = table::select(rows, self.filter.as_ref(), self.sort, ctx);
        self.heads = arrange(&mut self.order, !self.chosen);
        if new_rows {
            self.renew_marks(rows);
        }
        let line = self.cursor.saturating_sub(self.top);
        let at = self.cursor_id.as_ref().and_then(|id| self.position(rows, id));
        let refiltered =
            before.is_some_and(|m| (m.filter, m.heads) != (inputs.filter, inputs.heads));
        self.cursor = match at {
            Some(at) if self.chosen => at,
            None if self.chosen && !refiltered => self.cursor,
            _ => 0,
        };
        self.cursor = self.cursor.min(self.lines().saturating_sub(1));
        self.top = self.cursor.saturating_sub(line);
        self.remember(rows);
    }

    fn position(&self, rows: &[Arc<F::Row>], id: &Arc<str>) -> Option<usize> {
        if let Some(heads) = &self.heads {
            return heads.position(|i| row(rows, i).is_some_and(|r| F::id(r) == id), id);
        }
        self.order.iter().position(|i| row(rows, *i).is_some_and(|r| F::id(r) == id))
    }

    fn remember(&mut self, rows: &[Arc<F::Row>]) {
        let head = self.heads.as_ref().and_then(|h| h.id_at(self.cursor));
        self.cursor_id = head.cloned().or_else(|| self.current(rows).map(|r| F::id(r).clone()));
    }

    /// Lines: rows and headings.
    pub fn lines(&self) -> usize {
        self.heads.as_ref().map_or(self.order.len(), Heads::len)
    }

    /// What stands on a line.
    pub fn line(&self, at: usize) -> Option<TableLine> {
        match &self.heads {
            Some(heads) => heads.line(at),
            None => self.order.get(at).copied().map(TableLine::Row),
        }
    }

    /// The rows that stand on the lines, from the top.
    pub fn shown_rows(&self) -> Vec<u32> {
        match &self.heads {
            Some(heads) => heads.rows().collect(),
            None => self.order.clone(),
        }
    }

    /// The heading under the cursor.
    pub fn current_head(&self) -> Option<u32> {
        match self.line(self.cursor)? {
            TableLine::Head(head) => Some(head),
            TableLine::Row(_) => None,
        }
    }

    /// The headings are to be made anew at the next [`Table::sync_arranged`].
    pub fn rearrange(&mut self) {
        self.heads_revision = self.heads_revision.wrapping_add(1);
    }

    /// The rows shown, as indices into the rows.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of the current line.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The first line on screen.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The row under the cursor.
    pub fn current<'a>(&self, rows: &'a [Arc<F::Row>]) -> Option<&'a Arc<F::Row>> {
        match self.line(self.cursor)? {
            TableLine::Row(index) => row(rows, index),
            TableLine::Head(_) => None,
        }
    }

    /// Moves the cursor by `lines`, stopping at the ends.
    pub fn step(&mut self, rows: &[Arc<F::Row>], lines: isize) {
        self.go(rows, self.cursor.saturating_add_signed(lines));
    }

    /// Moves the cursor to line `to`, or to the last one.
    pub fn go(&mut self, rows: &[Arc<F::Row>], to: usize) {
        self.cursor = to.min(self.lines().saturating_sub(1));
        self.remember(rows);
        self.choose();
    }

    /// Other rows from here on: the cursor begins at the first line.
    pub fn start_over(&mut self) {
        self.chosen = false;
        self.cursor = 0;
        self.top = 0;
        self.cursor_id = None;
    }

    /// The user means the row under the cursor: from here on the cursor follows it.
    pub fn choose(&mut self) {
        self.chosen = !self.order.is_empty();
    }

    /// Moves the cursor to a row; false when it is not shown.
    pub fn go_to(&mut self, rows: &[Arc<F::Row>], id: &Arc<str>) -> bool {
        let at = self.position(rows, id);
        if let Some(at) = at {
            self.go(rows, at);
        }
        at.is_some()
    }

    /// What a key does to the table alone: scrolling sideways in `width` terminal columns, marks.
    pub fn act(&mut self, rows: &[Arc<F::Row>], action: Action, width: u16) {
        match action {
            Action::Left | Action::Right => self.scroll_columns(action == Action::Right, width),
            Action::Mark => self.toggle_mark(rows),
            Action::MarkRange => self.mark_range(rows),
            Action::Unmark => self.unmark(),
            _ => {}
        }
    }

    /// Scrolls so that the cursor is among `height` lines and no room is wasted at the end.
    pub fn scroll_into(&mut self, height: usize) {
        let height = height.max(1);
        self.top = self
            .top
            .min(self.cursor)
            .max((self.cursor + 1).saturating_sub(height))
            .min(self.lines().saturating_sub(height));
    }

    /// The filter in force, as typed.
    pub fn filter_text(&self) -> &str {
        &self.filter_text
    }

    /// True when the filter in force searches for words.
    pub fn searches(&self) -> bool {
        self.filter.as_ref().is_some_and(Filter::searches)
    }

    /// Puts the filter in force that `text` says; one that cannot be read changes nothing.
    pub fn filter_by(&mut self, text: &str) -> Result<(), QueryError> {
        self.filter = Some(Filter::parse(text)?).filter(|f| !f.is_empty());
        text.trim().clone_into(&mut self.filter_text);
        self.filter_revision = self.filter_revision.wrapping_add(1);
        Ok(())
    }

    /// Shows all rows.
    pub fn clear_filter(&mut self) {
        self.filter = None;
        self.filter_text.clear();
        self.filter_revision = self.filter_revision.wrapping_add(1);
    }
}

fn row<R>(rows: &[Arc<R>], index: u32) -> Option<&Arc<R>> {
    rows.get(index as usize)
}
