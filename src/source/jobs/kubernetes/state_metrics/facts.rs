//! What was told of pods, jobs and nodes, stretch after stretch. What is told twice is known once, and what is told of an object at
//! one time and not at another stays known: each fact takes the largest, or the furthest, of its values.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::names::{self, Labels, value};
use super::queries::{ENDED, JOBS, NODES, REQUESTS, TIMES, WORDS};
use crate::source::prometheus::json::Label;

/// Phases, each after those that it may follow.
const PHASES: [&str; 5] = ["Unknown", "Pending", "Running", "Succeeded", "Failed"];

/// Time at which a reason is that was not there at any look: after the last of them.
const LATEST: f64 = f64::INFINITY;

/// What is known of a pod. Times are Unix s, as they were told.
#[derive(Clone, Default)]
pub(super) struct PodFacts {
    pub name: String,
    pub namespace: String,
    /// `None` = it has none.
    pub node: Option<String>,
    /// Kind and name of its controller.
    pub owner: Option<(String, String)>,
    /// [`TIMES`].
    pub times: [Option<f64>; TIMES.len()],
    /// Requests by container and resource; those of init containers come second.
    pub requests: [BTreeMap<String, BTreeMap<String, f64>>; REQUESTS.len()],
    /// Init containers that stay.
    pub sidecars: BTreeSet<String>,
    /// Its place among the phases, from 1 on; 0 = not told.
    pub phase: usize,
    pub reasons: BTreeSet<String>,
    /// Why it was taken off its node.
    pub disruption: Option<String>,
    pub is_unschedulable: bool,
    pub claims: BTreeSet<String>,
    /// When each reason for which a container ended was last there.
    pub ended: BTreeMap<String, BTreeMap<String, f64>>,
    pub waits_for: Option<String>,
    /// When it was last seen not to be over, Unix s.
    pub open_until: Option<f64>,
    pub labels: BTreeMap<String, String>,
    /// When each teller last told of it.
    pub seen: BTreeMap<String, f64>,
}

impl PodFacts {
    /// Its phase; `None` where it is not told.
    pub fn phase(&self) -> Option<&'static str> {
        (self.phase > 0).then(|| PHASES.get(self.phase - 1).copied()).flatten()
    }

    /// Containers that ended, each with the last of its reasons.
    pub fn ended(&self) -> impl Iterator<Item = &str> {
        self.ended.values().filter_map(|reasons| {
            let last = reasons.iter().max_by(|one, other| one.1.total_cmp(other.1));
            last.map(|(reason, _)| reason.as_str())
        })
    }

    /// When it was last told of, Unix s.
    pub fn last_seen(&self) -> Option<f64> {
        self.seen.values().copied().max_by(f64::total_cmp)
    }

    fn take_word(&mut self, labels: &[Label<'_>]) {
        let (name, reason) = (value(labels, "__name__"), value(labels, "reason"));
        let container = || value(labels, "container").to_owned();
        match WORDS.iter().position(|known| *known == name) {
            Some(0) => {
                let phase = PHASES.iter().position(|known| *known == value(labels, "phase"));
                self.phase = self.phase.max(phase.map_or(0, |at| at + 1));
            }
            Some(1) => {
                self.reasons.insert(reason.to_owned());
            }
            Some(2) => self.disruption = Some(reason.to_owned()),
            Some(3) => self.is_unschedulable = true,
            Some(4) if value(labels, "restart_policy") == "Always" => {
                self.sidecars.insert(container());
            }
            Some(5) => {
                self.claims.insert(value(labels, "claim_name").to_owned());
            }
            Some(_) if ENDED.contains(&name) => {
                self.ended.entry(container()).or_default().insert(reason.to_owned(), LATEST);
            }
            _ => {}
        }
    }
}

/// What is known of a job.
#[derive(Clone, Default)]
pub(super) struct JobFacts {
    pub parallelism: Option<f64>,
    /// Unix s.
    pub started: Option<f64>,
    /// How long it may take from there, s.
    pub deadline_s: Option<f64>,
    /// Why it failed, and by when at the latest, Unix s.
    pub failed: Option<(String, i64)>,
    pub labels: BTreeMap<String, String>,
}

/// What is known of a node under a name, while it was one instance.
#[derive(Clone, Default)]
pub(super) struct NodeFacts {
    pub address: String,
    /// When it was last told of, Unix s.
    pub seen: f64,
}

/// What is known of whatever has the name of a node.
#[derive(Clone, Default)]
pub(super) struct NamedNode {
    /// By the id of its provider.
    pub instances: BTreeMap<String, NodeFacts>,
    /// When each was made, Unix s.
    pub created: Vec<f64>,
    pub capacity: BTreeMap<String, f64>,
    pub labels: BTreeMap<String, String>,
}

/// Everything that was told.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// By uid.
    pub pods: HashMap<String, PodFacts>,
    /// By namespace and name.
    pub jobs: HashMap<(String, String), JobFacts>,
    /// By name.
    pub nodes: HashMap<String, NamedNode>,
    /// When each teller last told anything, Unix s.
    pub tellers: HashMap<String, f64>,
    /// Pods without an id, by name, the most at once.
    pub nameless: BTreeSet<String>,
    /// Objects beyond those that are kept.
    pub left_out: usize,
}

impl Facts {
    /// Pods, jobs and nodes that are kept at most, of each kind.
    const AT_MOST: usize = 200_000;

    /// Pods without an id that are counted at most.
    const NAMELESS_AT_MOST: usize = 10_000;

    fn pod(&mut self, labels: &[Label<'_>]) -> Option<&mut PodFacts> {
        self.pods.get_mut(value(labels, "uid"))
    }

    pub fn take_pod(&mut self, labels: &[Label<'_>]) {
        let uid = value(labels, "uid");
        let of = |name: &str| value(labels, name).to_owned();
        if uid.is_empty() {
            if self.nameless.len() < Self::NAMELESS_AT_MOST {
                self.nameless.insert(format!("{}/{}", of("namespace"), of("pod")));
            }
            return;
        }
        if self.pods.len() >= Self::AT_MOST && !self.pods.contains_key(uid) {
            self.left_out += 1;
            return;
        }
        let pod = self.pods.entry(uid.to_owned()).or_default();
        (pod.name, pod.namespace) = (of("pod"), of("namespace"));
        let node = value(labels, "node");
        if !node.is_empty() {
            pod.node = Some(node.to_owned());
        }
        let kind = value(labels, "created_by_kind");
        if !matches!(kind, "" | "<none>") {
            pod.owner = Some((kind.to_owned(), of("created_by_name")));
        }
    }

    pub fn take_seen(&mut self, labels: &[Label<'_>], at: f64) {
        let teller = value(labels, "instance").to_owned();
        self.hear(&teller, at);
        if let Some(pod) = self.pod(labels) {
            let seen = pod.seen.entry(teller).or_insert(at);
            *seen = seen.max(at);
        }
    }

    fn hear(&mut self, teller: &str, at: f64) {
        if at.is_finite() {
            let last = self.tellers.entry(teller.to_owned()).or_insert(at);
            *last = last.max(at);
        }
    }

    pub fn take_time(&mut self, labels: &[Label<'_>], at: f64) {
        let kind = TIMES.iter().position(|known| *known == value(labels, "__name__"));
        if let (Some(kind), Some(pod)) = (kind, self.pod(labels)) {
            largest(&mut pod.times[kind], at);
        }
    }

    pub fn take_request(&mut self, labels: &[Label<'_>], amount: f64) {
        let kind = REQUESTS.iter().position(|known| *known == value(labels, "__name__"));
        if let (Some(kind), Some(pod)) = (kind, self.pod(labels)) {
            let container = pod.requests[kind].entry(value(labels, "container").to_owned());
            let resource = names::resource(value(labels, "resource"));
            // Of a copy that tells nothing usable the other counts.
            let known = container.or_default().entry(resource).or_insert(amount);
            *known = known.max(amount);
        }
    }

    pub fn take_word(&mut self, labels: &[Label<'_>]) {
        if let Some(pod) = self.pod(labels) {
            pod.take_word(labels);
        }
    }

    pub fn take_end(&mut self, labels: &[Label<'_>], at: f64) {
        if let Some(pod) = self.pod(labels) {
            let reasons = pod.ended.entry(value(labels, "container").to_owned()).or_default();
            reasons.insert(value(labels, "reason").to_owned(), at);
        }
    }

    pub fn take_open(&mut self, labels: &[Label<'_>], at: f64) {
        if let Some(pod) = self.pod(labels) {
            largest(&mut pod.open_until, at);
        }
    }

    pub fn take_wait(&mut self, labels: &[Label<'_>]) {
        if let Some(pod) = self.pod(labels) {
            pod.waits_for = Some(value(labels, "reason").to_owned());
        }
    }

    pub fn take_labels(&mut self, labels: &[Label<'_>], wanted: &Labels) {
        if let Some(pod) = self.pod(labels) {
            wanted.read(labels, &mut pod.labels);
        }
    }

    /// `until` is when this was told.
    pub fn take_job(&mut self, labels: &[Label<'_>], number: f64, wanted: &Labels, until: i64) {
        let of = |name: &str| value(labels, name).to_owned();
        let key = (of("namespace"), of("job_name"));
        if self.jobs.len() >= Self::AT_MOST && !self.jobs.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let job = self.jobs.entry(key).or_default();
        match JOBS.iter().position(|known| *known == value(labels, "__name__")) {
            Some(0) => largest(&mut job.parallelism, number),
            Some(1) => largest(&mut job.started, number),
            Some(2) => largest(&mut job.deadline_s, number),
            Some(3) if number > 0.0 && !value(labels, "reason").is_empty() => {
                job.failed.get_or_insert_with(|| (of("reason"), until));
            }
            Some(4 | 5) => wanted.read(labels, &mut job.labels),
            _ => {}
        }
    }

    pub fn take_node_seen(&mut self, labels: &[Label<'_>], at: f64) {
        self.hear(value(labels, "instance"), at);
        if let Some(node) = self.node(labels) {
            let of = |name: &str| value(labels, name).to_owned();
            let known = node.instances.entry(of("provider_id")).or_default();
            if at > known.seen {
                *known = NodeFacts { address: of("internal_ip"), seen: at };
            }
        }
    }

    pub fn take_node(&mut self, labels: &[Label<'_>], number: f64, wanted: &Labels) {
        let kind = NODES.iter().position(|known| *known == value(labels, "__name__"));
        let Some(node) = self.node(labels) else { return };
        match kind {
            Some(0) if !node.created.contains(&number) => node.created.push(number),
            Some(0) => {}
            Some(1) => {
                // Another instance of the name may have another number of them: the present one counts.
                node.capacity.insert(names::resource(value(labels, "resource")), number);
            }
            Some(_) => wanted.read(labels, &mut node.labels),
            None => {}
        }
    }

    fn node(&mut self, labels: &[Label<'_>]) -> Option<&mut NamedNode> {
        let name = value(labels, "node");
        if self.nodes.len() >= Self::AT_MOST && !self.nodes.contains_key(name) {
            self.left_out += 1;
            return None;
        }
        (!name.is_empty()).then(|| self.nodes.entry(name.to_owned()).or_default())
    }
}

/// Takes the larger of two numbers; one that is none counts where there is no other.
fn largest(of: &mut Option<f64>, number: f64) {
    *of = Some(of.map_or(number, |known| known.max(number)));
}
