//! What became of each row.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::item::PlanItem;
use crate::domain::{InstanceState, Scope};

/// How it ended for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// Seen in the state that was wanted.
    Done,
    /// Not touched: a guard said no at the last moment, or the executor refuses.
    Refused,
    /// The call failed and nothing changed.
    Failed,
    /// Asked for, and not seen to have happened (yet): look again.
    Unknown,
}

impl OutcomeKind {
    /// The word on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// What became of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Instance id.
    pub id: Arc<str>,
    /// Account and region.
    pub scope: Scope,
    /// How it ended.
    pub kind: OutcomeKind,
    /// One line: what was seen, or why not; clean text.
    pub text: String,
    /// The state that was seen last; `None` when none was.
    pub state: Option<InstanceState>,
    /// AWS request ids of the calls about it.
    pub request_ids: Vec<String>,
    /// When it was known.
    pub at: Timestamp,
}

/// Something happened while a plan runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// These are being looked at once more.
    Rechecking(Vec<Arc<str>>),
    /// The intent is on disk; the call goes out now.
    Calling(Vec<Arc<str>>),
    /// The call was accepted.
    Accepted(Vec<Arc<str>>),
    /// An instance was seen in this state.
    State(Arc<str>, InstanceState),
    /// A row has its outcome.
    Finished(Outcome),
}

/// The end of a plan: every row of it has an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified<I = PlanItem> {
    /// The id of the plan.
    pub plan_id: String,
    /// The id of this run, the audit log's key to it.
    pub run_id: String,
    /// Began.
    pub started_at: Timestamp,
    /// Ended.
    pub finished_at: Timestamp,
    /// One per confirmed row, in the plan's order.
    pub outcomes: Vec<Outcome>,
    /// The rows of the plan, for reports.
    pub items: Vec<Arc<I>>,
    /// What went wrong beside the rows: the audit log could not be copied, for example.
    pub warnings: Vec<String>,
}

impl<I> Verified<I> {
    /// Outcomes of a kind.
    pub fn count(&self, kind: OutcomeKind) -> usize {
        self.outcomes.iter().filter(|o| o.kind == kind).count()
    }

    /// True when everything that was confirmed was seen done.
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|o| o.kind == OutcomeKind::Done)
    }
}
