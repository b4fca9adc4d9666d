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

mod approve;
mod audit;
mod outcome;
mod plan;
mod policy;
mod schedule;
mod storage;
#[cfg(test)]
mod tests;

pub use approve::{plan_to_approve, policy_to_approve, storage_plan_to_approve};
pub use audit::{Run, audit_list, audit_show, runs};
pub use outcome::{outcome_of_blocked, outcomes};
pub use plan::{PlanReport, plan, rows_of_plan};
pub use policy::{PolicyReport, policy};
pub use schedule::{ScheduleReport, Snippet, schedule};
pub use storage::{rows_of_storage_plan, storage_blocked, storage_outcomes, storage_plan};

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::json::clean_texts;
use super::sheet::{Column, Sheet};
use super::{Format, csv, json, markdown, text};
use crate::act::plan::Verified;
use crate::domain::Reading;
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
        let fix = if self.fix.is_empty() { String::new() } else { format!("; {}", self.fix) };
        format!("{} {}: {}{fix}", self.source, self.scope, self.message)
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

/// `{schema, generated_at, basis, rows[], readings[], errors[]}` with what a view adds behind.
fn document(
    view: &str,
    now: Timestamp,
    basis: &str,
    rows: Vec<Json>,
    errors: &[Trouble],
    more: Vec<(&str, Json)>,
) -> String {
    let mut document: Map<String, Json> = [
        ("schema", json!(format!("burntop/{view}/1"))),
        ("generated_at", json!(now.to_string())),
        ("basis", json!(basis)),
        ("rows", Json::Array(rows)),
        ("readings", json!([])),
        ("errors", errors.iter().map(Trouble::json).collect()),
    ]
    .into_iter()
    .chain(more)
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    document.values_mut().for_each(clean_texts);
    format!("{:#}\n", Json::Object(document))
}

/// What stands behind a document of a fleet, in place of the empty `readings[]` and `errors[]` of
/// one that has no fleet.
fn with_readings<'a>(
    readings: &[Reading],
    troubles: &[Trouble],
    more: Vec<(&'a str, Json)>,
    ctx: &ViewContext,
) -> Vec<(&'a str, Json)> {
    let mut errors = json::errors(readings);
    errors.extend(troubles.iter().map(Trouble::json));
    let fleet = [("readings", json::readings(readings, ctx)), ("errors", Json::Array(errors))];
    fleet.into_iter().chain(more).collect()
}

/// A sheet with notes below, in the formats that are no JSON.
fn written(sheet: &Sheet, notes: &[String], format: Format) -> String {
    match format {
        Format::Csv => csv::table(sheet),
        Format::Md => notes.iter().fold(markdown::table(sheet), |mut out, note| {
            out.push('\n');
            out.push_str(&markdown::escape(note));
            out.push('\n');
            out
        }),
        Format::Table | Format::Json => notes.iter().fold(text::table(sheet), |mut out, note| {
            out.push_str(note);
            out.push('\n');
            out
        }),
    }
}

fn left(name: &'static str, header: &'static str) -> Column {
    Column { name, header, align: Align::Left }
}

fn right(name: &'static str, header: &'static str) -> Column {
    Column { name, header, align: Align::Right }
}
