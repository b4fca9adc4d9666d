//! What held GPUs for a job, from when to when.
//!
//! Actors hold theirs while they live, tasks of functions while they run, the entrypoint while its supervisor lives, and a placement
//! group what it reserved: then actors and tasks inside of it hold nothing besides. Tasks of actors name no resources, and those
//! that create actors hold for milliseconds what the actor holds from then on. Of a group that was removed nobody tells when:
//! what was inside of it counts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::answers::{Actor, Group, Node, Task};
use crate::domain::jobs::Gpus;
use crate::domain::text;

/// What the name of the actor that runs a submission's entrypoint starts with.
const SUPERVISOR: &str = "_ray_internal_job_actor_";

/// A stretch in which GPUs were held, milliseconds since 1970.
#[derive(Clone, Debug, PartialEq)]
struct Hold {
    gpus: Gpus,
    from: i64,
    to: i64,
}

/// What held GPUs for one job.
#[derive(Clone, Debug, Default, PartialEq)]
struct JobHolds {
    all: Vec<Hold>,
    /// Addresses of the nodes.
    nodes: BTreeSet<Arc<str>>,
    /// True where something with GPUs does not tell from when to when.
    is_untold: bool,
}

/// What is known of the actor that runs an entrypoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Supervisor {
    /// When it began; `None` while it waits.
    pub started: Option<Timestamp>,
    /// False for one that is dead.
    pub is_alive: bool,
}

/// What held GPUs in a cluster.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// By id of the driver.
    by_job: HashMap<String, JobHolds>,
    /// By id of the submission.
    by_submission: HashMap<String, (Supervisor, JobHolds)>,
}

/// GPUs of a job over a stretch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    /// Mean over the stretch; `None` = unknown.
    pub gpus: Option<Gpus>,
    /// Addresses of the nodes with them.
    pub nodes: Vec<Arc<str>>,
    /// True where something with GPUs does not tell from when to when.
    pub is_untold: bool,
}

/// True for a group that is there and holds GPUs.
pub(super) fn holds_gpus(group: &Group) -> bool {
    group.state.as_deref() == Some("CREATED") && bundles(group).next().is_some()
}

/// GPUs and node of the parts of a group.
fn bundles(group: &Group) -> impl Iterator<Item = (f64, Option<&str>)> {
    let all = group.bundles.iter().flatten();
    all.filter_map(|of| Some((of.unit_resources?.gpus()?, of.node_id.as_deref())))
}

impl JobHolds {
    fn add(&mut self, gpus: f64, from: Option<i64>, to: Option<i64>, node: Option<&str>) {
        let (Some(gpus), Some(from), Some(to)) = (Gpus::from_f64(gpus), from, to) else {
            self.is_untold = true;
            return;
        };
        self.all.push(Hold { gpus, from, to });
        let address = node.filter(|address| text::is_id(address));
        self.nodes.extend(address.map(Arc::from));
    }
}

impl Holds {
    /// From the lists of a cluster; `grouped` = ids of actors with the group that they are in.
    pub fn of(
        actors: &HashMap<String, Actor>,
        tasks: &[Task],
        nodes: &[Node],
        groups: &[Group],
        grouped: &HashMap<String, String>,
        now: Timestamp,
    ) -> Self {
        let now = now.as_millisecond();
        let known = |node: &Node| Some((node.node_id.clone()?, node.node_ip.clone()?));
        let addresses: HashMap<String, String> = nodes.iter().filter_map(known).collect();
        let address = |id: Option<&str>| addresses.get(id?).map(String::as_str);
        let mut found = Self::default();
        let mut counted = HashSet::new();
        for group in groups.iter().filter(|group| holds_gpus(group)) {
            let (Some(id), Some(job)) = (&group.placement_group_id, &group.creator_job_id) else {
                continue;
            };
            counted.insert(id.as_str());
            let from = group.stats.as_ref().and_then(super::answers::GroupStats::created_ms);
            let of_job = found.by_job.entry(job.clone()).or_default();
            for (gpus, node) in bundles(group) {
                of_job.add(gpus, from, Some(now), address(node));
            }
        }
        for (id, actor) in actors {
            let submission = actor.name.as_deref().and_then(|name| name.strip_prefix(SUPERVISOR));
            let (from, is_alive) = (actor.start_time.0, actor.state == "ALIVE");
            let of_job = match submission {
                Some(submission) => {
                    let started = from.and_then(|ms| Timestamp::from_millisecond(ms).ok());
                    let is_alive = actor.state != "DEAD";
                    let supervisor = Supervisor { started, is_alive };
                    let of = (supervisor, JobHolds::default());
                    &mut found.by_submission.entry(submission.to_owned()).or_insert(of).1
                }
                None => found.by_job.entry(actor.job_id.clone()).or_default(),
            };
            let is_inside = grouped.get(id).is_some_and(|group| counted.contains(group.as_str()));
            let Some(gpus) = actor.required_resources.gpus().filter(|_| !is_inside) else {
                continue;
            };
            // One without a start waits, or never came to be.
            if from.is_some() {
                let to = actor.end_time.0.or(is_alive.then_some(now));
                of_job.add(gpus, from, to, Some(&actor.address.ip_address));
            }
        }
        for task in tasks.iter().filter(|task| task.kind.as_deref() == Some("NORMAL_TASK")) {
            let group = task.placement_group_id.as_deref();
            let is_inside = group.is_some_and(|group| counted.contains(group));
            let gpus = task.required_resources.and_then(super::answers::Resources::gpus);
            let (Some(gpus), Some(job), false) = (gpus, &task.job_id, is_inside) else { continue };
            let (from, to) = (task.start_time_ms.0, task.end_time_ms.0);
            let is_running = task.state.as_deref() == Some("RUNNING");
            // One without start and end waits.
            if from.is_some() || to.is_some() {
                let of_job = found.by_job.entry(job.clone()).or_default();
                let to = to.or(is_running.then_some(now));
                of_job.add(gpus, from, to, address(task.node_id.as_deref()));
            }
        }
        found
    }

    /// What is known of the actor that runs the entrypoint of a submission; `None` where it is not listed.
    pub fn supervisor(&self, submission: &str) -> Option<Supervisor> {
        self.by_submission.get(submission).map(|(supervisor, _)| *supervisor)
    }

    /// When a job first held a GPU, milliseconds since 1970; `None` where it held none.
    pub fn first_ms(&self, job: Option<&str>, submission: Option<&str>) -> Option<i64> {
        self.parts(job, submission).flat_map(|of| &of.all).map(|hold| hold.from).min()
    }

    /// What a job held from a moment to another, milliseconds since 1970.
    pub fn held(
        &self,
        job: Option<&str>,
        submission: Option<&str>,
        (from, to): (i64, i64),
    ) -> Held {
        let (mut time, mut nodes, mut is_untold) = (0_u128, BTreeSet::new(), false);
        for of in self.parts(job, submission) {
            is_untold |= of.is_untold;
            nodes.extend(of.nodes.iter().cloned());
            for hold in &of.all {
                let ms = hold.to.min(to).saturating_sub(hold.from.max(from));
                let ms = u128::try_from(ms).unwrap_or_default();
                time += u128::from(hold.gpus.millionths()) * ms;
            }
        }
        let span = u128::try_from(to.saturating_sub(from)).unwrap_or_default();
        let mean = match span {
            0 if time == 0 => Some(Gpus::ZERO),
            0 => None,
            span => Gpus::from_f64(time as f64 / span as f64 / 1e6),
        };
        Held { gpus: mean.filter(|_| !is_untold), nodes: nodes.into_iter().collect(), is_untold }
    }

    fn parts(
        &self,
        job: Option<&str>,
        submission: Option<&str>,
    ) -> impl Iterator<Item = &JobHolds> {
        let of_job = job.and_then(|job| self.by_job.get(job));
        let of_submission = submission.and_then(|id| self.by_submission.get(id));
        of_job.into_iter().chain(of_submission.map(|(_, holds)| holds))
    }
}
