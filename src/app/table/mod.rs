//! The table of instances: filter, order, cursor, marks. The cursor and the marks belong to
//! instances, not to lines, so that they stay put when data change.

mod placement;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

pub use placement::{GUTTER, Placed, Placement};

use crate::fleet::{Fleet, Row};
use crate::view::idle::SCREEN_COLUMNS;
use crate::view::{Field, Filter, Sort, ViewContext, table};

/// State of the table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The filter in force, as typed.
    filter_text: String,
    filter: Option<Filter>,
    /// Grows with each change of the filter.
    filter_revision: u32,
    /// The order in force.
    pub sort: Sort,
    /// Columns, from left to right.
    columns: Vec<Field>,
    /// Columns scrolled away to the left.
    column_offset: usize,
    /// Indices of the rows shown.
    order: Vec<u32>,
    /// What `order` was made from.
    made_from: Option<Inputs>,
    /// Index into `order`.
    cursor: usize,
    cursor_id: Option<Arc<str>>,
    /// True from when the user chose a row: until then the cursor stays on the first line, while
    /// rows arrive above the one that was painted first.
    chosen: bool,
    /// First line on screen.
    top: usize,
    /// Marked instances with what each burns, USD/h; `None` without a known price.
    marks: BTreeMap<Arc<str>, Option<f64>>,
    range_from: Option<Arc<str>>,
    /// The sums of the marks, kept so that drawing does not walk the fleet.
    marked: Option<Marked>,
}

/// Everything that the selection and order of rows depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inputs {
    version: u64,
    as_of: Option<Timestamp>,
    filter: u32,
    sort: Sort,
    /// Spans are filtered by the time; an order never changes by time alone.
    now: Option<Timestamp>,
}

/// Sums over the marked instances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
    /// Instances.
    pub count: usize,
    /// What they burn, USD/h.
    pub usd_per_hour: f64,
    /// Of them without a known price.
    pub unpriced: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            filter_text: String::new(),
            filter: None,
            filter_revision: 0,
            sort: Sort::default(),
            columns: SCREEN_COLUMNS.to_vec(),
            column_offset: 0,
            order: Vec::new(),
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

impl Table {
    /// Brings selection and order up to date with `fleet`, when anything they depend on changed;
    /// the cursor stays on its instance and, where it can, on its line of the screen. Another
    /// order, or a filter that takes the instance away, begins at the first line: its answer is
    /// there.
    pub fn sync(&mut self, fleet: &Fleet, ctx: &ViewContext) {
        let inputs = Inputs {
            version: fleet.version,
            as_of: fleet.as_of,
            filter: self.filter_revision,
            sort: self.sort,
            now: self.filter.is_some().then_some(ctx.now),
        };
        if self.made_from == Some(inputs) {
            return;
        }
        let before = self.made_from.replace(inputs);
        let new_fleet =
            before.is_none_or(|m| (m.version, m.as_of) != (inputs.version, inputs.as_of));
        self.chosen &= before.is_none_or(|m| m.sort == inputs.sort);
        self.order = table::select(fleet, self.filter.as_ref(), self.sort, ctx);
        if new_fleet {
            self.renew_marks(fleet);
        }
        let line = self.cursor.saturating_sub(self.top);
        let at = self.cursor_id.as_ref().and_then(|id| self.position(fleet, id));
        let refiltered = before.is_some_and(|m| m.filter != inputs.filter);
        self.cursor = match at {
            Some(at) if self.chosen => at,
            None if self.chosen && !refiltered => self.cursor,
            _ => 0,
        };
        self.cursor = self.cursor.min(self.order.len().saturating_sub(1));
        self.top = self.cursor.saturating_sub(line);
        self.remember(fleet);
    }

    /// Marks that are still there, with what they burn now.
    fn renew_marks(&mut self, fleet: &Fleet) {
        if !self.marks.is_empty() {
            let marked = fleet.rows.iter().filter(|r| self.marks.contains_key(&r.instance.id));
            self.marks = marked.map(mark).collect();
        }
        self.sum_marks();
    }

    fn position(&self, fleet: &Fleet, id: &Arc<str>) -> Option<usize> {
        self.order.iter().position(|i| row(fleet, *i).is_some_and(|r| r.instance.id == *id))
    }

    fn remember(&mut self, fleet: &Fleet) {
        self.cursor_id = self.current(fleet).map(|r| r.instance.id.clone());
    }

    /// The rows shown, as indices into the fleet.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Index of the current row among those shown.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The first line on screen.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The row under the cursor.
    pub fn current<'a>(&self, fleet: &'a Fleet) -> Option<&'a Arc<Row>> {
        row(fleet, *self.order.get(self.cursor)?)
    }

    /// Moves the cursor by `lines`, stopping at the ends.
    pub fn step(&mut self, fleet: &Fleet, lines: isize) {
        self.go(fleet, self.cursor.saturating_add_signed(lines));
    }

    /// Moves the cursor to line `to`, or to the last one.
    pub fn go(&mut self, fleet: &Fleet, to: usize) {
        self.cursor = to.min(self.order.len().saturating_sub(1));
        self.remember(fleet);
        self.choose();
    }

    /// The user means the row under the cursor: from here on the cursor follows it.
    pub fn choose(&mut self) {
        self.chosen = !self.order.is_empty();
    }

    /// Moves the cursor to an instance; false when it is not shown.
    pub fn go_to(&mut self, fleet: &Fleet, id: &Arc<str>) -> bool {
        let at = self.position(fleet, id);
        if let Some(at) = at {
            self.go(fleet, at);
        }
        at.is_some()
    }

    /// Scrolls so that the cursor is among `height` lines and no room is wasted at the end.
    pub fn scroll_into(&mut self, height: usize) {
        let height = height.max(1);
        self.top = self
            .top
            .min(self.cursor)
            .max((self.cursor + 1).saturating_sub(height))
            .min(self.order.len().saturating_sub(height));
    }

    /// The filter in force, as typed.
    pub fn filter_text(&self) -> &str {
        &self.filter_text
    }

    /// Puts a filter in force; `text` is what was typed.
    pub fn set_filter(&mut self, text: &str, filter: Option<Filter>) {
        text.trim().clone_into(&mut self.filter_text);
        self.filter = filter;
        self.filter_revision = self.filter_revision.wrapping_add(1);
    }

    /// Sorts by `field`: first in its own direction, then reversed.
    pub fn sort_by(&mut self, field: Field) {
        self.sort = match self.sort.field {
            Some(f) if f == field => Sort { descending: !self.sort.descending, ..self.sort },
            _ => Sort::by(field),
        };
    }

    /// Columns, from left to right.
    pub fn columns(&self) -> &[Field] {
        &self.columns
    }

    /// Shows these columns; none = the default ones.
    pub fn set_columns(&mut self, columns: Vec<Field>) {
        self.columns = if columns.is_empty() { SCREEN_COLUMNS.to_vec() } else { columns };
        self.column_offset = 0;
    }

    /// Shows a column (at the end) or hides it; the last one stays.
    pub fn toggle_column(&mut self, field: Field) {
        match self.columns.iter().position(|f| *f == field) {
            Some(at) if self.columns.len() > 1 => {
                self.columns.remove(at);
            }
            Some(_) => {}
            None => self.columns.push(field),
        }
        self.column_offset = 0;
    }

    /// Moves a column by one place; false at the ends and for hidden ones.
    pub fn move_column(&mut self, field: Field, right: bool) -> bool {
        let Some(at) = self.columns.iter().position(|f| *f == field) else { return false };
        let to = if right { at + 1 } else { at.wrapping_sub(1) };
        if to >= self.columns.len() {
            return false;
        }
        self.columns.swap(at, to);
        true
    }

    /// Scrolls sideways by whole columns, as long as there are hidden ones on that side.
    pub fn scroll_columns(&mut self, right: bool, width: u16) {
        if !right {
            self.column_offset = self.column_offset.saturating_sub(1);
        } else if self.placement(width).hidden_right > 0 {
            self.column_offset += 1;
        }
    }

    /// Where the columns stand in `width` terminal columns.
    pub fn placement(&self, width: u16) -> Placement {
        Placement::of(&self.columns, self.column_offset, width)
    }

    /// True when the instance is marked.
    pub fn is_marked(&self, id: &Arc<str>) -> bool {
        self.marks.contains_key(id)
    }

    /// The marked instances, also those that the filter hides.
    pub fn marks(&self) -> impl Iterator<Item = &Arc<str>> {
        self.marks.keys()
    }

    /// Sums over the marks; `None` without any.
    pub fn marked(&self) -> Option<Marked> {
        self.marked
    }

    /// Marks or unmarks the current row and goes on to the next.
    pub fn toggle_mark(&mut self, fleet: &Fleet) {
        let Some((id, usd)) = self.current(fleet).map(mark) else { return };
        if self.marks.remove(&id).is_none() {
            self.marks.insert(id, usd);
        }
        self.sum_marks();
        self.step(fleet, 1);
    }

    /// The lines of the range being marked, first and last.
    pub fn range(&self, fleet: &Fleet) -> Option<(usize, usize)> {
        let from = self.position(fleet, self.range_from.as_ref()?)?;
        Some((from.min(self.cursor), from.max(self.cursor)))
    }

    /// True while a range is being marked.
    pub fn has_range(&self) -> bool {
        self.range_from.is_some()
    }

    /// Starts a range at the cursor, or marks the one that was started.
    pub fn mark_range(&mut self, fleet: &Fleet) {
        if let Some((from, to)) = self.range(fleet) {
            let rows = self.order[from..=to].iter().filter_map(|i| row(fleet, *i));
            self.marks.extend(rows.map(mark));
            self.range_from = None;
            self.sum_marks();
        } else {
            self.range_from.clone_from(&self.cursor_id);
        }
    }

    /// Leaves the range unmarked; false when there was none.
    pub fn cancel_range(&mut self) -> bool {
        self.range_from.take().is_some()
    }

    /// Forgets all marks.
    pub fn unmark(&mut self) {
        self.marks.clear();
        self.sum_marks();
    }

    /// Walks the marks alone: a key must not pay for the size of the fleet.
    fn sum_marks(&mut self) {
        let mut sum = Marked { count: self.marks.len(), ..Marked::default() };
        for usd in self.marks.values() {
            match usd {
                Some(usd) => sum.usd_per_hour += usd,
                None => sum.unpriced += 1,
            }
        }
        self.marked = (sum.count > 0).then_some(sum);
    }
}

fn mark(row: &Arc<Row>) -> (Arc<str>, Option<f64>) {
    (row.instance.id.clone(), row.usd_per_hour())
}

fn row(fleet: &Fleet, index: u32) -> Option<&Arc<Row>> {
    fleet.rows.get(index as usize)
}
