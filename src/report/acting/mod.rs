//! What is planned, what became of it, and what the audit log holds.
//!
//! | schema | holds |
//! |---|---|
//! | `burntop/preflight/1` | a plan's rows with what the guards said and what is at stake |
//! | `burntop/approve/1` | what is put before whoever approves it: rows or rules, environments, caps |
//! | `burntop/outcome/1` | what became of each row |
//! | `burntop/audit_list/1` | one row per run of the audit log |
//! | `burntop/audit_show/1` | the rows of one run, with the way back |
//! | `burntop/policy/1` | what a policy decided for each instance, and what became of it |
//! | `burntop/schedule/1` | off-hours proposed from the profile of a week |
//!
//! The plan file is `burntop/plan/2`, the lines of the log `burntop/audit/1`.

mod actions;
mod approve;
mod audit;
mod outcome;
mod plan;
mod policy;
mod runs;
mod schedule;
mod storage;
#[cfg(test)]
mod tests;

pub use actions::{ActionsOf, actions};
pub use approve::{plan_to_approve, policy_to_approve, storage_plan_to_approve};
pub use audit::{audit_list, audit_show};
pub use outcome::{outcome_of_blocked, outcomes};
pub use plan::{PlanReport, plan, rows_of_plan};
pub use policy::{PolicyReport, policy};
pub use runs::{Run, runs};
pub use schedule::{ScheduleReport, Snippet, schedule};
pub use storage::{rows_of_storage_plan, storage_blocked, storage_outcomes, storage_plan};

use serde_json::{Value as Json, json};

use super::page::Page;
use super::sheet::{Column, Sheet};
use super::{Format, write};
use crate::act::plan::Verified;
use crate::domain::error::with_fix;
use crate::view::{Align, ViewContext};

/// Something that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Who was asked: `sts`, `audit`.
    pub source: &'static str,
    /// About what: an account's name.
    pub scope: String,
    /// What went wrong.
    pub message: String,
    /// What can be done; may be empty.
    pub fix: String,
}

impl Trouble {
    /// What went wrong beside the rows of a run.
    pub fn after<I>(run: &Verified<I>) -> impl Iterator<Item = Self> + use<'_, I> {
        run.warnings.iter().map(|message| Self {
            source: "audit",
            scope: run.run_id.clone(),
            message: message.clone(),
            fix: String::new(),
        })
    }

    /// As one line.
    pub fn line(&self) -> String {
        format!("{} {}: {}", self.source, self.scope, with_fix(&self.message, &self.fix))
    }

    fn json(&self) -> Json {
        json!({
            "source": self.source,
            "scope": self.scope,
            "message": self.message,
            "fix": self.fix,
        })
    }
}

/// Failed questions, as JSON.
fn errors(troubles: &[Trouble]) -> Vec<Json> {
    troubles.iter().map(Trouble::json).collect()
}

/// A table for people with lines below it.
fn lines(sheet: Sheet, notes: Vec<String>, ctx: &ViewContext) -> String {
    write(&Page { sheet: Some(sheet), notes, ..Page::default() }, Format::Table, ctx)
}

fn left(name: &'static str, header: &'static str) -> Column {
    Column { name, header, align: Align::Left }
}

fn right(name: &'static str, header: &'static str) -> Column {
    Column { name, header, align: Align::Right }
}
