//! The boundary between burntop and what runs jobs: schedulers.

use jiff::Timestamp;

use crate::domain::SourceError;
pub use crate::domain::jobs::JobsName;
use crate::domain::jobs::{Attempt, GpuHolder, JobNode};

/// Stretch of time whose attempts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobWindow {
    /// Attempts that ended before are not asked for.
    pub since: Timestamp,
    /// Now.
    pub until: Timestamp,
    /// Earliest submission of the attempts of this source that were still open at the last reading: these are asked for
    /// again. `None` where none was.
    pub open_since: Option<Timestamp>,
}

/// What a source of jobs answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobsRead {
    /// Name and version of what answered, such as `Slurm 24.11.5`; `None` = unknown.
    pub about: Option<String>,
    /// Attempts that touch the window, each once.
    pub attempts: Vec<Attempt>,
    /// Nodes as they are now; empty where the source tells none.
    pub nodes: Vec<JobNode>,
    /// Who holds GPUs now; `None` where the source does not tell.
    pub holders: Option<Vec<GpuHolder>>,
    /// What is odd but usable, one clean sentence each, for the event log; at most [`JobsRead::NOTES_AT_MOST`].
    pub notes: Vec<String>,
    /// Up to when attempts were read: the next reading begins there. `None` = up to the end of the window.
    pub complete_until: Option<Timestamp>,
    /// The first refusal of a part of what was asked for (a namespace, a region, a kind); `None` where all was answered.
    pub refusal: Option<SourceError>,
}

impl JobsRead {
    /// Sentences that one reading may have.
    pub const NOTES_AT_MOST: usize = 64;
}

/// A source of jobs. Implementations time out, bound what they read, and map errors; returned text is clean. They keep
/// connections and tokens, and no conclusions: what was read before is known to whoever asks.
#[async_trait::async_trait]
pub trait LiveJobs: Send + Sync {
    /// Identity.
    fn name(&self) -> &JobsName;

    /// Reads the attempts that touch a window, and nodes and holders as they are now. Err when nothing could be read; what
    /// was refused in part is in [`JobsRead::refusal`].
    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError>;
}
