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
pub use review::{Review, Tally, read_only};
pub use run::{Run, Standing as RowStanding};

use crate::act::plan::{Plan, Preflighted};
use crate::fleet::Row;
#[cfg(test)]
pub use standing::KEY_DELAY;

/// The most instances of one sheet: more could not be read before they are confirmed. A plan file
/// takes more.
pub const MAX_ROWS: usize = 500;

/// How long the owner of a marked instance has, unless another date is typed: long enough for a
/// weekend.
pub const GRACE: SignedDuration = SignedDuration::from_hours(4 * 24);

/// The action sheet.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The instances as they were when it was opened, worst first.
    rows: Vec<Arc<Row>>,
    /// Where in the flow it is.
    stage: Stage,
    /// The filter of the table that they were chosen in, where it searches.
    search: Option<String>,
    /// Why it came back to where it is; gone with the next key.
    word: Option<String>,
    /// True while the line under the cursor is to be kept in sight; paging lets it go.
    follow: bool,
}

/// Where in the flow a sheet is.
#[derive(Clone, Debug)]
pub enum Stage {
    /// What is to be done?
    Choose(Choice),
    /// The facts are being read.
    Checking(Arc<Plan>),
    /// What the guards said.
    Review(Review),
    /// The last word.
    Confirm(Review, Box<Dialog>),
    /// It runs, or has run.
    Run(Box<Run>),
}

impl Sheet {
    /// A sheet for `rows`.
    pub fn new(rows: Vec<Arc<Row>>, now: Timestamp) -> Self {
        let choice = Choice::of(&rows, now);
        Self { rows, stage: Stage::Choose(choice), search: None, word: None, follow: true }
    }

    /// The instances as they were when it was opened.
    pub fn rows(&self) -> &[Arc<Row>] {
        &self.rows
    }

    /// Where in the flow it is.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The filter of the table that they were chosen in, as typed, where it searches for words: such
    /// a filter finds more than it says.
    pub fn search(&self) -> Option<&str> {
        self.search.as_deref()
    }

    /// Why it came back to where it is.
    pub fn word(&self) -> Option<&str> {
        self.word.as_deref()
    }

    /// True while the line under the cursor is to be kept in sight.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// What was checked, where that is on screen.
    pub fn checked(&self) -> Option<&Arc<Preflighted>> {
        match &self.stage {
            Stage::Review(review) | Stage::Confirm(review, _) => Some(review.checked()),
            _ => None,
        }
    }

    /// The run, also while another page is on screen.
    pub fn run(&self) -> Option<&Run> {
        match &self.stage {
            Stage::Run(run) => Some(run),
            _ => None,
        }
    }

    /// True while something runs.
    pub fn is_running(&self) -> bool {
        self.run().is_some_and(|run| !run.is_over())
    }
}

/// How many rows each account has, by id.
pub fn by_account<'a>(ids: impl Iterator<Item = &'a Arc<str>>) -> BTreeMap<Arc<str>, usize> {
    let mut counts = BTreeMap::new();
    for id in ids {
        *counts.entry(id.clone()).or_default() += 1;
    }
    counts
}
