//! The boundary between burntop and what runs jobs: schedulers.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

pub use crate::domain::jobs::JobsName;
use crate::domain::jobs::{Attempt, Cause, GpuHolder, HyperPodNode, JobNode, JobState, NodeEvent};
use crate::domain::{SourceError, SourceId};

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

impl JobWindow {
    /// How much of what was read is read again: accounting is written late, and clocks differ.
    pub const OVERLAP: SignedDuration = SignedDuration::from_mins(10);
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
    /// Instances of HyperPod as they are now, behind the nodes of whichever scheduler.
    pub hyperpod: Vec<HyperPodNode>,
    /// Who holds GPUs now; `None` where the source does not tell.
    pub holders: Option<Vec<GpuHolder>>,
    /// What happened to nodes, as far as it can still be told now.
    pub events: Vec<NodeEvent>,
    /// What is odd but usable, one clean sentence each, for the event log; at most [`JobsRead::NOTES_AT_MOST`].
    pub notes: Vec<String>,
    /// Up to when attempts were read: the next reading begins there. `None` = up to the end of the window.
    pub complete_until: Option<Timestamp>,
    /// Earliest submission of the jobs that are open, where their attempts do not tell it: of one that is tried again, of the parent of
    /// children that run. `None` = as the attempts have it.
    pub open_since: Option<Timestamp>,
    /// The first refusal of a part of what was asked for (a namespace, a region, a kind); `None` where all was answered.
    pub refusal: Option<SourceError>,
    /// Of a source that forgets attempts: what became of those that were open and are not in this answer. `None` where the source
    /// keeps them, and where a part of the answer is missing.
    pub forgotten: Option<Forgotten>,
}

/// What is known of attempts that a source tells no more of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forgotten {
    /// The cluster that was read.
    pub cluster: Arc<str>,
    /// Starts of the ids of the jobs that were read; empty = all were.
    pub within: Vec<String>,
    /// How jobs failed, by their id.
    pub ends: HashMap<Arc<str>, JobEnd>,
}

/// How a job failed.
#[derive(Clone, Debug, PartialEq)]
pub struct JobEnd {
    /// State of the attempts that it ended.
    pub state: JobState,
    /// The source's own word for it.
    pub word: Arc<str>,
    /// When.
    pub at: Timestamp,
}

impl Forgotten {
    /// The source's word for what is gone, and nobody tells why.
    const GONE: &str = "Gone";

    /// An attempt that was open and is not told any more, closed: as its job failed after it was last seen, else when it was last
    /// seen, with a state that is unknown. `None` for one of another cluster or that was closed before.
    pub fn close(&self, of: Attempt) -> Option<Attempt> {
        let is_read = self.within.is_empty() || self.within.iter().any(|s| of.job.starts_with(s));
        let is_open =
            !of.state.is_over() && of.ended_at.is_none() && &*of.state_source != Self::GONE;
        if of.id.cluster != self.cluster || !is_read || !is_open {
            return None;
        }
        let mut of = of;
        let seen = of.seen_until.or(of.started_at);
        of.seen_until = None;
        let end = self.ends.get(of.parts_of.as_ref().unwrap_or(&of.job));
        let end = end.filter(|end| seen.is_some_and(|seen| end.at >= seen));
        if let Some(end) = end {
            (of.state, of.state_source, of.ended_at) = (end.state, end.word.clone(), Some(end.at));
            of.cause = (end.state == JobState::TimedOut).then_some(Cause::TimeLimit);
            return Some(of);
        }
        of.state_source = Self::GONE.into();
        of.reason = Some("it was deleted between two readings".into());
        // What never started held nothing; of what did, at least this is known, unless it was seen by the books alone.
        of.ended_at = seen.filter(|_| of.state != JobState::Doubtful);
        of.state = JobState::Unknown;
        Some(of)
    }
}

impl JobsRead {
    /// Sentences that one reading may have.
    pub const NOTES_AT_MOST: usize = 64;
}

/// What tells of nodes and of no jobs: telemetry, EC2. Implementations are bound as those of [`LiveJobs`].
#[async_trait::async_trait]
pub trait NodeEvents: Send + Sync {
    /// Kind of source and its configured name, clean; no other of the kind has it.
    fn name(&self) -> (SourceId, Arc<str>);

    /// Reads what happened between two moments, as far as it is still told. Err when nothing could be read.
    async fn read(&self, from: Timestamp, to: Timestamp) -> Result<EventsRead, SourceError>;
}

/// What happened to nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventsRead {
    /// The events, in no order.
    pub events: Vec<NodeEvent>,
    /// Up to when they were read: the next reading begins there. `None` = up to the end of what was asked for.
    pub complete_until: Option<Timestamp>,
    /// The first refusal of a part (a region); `None` where all was answered.
    pub refusal: Option<SourceError>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::jobs::{AttemptId, JobSource};

    fn at(time: &str) -> Timestamp {
        format!("2026-11-20T{time}:00Z").parse().unwrap()
    }

    fn running(job: &str) -> Attempt {
        let id = AttemptId {
            source: JobSource::Kubernetes,
            cluster: "c".into(),
            raw: job.into(),
            key: Arc::default(),
        };
        let mut of = Attempt::new(id, job.into(), JobState::Running, "Running".into());
        (of.started_at, of.seen_until) = (Some(at("08:00")), Some(at("09:00")));
        of
    }

    #[test]
    fn what_is_gone_held_until_it_was_last_seen_and_why_is_unknown() {
        let gone = Forgotten { cluster: "c".into(), ..Forgotten::default() };
        let closed = gone.close(running("ml/a")).unwrap();
        assert_eq!((closed.state, &*closed.state_source), (JobState::Unknown, "Gone"));
        // Open it would grow with each hour: one hour, whenever it is read.
        assert_eq!(closed.held_ms(), Some(3_600_000));
        assert_eq!(gone.close(closed), None, "closed once");
        let doubtful = Attempt { state: JobState::Doubtful, ..running("ml/a") };
        assert_eq!(
            gone.close(doubtful).unwrap().held_ms(),
            None,
            "its time was not counted before"
        );
        let elsewhere = Forgotten { within: vec!["web/".into()], ..gone.clone() };
        assert_eq!(elsewhere.close(running("ml/a")), None, "its namespace was not read");
        let other = Forgotten { cluster: "d".into(), ..gone };
        assert_eq!(other.close(running("ml/a")), None);
    }

    #[test]
    fn a_job_that_failed_after_it_was_seen_tells_how_it_ended() {
        let end = |time| JobEnd {
            state: JobState::TimedOut,
            word: "DeadlineExceeded".into(),
            at: at(time),
        };
        let of = |time| Forgotten {
            cluster: "c".into(),
            ends: HashMap::from([("ml/a".into(), end(time))]),
            ..Forgotten::default()
        };
        let closed = of("09:30").close(running("ml/a")).unwrap();
        assert_eq!((closed.state, closed.cause), (JobState::TimedOut, Some(Cause::TimeLimit)));
        assert_eq!(closed.held_ms(), Some(5_400_000));
        let part = Attempt { parts_of: Some("ml/a".into()), ..running("ml/a/1") };
        assert_eq!(of("09:30").close(part).unwrap().state, JobState::TimedOut);
        assert_eq!(of("08:30").close(running("ml/a")).unwrap().state, JobState::Unknown);
    }
}
