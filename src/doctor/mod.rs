//! Checks of everything between this machine and a figure on the screen, each with a stable id, a
//! sentence and a fix: configuration, terminal, cache, own cost, and per account credentials,
//! clock, regions and every permission, by asking.
//!
//! | file | holds |
//! |---|---|
//! | `acting` | what may be changed, and the audit log; facts in, checks out |
//! | `bill` | whether a bill is imported, and how old it is |
//! | `gpus` | what the sources of GPU telemetry answer |
//! | `jobs` | what the sources of jobs answer |
//! | `local` | what this machine alone can tell; facts in, checks out, no I/O |
//! | `account` | what an account answers through its [`crate::source::Provider`] |
//! | `network` | how calls to AWS travel: proxy, authorities, kind of endpoint |
//! | `organization` | each account of an organisation, and whether its role is reached |
//! | `probe` | one cheap call per permission |
//! | `resources` | what listing resources that are no instances takes |
//! | `render` | the report as text and JSON |

mod account;
pub mod acting;
pub mod bill;
pub mod gpus;
pub mod jobs;
pub mod local;
mod network;
pub mod organization;
mod probe;
mod render;
mod resources;
mod savings;
mod storage;
pub mod watch;

use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use serde::Serialize;

use crate::bus::Account;
use crate::source::ledger::Ledger;

/// Longest time for one check.
pub const LIMIT: Duration = Duration::from_secs(5);

/// Result of a check, ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not applicable: what it would examine is missing.
    Skip,
    /// Passed.
    Ok,
    /// burntop works, with restrictions.
    Warn,
    /// burntop cannot do its work.
    Fail,
}

impl Status {
    /// Name of the status in the report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One check with its result. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Stable id, the same in all releases; `permission/<IAM action>` for permissions.
    pub id: String,
    /// Label of the account; `None` for this machine.
    pub account: Option<String>,
    /// Result.
    pub status: Status,
    /// One sentence with what was found.
    pub message: String,
    /// What to do; `None` where nothing is needed.
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

/// All checks of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Time of the run.
    pub at: Timestamp,
    /// Checks, this machine first.
    pub checks: Vec<Check>,
}

impl Report {
    /// The worst status; [`Status::Ok`] where all checks were skipped.
    pub fn status(&self) -> Status {
        self.checks.iter().map(|c| c.status).max().unwrap_or(Status::Ok).max(Status::Ok)
    }

    /// True where the configuration cannot be used, which ends with the exit code of usage errors.
    pub fn is_usage_error(&self) -> bool {
        self.checks.iter().any(|c| c.id == local::CONFIG && c.status == Status::Fail)
    }
}

/// Inputs of the checks of accounts.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Current time.
    pub now: Timestamp,
    /// Longest time for one check, [`LIMIT`].
    pub limit: Duration,
    /// Ledger that billed calls are charged to before they are made; without one they are not made.
    pub ledger: Option<Ledger>,
    /// True for the demo, which bills nothing and whose clock and network are not checked.
    pub demo: bool,
}

/// Checks all accounts in parallel, and appends the results to those of this machine.
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
