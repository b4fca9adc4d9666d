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
    /// Counts from 1.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Hash of the line before, 64 hexadecimal digits; zeros in the first line.
    pub prev: String,
    /// What happened.
    pub body: Body,
    /// Hash of this line.
    pub hash: String,
}

/// What happened. All text is clean; no secret is among it.
// Lines are written and read one by one, and most of them are intents.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// Something is about to be done; written before the call.
    Intent {
        /// The run.
        run: String,
        /// The plan.
        plan: String,
        /// What.
        verb: Verb,
        /// Where.
        scope: Scope,
        /// Zone.
        az: Arc<str>,
        /// Through which API.
        via: ActApi,
        /// ARN of who does it.
        by: Arc<str>,
        /// From where: user and host of the process.
        from: String,
        /// Name of the executor.
        executor: String,
        /// On whose word.
        authority: Authority,
        /// Why.
        justification: String,
        /// The rows with their evidence.
        rows: Vec<IntentRow>,
    },
    /// Something is about to be done to storage; written before the call, one for each.
    StorageIntent {
        /// The run.
        run: String,
        /// The plan.
        plan: String,
        /// When the plan was drafted.
        drafted: Timestamp,
        /// What the plan is for.
        verb: StorageVerb,
        /// Which call of it.
        step: Step,
        /// Where.
        scope: Scope,
        /// ARN of who does it.
        by: Arc<str>,
        /// From where: user and host of the process.
        from: String,
        /// Name of the executor.
        executor: String,
        /// On whose word.
        authority: Authority,
        /// Why.
        justification: String,
        /// The row with what the guards said.
        row: StorageIntentRow,
    },
    /// What became of rows of an intent.
    Outcome {
        /// The run.
        run: String,
        /// `seq` of the intent.
        intent: u64,
        /// Per row.
        outcomes: Vec<Outcome>,
        /// True when it was found out at a later start.
        reconciled: bool,
    },
    /// Rows that were confirmed and not touched after all.
    Refused {
        /// The run.
        run: String,
        /// The plan.
        plan: String,
        /// Per row.
        outcomes: Vec<Outcome>,
    },
    /// A plan or a policy was approved.
    Approved {
        /// What: `plan` or `policy`.
        what: String,
        /// Hash of it.
        sha256: String,
        /// ARN of the approver by account.
        approver: BTreeMap<Arc<str>, Arc<str>>,
    },
    /// What a crash left half-written was found; it stays where it is, directly before this line.
    Recovered {
        /// Bytes of it, without the newline that ends it now.
        bytes: u64,
        /// SHA-256 of them.
        sha256: String,
    },
}

/// A row of an intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntentRow {
    /// What was planned, with the hash of the evidence.
    pub item: Arc<PlanItem>,
    /// What the guards said, warnings and notes.
    pub findings: Vec<Finding>,
    /// The way back.
    pub undo: Option<Undo>,
}

/// The row of an intent about storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageIntentRow {
    /// What was planned.
    pub item: Arc<StorageItem>,
    /// What the guards said, warnings and notes.
    pub findings: Vec<Finding<StorageGuard>>,
    /// The way back; `None` for a snapshot, which is one itself.
    pub undo: Option<StorageUndo>,
}
