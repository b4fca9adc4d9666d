//! The columns of a list, and the one it is sorted by.

use super::{List, Placement};
use crate::app::keymap::Action;
use crate::view::{FieldSpec, FieldTable, Sort, TableField};

/// Entries of the column chooser and whether each is shown: the columns shown, in order, then the others.
pub fn column_entries(
    table: &dyn FieldTable,
    shown: &[&'static FieldSpec],
) -> Vec<(&'static FieldSpec, bool)> {
    let hidden = table.fields().iter().filter(|f| !shown.contains(f)).map(|f| (f, false));
    shown.iter().map(|f| (*f, true)).chain(hidden).collect()
}

impl List {
    /// Sorts by `field`: first in its own direction, at the second call reversed.
    pub fn sort_by(&mut self, field: &'static FieldSpec) {
        self.sort = match self.sort.field {
            Some(f) if f == field => Sort { descending: !self.sort.descending, ..self.sort },
            _ => Sort::by(field),
        };
    }

    /// Sorts by the field with this sort key; false where there is none.
    pub fn sort_by_letter(&mut self, letter: char) -> bool {
        let field = self.table.by_sort_key(letter.to_ascii_lowercase());
        field.map(|f| self.sort_by(f)).is_some()
    }

    /// Sorts by the field of this name, `None` for the rows' own order; `descending` = largest first, `None` =
    /// the field's own direction.
    pub fn sort_by_name(&mut self, name: Option<&str>, descending: Option<bool>) {
        let field = name.and_then(|name| self.table.find(name));
        let mut sort = field.map_or_else(Sort::default, Sort::by);
        sort.descending = descending.unwrap_or(sort.descending);
        self.sort = sort;
    }

    /// Shows the columns of these names; unknown names are ignored.
    pub fn show_columns<S: AsRef<str>>(&mut self, names: &[S]) {
        self.set_columns(names.iter().filter_map(|n| self.table.find(n.as_ref())).collect());
    }

    /// Sorts by the column at terminal column `x`; does nothing where there is none.
    pub fn sort_by_heading(&mut self, x: u16, width: u16) {
        if let Some(field) = self.placement(width).at(x) {
            self.sort_by(field);
        }
    }

    /// Columns shown, from left to right.
    pub fn columns(&self) -> &[&'static FieldSpec] {
        &self.columns
    }

    /// Columns shown, as fields of type `F`.
    pub fn columns_of<F: TableField>(&self) -> Vec<F> {
        self.columns.iter().filter_map(|field| F::of(field)).collect()
    }

    /// Shows these columns; empty = the default ones.
    pub fn set_columns(&mut self, columns: Vec<&'static FieldSpec>) {
        self.columns = if columns.is_empty() { self.usual.clone() } else { columns };
        self.column_offset = 0;
    }

    /// Shows a column (as the last one) or hides it; the only column stays.
    pub fn toggle_column(&mut self, field: &'static FieldSpec) {
        match self.columns.iter().position(|f| *f == field) {
            Some(at) if self.columns.len() > 1 => {
                self.columns.remove(at);
            }
            Some(_) => {}
            None => self.columns.push(field),
        }
        self.column_offset = 0;
    }

    /// Applies a key to entry `at` of the column chooser, and returns the index of that entry afterwards.
    pub fn change_columns(&mut self, at: usize, action: Action) -> usize {
        let Some((field, _)) = column_entries(self.table, &self.columns).get(at).copied() else {
            return at;
        };
        match action {
            Action::ToggleColumn => self.toggle_column(field),
            Action::ColumnUp if self.move_column(field, false) => return at - 1,
            Action::ColumnDown if self.move_column(field, true) => return at + 1,
            Action::ResetColumns => self.set_columns(Vec::new()),
            _ => {}
        }
        at
    }

    /// Moves a column by one place; false at the ends and for hidden columns.
    pub fn move_column(&mut self, field: &'static FieldSpec, right: bool) -> bool {
        let Some(at) = self.columns.iter().position(|f| *f == field) else { return false };
        let to = if right { at + 1 } else { at.wrapping_sub(1) };
        if to >= self.columns.len() {
            return false;
        }
        self.columns.swap(at, to);
        true
    }

    /// Scrolls sideways by one column, while columns are hidden on that side.
    pub fn scroll_columns(&mut self, right: bool, width: u16) {
        let placement = self.placement(width);
        if !right {
            self.column_offset = placement.hidden_left.saturating_sub(1);
        } else if placement.hidden_right > 0 {
            self.column_offset = placement.hidden_left + 1;
        }
    }

    /// Positions of the columns in `width` terminal columns.
    pub fn placement(&self, width: u16) -> Placement {
        let chosen = self.columns.iter().filter(|field| !self.guests.contains(field));
        let shown = self.guests.iter().chain(chosen).copied();
        let shown = shown.filter(|field| Some(*field) != self.implied).collect::<Vec<_>>();
        let columns = if shown.is_empty() { &self.columns } else { &shown };
        Placement::of(self.table, columns, &self.kept, self.column_offset, width)
    }

    /// Sets the field that group headings already show, whose column is then hidden.
    pub fn imply(&mut self, field: Option<&'static FieldSpec>) {
        self.implied = field;
    }
}
