//! Rows that are left out of the plan, and taken back in.
//!
//! A plan is never narrowed: where its checks are there already, another one is drafted for the rows that are in and
//! checked anew, and what was checked for other rows is not confirmed.

use std::sync::Arc;

use super::{Review, Sheet, Stage};
use crate::act::plan::{Preflighted, Rules};
use crate::app::{App, Effect, Level, Notice};
use crate::fleet::Row;

impl Sheet {
    /// True for an instance that is left out of the plan.
    pub fn is_left_out(&self, id: &str) -> bool {
        self.left_out.contains_key(id)
    }

    /// The instances that are in, in the order of [`Sheet::rows`].
    pub fn rows_in(&self) -> impl Iterator<Item = &Arc<Row>> {
        self.rows.iter().filter(|row| !self.is_left_out(&row.instance.id))
    }

    /// Number of instances that are left out.
    pub fn left_out(&self) -> usize {
        self.rows.len() - self.rows_in().count()
    }

    /// The instance under the cursor; `None` where that is no row.
    pub(super) fn row(&self) -> Option<&Arc<Row>> {
        let at = match &self.stage {
            Stage::Choose(choice) => choice.row()?,
            Stage::Review(review) => review.cursor(),
            Stage::Checking(_) | Stage::Confirm(..) | Stage::Run(_) => return None,
        };
        self.rows.get(at)
    }

    /// What becomes of the row under the cursor by the key: `true` leaves it out, `false` takes it back in; `None` where
    /// neither can be, as of the last one that is in.
    pub fn would_leave_out(&self) -> Option<bool> {
        let is_in = !self.is_left_out(&self.row()?.instance.id);
        (!is_in || self.rows_in().nth(1).is_some()).then_some(is_in)
    }

    /// Why what was checked cannot be confirmed; `None` where the dialog may open.
    pub fn obstacle(&self, review: &Review, rules: &Rules) -> Option<String> {
        if !self.is_for_rows_in(review.checked()) {
            return Some("other rows were checked than those that are in: r checks again".into());
        }
        review.obstacle(rules)
    }

    /// True where exactly the rows that are in were planned and checked.
    fn is_for_rows_in(&self, checked: &Preflighted) -> bool {
        let rows_in = || self.rows_in().map(|row| &row.instance.id);
        rows_in().eq(checked.plan.items.iter().map(|item| &item.id))
            && rows_in().eq(checked.rows.iter().map(|row| &row.item.id))
    }

    /// Judges what can be chosen by the rows that are in.
    pub(super) fn renew_choice(&mut self) {
        let Stage::Choose(choice) = &mut self.stage else { return };
        let is_in = |row: &&Arc<Row>| !self.left_out.contains_key(&row.instance.id);
        let rows_in: Vec<&Arc<Row>> = self.rows.iter().filter(is_in).collect();
        choice.renew(&rows_in, self.rows.len());
    }
}

impl App {
    /// Leaves the row under the cursor out of the plan, or takes it back in. Where it was checked already, a plan of the
    /// rows that are in now is drafted, and checked anew. What is marked in the list below follows.
    pub(super) fn leave_out(&mut self) -> Vec<Effect> {
        let Some(sheet) = self.sheet.as_ref() else { return Vec::new() };
        let Some(is_in) = sheet.would_leave_out() else {
            let why = why_not(sheet);
            self.say(Notice::new(Level::Warn, why));
            return Vec::new();
        };
        let Some(id) = sheet.row().map(|row| row.instance.id.clone()) else { return Vec::new() };
        let screen = self.screen();
        let marks = if is_in { screen.marks_of(self, &id) } else { Vec::new() };
        let Some(sheet) = self.sheet.as_mut() else { return Vec::new() };
        let marks = if is_in {
            sheet.left_out.insert(id, marks.clone());
            marks
        } else {
            sheet.left_out.remove(&id).unwrap_or_default()
        };
        let verb = match &sheet.stage {
            Stage::Review(review) => Some(review.checked().plan.verb.clone()),
            _ => None,
        };
        sheet.renew_choice();
        screen.list_mut(self).set_marks(&marks, !is_in);
        verb.map_or_else(Vec::new, |verb| self.check(verb))
    }
}

/// Why the key neither leaves a row out nor takes one back in.
fn why_not(sheet: &Sheet) -> &'static str {
    match &sheet.stage {
        Stage::Run(run) if run.is_over() => "it has run: nothing can be left out any more",
        Stage::Run(_) => "it runs: nothing can be left out any more",
        Stage::Checking(_) => "rows can be left out once the checks are there",
        _ if sheet.row().is_some() => "the last row cannot be left out; esc goes back",
        _ => "go to a row to leave it out",
    }
}
