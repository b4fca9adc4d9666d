//! The marked rows of a list.

use std::sync::Arc;

use super::{List, TableLine};

/// Sums over the marked rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
    /// Number of rows.
    pub count: usize,
    /// Cost of the rows with a known price, USD/h.
    pub usd_per_hour: f64,
    /// Number of rows without a known price.
    pub unpriced: usize,
    /// Number of rows that the filter hides.
    pub hidden: usize,
}

impl List {
    /// True when the row with this id is marked.
    pub fn is_marked(&self, id: &Arc<str>) -> bool {
        self.marks.contains_key(id)
    }

    /// Ids of the marked rows, those hidden by the filter included.
    pub fn marks(&self) -> impl Iterator<Item = &Arc<str>> {
        self.marks.keys()
    }

    /// Sums over the marked rows; `None` without any.
    pub fn marked(&self) -> Option<Marked> {
        self.marked
    }

    /// Marks or unmarks the current row, and moves to the next.
    pub fn toggle_mark(&mut self) {
        // A heading has no mark: its rows follow.
        if let Some((id, usd)) = self.current_row().and_then(|row| self.mark(row)) {
            if self.marks.remove(&id).is_none() {
                self.marks.insert(id, usd);
            }
            self.sum_marks();
        }
        self.step(1);
    }

    /// First and last line of the range being marked; `None` without one.
    pub fn range(&self) -> Option<(usize, usize)> {
        let from = self.position(self.range_from.as_ref()?)?;
        Some((from.min(self.cursor), from.max(self.cursor)))
    }

    /// True while a range is being marked.
    pub fn has_range(&self) -> bool {
        self.range_from.is_some()
    }

    /// Starts a range at the cursor, or marks the range that was started.
    pub fn mark_range(&mut self) {
        if let Some((from, to)) = self.range() {
            let range = (from..=to).filter_map(|at| match self.line(at)? {
                TableLine::Row(row) => self.mark(row),
                TableLine::Head(_) => None,
            });
            let range: Vec<_> = range.collect();
            self.marks.extend(range);
            self.note_search();
            self.range_from = None;
            self.sum_marks();
        } else {
            self.range_from.clone_from(&self.cursor_id);
        }
    }

    /// Marks all rows that the filter leaves; where all of them are marked, unmarks them.
    pub fn mark_all(&mut self) {
        let shown: Vec<_> = self.order.iter().filter_map(|row| self.mark(*row)).collect();
        if shown.iter().all(|(id, _)| self.marks.contains_key(id)) {
            for (id, _) in &shown {
                self.marks.remove(id);
            }
        } else {
            self.marks.extend(shown);
            self.note_search();
        }
        self.sum_marks();
    }

    /// Keeps by which search rows were marked by the lot: whoever acts on them later is told.
    fn note_search(&mut self) {
        if self.searches() {
            self.marked_by = Some(self.filter_text.clone());
        }
    }

    /// Ends the range without marking; false where there was none.
    pub fn cancel_range(&mut self) -> bool {
        self.range_from.take().is_some()
    }

    /// Removes all marks.
    pub fn unmark(&mut self) {
        self.marks.clear();
        self.hidden_marks = 0;
        self.sum_marks();
    }

    /// Marks the rows with these ids, or marks them no more. Of rows that are not there any more none is marked.
    pub fn set_marks(&mut self, ids: &[Arc<str>], on: bool) {
        if ids.is_empty() {
            return;
        }
        if on {
            let is_one = |row: &u32| self.key(*row).is_some_and(|id| ids.contains(id));
            let rows = self.rows.as_ref().map_or(0, |rows| rows.len()) as u32;
            let found = (0..rows).filter(is_one).filter_map(|row| self.mark(row));
            let found: Vec<_> = found.collect();
            self.marks.extend(found);
        } else {
            for id in ids {
                self.marks.remove(id);
            }
        }
        self.count_hidden_marks();
    }

    /// Marks that are still there, with what they burn now.
    pub(super) fn renew_marks(&mut self) {
        let rows = self.rows.as_ref().filter(|_| !self.marks.is_empty());
        if let Some(rows) = rows {
            let marked = |row: &u32| rows.key(*row).is_some_and(|id| self.marks.contains_key(id));
            let marked = (0..rows.len() as u32).filter(marked);
            self.marks = marked.filter_map(|row| self.mark(row)).collect();
        }
    }

    /// Walks the marks alone: a key must not pay for the number of rows.
    pub(super) fn sum_marks(&mut self) {
        let (count, hidden) = (self.marks.len(), self.hidden_marks);
        let mut sum = Marked { count, hidden, ..Marked::default() };
        for usd in self.marks.values() {
            match usd {
                Some(usd) => sum.usd_per_hour += usd,
                None => sum.unpriced += 1,
            }
        }
        self.marked = (sum.count > 0).then_some(sum);
        if self.marked.is_none() {
            self.marked_by = None;
        }
    }

    fn mark(&self, row: u32) -> Option<(Arc<str>, Option<f64>)> {
        let rows = self.rows.as_ref()?;
        Some((rows.key(row)?.clone(), rows.usd_per_hour(row)))
    }
}
