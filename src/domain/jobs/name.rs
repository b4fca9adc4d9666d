//! Sources of jobs that are asked again and again, and how they were read last.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use super::JobSource;
use crate::domain::{Scope, SourceId};

/// Identity of a configured source of jobs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobsName {
    /// Kind.
    pub kind: JobSource,
    /// Configured name, clean; no other source of jobs has it.
    pub name: Arc<str>,
}

impl fmt::Display for JobsName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.word(), self.name)
    }
}

impl JobsName {
    /// Kind of source in readings; `None` for what is not asked again and again.
    pub fn source(&self) -> Option<SourceId> {
        self.kind.source()
    }

    /// What readings and log lines are filed under.
    pub fn scope(&self) -> Scope {
        Scope::account_wide(self.name.clone())
    }
}

/// How a source of jobs was read last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobsReading {
    /// The source.
    pub name: JobsName,
    /// When.
    pub taken_at: Timestamp,
    /// When it was read first; `None` where that was not written down yet.
    pub first_at: Option<Timestamp>,
    /// Up to when its attempts are known.
    pub complete_until: Timestamp,
    /// Earliest submission of the attempts that were open then; `None` where none was.
    pub open_since: Option<Timestamp>,
}
