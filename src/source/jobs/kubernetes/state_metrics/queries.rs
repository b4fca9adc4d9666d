//! What is asked of a stretch of time, in `PromQL`.
//!
//! Two copies of kube-state-metrics, and one that came after another, tell everything twice: each query takes the largest by object,
//! and nothing is added up.

use std::collections::BTreeSet;

use super::super::jobs;
use super::names::{self, Labels, by};
use crate::source::prometheus::{Prometheus, literal};

/// When each pod was made, got its node, started, ended, and is to be deleted.
pub(super) const TIMES: [&str; 5] = [
    "kube_pod_created",
    "kube_pod_status_scheduled_time",
    "kube_pod_start_time",
    "kube_pod_completion_time",
    "kube_pod_deletion_timestamp",
];

/// What containers ask for.
pub(super) const REQUESTS: [&str; 2] =
    ["kube_pod_container_resource_requests", "kube_pod_init_container_resource_requests"];

/// How pods stand: 1 where it is so.
pub(super) const WORDS: [&str; 8] = [
    "kube_pod_status_phase",
    "kube_pod_status_reason",
    "kube_pod_status_disruption_reason",
    "kube_pod_status_unschedulable",
    "kube_pod_init_container_info",
    "kube_pod_resourceclaim_info",
    ENDED[0],
    ENDED[1],
];

/// Why containers ended.
pub(super) const ENDED: [&str; 2] = [
    "kube_pod_container_status_terminated_reason",
    "kube_pod_init_container_status_terminated_reason",
];

const WAITS: [&str; 2] =
    ["kube_pod_container_status_waiting_reason", "kube_pod_init_container_status_waiting_reason"];

/// What is known of jobs.
pub(super) const JOBS: [&str; 6] = [
    "kube_job_spec_parallelism",
    "kube_job_status_start_time",
    "kube_job_spec_active_deadline_seconds",
    "kube_job_status_failed",
    "kube_job_labels",
    "kube_job_annotations",
];

/// What is known of nodes.
pub(super) const NODES: [&str; 4] =
    ["kube_node_created", "kube_node_status_capacity", "kube_node_labels", "kube_node_annotations"];

/// Metrics without which nothing can be told of jobs.
pub(super) const NEEDED: [&str; 3] = [INFO, REQUESTS[0], WORDS[0]];

const INFO: &str = "kube_pod_info";

const NODE_INFO: &str = "kube_node_info";

/// A stretch of time, Unix s, both ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub from: i64,
    pub until: i64,
}

impl Span {
    /// Seconds between two looks at what is there, so that there are 360 of them at most, more or less.
    pub fn step(self) -> i64 {
        /// Nobody scrapes much more often.
        const LEAST: i64 = 10;
        ((self.until - self.from) / 360).max(LEAST)
    }

    fn range(self) -> String {
        format!("[{}s]", self.until - self.from)
    }

    fn looks(self) -> String {
        format!("[{}s:{}s]", self.until - self.from, self.step())
    }
}

/// The queries of a reading.
pub(super) struct Queries<'a> {
    pub server: &'a Prometheus,
    /// Metrics that are there.
    pub there: BTreeSet<String>,
    /// Matcher of the namespaces that are read; `None` = all are.
    pub namespaces: Option<(String, String)>,
    pub pods: Labels,
    pub jobs: Labels,
    pub nodes: Labels,
}

impl Queries<'_> {
    /// Pattern of namespaces.
    pub fn pattern(namespaces: &[String]) -> Option<String> {
        let all: Vec<String> = namespaces.iter().map(|name| literal(name)).collect();
        (!all.is_empty()).then(|| all.join("|"))
    }

    /// Selector of those of the metrics that are there; `None` where none is.
    fn select(&self, names: &[&str], also: &[(&str, &'static str, &str)]) -> Option<String> {
        let there: Vec<&str> =
            names.iter().copied().filter(|name| self.there.contains(*name)).collect();
        (!there.is_empty()).then(|| self.server.select(&there, also))
    }

    /// As [`Queries::select`], in the namespaces that are read.
    fn within(&self, names: &[&str], also: &[(&str, &'static str, &str)]) -> Option<String> {
        let mut also = also.to_vec();
        if let Some((label, pattern)) = &self.namespaces {
            also.push((label, "=~", pattern));
        }
        self.select(names, &also)
    }

    /// The pods that count: those that ask for accelerators, have claims, or are of what ends by itself.
    fn relevant(&self, span: Span) -> String {
        let range = span.range();
        let (accelerators, services) = (names::accelerators(), jobs::SERVICES.join("|"));
        let services = format!("|<none>|{services}");
        let asked = self.within(&REQUESTS, &[("resource", "=~", &accelerators)]);
        let of_jobs = self.within(&[INFO], &[("created_by_kind", "!~", &services)]);
        let claims = self.within(&["kube_pod_resourceclaim_info"], &[]);
        let all = [
            asked.map(|asked| format!("last_over_time({asked}{range}) > 0")),
            of_jobs.map(|of| format!("last_over_time({of}{range})")),
            claims.map(|of| format!("last_over_time({of}{range})")),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        format!("group by (uid) ({})", all.join(" or "))
    }

    /// Of pods that count.
    fn of_pods(&self, span: Span, query: &str) -> String {
        format!("{query} and on (uid) {}", self.relevant(span))
    }

    /// The last value of each series.
    fn last(span: Span, selector: &str, labels: &[&str]) -> String {
        format!("max by ({}) (last_over_time({selector}{}))", by(labels), span.range())
    }

    /// When each series was last there.
    fn seen(span: Span, selector: &str, labels: &[&str]) -> String {
        let (labels, looks) = (by(labels), span.looks());
        format!("max by ({labels}) (max_over_time(timestamp({selector}){looks}))")
    }

    /// Which pods there are, and on which nodes.
    pub fn pods(&self, span: Span) -> Option<String> {
        let labels = ["uid", "namespace", "pod", "node", "created_by_kind", "created_by_name"];
        let query = Self::last(span, &self.within(&[INFO], &[])?, &labels);
        Some(self.of_pods(span, &query))
    }

    /// When each was last told of, by whom.
    pub fn pods_seen(&self, span: Span) -> Option<String> {
        let query = Self::seen(span, &self.within(&[INFO], &[])?, &["uid", "instance"]);
        Some(self.of_pods(span, &query))
    }

    /// [`TIMES`].
    pub fn times(&self, span: Span) -> Option<String> {
        let query = Self::last(span, &self.within(&TIMES, &[])?, &["__name__", "uid"]);
        Some(self.of_pods(span, &query))
    }

    /// [`REQUESTS`].
    pub fn requests(&self, span: Span) -> Option<String> {
        let resources = format!("cpu|memory|{}", names::accelerators());
        let selector = self.within(&REQUESTS, &[("resource", "=~", &resources)])?;
        let labels = ["__name__", "uid", "container", "resource"];
        Some(self.of_pods(span, &Self::last(span, &selector, &labels)))
    }

    /// [`WORDS`].
    pub fn words(&self, span: Span) -> Option<String> {
        let labels =
            ["__name__", "uid", "container", "phase", "reason", "restart_policy", "claim_name"];
        let query = Self::last(span, &self.within(&WORDS, &[])?, &labels);
        Some(self.of_pods(span, &format!("{query} > 0")))
    }

    /// When each reason of [`ENDED`] was last there: a container that was started anew has several.
    pub fn ended(&self, span: Span) -> Option<String> {
        let (selector, labels) = (self.within(&ENDED, &[])?, by(&["uid", "container", "reason"]));
        let looks = span.looks();
        let query =
            format!("max by ({labels}) (max_over_time((({selector} == 1) * 0 + time()){looks}))");
        Some(self.of_pods(span, &query))
    }

    /// When each pod was last seen not to be over.
    pub fn open(&self, span: Span) -> Option<String> {
        let open = [("phase", "!~", "Failed|Succeeded")];
        let (selector, looks) = (self.within(&WORDS[..1], &open)?, span.looks());
        let query =
            format!("max by (uid) (max_over_time((({selector} == 1) * 0 + time()){looks}))");
        Some(self.of_pods(span, &query))
    }

    /// What containers wait for at the end of the stretch.
    pub fn waits(&self, span: Span) -> Option<String> {
        let query = format!("max by (uid,reason) ({}) > 0", self.within(&WAITS, &[])?);
        Some(self.of_pods(span, &query))
    }

    /// Labels and annotations of pods.
    pub fn labels(&self, span: Span) -> Option<String> {
        let selector = self.within(&["kube_pod_labels", "kube_pod_annotations"], &[])?;
        let mut labels = vec!["__name__", "uid"];
        labels.extend(self.pods.names());
        Some(self.of_pods(span, &Self::last(span, &selector, &labels)))
    }

    /// [`JOBS`].
    pub fn jobs(&self, span: Span) -> Option<String> {
        let mut labels = vec!["__name__", "namespace", "job_name", "reason"];
        labels.extend(self.jobs.names());
        Some(Self::last(span, &self.within(&JOBS, &[])?, &labels))
    }

    /// Which nodes there are, when each was last told of, by whom.
    pub fn nodes_seen(&self, span: Span) -> Option<String> {
        let labels = ["node", "provider_id", "internal_ip", "instance"];
        Some(Self::seen(span, &self.select(&[NODE_INFO], &[])?, &labels))
    }

    /// [`NODES`].
    pub fn nodes(&self, span: Span) -> Option<String> {
        // What has no resource is no capacity.
        let resources = format!("|{}", names::accelerators());
        let mut labels = vec!["__name__", "node", "resource"];
        labels.extend(self.nodes.names());
        let selector = self.select(&NODES, &[("resource", "=~", &resources)])?;
        Some(Self::last(span, &selector, &labels))
    }
}
