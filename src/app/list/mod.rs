//! A list: rows with a filter, an order, a cursor, columns, marks. The cursor and the marks belong to
//! rows, not to lines, so that they stay put when data change. Nothing here knows what the rows are:
//! a list works by the table of its fields alone.

mod columns;
mod filtered;
mod guests;
mod heads;
mod marks;
mod narrow;
mod placement;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

pub use columns::column_entries;
pub use filtered::{Dollars, Filtered};
pub use heads::{Heads, TableLine};
pub use marks::Marked;
pub use narrow::Choice;
pub use placement::{GUTTER, Placed, Placement};

use super::keymap::Action;
use super::saved_view::SavedView;
use crate::query::QueryError;
use crate::view::{FieldSpec, FieldTable, Filter, Rows, Sort, TableField, ViewContext, table};

/// A list on screen: rows, filter, order, cursor, marks.
#[derive(Clone, Debug)]
pub struct List {
    /// Fields of the rows.
    table: &'static dyn FieldTable,
    /// The rows of the last [`List::sync`]; `None` before it and after [`List::release`].
    rows: Option<Arc<dyn Rows>>,
    /// The filter in force, as typed.
    filter_text: String,
    filter: Option<Filter>,
    /// Filters before those that narrowed them, oldest first; empty where the filter was typed.
    former_filters: Vec<String>,
    /// Grows with each change of the filter.
    filter_revision: u32,
    /// Order in use.
    pub sort: Sort,
    /// Columns, from left to right.
    columns: Vec<&'static FieldSpec>,
    /// The default ones.
    usual: Vec<&'static FieldSpec>,
    /// The column that the headings say already: it is not placed.
    implied: Option<&'static FieldSpec>,
    /// Columns scrolled away to the left.
    column_offset: usize,
    /// Indices of the rows shown.
    order: Vec<u32>,
    /// Headings between the rows; `None` where each line is a row.
    heads: Option<Heads>,
    /// Grows with each change of the headings.
    heads_revision: u32,
    /// Inputs that `order` was made from.
    made_from: Option<Inputs>,
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
    /// Number of marks on rows that the filter hides.
    hidden_marks: usize,
    /// The sums over the rows that pass the filter; `None` without one.
    filtered: Option<Filtered>,
    unmatched: Option<String>,
    /// What is worth knowing of the rows that pass.
    worth_knowing: Option<String>,
    /// Columns that the filter is about and that nobody chose; they stand first.
    guests: Vec<&'static FieldSpec>,
    /// Columns that the filter is about, the guests first: where not all find room, others are left out before them.
    kept: Vec<&'static FieldSpec>,
    /// What a word that is searched for may have meant.
    meant: Option<String>,
    /// The sums of the marks, kept so that drawing does not walk the rows.
    marked: Option<Marked>,
    /// The search by which rows were marked by the lot; `None` where none of the marks are from one.
    marked_by: Option<String>,
}

/// Identifies the rows of a picture: its version, and its time.
pub type RowsStamp = (u64, Option<Timestamp>);

/// Everything that the selection and order of rows depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inputs {
    of: RowsStamp,
    filter: u32,
    heads: u32,
    sort: Sort,
    /// Spans are filtered by the time; an order never changes by time alone.
    now: Option<Timestamp>,
}

impl List {
    /// An empty list of rows with fields of type `F`, with its default columns.
    pub fn of<F: TableField>() -> Self {
        Self::new(F::table())
    }

    /// An empty list of rows with these fields, with its default columns.
    pub fn new(table: &'static dyn FieldTable) -> Self {
        Self::with_columns(table, table.screen_columns())
    }

    /// An empty list of rows with these fields, whose default columns are other ones than those of its table.
    pub fn with_columns(table: &'static dyn FieldTable, columns: Vec<&'static FieldSpec>) -> Self {
        Self {
            table,
            rows: None,
            filter_text: String::new(),
            filter: None,
            former_filters: Vec::new(),
            filter_revision: 0,
            sort: Sort::default(),
            columns: columns.clone(),
            usual: columns,
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
            hidden_marks: 0,
            filtered: None,
            unmatched: None,
            worth_knowing: None,
            guests: Vec::new(),
            kept: Vec::new(),
            meant: None,
            marked: None,
            marked_by: None,
        }
    }

    /// Updates rows, selection and order where anything they depend on changed; `stamp` identifies the rows.
    /// The cursor stays on its row and, where possible, on its line of the screen. After a new order, or a
    /// filter that hides the row, it is on the first line, where the result begins.
    pub fn sync(
        &mut self,
        stamp: RowsStamp,
        ctx: &ViewContext,
        rows: impl FnOnce() -> Arc<dyn Rows>,
    ) {
        self.sync_arranged(stamp, ctx, rows, |_, _| None);
    }

    /// Like [`List::sync`]; `arrange` may reorder the selected rows and put headings between them. Its flag is true
    /// where the order may change: the cursor is on the first line, or the user asked for another order.
    pub fn sync_arranged(
        &mut self,
        stamp: RowsStamp,
        ctx: &ViewContext,
        rows: impl FnOnce() -> Arc<dyn Rows>,
        arrange: impl FnOnce(&mut Vec<u32>, bool) -> Option<Heads>,
    ) {
        let inputs = Inputs {
            of: stamp,
            filter: self.filter_revision,
            heads: self.heads_revision,
            sort: self.sort,
            now: self.filter.is_some().then_some(ctx.now),
        };
        if self.rows.is_some() && self.made_from == Some(inputs) {
            return;
        }
        let before = self.made_from.replace(inputs);
        let known = self.rows.take().filter(|_| before.is_some_and(|m| m.of == stamp));
        let new_rows = known.is_none();
        let rows = &*self.rows.insert(known.unwrap_or_else(rows));
        self.chosen &= before.is_none_or(|m| m.sort == inputs.sort);
        self.order = table::select(&**rows, self.filter.as_ref(), self.sort, ctx);
        self.heads = arrange(&mut self.order, !self.chosen);
        if new_rows {
            self.renew_marks();
        }
        let line = self.cursor.saturating_sub(self.top);
        let at = self.cursor_id.as_ref().and_then(|id| self.position(id));
        let refiltered =
            before.is_some_and(|m| (m.filter, m.heads) != (inputs.filter, inputs.heads));
        self.cursor = match at {
            Some(at) if self.chosen => at,
            None if self.chosen && !refiltered => self.cursor,
            _ => 0,
        };
        self.cursor = self.cursor.min(self.lines().saturating_sub(1));
        self.top = self.cursor.saturating_sub(line);
        self.remember();
        self.sum_filter(ctx);
        self.count_hidden_marks();
        self.unmatched = self.find_unmatched(ctx);
        self.find_what_is_meant(ctx);
    }

    /// Drops the rows until the next [`List::sync`], so that a list off screen keeps no picture alive. Cursor
    /// and marks stay.
    pub fn release(&mut self) {
        self.rows = None;
        self.order = Vec::new();
        self.heads = None;
    }

    /// Prepares the list for other rows: order and columns stay; cursor, filter and marks are reset.
    pub fn start_anew(&mut self) {
        self.clear_filter();
        self.unmark();
        self.cancel_range();
        self.release();
        self.made_from = None;
        self.column_offset = 0;
        self.start_over();
    }

    /// Table of the fields.
    pub fn table(&self) -> &'static dyn FieldTable {
        self.table
    }

    /// All rows, before the filter; `None` before the first [`List::sync`].
    pub fn rows(&self) -> Option<&Arc<dyn Rows>> {
        self.rows.as_ref()
    }

    /// All rows like [`List::rows`], where they are those identified by `stamp`; `None` for others.
    pub fn rows_of(&self, stamp: RowsStamp) -> Option<&Arc<dyn Rows>> {
        self.rows.as_ref().filter(|_| self.made_from.is_some_and(|m| m.of == stamp))
    }

    fn key(&self, row: u32) -> Option<&Arc<str>> {
        self.rows.as_ref()?.key(row)
    }

    fn position(&self, id: &Arc<str>) -> Option<usize> {
        let is = |row: u32| self.key(row) == Some(id);
        match &self.heads {
            Some(heads) => heads.position(is, id),
            None => self.order.iter().position(|row| is(*row)),
        }
    }

    fn remember(&mut self) {
        let head = self.heads.as_ref().and_then(|h| h.id_at(self.cursor));
        let id = head.or_else(|| self.current_id());
        self.cursor_id = id.cloned();
    }

    /// Number of lines: rows and headings.
    pub fn lines(&self) -> usize {
        self.heads.as_ref().map_or(self.order.len(), Heads::len)
    }

    /// Content of a line; `None` behind the last one.
    pub fn line(&self, at: usize) -> Option<TableLine> {
        match &self.heads {
            Some(heads) => heads.line(at),
            None => self.order.get(at).copied().map(TableLine::Row),
        }
    }

    /// Indices of the rows on the lines, from the top.
    pub fn shown_rows(&self) -> Vec<u32> {
        match &self.heads {
            Some(heads) => heads.rows().collect(),
            None => self.order.clone(),
        }
    }

    /// Number of the heading under the cursor; `None` on a row.
    pub fn current_head(&self) -> Option<u32> {
        match self.line(self.cursor)? {
            TableLine::Head(head) => Some(head),
            TableLine::Row(_) => None,
        }
    }

    /// Requests new headings at the next [`List::sync_arranged`].
    pub fn rearrange(&mut self) {
        self.heads_revision = self.heads_revision.wrapping_add(1);
    }

    /// Indices of the rows shown, in order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Index of the line with the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Index of the first line on screen.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Index of the row under the cursor; `None` on a heading or in an empty list.
    pub fn current_row(&self) -> Option<u32> {
        match self.line(self.cursor)? {
            TableLine::Row(row) => Some(row),
            TableLine::Head(_) => None,
        }
    }

    /// Id of the row under the cursor; `None` on a heading and in an empty list.
    pub fn current_id(&self) -> Option<&Arc<str>> {
        self.key(self.current_row()?)
    }

    /// Row under the cursor as `R`; `None` without a row, or for rows of another type.
    pub fn current<R: 'static>(&self) -> Option<&Arc<R>> {
        self.rows.as_ref()?.get(self.current_row()?)
    }

    /// Rows shown, in order, as `R`; empty where rows are of another type.
    pub fn shown<R: 'static>(&self) -> Vec<Arc<R>> {
        let rows = self.rows.iter().flat_map(|rows| self.order.iter().map(|row| rows.get(*row)));
        rows.flatten().cloned().collect()
    }

    /// Moves the cursor by `lines`, up to the ends.
    pub fn step(&mut self, lines: isize) {
        self.go(self.cursor.saturating_add_signed(lines));
    }

    /// Moves the cursor to line `to`, at most the last one.
    pub fn go(&mut self, to: usize) {
        self.cursor = to.min(self.lines().saturating_sub(1));
        self.remember();
        self.choose();
    }

    /// Resets the cursor to the first line, for other rows.
    pub fn start_over(&mut self) {
        self.chosen = false;
        self.cursor = 0;
        self.top = 0;
        self.cursor_id = None;
    }

    /// Ties the cursor to the row under it, which it follows from then on.
    pub fn choose(&mut self) {
        self.chosen = !self.order.is_empty();
    }

    /// Moves the cursor to a row; false where it is not shown.
    pub fn go_to(&mut self, id: &Arc<str>) -> bool {
        let at = self.position(id);
        if let Some(at) = at {
            self.go(at);
        }
        at.is_some()
    }

    /// Moves the cursor to the row below or above one; its id, or `None` where that one is not shown or has none there.
    pub fn go_beside(&mut self, id: &Arc<str>, below: bool) -> Option<Arc<str>> {
        if !self.go_to(id) {
            return None;
        }
        let before = self.cursor();
        self.step(if below { 1 } else { -1 });
        (self.cursor() != before).then(|| self.current_id().cloned()).flatten()
    }

    /// Applies a key that concerns the list alone: sideways scrolling in `width` terminal columns, marks.
    pub fn act(&mut self, action: Action, width: u16) {
        match action {
            Action::Left | Action::Right => self.scroll_columns(action == Action::Right, width),
            Action::Mark => self.toggle_mark(),
            Action::MarkRange => self.mark_range(),
            Action::MarkAll => self.mark_all(),
            Action::Unmark => self.unmark(),
            _ => {}
        }
    }

    /// Scrolls so that the cursor is within `height` lines and the end leaves no empty lines.
    pub fn scroll_into(&mut self, height: usize) {
        let height = height.max(1);
        self.top = self
            .top
            .min(self.cursor)
            .max((self.cursor + 1).saturating_sub(height))
            .min(self.lines().saturating_sub(height));
    }

    /// Filter in force, as typed; empty without one.
    pub fn filter_text(&self) -> &str {
        &self.filter_text
    }

    /// What is to be known of the filter in force, see [`Filter::remark`]; else what a word in it may have meant.
    pub fn remark(&self) -> Option<String> {
        self.filter.as_ref()?.remark().or_else(|| self.meant.clone())
    }

    /// True when the filter searches for words.
    fn searches(&self) -> bool {
        self.filter.as_ref().is_some_and(Filter::searches)
    }

    /// The search that rows are chosen by: the filter in force, else the one under which they were marked by the lot, whatever
    /// the filter is by now; `None` where neither searches for words.
    pub fn search(&self) -> Option<&str> {
        if self.searches() { Some(&self.filter_text) } else { self.marked_by.as_deref() }
    }

    /// Puts a filter in force. Fails, and changes nothing, where it cannot be parsed.
    pub fn filter_by(&mut self, text: &str) -> Result<(), QueryError> {
        self.filter = Some(Filter::parse(self.table, text)?).filter(|f| !f.is_empty());
        if text.trim() != self.filter_text {
            self.former_filters.clear();
        }
        text.trim().clone_into(&mut self.filter_text);
        self.filter_revision = self.filter_revision.wrapping_add(1);
        Ok(())
    }

    /// Removes the filter, so that all rows show.
    pub fn clear_filter(&mut self) {
        self.filter = None;
        self.filter_text.clear();
        self.former_filters.clear();
        self.filter_revision = self.filter_revision.wrapping_add(1);
    }

    /// Applies a saved view: filter, order, columns. Fields unknown to this version are ignored. Fails where
    /// its filter cannot be parsed.
    pub fn look_as(&mut self, view: &SavedView) -> Result<(), QueryError> {
        self.filter_by(&view.filter)?;
        let field = self.table.find(&view.sort);
        self.sort = Sort { field, descending: field.is_some() && view.descending };
        self.show_columns(&view.columns);
        Ok(())
    }

    /// Filter, order and columns as a saved view; the caller adds the name of the list.
    pub fn view(&self, name: &str) -> SavedView {
        SavedView {
            name: name.to_owned(),
            filter: self.filter_text.clone(),
            sort: self.sort.field.map(|f| f.name.to_owned()).unwrap_or_default(),
            descending: self.sort.descending,
            columns: self.columns.iter().map(|f| f.name.to_owned()).collect(),
            ..SavedView::default()
        }
    }
}
