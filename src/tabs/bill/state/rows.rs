//! The rows of the lists, and the row that keys mean.

use std::sync::Arc;

use super::{BillList, BillTab};
use crate::app::{App, Picture, RowsStamp};
use crate::report::BillsOf;
use crate::tabs::bill::picture::{BillField, BillPicture, BillRows, ChangeField};
use crate::view::{FieldSpec, TableField};

/// Rows of the lists, of one picture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Number of the picture, from 1; 0 before the first.
    version: u64,
    /// The rows.
    pub(crate) of: BillRows,
}

impl BillTab {
    /// Shows an answer: the rows of the list that it is of, under the filter where they are by the same keys.
    pub(super) fn take(&mut self, picture: Arc<BillPicture>) {
        // The anatomy has no rows of its own question: of those that ask for costs the first list is meant.
        let of_view = |list: &BillList| list.view() == picture.question.view;
        let list = BillList::ALL.into_iter().find(of_view).unwrap_or(BillList::Breakdown);
        let of = |question: &super::BillQuestion| (question.keys.clone(), question.only.clone());
        let same = |old: &Arc<BillPicture>| {
            old.question.view == picture.question.view && of(&old.question) == of(&picture.question)
        };
        let is_other = !self.asking.answer().is_some_and(same);
        self.rows = Rows { version: self.rows.version + 1, of: picture.rows.clone() };
        self.answered = self.way.clone();
        self.asking.take(picture);
        if is_other {
            self.list_mut(list).start_anew();
            self.show_keys(list);
        }
    }

    /// Shows the keys of the rows as the first columns of their list, before the other columns as they were.
    fn show_keys(&mut self, list: BillList) {
        let Some(picture) = self.asking.answer() else { return };
        let keys = &picture.question.keys;
        let mut columns: Vec<&'static FieldSpec> = match list {
            BillList::Breakdown => key_columns(BillField::columns(keys), BillField::is_key),
            BillList::Changes => key_columns(ChangeField::columns(keys), ChangeField::is_key),
            _ => return,
        };
        let is_key = |field: &FieldSpec| {
            BillField::of(field).is_some_and(BillField::is_key)
                || ChangeField::of(field).is_some_and(ChangeField::is_key)
        };
        let list = self.list_mut(list);
        columns.extend(list.columns().iter().filter(|field| !is_key(field)));
        list.set_columns(columns);
    }
}

/// The columns that show keys.
fn key_columns<F: TableField>(columns: Vec<F>, is_key: fn(F) -> bool) -> Vec<&'static FieldSpec> {
    columns.into_iter().filter(|field| is_key(*field)).map(F::spec).collect()
}

impl App {
    /// Rows of the list on screen, before any filter.
    pub fn bill_rows_on_screen(&self) -> usize {
        (self.tabs.bill.look().spec().source.len)(self)
    }

    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_bill(&mut self) {
        if self.bill().is_none() {
            return;
        }
        let ctx = self.view_context();
        let spec = self.tabs.bill.look().spec();
        let stamp: RowsStamp = (self.tabs.bill.rows.version, None);
        self.sync_list(&spec.list, &spec.source, stamp, &ctx);
        if !self.tabs.bill.is_behind()
            && let Some(row) = self.tabs.bill.came_from.take()
        {
            self.tabs.bill.list_mut(BillList::Breakdown).go_to(&row);
        }
    }

    /// What the reports of the lists are of; `None` before there are bills.
    pub(crate) fn billed_of(&self) -> Option<BillsOf> {
        let bill = self.bill()?;
        let (look, question) = (self.tabs.bill.look(), &bill.question);
        Some(BillsOf {
            keys: if look.has_keys() { question.keys.clone().into() } else { Arc::default() },
            bills: bill.heads.clone(),
            before: match look {
                BillList::Changes | BillList::Anomalies => bill.before.clone(),
                _ => Vec::new(),
            },
            is_measured: bill.is_measured,
            live: None,
        })
    }

    /// The list on screen as a picture for export; `None` before there are bills.
    pub(crate) fn bill_list_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.bill;
        (tab.look().spec().source.shown)(self, tab.list(tab.look()), self.view_context().now)
    }

    /// Id of the row under the cursor; `None` without one.
    pub(crate) fn current_bill_row(&self) -> Option<&Arc<str>> {
        let tab = &self.tabs.bill;
        tab.list(tab.look()).current_id().filter(|_| self.pages.is_empty())
    }

    /// Id and picture with all fields of the row under the cursor; `None` without one.
    pub(crate) fn bill_row_to_copy(&self) -> Option<(Arc<str>, Picture)> {
        let id = self.current_bill_row()?.clone();
        let picture =
            (self.tabs.bill.look().spec().source.alone)(self, &id, self.view_context().now)?;
        Some((id, picture))
    }
}
