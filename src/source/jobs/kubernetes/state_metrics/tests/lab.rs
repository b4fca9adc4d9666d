//! A Prometheus that knows the few queries that are asked, and what it was told.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::super::Keys;
use super::super::{StateMetrics, StateMetricsSettings};
use crate::domain::SourceError;
use crate::source::jobs::live::{JobWindow, JobsRead, LiveJobs as _};
use crate::source::prometheus::{Prometheus, Settings};
use crate::source::server::{Reply, Request, Server};

pub(super) fn at(time: &str) -> Timestamp {
    format!("2026-11-20T{time}:00Z").parse().unwrap()
}

pub(super) fn window() -> JobWindow {
    JobWindow { since: at("00:00"), until: at("12:00"), open_since: None }
}

/// A series that has one value from when to when, Unix s.
#[derive(Clone)]
struct Series {
    labels: Map<String, Value>,
    value: f64,
    from: i64,
    until: i64,
}

impl Series {
    fn label(&self, name: &str) -> &str {
        self.labels.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What is told. What was told and not [`Lab::until`] when is told from 08:50 on.
#[derive(Clone, Default)]
pub(super) struct Lab {
    all: Vec<Series>,
    /// Number of those whose time is set.
    set: usize,
    uid: String,
    pub keys: Keys,
    pub namespaces: Vec<String>,
    /// Queries that end in this moment or later fail.
    pub fails_from: Option<Timestamp>,
}

impl Lab {
    pub fn tell(&mut self, name: &str, labels: &[(&str, &str)], value: f64) -> &mut Self {
        let own = [("__name__", name), ("instance", "ksm-0:8080")];
        let pairs = labels.iter().chain(&own);
        let labels = pairs.map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        self.all.push(Series { labels, value, from: 0, until: 0 });
        self
    }

    fn of_pod(&mut self, name: &str, more: &[(&str, &str)], value: f64) -> &mut Self {
        let uid = self.uid.clone();
        let labels: Vec<_> = [("uid", uid.as_str())].iter().chain(more).copied().collect();
        self.tell(name, &labels, value)
    }

    /// A node with eight GPUs.
    pub fn node(&mut self) -> &mut Self {
        let n1 = ("node", "n1");
        let provider = "aws:///us-east-1a/i-0123456789abcdef0";
        self.tell(
            "kube_node_info",
            &[n1, ("provider_id", provider), ("internal_ip", "10.1.2.3")],
            1.0,
        );
        let labels = [
            n1,
            ("label_node_kubernetes_io_instance_type", "p5.48xlarge"),
            ("label_topology_kubernetes_io_region", "us-east-1"),
        ];
        self.tell("kube_node_labels", &labels, 1.0);
        self.tell("kube_node_created", &[n1], at("08:00").as_second() as f64);
        self.tell("kube_node_status_capacity", &[n1, ("resource", "nvidia_com_gpu")], 8.0);
        self.between("2026-11-20T08:50:00Z", "2026-11-20T12:00:00Z")
    }

    /// A pod that got its node at 09:00.
    pub fn bare_pod(&mut self, name: &str) -> &mut Self {
        self.uid = format!("uid-{name}");
        self.of_pod("kube_pod_info", &[("namespace", "ml"), ("pod", name), ("node", "n1")], 1.0);
        self.time("kube_pod_created", "08:50").time("kube_pod_status_scheduled_time", "09:00")
    }

    /// The same, of eight GPUs.
    pub fn pod(&mut self, name: &str) -> &mut Self {
        self.bare_pod(name).asks("c", "nvidia_com_gpu", 8.0);
        self.asks("c", "cpu", 8.0).asks("c", "memory", 68_719_476_736.0)
    }

    pub fn asks(&mut self, container: &str, resource: &str, amount: f64) -> &mut Self {
        let labels = [("container", container), ("resource", resource)];
        self.of_pod("kube_pod_container_resource_requests", &labels, amount)
    }

    pub fn init(&mut self, name: &str, resource: &str, amount: f64, policy: &str) -> &mut Self {
        let labels = [("container", name), ("resource", resource)];
        self.of_pod("kube_pod_init_container_resource_requests", &labels, amount);
        let labels = [("container", name), ("restart_policy", policy)];
        self.of_pod("kube_pod_init_container_info", &labels, 1.0)
    }

    pub fn time(&mut self, name: &str, time: &str) -> &mut Self {
        self.of_pod(name, &[], at(time).as_second() as f64)
    }

    pub fn phase(&mut self, phase: &str) -> &mut Self {
        self.of_pod("kube_pod_status_phase", &[("phase", phase)], 1.0)
    }

    pub fn word(&mut self, name: &str, reason: &str) -> &mut Self {
        self.of_pod(name, &[("reason", reason)], 1.0)
    }

    pub fn owner(&mut self, kind: &str, name: &str) -> &mut Self {
        let info = self.all.iter_mut().rev().find(|of| of.label("__name__") == "kube_pod_info");
        let labels = &mut info.unwrap().labels;
        labels.insert("created_by_kind".into(), kind.into());
        labels.insert("created_by_name".into(), name.into());
        self
    }

    /// Its container ended.
    pub fn ended(&mut self, time: &str, phase: &str, reason: &str) -> &mut Self {
        self.phase(phase).time("kube_pod_completion_time", time);
        let labels = [("container", "c"), ("reason", reason)];
        self.of_pod("kube_pod_container_status_terminated_reason", &labels, 1.0)
    }

    /// What was told since the last time is told from 08:50 to then.
    pub fn until(&mut self, time: &str) -> &mut Self {
        self.between("2026-11-20T08:50:00Z", &at(time).to_string())
    }

    pub fn between(&mut self, from: &str, until: &str) -> &mut Self {
        let of = |text: &str| text.parse::<Timestamp>().unwrap().as_second();
        // The nodes are told of as long as any pod.
        let is_node = |of: &Series| of.label("__name__").starts_with("kube_node");
        for (i, series) in self.all.iter_mut().enumerate() {
            if i >= self.set {
                (series.from, series.until) = (of(from), of(until));
            } else if is_node(series) {
                series.until = series.until.max(of(until));
            }
        }
        self.set = self.all.len();
        self
    }

    /// Nothing is scraped from then on.
    pub fn silent_from(&mut self, time: &str) -> &mut Self {
        let end = at(time).as_second();
        self.all.iter_mut().for_each(|series| series.until = series.until.min(end));
        self
    }

    /// A second copy of kube-state-metrics tells the same.
    pub fn twice(&mut self) {
        let mut copy = self.all.clone();
        for series in &mut copy {
            series.labels.insert("instance".into(), "ksm-1:8080".into());
        }
        self.all.extend(copy);
        self.set = self.all.len();
    }

    pub fn serve(&self) -> Server {
        let lab = self.clone();
        Server::start(move |_, request| lab.answer(request))
    }

    pub fn source(&self, server: &Server) -> StateMetrics {
        let settings = StateMetricsSettings {
            name: "k".into(),
            cluster: "prod".into(),
            region: None,
            namespaces: self.namespaces.clone(),
            keys: self.keys.clone(),
        };
        let server = Settings { proxy: false, ..Settings::new("lab", &server.url) };
        StateMetrics::new(settings, Prometheus::new(server).unwrap())
    }

    pub async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let server = self.serve();
        self.source(&server).read(window).await
    }

    fn answer(&self, request: &Request) -> Reply {
        if request.path.contains("/label/__name__/values") {
            let is_displaced = request.path.contains("exported_namespace");
            let names = self.all.iter().filter(|_| !is_displaced).map(|of| of.label("__name__"));
            let names: std::collections::BTreeSet<&str> = names.collect();
            return Reply::json(json!({"status": "success", "data": names}).to_string());
        }
        let query = request.field("query").unwrap();
        let time: i64 = request.field("time").unwrap().parse().unwrap();
        if self.fails_from.is_some_and(|at| time >= at.as_second()) {
            let error = json!({"status": "error", "errorType": "timeout", "error": "too slow"});
            return Reply::new(503, "application/json", error.to_string());
        }
        let series: Vec<Value> = self.select(&query, time);
        let data = json!({"resultType": "vector", "result": series});
        Reply::json(json!({"status": "success", "data": data}).to_string())
    }

    /// Series of a query at a time: its kind is told by its functions, its metrics by their names.
    fn select(&self, query: &str, time: i64) -> Vec<Value> {
        let query = query.split(" and on (uid)").next().unwrap();
        let range = query
            .split('[')
            .nth(1)
            .map_or(300, |rest| rest.split('s').next().unwrap().parse().unwrap());
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let names: Vec<&str> = query.split(|c: char| !is_name(c)).collect();
        let is_open = query.contains("phase!~");
        let of = |series: &Series| {
            let (first, last) = (series.from.max(time - range), series.until.min(time));
            let is_wanted = names.contains(&series.label("__name__"))
                && !(is_open && matches!(series.label("phase"), "Failed" | "Succeeded"));
            let value = if query.contains("timestamp(") || query.contains("time()") {
                last as f64
            } else {
                series.value
            };
            let value = json!([time, value.to_string()]);
            let found = json!({"metric": &series.labels, "value": value});
            (is_wanted && last > time - range && first <= last).then_some(found)
        };
        self.all.iter().filter_map(of).collect()
    }
}
