//! What sources of the jobs of an account have in common: how far a region was read, and what their jobs are called.

use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{ErrorKind, SourceError, text};
use crate::source::jobs::live::JobsRead;

/// How a region, or a part of it, was read.
#[derive(Debug, Default)]
pub struct RegionRead {
    /// What is odd but usable, a clean sentence each.
    pub notes: Vec<String>,
    /// What was refused, and what failed.
    pub troubles: Vec<SourceError>,
    /// Up to when changes were read; `None` = all of them, or what is refused for good.
    pub reached: Option<Timestamp>,
    /// True where a list was answered.
    pub is_answered: bool,
}

impl RegionRead {
    /// Notes a failure. What is not refused for good is asked for again from `reached` on.
    pub fn fail(&mut self, error: SourceError, reached: Timestamp) {
        use ErrorKind::{Denied, Refused, Unavailable};
        if !matches!(error.kind, Denied | Refused | Unavailable) {
            self.stop(reached);
        }
        self.troubles.push(error);
    }

    /// Notes that the next reading goes on from `reached`.
    pub fn stop(&mut self, reached: Timestamp) {
        self.reached = Some(self.reached.map_or(reached, |known| known.min(reached)));
    }

    /// Adds another part, or region.
    pub fn add(&mut self, other: Self) {
        self.notes.extend(other.notes);
        self.troubles.extend(other.troubles);
        self.reached = [self.reached, other.reached].into_iter().flatten().min();
        self.is_answered |= other.is_answered;
    }

    /// The answer for all regions, without attempts: the first refusal, and others told beside it. Err where nothing was answered.
    pub fn finish(self) -> Result<JobsRead, SourceError> {
        let mut troubles = self.troubles.into_iter();
        let refusal = troubles.next();
        if let (false, Some(error)) = (self.is_answered, &refusal) {
            return Err(error.clone());
        }
        let mut notes = self.notes;
        notes.extend(troubles.map(|error| error.with_fix()));
        notes.dedup();
        notes.truncate(JobsRead::NOTES_AT_MOST);
        Ok(JobsRead { notes, complete_until: self.reached, refusal, ..JobsRead::default() })
    }
}

/// Name of the cluster that the jobs of an account are in: `ACCOUNT:REGION`; the region alone where the ARN of a job tells no account.
pub fn cluster_of(arn: Option<&str>, region: &str) -> Arc<str> {
    let is_account = |of: &&str| {
        !of.is_empty() && of.len() <= 12 && of.bytes().all(|byte| byte.is_ascii_digit())
    };
    match arn.and_then(|arn| arn.split(':').nth(4)).filter(is_account) {
        Some(account) => format!("{account}:{region}").into(),
        None => region.into(),
    }
}

/// A clean text; `None` for an empty one.
pub fn clean(told: &str) -> Option<Arc<str>> {
    let told = told.trim();
    (!told.is_empty()).then(|| Arc::from(&*text::clean(told)))
}
