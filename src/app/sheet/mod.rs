//! The action sheet: choose, check, review, confirm, run, see what came of it.
//!
//! A state machine like the rest of the cockpit: what is to be done leaves as an effect, what came
//! of it arrives as a message. Nothing here can change an instance; the way to that leads through
//! [`Preflighted::confirm`] alone, and from here only through a dialog that stood on the screen.

mod choice;
mod dialog;
#[cfg(test)]
pub(crate) mod fixture;
mod flow;
mod keys;
mod leave_out;
#[cfg(test)]
mod leave_out_tests;
mod review;
mod run;
mod standing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

pub use choice::{Choice, Offer, VerbKind};
pub use dialog::{Dialog, Place};
pub use review::{Review, Tally, read_only, why_read_only};
pub use run::{Run, Standing as RowStanding};

use crate::act::plan::{Plan, Preflighted};
use crate::fleet::Row;
#[cfg(test)]
pub use standing::KEY_DELAY;

/// Most instances of one sheet: more could not be read before they are confirmed. A plan file may contain more.
pub const MAX_ROWS: usize = 500;

/// Default grace period of a mark: long enough for a weekend.
pub const GRACE: SignedDuration = SignedDuration::from_hours(4 * 24);

/// The action sheet: a set of instances on its way from choice to run.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The instances as they were when it was opened, worst first.
    rows: Vec<Arc<Row>>,
    /// Where in the flow it is.
    stage: Stage,
    /// The choice that led to the stage, where one was made on the sheet: `esc` goes back to it.
    chosen: Option<Choice>,
    /// The filter of the table that they were chosen in, where it searches.
    search: Option<String>,
    /// The rows that are left out of the plan, by instance, each with what was marked of it in the list below.
    left_out: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// The instance that the cursor was on when checks were asked for: it comes back to it. `None` for the first row.
    checked_at: Option<Arc<str>>,
    /// Why it came back to where it is; gone with the next key.
    word: Option<String>,
    /// True while the line under the cursor is to be kept in sight; paging lets it go.
    follow: bool,
}

/// Stage of a sheet.
#[derive(Clone, Debug)]
pub enum Stage {
    /// An action is chosen.
    Choose(Choice),
    /// Facts are being read for the plan.
    Checking(Arc<Plan>),
    /// Results of the guards are shown.
    Review(Review),
    /// The confirmation dialog is open.
    Confirm(Review, Box<Dialog>),
    /// The plan runs, or has run.
    Run(Box<Run>),
}

impl Sheet {
    /// A sheet for `rows`, at its first stage.
    pub fn new(rows: Vec<Arc<Row>>, now: Timestamp) -> Self {
        let choice = Choice::of(&rows, now);
        Self {
            rows,
            stage: Stage::Choose(choice),
            chosen: None,
            search: None,
            left_out: BTreeMap::new(),
            checked_at: None,
            word: None,
            follow: true,
        }
    }

    /// The instances, as they were when the sheet was opened; those that are left out are among them.
    pub fn rows(&self) -> &[Arc<Row>] {
        &self.rows
    }

    /// Current stage.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Filter that the instances were chosen with, as typed, where it searches for words: it then matches more
    /// than it states. `None` for other filters.
    pub fn search(&self) -> Option<&str> {
        self.search.as_deref()
    }

    /// Message why the sheet returned to this stage; `None` without one.
    pub fn word(&self) -> Option<&str> {
        self.word.as_deref()
    }

    /// True while the line under the cursor must stay in view.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// The checked plan, where it is on screen; else `None`.
    pub fn checked(&self) -> Option<&Arc<Preflighted>> {
        match &self.stage {
            Stage::Review(review) | Stage::Confirm(review, _) => Some(review.checked()),
            _ => None,
        }
    }

    /// The run, even while another page is on screen; `None` before one began.
    pub fn run(&self) -> Option<&Run> {
        match &self.stage {
            Stage::Run(run) => Some(run),
            _ => None,
        }
    }

    /// Goes one step back: from the details of a row to the rows, from these to the choice; false where that leaves the
    /// sheet.
    fn back(&mut self) -> bool {
        if let Stage::Review(review) = &mut self.stage
            && review.fold_last()
        {
            return true;
        }
        let is_chosen = matches!(self.stage, Stage::Review(_) | Stage::Checking(_));
        let Some(choice) = self.chosen.take().filter(|_| is_chosen) else { return false };
        self.stage = Stage::Choose(choice);
        self.renew_choice();
        self.follow = true;
        true
    }

    /// True while a plan runs.
    pub fn is_running(&self) -> bool {
        self.run().is_some_and(|run| !run.is_over())
    }
}

/// Number of rows per account id.
pub fn by_account<'a>(ids: impl Iterator<Item = &'a Arc<str>>) -> BTreeMap<Arc<str>, usize> {
    let mut counts = BTreeMap::new();
    for id in ids {
        *counts.entry(id.clone()).or_default() += 1;
    }
    counts
}
