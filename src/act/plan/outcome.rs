//! Outcomes of the rows of a plan.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::item::PlanItem;
use crate::domain::{InstanceState, Scope};

/// Kind of a row's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// Seen in the state that the action asked for.
    Done,
    /// No call was made: a guard blocked it at the last moment, or the executor refuses.
    Refused,
    /// The call failed and nothing changed.
    Failed,
    /// A call was or may have been made, and its effect was not seen (yet): look again.
    Unknown,
}

impl OutcomeKind {
    /// Name on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// Outcome of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Instance id, volume id or bucket name.
    pub id: Arc<str>,
    /// Account and region.
    pub scope: Scope,
    /// Kind of the outcome.
    pub kind: OutcomeKind,
    /// What was seen, or why nothing was done: one line of clean text.
    pub text: String,
    /// State of the instance that was seen last; `None` when none was, and for storage.
    pub state: Option<InstanceState>,
    /// AWS request ids of the calls about it.
    pub request_ids: Vec<String>,
    /// When the outcome was known.
    pub at: Timestamp,
}

/// Pause before what a call did is asked for the second time; a quarter longer before each further time.
pub const POLL: Duration = Duration::from_secs(3);

/// The longest that this pause grows to, of instances.
pub const POLL_AT_MOST: Duration = Duration::from_secs(15);

/// Longest time until an accepted call must be visible in the state; then the row is unknown.
pub const VISIBLE_WITHIN: Duration = Duration::from_mins(10);

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// The run began under this id, the audit log's key to it.
    Began(Arc<str>),
    /// These rows are looked at once more.
    Rechecking(Vec<Arc<str>>),
    /// The intent for these rows is on disk, and the call goes out.
    Calling(Vec<Arc<str>>),
    /// The call for these rows was accepted.
    Accepted(Vec<Arc<str>>),
    /// An instance was seen in this state.
    State(Arc<str>, InstanceState),
    /// A row has its outcome.
    Finished(Outcome),
}

/// Result of a run: every confirmed row has an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified<I = PlanItem> {
    /// First twelve digits of the plan's hash, see [`super::Plan::id`].
    pub plan_id: String,
    /// The id of this run, the audit log's key to it.
    pub run_id: String,
    /// When the run began.
    pub started_at: Timestamp,
    /// When the run ended.
    pub finished_at: Timestamp,
    /// One per confirmed row, in the plan's order.
    pub outcomes: Vec<Outcome>,
    /// Rows of the plan that were confirmed.
    pub items: Vec<Arc<I>>,
    /// Problems beside the rows, one sentence each: the audit log was not copied, for example.
    pub warnings: Vec<String>,
}

impl<I> Verified<I> {
    /// Number of rows whose outcome is `kind`.
    pub fn count(&self, kind: OutcomeKind) -> usize {
        self.outcomes.iter().filter(|o| o.kind == kind).count()
    }

    /// True when every confirmed row is done.
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|o| o.kind == OutcomeKind::Done)
    }
}
