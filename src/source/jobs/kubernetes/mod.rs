//! Clusters of Kubernetes as a source of jobs: each pod that holds accelerators, and each pod of a job, is an attempt; so is what waits
//! for quota and has no pods yet.
//!
//! The API tells what is, and forgets what was: a pod is gone with its job. So each reading brings all that is there, what ended
//! before the last one is left out, and what was open and is gone is told by [`Forgotten`].
//!
//! | file | holds |
//! |---|---|
//! | `kubeconfig`, `target` | where a cluster is and who asks it |
//! | `exec` | programs that make credentials |
//! | `session`, `pages` | requests, and lists in pages |
//! | `wire`, `quantity` | what is read of the objects |
//! | `devices`, `nodes` | what pods hold, and what nodes have |
//! | `jobs`, `owner`, `outcome`, `attempt` | whose a pod is, what owns it, how it ended, and all as an attempt |
//! | `kueue` | workloads that wait for quota, and have no pods yet |
//! | `state_metrics` | the same by kube-state-metrics in a Prometheus |

mod attempt;
mod devices;
mod exec;
mod jobs;
mod kubeconfig;
mod kueue;
mod nodes;
mod outcome;
mod owner;
mod pages;
mod quantity;
mod session;
pub mod state_metrics;
mod target;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::SignedDuration;

use self::attempt::{Reading, Row};
use self::jobs::{Jobs, Known};
use self::kueue::{Found, Queued};
use self::nodes::KnownNode;
use self::pages::{Listed, list};
use self::session::{Kept, Session};
use super::error::LineError;
use super::live::{Forgotten, JobEnd, JobWindow, JobsName, JobsRead, LiveJobs};
use crate::domain::format::{counted, plural};
use crate::domain::jobs::{JobSource, JobState};
use crate::domain::text::clean;
use crate::domain::{Address, ErrorKind, SourceError};

/// Operation of all calls, for messages.
pub(super) const OPERATION: &str = "kubernetes:list";

/// Name by which a label means the namespace.
const NAMESPACE: &str = "namespace";

/// Pods of one reading that are kept at most.
const PODS_AT_MOST: usize = 200_000;

/// Jobs and nodes of one reading that are kept at most.
const OTHERS_AT_MOST: usize = 200_000;

/// A pod that was put on its node later than this may be on one that came after the nodes were listed.
const JUST_STARTED: SignedDuration = SignedDuration::from_mins(2);

/// Where a cluster is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// In a kubeconfig.
    Kubeconfig {
        /// Its path; `None` = it is not known which is meant, which is told when it is read.
        file: Option<PathBuf>,
        /// Name of the context; `None` = its current one.
        context: Option<String>,
    },
    /// In the pod that burntop runs in.
    InCluster {
        /// Address of the API server; `None` = this is no pod.
        server: Option<Address>,
        /// Directory with `token` and `ca.crt`.
        dir: PathBuf,
    },
}

/// Labels or annotations that tell whose a pod is; `namespace` means the namespace. `None` = unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// User.
    pub user: Option<String>,
    /// Team.
    pub team: Option<String>,
    /// Project.
    pub project: Option<String>,
    /// Where the checkpoints are.
    pub checkpoint: Option<String>,
}

/// Settings of a cluster of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubernetesSettings {
    /// Configured name of the source, clean.
    pub name: Arc<str>,
    /// Where the cluster is told.
    pub place: Where,
    /// Name of the cluster in place of that of the kubeconfig.
    pub cluster: Option<Arc<str>>,
    /// Region of nodes that tell none.
    pub region: Option<Arc<str>>,
    /// Namespaces; empty = all, in one list.
    pub namespaces: Vec<String>,
    /// Whose a pod is.
    pub keys: Keys,
    /// True where the kubeconfig may say that certificates are not checked.
    pub may_be_insecure: bool,
    /// Time limit of one request, and of a program that makes credentials.
    pub timeout: Duration,
}

/// A cluster of Kubernetes as a source.
pub struct Kubernetes {
    name: JobsName,
    settings: KubernetesSettings,
    /// Settings of all clusters, this one among them.
    all: Arc<[KubernetesSettings]>,
    kept: Kept,
}

impl Kubernetes {
    /// A source without connections. Reads no file.
    pub fn new(settings: KubernetesSettings) -> Self {
        let name = JobsName { kind: JobSource::Kubernetes, name: settings.name.clone() };
        Self { name, settings, all: Arc::default(), kept: Kept::default() }
    }

    /// The same beside others: where one of them has the name of its cluster and another server, neither is read.
    #[must_use]
    pub fn beside(self, all: Arc<[KubernetesSettings]>) -> Self {
        Self { all, ..self }
    }

    /// Paths of a list: one for each namespace.
    fn paths(&self, base: &str, kind: &str) -> Vec<String> {
        match self.settings.namespaces.as_slice() {
            [] => vec![format!("{base}/{kind}")],
            some => some.iter().map(|of| format!("{base}/namespaces/{of}/{kind}")).collect(),
        }
    }

    /// What waits in queues of Kueue, where the cluster has it.
    async fn queued(&self, session: &mut Session<'_>, reading: &Reading<'_>) -> Queued {
        let mut queued = Queued::default();
        match kueue::version(session).await {
            Ok(None) => {}
            Ok(Some(version)) => {
                for path in self.paths(&format!("{}/{version}", kueue::GROUP), "workloads") {
                    let found = |workload| Found::of(&workload, reading);
                    queued.take(list(session, &path, OTHERS_AT_MOST, found).await);
                }
            }
            Err(error) => queued.trouble(&error),
        }
        queued
    }
}

/// What went wrong in a reading.
#[derive(Default)]
struct Troubles {
    all: Vec<SourceError>,
    /// True where what is missing may be had by the next reading.
    is_cut: bool,
    /// Objects that could not be read at all.
    odd: usize,
}

impl Troubles {
    /// Items of a list; what is wrong with it is kept here.
    fn take<T>(&mut self, listed: Listed<T>) -> Vec<T> {
        use ErrorKind::{Denied, Refused, Unavailable};
        self.odd += listed.odd;
        if let Some(error) = listed.trouble {
            self.is_cut |= !matches!(error.kind, Denied | Refused | Unavailable);
            self.all.push(error);
        }
        listed.items
    }
}

#[async_trait::async_trait]
impl LiveJobs for Kubernetes {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let (now, settings) = (window.until, &self.settings);
        let mut session = Session::open(&self.kept, settings, &self.all, now).await?;
        let about = version(&mut session).await?;
        let cluster = session.cluster();

        let mut troubles = Troubles::default();
        let mut jobs = Jobs::new();
        for path in self.paths("/apis/batch/v1", "jobs") {
            let found = list(&mut session, &path, OTHERS_AT_MOST, |job| Known::of(&job)).await;
            jobs.extend(troubles.take(found));
        }

        let (keys, since) = (&settings.keys, window.since);
        let hidden = AtomicBool::new(false);
        let reading = Reading {
            cluster: cluster.clone(),
            jobs: &jobs,
            keys,
            now,
            since,
            has_hidden_holders: &hidden,
        };
        let mut rows: Vec<Row> = Vec::new();
        let mut failed: Vec<(String, LineError)> = Vec::new();
        let (mut answered, mut pods_are_whole) = (0_usize, true);
        for path in self.paths("/api/v1", "pods") {
            let found = list(&mut session, &path, PODS_AT_MOST, |pod| reading.row(&pod)).await;
            let is_cut = found.trouble.is_some();
            answered += usize::from(!is_cut || !found.items.is_empty());
            pods_are_whole &= !is_cut;
            for row in troubles.take(found) {
                match row {
                    Ok(row) => rows.push(row),
                    Err(why) => failed.push(why),
                }
            }
        }
        if answered == 0
            && let Some(error) = troubles.all.first()
        {
            return Err(error.clone());
        }

        // After the pods: one that is admitted meanwhile waits no more.
        let mut queued = self.queued(&mut session, &reading).await;
        let (queue_is_cut, admitted) = (queued.is_cut, std::mem::take(&mut queued.ends));
        let (mut waiting, of_queues) = queued.beside(&mut rows);

        // After the pods: a node that is not there then is gone.
        let region = settings.region.as_ref();
        let known = |node| nodes::known(&node, &cluster, region, now);
        let found = list(&mut session, "/api/v1/nodes", OTHERS_AT_MOST, known).await;
        // One that could not be read is there all the same.
        let nodes_are_whole = found.trouble.is_none() && found.odd == 0;
        let nodes: Vec<KnownNode> = troubles.take(found);
        if let Some(region) = region {
            let attempts = rows.iter_mut().map(|row| &mut row.attempt).chain(&mut waiting);
            attempts.for_each(|attempt| attempt.region = Some(region.clone()));
        }
        nodes::told_by_nodes(&mut rows, &nodes);
        let mut notes = Vec::new();
        if nodes_are_whole {
            notes.extend(doubt(&mut rows, &nodes, now));
        }
        let odd = troubles.odd;
        notes.extend(said(&rows, &failed, odd));
        notes.extend(of_queues);

        let is_cut = troubles.is_cut;
        let mut errors = troubles.all.into_iter();
        let refusal = errors.next();
        notes.extend(errors.map(|error| error.with_fix()));
        notes.truncate(JobsRead::NOTES_AT_MOST);
        let is_all = pods_are_whole
            && settings.namespaces.is_empty()
            && odd == 0
            && !hidden.load(Ordering::Relaxed);
        let holders = is_all.then(|| nodes::holders(&rows, now));
        let within = settings.namespaces.iter().map(|of| format!("{of}/")).collect();
        let is_whole = pods_are_whole && !is_cut && !queue_is_cut;
        let forgotten = is_whole.then(|| {
            let mut ends = ends(jobs);
            ends.extend(admitted);
            Forgotten { cluster, within, ends }
        });
        Ok(JobsRead {
            about,
            attempts: rows.into_iter().map(|row| row.attempt).chain(waiting).collect(),
            events: nodes.iter().flat_map(|known| known.events.iter().cloned()).collect(),
            nodes: nodes.into_iter().map(|known| known.node).collect(),
            hyperpod: Vec::new(),
            holders,
            notes,
            complete_until: is_cut.then_some(window.since),
            open_since: None,
            refusal,
            forgotten,
        })
    }
}

/// Name and version of the server. Err where nothing else would be answered either.
async fn version(session: &mut Session<'_>) -> Result<Option<String>, SourceError> {
    let answer = session.ask("/version").await?;
    match answer.status {
        200 => {
            let version: Option<wire::Version> = serde_json::from_slice(&answer.body).ok();
            let version = version.and_then(|version| version.git_version);
            Ok(version
                .map(|version| format!("Kubernetes {}", clean(version.trim_start_matches('v')))))
        }
        401 => Err(session.failure(answer)),
        // Some let nobody ask for it.
        _ => Ok(None),
    }
}

/// Marks what is on nodes that are gone; a sentence where something is.
fn doubt(rows: &mut [Row], nodes: &[KnownNode], now: jiff::Timestamp) -> Option<String> {
    let latest = now.checked_sub(JUST_STARTED).unwrap_or(now);
    let there: std::collections::HashSet<&str> = nodes.iter().map(|of| &*of.node.name).collect();
    let (mut count, mut first) = (0_usize, None);
    for Row { attempt, .. } in rows {
        let is_held = matches!(attempt.state, JobState::Running | JobState::Unknown);
        let is_old = attempt.started_at.is_some_and(|at| at < latest);
        let is_gone = attempt.nodes.first().is_some_and(|node| !there.contains(&**node));
        let is_held = is_held && attempt.ended_at.is_none();
        if is_held && is_old && is_gone {
            attempt.state = JobState::Doubtful;
            first.get_or_insert_with(|| attempt.job.clone());
            count += 1;
        }
    }
    let first = first?;
    Some(format!(
        "{} on nodes that are gone, {first} for one: their time is not counted",
        counted(count, "pod is", "pods are")
    ))
}

/// What is odd but usable, a sentence each.
fn said(rows: &[Row], failed: &[(String, LineError)], odd: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((name, why)) = failed.first() {
        notes.push(format!(
            "{} could not be read, the first one, {name}, because {why}",
            plural(failed.len(), "pod")
        ));
    }
    if odd > 0 {
        let objects = plural(odd, "object");
        notes.push(format!(
            "{objects} of the API server could not be read: fields are of another kind"
        ));
    }
    let count = |is: fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let endless = count(|row| row.has_no_end);
    if endless > 0 {
        let pods = counted(endless, "pod is", "pods are");
        notes.push(format!("{pods} over and nothing tells when: their time is unknown"));
    }
    let claims = count(|row| row.devices.has_unknown && row.attempt.gpus.is_none());
    if claims > 0 {
        let pods = counted(claims, "pod holds", "pods hold");
        notes.push(format!(
            "{pods} devices by resource claims, which are not read, or of a kind that is not known: GPUs \
             are unknown there"
        ));
    }
    let mut strange: Vec<&str> = rows
        .iter()
        .filter(|row| row.attempt.state == JobState::Unknown && row.attempt.ended_at.is_none())
        .map(|row| &*row.attempt.state_source)
        .filter(|word| *word != "Unknown")
        .collect();
    strange.sort_unstable();
    strange.dedup();
    if let Some(first) = strange.first() {
        notes.push(format!("pods are in a phase that is not known: {first}"));
    }
    notes
}

/// When jobs failed, by their id.
fn ends(jobs: Jobs) -> HashMap<Arc<str>, JobEnd> {
    let failed = jobs.into_values().filter_map(|known| {
        let failure = known.failure?;
        let end =
            JobEnd { state: failure.state(), word: failure.reason.as_str().into(), at: failure.at };
        Some((known.job, end))
    });
    failed.collect()
}
