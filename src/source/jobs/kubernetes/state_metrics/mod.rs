//! Kubernetes by what kube-state-metrics told a Prometheus: for clusters whose API cannot be reached, and for what was before the
//! first reading. Pods are the same attempts as by the API, with the same ids.
//!
//! The past is read in stretches, oldest first, with a few queries each. What a pod held is told by its times, not by how long its
//! series are there: a completed pod is told of until it is deleted.
//!
//! | file | holds |
//! |---|---|
//! | `queries`, `names` | what is asked, and names of labels and resources |
//! | `stretch` | one stretch of time, asked |
//! | `facts` | what was told, stretch after stretch |
//! | `presence` | which pods are there, and which are gone |
//! | `objects` | what was told, as objects of the API |
//! | `rows` | these as attempts, nodes and holders |

mod facts;
mod names;
mod objects;
mod presence;
mod queries;
mod rows;
mod stretch;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use self::facts::Facts;
use self::names::{Labels, exported};
use self::queries::{NEEDED, Queries, Span};
use self::stretch::Stretch;
use super::super::live::{JobWindow, JobsName, JobsRead, LiveJobs};
use super::Keys;
use crate::domain::jobs::JobSource;
use crate::domain::{ErrorKind, SourceError};
use crate::source::prometheus::Prometheus;

/// Longest stretch that is asked at once, s.
const LONGEST_S: i64 = 6 * 3_600;

/// Shortest stretch: where the server does not manage longer ones, s.
const SHORTEST_S: i64 = 900;

/// The end of what is read is looked at closely: this much of it is a stretch of its own, s.
const CLOSE_S: i64 = 3_600;

/// After so long a reading ends, and the next one goes on.
const ENOUGH: Duration = Duration::from_secs(15);

/// A stretch that takes longer is too long.
const WITHIN: Duration = Duration::from_secs(20);

/// Operation of all calls, for messages.
const OPERATION: &str = "prometheus:query";

/// Metrics that are read.
const METRICS: [&str; 3] = ["kube_pod_.+", "kube_job_.+", "kube_node_.+"];

/// Settings of a cluster that kube-state-metrics tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateMetricsSettings {
    /// Configured name of the source, clean.
    pub name: Arc<str>,
    /// Name of the cluster, which kube-state-metrics does not tell.
    pub cluster: Arc<str>,
    /// Region of nodes that tell none.
    pub region: Option<Arc<str>>,
    /// Namespaces; empty = all.
    pub namespaces: Vec<String>,
    /// Whose a pod is.
    pub keys: Keys,
}

/// Why a stretch was not read.
struct Failed {
    error: SourceError,
    /// True where a shorter one may be read at once.
    is_too_long: bool,
}

/// A cluster of Kubernetes behind a Prometheus as a source.
pub struct StateMetrics {
    name: JobsName,
    settings: StateMetricsSettings,
    server: Prometheus,
    /// Length of a stretch that the server manages, s.
    length_s: AtomicI64,
}

impl StateMetrics {
    /// A source that asks `server`.
    pub fn new(settings: StateMetricsSettings, server: Prometheus) -> Self {
        let name = JobsName { kind: JobSource::Kubernetes, name: settings.name.clone() };
        Self { name, settings, server, length_s: AtomicI64::new(LONGEST_S) }
    }

    /// What can be asked of a window. Err where there is no kube-state-metrics in the server.
    async fn queries(&self, from: i64, until: i64) -> Result<Queries<'_>, SourceError> {
        let all = self.server.select(&METRICS, &[]);
        let there: BTreeSet<String> =
            self.server.names_of(&all, from, until).await?.into_iter().collect();
        if let Some(missing) = NEEDED.iter().find(|name| !there.contains(**name)) {
            return Err(
                self.unavailable(missing, there.iter().any(|name| name.starts_with("kube_pod_")))
            );
        }
        let pattern = Queries::pattern(&self.settings.namespaces);
        let namespaces = match pattern {
            None => None,
            Some(pattern) => {
                let displaced = exported("namespace");
                let some = self.server.select(&[NEEDED[0]], &[(&displaced, "!=", "")]);
                let is_displaced = !self.server.names_of(&some, from, until).await?.is_empty();
                let label = if is_displaced { displaced } else { "namespace".to_owned() };
                Some((label, pattern))
            }
        };
        Ok(Queries {
            server: &self.server,
            there,
            namespaces,
            pods: Labels::of_pods(&self.settings.keys),
            jobs: Labels::of_jobs(),
            nodes: Labels::of_nodes(),
        })
    }

    fn unavailable(&self, missing: &str, is_in_part: bool) -> SourceError {
        let server = self.server.name();
        let (message, fix) = if is_in_part {
            let message = format!("{server}: kube-state-metrics tells no {missing}");
            (message, "let it have the metrics kube_pod_.* (--metric-denylist, relabelling rules)")
        } else {
            let message = format!("{server}: no kube-state-metrics in this Prometheus");
            (
                message,
                "have it scrape kube-state-metrics v2; check the matchers and the tenant of the server",
            )
        };
        SourceError::new(ErrorKind::Unavailable, OPERATION, &message, fix)
    }

    /// Asks a stretch within a time. After one that the server does not manage shorter ones are asked.
    async fn ask(&self, stretch: Stretch<'_>) -> Result<Facts, Failed> {
        use ErrorKind::{Malformed, Refused, Timeout, Unavailable};
        let (error, is_left_alone) = match tokio::time::timeout(WITHIN, stretch.read()).await {
            Ok(Ok(facts)) => return Ok(facts),
            // A server that is slow by its own account is left alone for a while.
            Ok(Err(error)) => {
                let is_left_alone = error.kind == Timeout;
                (error, is_left_alone)
            }
            Err(_) => {
                let limit = WITHIN.as_secs();
                let message = format!("{}: no answer within {limit} s", self.server.name());
                let fix = "give the server more room; burntop asks for less at once";
                (SourceError::new(Timeout, OPERATION, &message, fix), false)
            }
        };
        let length = self.length_s.load(Ordering::Relaxed);
        let is_long = length > SHORTEST_S
            && matches!(error.kind, Timeout | Refused | Malformed | Unavailable);
        if is_long {
            self.length_s.store((length / 2).max(SHORTEST_S), Ordering::Relaxed);
        }
        Err(Failed { error, is_too_long: is_long && !is_left_alone })
    }

    /// The stretch that begins at `from`.
    fn span(&self, from: i64, until: i64) -> Span {
        let length = self.length_s.load(Ordering::Relaxed);
        let close = until - CLOSE_S.min(length);
        let end = if from < close { close.min(from + length) } else { until };
        Span { from, until: end }
    }
}

#[async_trait::async_trait]
impl LiveJobs for StateMetrics {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let began = Instant::now();
        let until = window.until.as_second();
        // Samples at the edge may be older than the edge.
        let since = window.since.as_second().clamp(0, until.saturating_sub(1));
        let queries = self.queries(since, until).await?;
        let mut facts = Facts::default();
        let (mut read_until, mut refusal, mut last) = (since, None, None);
        while read_until < until && (last.is_none() || began.elapsed() < ENOUGH) {
            let span = self.span(read_until, until);
            let is_last = span.until == until;
            // Of a stretch that fails nothing counts.
            let known = facts.clone();
            let stretch = Stretch { queries: &queries, span, is_last, facts: known };
            match self.ask(stretch).await {
                Ok(known) => facts = known,
                Err(failed) if failed.is_too_long && began.elapsed() < ENOUGH + WITHIN => continue,
                Err(failed) => {
                    refusal = Some(failed.error);
                    break;
                }
            }
            (read_until, last) = (span.until, Some(span));
        }
        if let (Some(error), None) = (&refusal, last) {
            return Err(error.clone());
        }
        let is_whole = read_until >= until;
        let at =
            if is_whole { Some(window.until) } else { Timestamp::from_second(read_until).ok() };
        let now = at.unwrap_or(window.until);
        let told = rows::Told {
            settings: &self.settings,
            facts: &facts,
            there: &queries.there,
            since: window.since,
            now,
            is_whole,
        };
        let complete_until = (!is_whole).then_some(now);
        Ok(JobsRead { complete_until, refusal, ..told.read() })
    }
}
