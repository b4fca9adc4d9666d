//! The lines of the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::act::plan::storage::{Step, StorageGuard, StorageItem, StorageUndo, StorageVerb};
use crate::act::plan::{ActApi, Authority, Finding, Outcome, PlanItem, Undo, Verb};
use crate::domain::Scope;

/// One line: compact JSON with its members in this order. `hash` is SHA-256 over the bytes of the
/// line as it stands, without the member `hash`: what ends in `,"hash":"…"}` ends in `}` there. So
/// it covers everything, and can be checked without this program:
/// `sed 's/,"hash":"[0-9a-f]*"}$/}/' | tr -d '\n' | sha256sum`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Number of the line, counted from 1.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Hash of the line before, 64 hexadecimal digits; zeros in the first line.
    pub prev: String,
    /// Event that the line records.
    pub body: Body,
    /// SHA-256 of this line, 64 hexadecimal digits.
    pub hash: String,
}

/// What happened. All text is clean; no secret is among it.
// Lines are written and read one by one, and most of them are intents.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// Intent of a call about instances, written before the call.
    Intent {
        /// Id of the run.
        run: String,
        /// First twelve digits of the hash of the plan.
        plan: String,
        /// Action.
        verb: Verb,
        /// Account and region.
        scope: Scope,
        /// Availability zone of all instances.
        az: Arc<str>,
        /// API that the call goes through.
        via: ActApi,
        /// ARN of the caller.
        by: Arc<str>,
        /// `user@host` of the process.
        from: String,
        /// Name of the executor: `live`, `dry-run`, `demo`.
        executor: String,
        /// Who allowed the plan to run.
        authority: Authority,
        /// Justification; may be empty.
        justification: String,
        /// Rows of the call.
        rows: Vec<IntentRow>,
    },
    /// Intent of a call about a volume or bucket, written before the call; one for each call.
    StorageIntent {
        /// Id of the run.
        run: String,
        /// First twelve digits of the hash of the plan.
        plan: String,
        /// When the plan was drafted.
        drafted: Timestamp,
        /// Action of the plan.
        verb: StorageVerb,
        /// Call of the action.
        step: Step,
        /// Account and region.
        scope: Scope,
        /// ARN of the caller.
        by: Arc<str>,
        /// `user@host` of the process.
        from: String,
        /// Name of the executor: `live`, `dry-run`, `demo`.
        executor: String,
        /// Who allowed the plan to run.
        authority: Authority,
        /// Justification; may be empty.
        justification: String,
        /// Row of the call.
        row: StorageIntentRow,
    },
    /// Outcomes of rows of an earlier intent.
    Outcome {
        /// Id of the run.
        run: String,
        /// `seq` of the intent.
        intent: u64,
        /// Outcomes, one per row.
        outcomes: Vec<Outcome>,
        /// True when a later start found out, by reconciliation.
        reconciled: bool,
    },
    /// Outcomes of rows that were confirmed and for which no call was made.
    Refused {
        /// Id of the run.
        run: String,
        /// First twelve digits of the hash of the plan.
        plan: String,
        /// Outcomes, one per row.
        outcomes: Vec<Outcome>,
    },
    /// Approval of a plan or a policy.
    Approved {
        /// What was approved: `plan` or `policy`.
        what: String,
        /// SHA-256 of what was approved.
        sha256: String,
        /// ARN of the approver by account.
        approver: BTreeMap<Arc<str>, Arc<str>>,
    },
    /// What a crash left half-written was found; it stays where it is, directly before this line.
    Recovered {
        /// Number of torn bytes, without the newline that ends them now.
        bytes: u64,
        /// SHA-256 of the torn bytes.
        sha256: String,
    },
}

/// One instance of an intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntentRow {
    /// Row of the plan, with the hash of its evidence.
    pub item: Arc<PlanItem>,
    /// Findings of the guards right before the call: warnings and notes.
    pub findings: Vec<Finding>,
    /// How to take the action back; `None` where it cannot be.
    pub undo: Option<Undo>,
}

/// The volume or bucket of an intent about storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageIntentRow {
    /// Row of the plan.
    pub item: Arc<StorageItem>,
    /// Findings of the guards right before the call: warnings and notes.
    pub findings: Vec<Finding<StorageGuard>>,
    /// How to take the action back; `None` for a snapshot, which destroys nothing.
    pub undo: Option<StorageUndo>,
}
