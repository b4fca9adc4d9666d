//! What was told, as attempts, nodes and holders.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{SignedDuration, Timestamp};

use super::super::attempt::{Reading, Row};
use super::super::jobs::{Failure, Jobs, Known};
use super::super::nodes::{self, KnownNode};
use super::super::wire::Pod;
use super::super::{doubt, said};
use super::StateMetricsSettings;
use super::facts::{Facts, PodFacts};
use super::objects::{self, DEADLINE};
use super::presence::{Presence, Tellers};
use crate::domain::format::counted;
use crate::domain::jobs::{Attempt, Cause};
use crate::domain::text::clean;
use crate::source::jobs::error::LineError;
use crate::source::jobs::live::{Forgotten, JobsRead};

/// A pod that is put on its node, and one that its job ends, is told of after so long at most.
const SHORTLY: SignedDuration = SignedDuration::from_mins(2);

/// A node that was not told of for so long is gone.
const NODE_GONE: SignedDuration = SignedDuration::from_mins(5);

/// What was told of a window.
pub(super) struct Told<'a> {
    pub settings: &'a StateMetricsSettings,
    pub facts: &'a Facts,
    /// Metrics that are there.
    pub there: &'a BTreeSet<String>,
    pub since: Timestamp,
    /// End of what was read.
    pub now: Timestamp,
    /// True where that is the end of the window.
    pub is_whole: bool,
}

/// Pods as rows.
#[derive(Default)]
struct Rows {
    all: Vec<Row>,
    failed: Vec<(String, LineError)>,
    /// Pods of which nobody who knew of them tells anything.
    silent: usize,
    /// True where pods hold devices of which nobody knows how many.
    is_hiding: bool,
}

impl Told<'_> {
    /// The answer of the source, without what failed.
    pub fn read(&self) -> JobsRead {
        let settings = self.settings;
        let tellers = Tellers::new(&self.facts.tellers, self.now.as_second());
        let mut rows = self.rows(&tellers);
        let nodes = self.nodes();
        if let Some(region) = &settings.region {
            rows.all.iter_mut().for_each(|row| row.attempt.region = Some(region.clone()));
        }
        nodes::told_by_nodes(&mut rows.all, &nodes);
        let is_there = |known: &KnownNode| known.node.seen_until + NODE_GONE >= self.now;
        let (present, past): (Vec<_>, Vec<_>) = nodes.into_iter().partition(is_there);
        let is_now = self.is_whole && tellers.is_fresh();
        let mut notes = Vec::new();
        if is_now && !present.is_empty() {
            notes.extend(doubt(&mut rows.all, &present, self.now));
        }
        notes.extend(said(&rows.all, &rows.failed, 0));
        notes.extend(self.notes(&rows, &tellers));
        notes.truncate(JobsRead::NOTES_AT_MOST);

        let is_all = is_now && rows.silent == 0 && self.facts.left_out == 0;
        let knows_holders = is_all
            && settings.namespaces.is_empty()
            && !rows.is_hiding
            && self.facts.nameless.is_empty();
        let newest = tellers.newest().filter(|_| knows_holders);
        let holders = newest.map(|at| nodes::holders(&rows.all, at.min(self.now)));
        let within = settings.namespaces.iter().map(|of| format!("{of}/")).collect();
        let cluster = settings.cluster.clone();
        let forgotten = is_all.then(|| Forgotten { cluster, within, ends: Default::default() });
        JobsRead {
            about: Some("kube-state-metrics".to_owned()),
            attempts: rows.all.into_iter().map(|row| row.attempt).collect(),
            nodes: past.into_iter().chain(present).map(|known| known.node).collect(),
            holders,
            notes,
            forgotten,
            ..JobsRead::default()
        }
    }

    fn jobs(&self) -> Jobs {
        let jobs = self.facts.jobs.iter();
        jobs.filter_map(|((namespace, name), of)| Known::of(&objects::job(namespace, name, of)?))
            .collect()
    }

    /// Nodes, those that were told of last come last.
    fn nodes(&self) -> Vec<KnownNode> {
        let (cluster, region) = (&self.settings.cluster, self.settings.region.as_ref());
        let all = self.facts.nodes.iter().flat_map(|(name, of)| {
            of.instances.iter().filter_map(move |(provider, instance)| {
                let seen = objects::moment(instance.seen)?.min(self.now);
                nodes::known(&objects::node(name, of, provider, instance), cluster, region, seen)
            })
        });
        let mut all: Vec<KnownNode> = all.collect();
        all.sort_by(|one, other| {
            let key = |of: &KnownNode| (of.node.seen_until, of.node.name.clone());
            key(one).cmp(&key(other))
        });
        all
    }

    fn rows(&self, tellers: &Tellers<'_>) -> Rows {
        let jobs = self.jobs();
        let (hides, hid) = (AtomicBool::new(false), AtomicBool::new(false));
        let reading = |has_hidden_holders| Reading {
            cluster: self.settings.cluster.clone(),
            jobs: &jobs,
            keys: &self.settings.keys,
            now: self.now,
            since: self.since,
            has_hidden_holders,
        };
        let (present, past) = (reading(&hides), reading(&hid));
        let mut rows = Rows::default();
        let mut pods: Vec<(&String, &PodFacts)> = self.facts.pods.iter().collect();
        pods.sort_unstable_by_key(|(uid, of)| (&of.namespace, &of.name, *uid));
        for (uid, of) in pods {
            let is_over = matches!(of.phase(), Some("Succeeded" | "Failed"));
            let presence = tellers.presence(of).unwrap_or_else(|| self.unseen(of));
            let gone = match presence {
                Presence::Gone(at) if !is_over => Some(at.min(self.now)),
                _ => None,
            };
            let pod = objects::pod(uid, of, gone);
            let reading = if gone.is_some() { &past } else { &present };
            match reading.row(&pod) {
                None => {}
                Some(Err(why)) => rows.failed.push(why),
                // It ended before the window.
                Some(Ok(row)) if row.has_no_end && of.open_until.is_none() => {}
                Some(Ok(row)) => {
                    let is_open = !row.attempt.state.is_over() && row.attempt.ended_at.is_none();
                    rows.silent += usize::from(is_open && matches!(presence, Presence::Unknown(_)));
                    rows.all.push(self.placed(row, &pod, presence, &jobs));
                }
            }
        }
        rows.is_hiding = hides.load(Ordering::Relaxed);
        rows
    }

    /// How a pod stands that was there at no look: it came after the last one, or went between two.
    fn unseen(&self, of: &PodFacts) -> Presence {
        let [created, scheduled, ..] = of.times;
        let at = scheduled.or(created).and_then(objects::moment).unwrap_or(self.now).min(self.now);
        if at + SHORTLY >= self.now { Presence::There(at) } else { Presence::Gone(at) }
    }

    /// A row with what is known of when the pod was there.
    fn placed(&self, row: Row, pod: &Pod, presence: Presence, jobs: &Jobs) -> Row {
        let of = &row.attempt;
        if of.state.is_over() || of.ended_at.is_some() {
            return row;
        }
        match presence {
            Presence::There(at) | Presence::Unknown(at) => {
                let seen_until = of.seen_until.map(|now| now.min(at));
                Row { attempt: Attempt { seen_until, ..row.attempt }, ..row }
            }
            Presence::Gone(at) => {
                let owner = pod.metadata.owner().and_then(|owner| owner.uid.as_ref());
                let failure = owner.and_then(|uid| jobs.get(uid)?.failure.as_ref());
                let attempt = self.closed(row.attempt, at.min(self.now), failure);
                Row { attempt, ..row }
            }
        }
    }

    /// An attempt that is gone, closed when it was last told of.
    fn closed(&self, of: Attempt, at: Timestamp, failure: Option<&Failure>) -> Attempt {
        let ended = failure.filter(|of| of.reason == DEADLINE && of.at <= at + SHORTLY);
        if let Some(failure) = ended {
            return Attempt {
                state: failure.state(),
                state_source: failure.reason.as_str().into(),
                cause: Some(Cause::TimeLimit),
                ended_at: Some(at),
                seen_until: None,
                ..of
            };
        }
        let cluster = self.settings.cluster.clone();
        let gone = Forgotten { cluster, ..Forgotten::default() };
        let open = Attempt { seen_until: Some(at), ..of.clone() };
        gone.close(open).unwrap_or(of)
    }

    /// What is odd about the metrics, a sentence each.
    fn notes(&self, rows: &Rows, tellers: &Tellers<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(first) = self.facts.nameless.first() {
            let pods = counted(self.facts.nameless.len(), "pod has", "pods have");
            let first = clean(first);
            notes.push(format!(
                "{pods} no uid, {first} for one, and cannot be told apart: read kube-state-metrics v2"
            ));
        }
        match tellers.newest() {
            Some(newest) if self.is_whole && !tellers.is_fresh() => notes.push(format!(
                "kube-state-metrics tells nothing since {newest}: what runs now is not known"
            )),
            _ if rows.silent > 0 => {
                let pods = counted(rows.silent, "pod was", "pods were");
                notes.push(format!(
                    "{pods} told of by a kube-state-metrics that tells nothing more: whether they run is not \
                     known"
                ));
            }
            _ => {}
        }
        let keys = &self.settings.keys;
        let wants_labels = [&keys.user, &keys.team, &keys.project, &keys.checkpoint];
        let wants_labels =
            wants_labels.into_iter().flatten().any(|key| key != super::super::NAMESPACE);
        let has = |name: &str| self.there.contains(name);
        if wants_labels && !has("kube_pod_labels") && !has("kube_pod_annotations") {
            notes.push(
                "kube-state-metrics tells no labels of pods: start it with --metric-labels-allowlist=pods=[…]"
                    .to_owned(),
            );
        }
        if !has("kube_node_info") {
            notes.push("kube-state-metrics tells no nodes: no instance is known".to_owned());
        }
        if self.facts.left_out > 0 {
            let objects = counted(self.facts.left_out, "object is", "objects are");
            notes.push(format!("{objects} beyond the most that are read, and left out"));
        }
        notes
    }
}
