//! Sources of jobs: what each that is named answers, and which ones within reach are not named.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, join_all};
use jiff::{SignedDuration, Timestamp};

use super::Check;
use crate::domain::format::plural;
use crate::domain::{ErrorKind, SourceError};
use crate::source::jobs::live::{JobWindow, JobsRead, LiveJobs, NodeEvents};

/// How long a source may take to be read once.
const LIMIT: Duration = Duration::from_secs(20);

/// How much of the past is asked for.
const LOOK_BACK: SignedDuration = SignedDuration::from_hours(1);

/// Something on this host that runs jobs, or leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearbyJobs {
    /// Description: `sacct of Slurm is on this host`.
    pub what: String,
    /// Lines for the configuration.
    pub lines: &'static str,
}

/// Reads the last hour of each named source of jobs, and of what tells of nodes; `nearby` are hints.
pub async fn examine(
    named: &[Arc<dyn LiveJobs>],
    events: &[Arc<dyn NodeEvents>],
    nearby: &[NearbyJobs],
    now: Timestamp,
) -> Vec<Check> {
    let since = now.checked_sub(LOOK_BACK).unwrap_or(now);
    let window = JobWindow { since, until: now, open_since: None };
    let answers = join_all(named.iter().map(|source| read(&**source, &window)));
    let told = join_all(events.iter().map(|source| of_nodes(&**source, &window)));
    let (answers, told) = join(answers, told).await;
    let of_named = named.iter().zip(&answers).map(|(source, answer)| check(&**source, answer));
    let hints = nearby.iter().map(|near| Check {
        fix: Some(format!("to read it, add to the configuration:\n{}", near.lines)),
        ..Check::skip("jobs/found", format!("{}; it is not in the configuration", near.what))
    });
    of_named.chain(told).chain(hints).collect()
}

/// Reads what a source tells of nodes.
async fn of_nodes(source: &dyn NodeEvents, window: &JobWindow) -> Check {
    let (kind, name) = source.name();
    let (id, word) = (format!("jobs/{name}"), kind.word());
    let asked = tokio::time::timeout(LIMIT, source.read(window.since, window.until)).await;
    match asked.unwrap_or_else(|_| Err(late(word))) {
        Ok(read) => {
            let text =
                format!("{word}: {} of nodes in the last hour", plural(read.events.len(), "event"));
            match &read.refusal {
                None => Check::ok(&id, text),
                Some(refusal) => {
                    let text = format!("{text}; in part {}: {refusal}", refusal.kind.word());
                    Check::warn(&id, text, refusal.advice().to_owned())
                }
            }
        }
        Err(error) => {
            let text = format!("{word}: {}: {error}", error.kind.word());
            Check::fail(&id, text, error.advice().to_owned())
        }
    }
}

fn late(source: &str) -> SourceError {
    SourceError::new(
        ErrorKind::Timeout,
        source,
        &format!("no answer within {} s", LIMIT.as_secs()),
        "see whether a firewall stands between this machine and it",
    )
}

/// Failed check for a configured source that cannot be created; `why` = the reason.
pub fn unusable(why: &str) -> Check {
    Check::fail("jobs", why, "mend the section; docs/config.md has every key")
}

async fn read(source: &dyn LiveJobs, window: &JobWindow) -> Result<JobsRead, SourceError> {
    let asked = tokio::time::timeout(LIMIT, source.read(window)).await;
    asked.unwrap_or_else(|_| Err(late(source.name().kind.word())))
}

fn check(source: &dyn LiveJobs, answer: &Result<JobsRead, SourceError>) -> Check {
    let name = source.name();
    let id = format!("jobs/{}", name.name);
    let word = name.kind.word();
    let read = match answer {
        Ok(read) => read,
        Err(error) => {
            let text = format!("{word}: {}: {error}", error.kind.word());
            return Check::fail(&id, text, error.advice().to_owned());
        }
    };
    let about = read.about.as_deref().map_or(String::new(), |about| format!("{about}, "));
    let attempts = plural(read.attempts.len(), "attempt");
    let mut text = format!("{word}: {about}{attempts} in the last hour");
    if !read.nodes.is_empty() {
        text.push_str(&format!(", {}", plural(read.nodes.len(), "node")));
    }
    if let Some(refusal) = &read.refusal {
        let text = format!("{text}; in part {}: {refusal}", refusal.kind.word());
        return Check::warn(&id, text, refusal.advice().to_owned());
    }
    match read.notes.first() {
        Some(note) => Check::warn(&id, format!("{text}; {note}"), "see docs/jobs.md"),
        None => Check::ok(&id, text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::domain::jobs::{JobSource, JobsName};

    struct Fixed(JobsName, Result<JobsRead, SourceError>);

    #[async_trait::async_trait]
    impl LiveJobs for Fixed {
        fn name(&self) -> &JobsName {
            &self.0
        }

        async fn read(&self, _: &JobWindow) -> Result<JobsRead, SourceError> {
            self.1.clone()
        }
    }

    async fn one(answer: Result<JobsRead, SourceError>) -> Check {
        let name = JobsName { kind: JobSource::Slurm, name: "prod".into() };
        let source: Arc<dyn LiveJobs> = Arc::new(Fixed(name, answer));
        examine(&[source], &[], &[], Timestamp::UNIX_EPOCH).await.remove(0)
    }

    #[tokio::test]
    async fn a_source_is_as_well_as_its_answer() {
        let about = Some("Slurm 24.11.5".to_owned());
        let well = one(Ok(JobsRead { about, ..JobsRead::default() })).await;
        assert_eq!((well.status, well.id.as_str()), (Status::Ok, "jobs/prod"));
        assert_eq!(well.message, "slurm: Slurm 24.11.5, 0 attempts in the last hour");
        let error = SourceError::new(ErrorKind::Denied, "slurm:sacct", "no", "ask for rights");
        let partly = JobsRead { refusal: Some(error.clone()), ..JobsRead::default() };
        assert_eq!(one(Ok(partly)).await.status, Status::Warn);
        let dead = one(Err(error)).await;
        assert_eq!((dead.status, dead.fix.as_deref()), (Status::Fail, Some("ask for rights")));
    }

    #[tokio::test]
    async fn what_is_nearby_is_a_hint_with_its_lines() {
        let near = NearbyJobs { what: "sacct is on this host".into(), lines: "[[jobs.slurm]]" };
        let checks = examine(&[], &[], &[near], Timestamp::UNIX_EPOCH).await;
        assert_eq!(checks[0].status, Status::Skip);
        assert!(checks[0].fix.as_deref().is_some_and(|fix| fix.contains("[[jobs.slurm]]")));
        assert_eq!(examine(&[], &[], &[], Timestamp::UNIX_EPOCH).await, []);
    }
}
