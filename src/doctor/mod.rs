//! Checks of everything between this machine and a figure on the screen, each with a stable id, a
//! sentence and a fix: configuration, terminal, cache, own cost, and per account credentials,
//! clock, regions and every permission, by asking.
//!
//! | file | holds |
//! |---|---|
//! | `acting` | what may be changed, and the audit log; facts in, checks out |
//! | `gpus` | what the sources of GPU telemetry answer |
//! | `local` | what this machine alone can tell; facts in, checks out, no I/O |
//! | `account` | what an account answers through its [`crate::source::Provider`] |
//! | `network` | how calls to AWS travel: proxy, authorities, kind of endpoint |
//! | `organization` | each account of an organisation, and whether its role is reached |
//! | `probe` | one cheap call per permission |
//! | `resources` | what listing resources that are no instances takes |
//! | `render` | the report as text and JSON |

mod account;
pub mod acting;
pub mod gpus;
pub mod local;
mod network;
pub mod organization;
mod probe;
mod render;
mod resources;
mod savings;
mod storage;

use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use serde::Serialize;

use crate::bus::Account;
use crate::source::ledger::Ledger;

/// How long one check may take.
pub const LIMIT: Duration = Duration::from_secs(5);

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing to ask: what it would be asked about is missing.
    Skip,
    /// Well.
    Ok,
    /// burntop works, but less well than it could.
    Warn,
    /// burntop cannot do its work.
    Fail,
}

impl Status {
    /// The word in the report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One check. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked; never changes between releases. `permission/<IAM action>` for
    /// permissions.
    pub id: String,
    /// The account it is about, by the name the user gave it; `None` for this machine.
    pub account: Option<String>,
    /// How it ended.
    pub status: Status,
    /// What was found, one sentence.
    pub message: String,
    /// What to do about it; `None` when nothing needs doing.
    pub fix: Option<String>,
}

impl Check {
    fn new(id: &str, status: Status, message: impl Into<String>) -> Self {
        Self { id: id.to_owned(), account: None, status, message: message.into(), fix: None }
    }

    fn ok(id: &str, message: impl Into<String>) -> Self {
        Self::new(id, Status::Ok, message)
    }

    fn skip(id: &str, message: impl Into<String>) -> Self {
        Self::new(id, Status::Skip, message)
    }

    fn warn(id: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..Self::new(id, Status::Warn, message) }
    }

    fn fail(id: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..Self::new(id, Status::Fail, message) }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// When.
    pub at: Timestamp,
    /// The checks, this machine first.
    pub checks: Vec<Check>,
}

impl Report {
    /// The worst status; a report of nothing but skipped checks is well.
    pub fn status(&self) -> Status {
        self.checks.iter().map(|c| c.status).max().unwrap_or(Status::Ok).max(Status::Ok)
    }

    /// True when the configuration itself cannot be used.
    pub fn is_usage_error(&self) -> bool {
        self.checks.iter().any(|c| c.id == local::CONFIG && c.status == Status::Fail)
    }
}

/// How the accounts are asked.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The moment that is now.
    pub now: Timestamp,
    /// How long one check may take; [`LIMIT`].
    pub limit: Duration,
    /// Where billed calls are charged before they are made; without one they are not made.
    pub ledger: Option<Ledger>,
    /// True for the demo fleet, which bills nothing and whose clock and network prove nothing.
    pub demo: bool,
}

/// Asks all accounts at the same time and puts their checks behind those of this machine.
pub async fn examine(local: Vec<Check>, accounts: &[Account], terms: &Terms) -> Report {
    let mut checks = local;
    for found in join_all(accounts.iter().map(|a| account::examine(a, terms))).await {
        checks.extend(found);
    }
    Report { at: terms.now, checks }
}

#[cfg(test)]
pub(crate) use self::{
    probe::PERMISSIONS, resources::RESOURCE_PERMISSIONS, savings::SAVINGS_PERMISSIONS,
    storage::STORAGE_PERMISSIONS,
};
