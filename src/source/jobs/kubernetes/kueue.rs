//! Workloads that wait in queues of Kueue: most of them have no pods yet.
//!
//! Once one is admitted its pods are the attempts, and what waited is over; put back by an eviction it waits anew, as another attempt.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::error::LineError;
use super::super::live::JobEnd;
use super::attempt::{REASON_AT_MOST, Reading, Row, noted};
use super::devices::Devices;
use super::pages::Listed;
use super::session::Session;
use super::wire::{ApiGroup, Condition, Workload};
use super::{OPERATION, jobs, owner};
use crate::domain::format::plural;
use crate::domain::jobs::{Attempt, AttemptId, Gpus, JobSource, JobState};
use crate::domain::text::{clean, clean_to};
use crate::domain::{ErrorKind, SourceError};

/// Where the API has Kueue.
pub(super) const GROUP: &str = "/apis/kueue.x-k8s.io";

/// Versions of it that are known, the newest first.
const VERSIONS: [&str; 2] = ["v1beta2", "v1beta1"];

/// Word of Kueue for want of quota. Most releases write `Pending` and tell it in the message alone.
const NO_QUOTA: &str = "WaitingForQuota";

/// Word of Kueue for queues that are not there or do not take anything in.
const INADMISSIBLE: &str = "Inadmissible";

/// Words for the same where Kueue tells the kinds of it apart.
const BLOCKED: [&str; 2] = ["Suspended", "Misconfigured"];

/// Version of Kueue's API to be asked; `None` where the cluster has no Kueue, or does not tell.
pub(super) async fn version(
    session: &mut Session<'_>,
) -> Result<Option<&'static str>, SourceError> {
    let answer = session.ask(GROUP).await?;
    match answer.status {
        200 => {}
        403 | 404 => return Ok(None),
        _ => return Err(session.failure(answer)),
    }
    let group: Option<ApiGroup> = serde_json::from_slice(&answer.body).ok();
    let offered = group.and_then(|group| group.versions).unwrap_or_default();
    let known = VERSIONS.into_iter().find(|known| offered.iter().any(|of| of.version == *known));
    known.map(Some).ok_or_else(|| {
        let why =
            format!("{GROUP} has none of the versions that are read: {}", VERSIONS.join(", "));
        SourceError::new(ErrorKind::Unavailable, OPERATION, &why, "update burntop, or Kueue")
    })
}

/// A workload as far as it matters here.
#[derive(Debug)]
pub(super) enum Found {
    /// It waits.
    Waits(Box<Waiting>),
    /// It waits no more: id of the job by which it is kept, and since when.
    Ended(Arc<str>, JobEnd),
}

/// A workload that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    attempt: Attempt,
    /// Ids of what it was made for: of pods, where it was made for pods.
    made_for: Vec<Arc<str>>,
}

impl Found {
    /// A workload; `None` for one that asks for no accelerators. Err where it makes no sense.
    pub fn of(workload: &Workload, reading: &Reading<'_>) -> Option<Result<Self, LineError>> {
        let sets = || workload.spec.pod_sets.iter().flatten();
        let asks = |devices: &Devices| devices.has_accelerators() || devices.has_unknown;
        let is_asking = sets().any(|set| asks(&Devices::of(&set.template.spec)));
        is_asking.then(|| Self::made(workload, reading))
    }

    fn made(workload: &Workload, reading: &Reading<'_>) -> Result<Self, LineError> {
        let (meta, spec) = (&workload.metadata, &workload.spec);
        let uid = meta.uid.as_deref().map(clean).filter(|uid| !uid.is_empty());
        let uid = uid.ok_or(LineError::Empty("metadata.uid"))?;
        let name = meta.name.as_deref().unwrap_or_default();
        let job = jobs::id(meta, name);
        let condition = |kind: &str| {
            workload.status.conditions.iter().flatten().find(|condition| condition.kind == kind)
        };
        let since = |kind: &'static str, of: Option<&Condition>| {
            reading.moment(kind, of.and_then(|of| of.last_transition_time.as_deref()))
        };
        // What is over was admitted before: its wait ended then.
        for kind in ["Admitted", "Finished"] {
            if let Some(of) = condition(kind).filter(|of| of.is_true()) {
                let at = since(kind, Some(of))?.unwrap_or(reading.now);
                let end = JobEnd { state: JobState::Unknown, word: kind.into(), at };
                return Ok(Self::Ended(job, end));
            }
        }
        // Nobody wants it to run.
        if spec.active == Some(false) {
            let word = "Deactivated".into();
            let end = JobEnd { state: JobState::Unknown, word, at: reading.now };
            return Ok(Self::Ended(job, end));
        }
        let evicted = condition("Evicted").filter(|of| of.is_true());
        let evicted_at = since("Evicted", evicted)?;
        let reserved = condition("QuotaReserved");
        let id = AttemptId {
            source: JobSource::Kubernetes,
            cluster: reading.cluster.clone(),
            raw: uid.into(),
            key: evicted_at.map_or_else(Arc::default, |at| at.to_string().into()),
        };
        let word = evicted.or(reserved).and_then(|of| of.reason.as_deref());
        let word = word.filter(|word| !word.is_empty()).unwrap_or("Pending");
        let mut attempt = Attempt::new(id, job, JobState::Queued, clean(word).into());
        let owner = meta.owner();
        attempt.owner = owner::by_reference(meta);
        attempt.name = Some(clean(owner.map_or(name, |owner| owner.name.as_str())).into());
        let queue = spec.queue_name.as_deref().filter(|queue| !queue.is_empty());
        let queue = queue.or(meta.namespace.as_deref()).unwrap_or("default");
        attempt.queue = Some(clean(queue).into());
        let template = spec.pod_sets.iter().flatten().next().map(|set| &set.template.metadata);
        let told = |key: &Option<String>| {
            let key = key.as_deref();
            noted(meta, key).or_else(|| noted(template?, key))
        };
        let keys = reading.keys;
        (attempt.user, attempt.team) = (told(&keys.user), told(&keys.team));
        (attempt.project, attempt.checkpoint) = (told(&keys.project), told(&keys.checkpoint));
        let said = [reserved, evicted].into_iter().flatten();
        let mut said = said.filter_map(|of| of.message.as_deref()).map(str::trim);
        let said = said.find(|said| !said.is_empty());
        attempt.reason = said.map(|said| clean_to(said, REASON_AT_MOST).into());
        attempt.wait_reason = reserved.and_then(limit).map(Arc::from);
        attempt.submitted_at =
            reading.moment("creationTimestamp", meta.creation_timestamp.as_deref())?;
        attempt.eligible_at = evicted_at.or(attempt.submitted_at);
        attempt.seen_until = Some(reading.now);
        (attempt.gpus, attempt.node_count) = asked(workload);
        let made_for = meta.owner_references.iter().flatten();
        let made_for = made_for.filter_map(|of| of.uid.as_deref().map(|uid| clean(uid).into()));
        Ok(Self::Waits(Box::new(Waiting { attempt, made_for: made_for.collect() })))
    }
}

/// Word for what keeps a workload waiting whatever stands idle; `None` where nodes may be what it waits for.
fn limit(reserved: &Condition) -> Option<&'static str> {
    if reserved.is_true() {
        return None;
    }
    let (word, said) = (reserved.reason.as_deref(), reserved.message.as_deref());
    match word {
        Some(word) if word == INADMISSIBLE || BLOCKED.contains(&word) => Some(INADMISSIBLE),
        Some(NO_QUOTA) => Some(NO_QUOTA),
        // "insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed"
        _ => said.is_some_and(|said| said.contains("quota")).then_some(NO_QUOTA),
    }
}

/// GPUs of all pods of a workload, and how many pods have any: each may take a node of its own. `None` = unknown.
fn asked(workload: &Workload) -> (Option<Gpus>, Option<u32>) {
    let (mut gpus, mut pods) = (Some(Gpus::ZERO), Some(0_u32));
    for set in workload.spec.pod_sets.iter().flatten() {
        let each = Devices::of(&set.template.spec).gpus(None);
        if each == Some(Gpus::ZERO) {
            continue;
        }
        let count = u32::try_from(set.count.unwrap_or(1)).ok();
        let all = each.zip(count).map(|(each, count)| each.times(count));
        gpus = gpus.zip(all).map(|(sum, all)| sum + all);
        pods = pods.zip(count).and_then(|(sum, count)| sum.checked_add(count));
    }
    (gpus, pods)
}

/// What Kueue tells of workloads.
#[derive(Default)]
pub(super) struct Queued {
    waiting: Vec<Waiting>,
    /// When those that wait no more stopped to, by the id of the job.
    pub ends: HashMap<Arc<str>, JobEnd>,
    /// True where workloads that are not told of may wait all the same.
    pub is_cut: bool,
    notes: Vec<String>,
}

impl Queued {
    /// Adds a list.
    pub fn take(&mut self, listed: Listed<Result<Found, LineError>>) {
        let (mut failed, mut first) = (listed.odd, None);
        for found in listed.items {
            match found {
                Ok(Found::Waits(waiting)) => self.waiting.push(*waiting),
                Ok(Found::Ended(job, end)) => {
                    self.ends.insert(job, end);
                }
                Err(why) => {
                    failed += 1;
                    first.get_or_insert(why);
                }
            }
        }
        if failed > 0 {
            let why = first.map(|why| format!(", one because {why}")).unwrap_or_default();
            let workloads = plural(failed, "workload");
            self.notes.push(format!("{workloads} of Kueue could not be read{why}"));
        }
        if let Some(error) = listed.trouble {
            self.trouble(&error);
        }
    }

    /// Notes why nothing, or not all, could be read.
    pub fn trouble(&mut self, error: &SourceError) {
        if error.kind == ErrorKind::Denied {
            let why = "workloads of Kueue may not be read, so who waits for quota is not known; let the role list \
                       `workloads` of `kueue.x-k8s.io` (docs/jobs.md has the role)";
            self.notes.push(why.to_owned());
        } else {
            self.is_cut = true;
            self.notes.push(format!("who waits in Kueue is not known: {}", error.with_fix()));
        }
    }

    /// Attempts that wait, and what is odd. A workload that has pods is none: they are the attempts, and those of them that wait do
    /// it for the reason of the workload.
    pub fn beside(self, rows: &mut [Row]) -> (Vec<Attempt>, Vec<String>) {
        let mut pods: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (place, Row { attempt, .. }) in rows.iter().enumerate() {
            if attempt.state.is_over() {
                continue;
            }
            pods.entry(attempt.id.raw.clone()).or_default().push(place);
            if let Some(owner) = owned(attempt) {
                pods.entry(owner).or_default().push(place);
            }
        }
        let mut attempts = Vec::new();
        for Waiting { attempt, made_for } in self.waiting {
            let keys = made_for.into_iter().chain(owned(&attempt));
            let own: Vec<usize> =
                keys.filter_map(|key| pods.get(&key)).flatten().copied().collect();
            for place in &own {
                let pod = &mut rows[*place].attempt;
                if pod.state == JobState::Queued {
                    pod.wait_reason.clone_from(&attempt.wait_reason);
                }
            }
            if own.is_empty() {
                attempts.push(attempt);
            }
        }
        (attempts, self.notes)
    }
}

/// What owns an attempt, with its namespace; `None` where nobody tells.
fn owned(of: &Attempt) -> Option<Arc<str>> {
    let (namespace, _) = of.job.split_once('/')?;
    Some(format!("{namespace}/{}", of.owner.as_deref()?).into())
}
