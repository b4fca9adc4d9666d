//! Whole readings from a server on the loopback that answers as an API server does.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::domain::jobs::{Attempt, Cause, Gpus};
use crate::domain::text::hostile::TEXTS;
use crate::domain::text::is_unsafe;
use crate::source::program;
use crate::source::server::{Mode, Reply, Request, Server, certificate, tls_file};

mod kueue;

const TOKEN: &str = "hunter2";

fn at(time: &str) -> Timestamp {
    format!("2026-11-20T{time}Z").parse().unwrap()
}

fn window() -> JobWindow {
    JobWindow { since: at("00:00:00"), until: at("12:00:00"), open_since: None }
}

/// A pod of eight GPUs that ran for an hour, from 09:00 on, as a job of its own.
fn pod(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "ml", "uid": format!("uid-{name}"),
            "creationTimestamp": "2026-11-20T08:50:00Z"},
        "spec": {"nodeName": "n1", "containers": [{"resources": {
            "requests": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "8"},
            "limits": {"nvidia.com/gpu": "8"}}}]},
        "status": {"phase": "Succeeded",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-20T09:00:00Z"}],
            "containerStatuses": [{"state": {"terminated": {"exitCode": 0, "reason": "Completed",
                "startedAt": "2026-11-20T09:15:00Z", "finishedAt": "2026-11-20T10:00:00Z"}}}]},
    })
}

fn running(name: &str) -> Value {
    let mut pod = pod(name);
    pod["status"]["phase"] = "Running".into();
    pod["status"]["containerStatuses"] = json!([{"state": {"running": {}}}]);
    pod
}

fn node() -> Value {
    json!({
        "metadata": {"name": "n1", "creationTimestamp": "2026-11-20T08:00:00Z", "labels": {
            "node.kubernetes.io/instance-type": "p5.48xlarge", "topology.kubernetes.io/region": "us-east-1"}},
        "spec": {"providerID": "aws:///us-east-1a/i-0123456789abcdef0"},
        "status": {"capacity": {"nvidia.com/gpu": "8"},
            "addresses": [{"type": "Hostname", "address": "n1"}, {"type": "InternalIP", "address": "10.1.2.3"}]},
    })
}

fn list(kind: &str, items: &[Value]) -> String {
    json!({"kind": format!("{kind}List"), "metadata": {"resourceVersion": "1"}, "items": items})
        .to_string()
}

fn status(code: u16, reason: &str) -> (u16, String) {
    let message = format!("{reason}: User \"me\" cannot list");
    (
        code,
        json!({"kind": "Status", "message": message, "reason": reason, "code": code}).to_string(),
    )
}

/// What a whole small cluster answers.
fn cluster(path: &str, pods: &[Value], jobs: &[Value]) -> (u16, String) {
    let place = path.split('?').next().unwrap();
    match place {
        "/version" => (200, r#"{"gitVersion":"v1.31.2"}"#.into()),
        "/api/v1/pods" => (200, list("Pod", pods)),
        "/apis/batch/v1/jobs" => (200, list("Job", jobs)),
        "/api/v1/nodes" => (200, list("Node", &[node()])),
        _ => status(404, "NotFound"),
    }
}

fn serve(answer: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) -> Server {
    serve_as("good.pem", answer)
}

fn serve_as(
    shown: &str,
    answer: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static,
) -> Server {
    Server::start_as(Mode::Tls(certificate(shown)), move |_, request| {
        let (status, body) = answer(request);
        Reply::new(status, "application/json", body)
    })
}

/// A directory with a kubeconfig.
struct Home(tempfile::TempDir);

impl Home {
    fn new(server: &str, cluster: &str, user: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        let ca = tls_file("ca.pem");
        let trust = if cluster.contains("insecure") {
            String::new()
        } else {
            format!("    certificate-authority: {}\n", ca.display())
        };
        let text = format!(
            "current-context: c\ncontexts:\n- name: c\n  context: {{cluster: prod, user: u}}\n\
             clusters:\n- name: prod\n  cluster:\n    server: {server}\n{trust}{cluster}\
             users:\n- name: u\n  user:\n{user}"
        );
        std::fs::write(home.path("config"), text).unwrap();
        home
    }

    fn of(server: &Server) -> Self {
        Self::new(&https(server), "", &format!("    token: {TOKEN}\n"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn settings(&self) -> KubernetesSettings {
        KubernetesSettings {
            name: "k".into(),
            place: Where::Kubeconfig { file: Some(self.path("config")), context: None },
            cluster: None,
            region: None,
            namespaces: Vec::new(),
            keys: Keys::default(),
            may_be_insecure: false,
            timeout: Duration::from_secs(20),
        }
    }

    async fn read(&self) -> Result<JobsRead, SourceError> {
        Kubernetes::new(self.settings()).read(&window()).await
    }
}

fn https(server: &Server) -> String {
    format!("https://{}", server.address())
}

async fn read(pods: Vec<Value>, jobs: Vec<Value>) -> JobsRead {
    let server = serve(move |request| cluster(&request.path, &pods, &jobs));
    Home::of(&server).read().await.unwrap()
}

fn hours(of: &Attempt) -> f64 {
    of.gpus.unwrap().held_for(of.held_ms().unwrap()).hours()
}

#[tokio::test]
async fn a_pod_is_an_attempt_on_the_instance_of_its_node() {
    let pods = vec![pod("a")];
    let server = serve(move |request| cluster(&request.path, &pods, &[]));
    let read = Home::of(&server).read().await.unwrap();
    assert_eq!((read.about.as_deref(), &read.refusal), (Some("Kubernetes 1.31.2"), &None));
    assert_eq!((read.notes, read.complete_until), (vec![], None));
    let of = &read.attempts[0];
    assert_eq!((&*of.id.cluster, &*of.id.raw, &*of.job), ("prod", "uid-a", "ml/a"));
    assert_eq!(
        (of.state, &*of.state_source, of.queue.as_deref()),
        (JobState::Completed, "Succeeded", Some("ml"))
    );
    assert_eq!((of.gpus, of.cpus, of.memory_mib), (Some(Gpus::whole(8)), Some(8), Some(65_536)));
    assert_eq!((&*of.nodes[0], of.region.as_deref()), ("n1", Some("us-east-1")));
    let node = &read.nodes[0];
    assert_eq!(node.instance_id.as_deref(), Some("i-0123456789abcdef0"));
    assert_eq!(
        (node.instance_type.as_deref(), node.private_ip.as_deref()),
        (Some("p5.48xlarge"), Some("10.1.2.3"))
    );
    assert_eq!((node.gpus, node.seen_from), (Some(Gpus::whole(8)), at("08:00:00")));
    assert_eq!(read.holders, Some(vec![]), "what is over holds nothing");
    for request in server.seen() {
        assert_eq!(request.header("authorization"), Some("Bearer hunter2"), "{request:?}");
    }
}

#[tokio::test]
async fn the_limit_is_the_earlier_of_the_deadlines_of_the_pod_and_of_its_job() {
    let job = json!({"metadata": {"name": "j", "namespace": "ml", "uid": "uid-j"},
        "spec": {"parallelism": 1, "activeDeadlineSeconds": 7_200}, "status": {}});
    let owned = |name: &str, deadline: Value| {
        let mut pod = pod(name);
        let owner = json!([{"kind": "Job", "name": "j", "uid": "uid-j", "controller": true}]);
        pod["metadata"]["ownerReferences"] = owner;
        pod["spec"]["activeDeadlineSeconds"] = deadline;
        pod
    };
    let pods =
        vec![owned("a", Value::Null), owned("b", 600.into()), owned("c", 9_000.into()), pod("d")];
    let read = read(pods, vec![job]).await;
    let limit = |raw: &str| {
        let of = read.attempts.iter().find(|of| &*of.id.raw == raw).unwrap();
        of.time_limit_ms
    };
    let limits = ["uid-a", "uid-b", "uid-c", "uid-d"].map(limit);
    assert_eq!(limits, [Some(7_200_000), Some(600_000), Some(7_200_000), None]);
}

#[tokio::test]
async fn time_held_begins_with_the_node_and_not_with_the_containers() {
    // By startedAt 0.75 h; by when it was made 1.17 h; by when it got its node 1.00 h: 8 GPUs × 0.25 h × $6.88 = $13.76 more.
    let read = read(vec![pod("a")], vec![]).await;
    let of = &read.attempts[0];
    assert_eq!((of.started_at, of.ended_at), (Some(at("09:00:00")), Some(at("10:00:00"))));
    let by_containers = 0.75 * 8.0;
    assert_eq!((hours(of), (hours(of) - by_containers) * 6.88), (8.0, 13.76));
    assert_eq!(of.waited_ms(), Some(600_000), "the queue is no part of it");
}

#[tokio::test]
async fn a_pod_that_is_over_and_still_there_holds_nothing_more() {
    // Kept for a day after it ran for an hour: by its requests 24 h = $1,320.96, held 1 h = $55.04.
    let server = serve(|request| cluster(&request.path, &[pod("a")], &[]));
    let home = Home::of(&server);
    let source = Kubernetes::new(home.settings());
    let next_day: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
    let late = JobWindow { since: at("00:00:00"), until: next_day, open_since: None };
    let read = source.read(&late).await.unwrap();
    assert_eq!(hours(&read.attempts[0]) * 6.88, 55.04);
    // And once it is known it is not read anew.
    let since = at("10:00:01");
    let read = source.read(&JobWindow { since, ..late }).await.unwrap();
    assert_eq!(read.attempts, []);
}

#[tokio::test]
async fn what_runs_holds_its_gpus_and_what_waits_none() {
    let mut waits = running("w");
    waits["status"] = json!({"phase": "Pending"});
    waits["spec"].as_object_mut().unwrap().remove("nodeName");
    let read = read(vec![running("r"), waits], vec![]).await;
    let states: Vec<_> = read.attempts.iter().map(|of| (of.state, of.held_ms())).collect();
    assert_eq!(states, [(JobState::Running, Some(10_800_000)), (JobState::Queued, Some(0))]);
    let holders = read.holders.unwrap();
    assert_eq!(holders.len(), 1);
    assert_eq!((holders[0].raw.as_deref(), holders[0].gpus), (Some("uid-r"), Some(Gpus::whole(8))));
    assert_eq!(&*read.forgotten.unwrap().cluster, "prod");
}

#[tokio::test]
async fn what_serves_without_gpus_is_no_attempt_and_what_is_a_job_without_them_is() {
    let mut served = running("s");
    served["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "2"}});
    let mut of_job = served.clone();
    of_job["metadata"] = json!({"name": "prep-1", "namespace": "ml", "uid": "u-prep",
        "ownerReferences": [{"kind": "Job", "name": "prep", "uid": "j", "controller": true}]});
    let job = json!({"metadata": {"name": "prep", "namespace": "ml", "uid": "j"}, "spec": {"parallelism": 1}});
    let read = read(vec![served, of_job], vec![job]).await;
    assert_eq!(read.attempts.len(), 1);
    let of = &read.attempts[0];
    assert_eq!((&*of.job, of.gpus, of.cpus), ("ml/prep", Some(Gpus::ZERO), Some(2)));
}

#[tokio::test]
async fn where_a_pod_that_serves_has_claims_nobody_knows_who_holds_the_gpus() {
    let mut served = running("s");
    served["spec"] =
        json!({"nodeName": "n1", "containers": [{}], "resourceClaims": [{"name": "g"}]});
    let told = read(vec![served, running("a")], vec![]).await;
    assert_eq!((told.attempts.len(), told.holders), (1, None));
}

#[tokio::test]
async fn gpus_that_are_held_by_claims_are_not_all_those_of_the_node() {
    let mut claims = running("c");
    claims["metadata"]["ownerReferences"] =
        json!([{"kind": "Job", "name": "train", "uid": "j", "controller": true}]);
    claims["spec"] =
        json!({"nodeName": "n1", "containers": [{}], "resourceClaims": [{"name": "g"}]});
    let told = read(vec![claims], vec![]).await;
    let of = &told.attempts[0];
    assert_eq!((of.gpus, of.node_count, of.nodes.len()), (None, None, 1));
}

#[tokio::test]
async fn where_a_pod_makes_no_sense_nobody_knows_who_holds_the_gpus() {
    let mut odd = running("odd");
    odd["status"]["conditions"][0]["lastTransitionTime"] = "soon".into();
    let told = read(vec![odd.clone(), running("a")], vec![]).await;
    assert_eq!((told.attempts.len(), told.holders), (1, None));
    // One that is over holds nothing, whatever it says.
    odd["status"]["phase"] = "Succeeded".into();
    let told = read(vec![odd, running("a")], vec![]).await;
    assert_eq!(told.holders.map(|all| all.len()), Some(1));
}

#[tokio::test]
async fn a_node_that_cannot_be_read_is_not_gone() {
    let mut odd = node();
    odd["metadata"]["labels"] = json!("none");
    let nodes = list("Node", &[odd]);
    let server = serve(move |request| match request.path.starts_with("/api/v1/nodes") {
        true => (200, nodes.clone()),
        false => cluster(&request.path, &[running("a")], &[]),
    });
    let read = Home::of(&server).read().await.unwrap();
    assert_eq!(read.attempts[0].state, JobState::Running);
}

#[tokio::test]
async fn the_end_of_an_init_container_is_not_that_of_a_pod_whose_node_was_lost() {
    let mut lost = running("a");
    lost["status"]["phase"] = "Failed".into();
    lost["status"]["initContainerStatuses"] = json!([{"state": {"terminated": {"exitCode": 0,
        "reason": "Completed", "finishedAt": "2026-11-20T09:01:00Z"}}}]);
    let gone = json!({"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC",
        "lastTransitionTime": "2026-11-20T11:00:00Z"});
    lost["status"]["conditions"].as_array_mut().unwrap().push(gone);
    let read = read(vec![lost], vec![]).await;
    let of = &read.attempts[0];
    assert_eq!((of.state, of.ended_at), (JobState::NodeFault, Some(at("11:00:00"))));
    assert_eq!(hours(of), 16.0, "not the minute of the init container");
}

#[tokio::test]
async fn whose_a_pod_is_is_told_by_the_labels_that_are_named() {
    let mut owned = pod("a");
    owned["metadata"]["labels"] = json!({"example.com/user": "alice"});
    owned["metadata"]["annotations"] = json!({"ckpt": "s3://b/run", "example.com/user": "bob"});
    let pods = vec![owned];
    let server = serve(move |request| cluster(&request.path, &pods, &[]));
    let home = Home::of(&server);
    let some = |key: &str| Some(key.to_owned());
    let keys = Keys {
        user: some("example.com/user"),
        team: some("namespace"),
        project: some("absent"),
        checkpoint: some("ckpt"),
    };
    let settings = KubernetesSettings { keys, cluster: Some("lab".into()), ..home.settings() };
    let read = Kubernetes::new(settings).read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.user.as_deref(), of.team.as_deref()), (Some("alice"), Some("ml")));
    assert_eq!((of.project.as_deref(), of.checkpoint.as_deref()), (None, Some("s3://b/run")));
    assert_eq!(&*of.id.cluster, "lab");
}

/// A page of pods: the one that a continue token names, of `count` pages of one pod each.
fn paged(path: &str, count: usize) -> (u16, String) {
    if !path.starts_with("/api/v1/pods") {
        return cluster(path, &[], &[]);
    }
    let page: usize = path.split("continue=p").nth(1).map_or(0, |page| page.parse().unwrap());
    let next = if page + 1 < count { format!("p{}", page + 1) } else { String::new() };
    let body = json!({"kind": "PodList", "metadata": {"continue": next}, "items": [running(&page.to_string())]});
    (200, body.to_string())
}

#[tokio::test]
async fn a_list_is_read_to_its_end_and_begun_anew_where_the_server_forgot_it() {
    let forgot = AtomicUsize::new(0);
    let server = serve(move |request| {
        if request.path.contains("continue=p3") && forgot.fetch_add(1, SeqCst) == 0 {
            return status(410, "Expired");
        }
        paged(&request.path, 5)
    });
    let read = Home::of(&server).read().await.unwrap();
    assert_eq!((read.attempts.len(), read.refusal), (5, None), "each once");
    let pages = server.seen().iter().filter(|r| r.path.starts_with("/api/v1/pods")).count();
    assert_eq!(pages, 9, "three and the refusal, then five");
}

#[tokio::test]
async fn of_forty_pages_one_that_fails_leaves_the_ones_before_it_and_is_asked_for_again() {
    for (fails, whole) in [(1, true), (99, false)] {
        let failed = AtomicUsize::new(0);
        let server = serve(move |request| {
            if request.path.ends_with("continue=p20") && failed.fetch_add(1, SeqCst) < fails {
                return status(500, "InternalError");
            }
            paged(&request.path, 40)
        });
        let read = Home::of(&server).read().await.unwrap();
        assert_eq!(read.attempts.len(), if whole { 40 } else { 20 });
        assert_eq!(read.refusal.is_none(), whole, "{:?}", read.refusal);
        assert_eq!(read.complete_until, (!whole).then_some(window().since));
        assert_eq!((read.holders.is_some(), read.forgotten.is_some()), (whole, whole));
    }
}

#[tokio::test]
async fn a_list_without_an_end_ends() {
    let server = serve(|request| match request.path.starts_with("/api/v1/pods") {
        true => (
            200,
            json!({"kind": "PodList", "metadata": {"continue": "p1"}, "items": [pod("a")]})
                .to_string(),
        ),
        false => cluster(&request.path, &[], &[]),
    });
    let read = Home::of(&server).read().await.unwrap();
    let refusal = read.refusal.unwrap();
    assert_eq!(refusal.kind, ErrorKind::Malformed, "{refusal:?}");
    assert!(!refusal.fix.contains("AWS"), "{refusal:?}");
}

#[tokio::test]
async fn one_namespace_that_may_not_be_read_leaves_the_others() {
    let server = serve(|request| {
        let path = request.path.split('?').next().unwrap();
        match path {
            "/api/v1/namespaces/ml/pods" => (200, list("Pod", &[running("a")])),
            "/api/v1/namespaces/secret/pods" => status(403, "Forbidden"),
            _ if path.starts_with("/apis/batch/v1/namespaces/") => (200, list("Job", &[])),
            _ => cluster(&request.path, &[], &[]),
        }
    });
    let home = Home::of(&server);
    let of = |namespaces: &[&str]| KubernetesSettings {
        namespaces: namespaces.iter().map(|of| (*of).to_owned()).collect(),
        ..home.settings()
    };
    let read = Kubernetes::new(of(&["ml", "secret"])).read(&window()).await.unwrap();
    assert_eq!(read.attempts.len(), 1);
    let refusal = read.refusal.unwrap();
    assert_eq!(refusal.kind, ErrorKind::Denied);
    assert!(
        refusal.message.contains("cannot list") && refusal.fix.contains("namespaces"),
        "{refusal:?}"
    );
    // What is refused for good is not asked for again and again, and what is unknown is not free.
    assert_eq!((read.complete_until, read.holders, read.forgotten), (None, None, None));
    let none = Kubernetes::new(of(&["secret"])).read(&window()).await.unwrap_err();
    assert_eq!(none.kind, ErrorKind::Denied);
    let only = Kubernetes::new(of(&["ml"])).read(&window()).await.unwrap();
    assert_eq!(only.forgotten.unwrap().within, ["ml/"]);
}

#[tokio::test]
async fn nodes_that_may_not_be_listed_cost_the_nodes_alone() {
    let server = serve(|request| match request.path.starts_with("/api/v1/nodes") {
        true => status(403, "Forbidden"),
        false => cluster(&request.path, &[running("a")], &[]),
    });
    let read = Home::of(&server).read().await.unwrap();
    assert_eq!((read.attempts.len(), read.nodes.len()), (1, 0));
    assert_eq!(read.attempts[0].state, JobState::Running, "nothing tells that its node is gone");
    assert_eq!(read.refusal.unwrap().kind, ErrorKind::Denied);
}

#[tokio::test]
async fn a_pod_on_a_node_that_is_gone_is_doubtful_and_costs_nothing() {
    let mut lost = running("a");
    lost["spec"]["nodeName"] = "n9".into();
    let read = read(vec![lost, running("b")], vec![]).await;
    let held: Vec<_> = read.attempts.iter().map(|of| (of.state, of.held_ms())).collect();
    assert_eq!(held, [(JobState::Doubtful, Some(0)), (JobState::Running, Some(10_800_000))]);
    assert!(read.notes[0].contains("on nodes that are gone"), "{:?}", read.notes);
}

#[tokio::test]
async fn a_job_that_ran_into_its_deadline_says_so_of_the_pods_that_it_ended() {
    let mut ended = pod("train-x");
    ended["metadata"]["ownerReferences"] =
        json!([{"kind": "Job", "name": "train", "uid": "j", "controller": true}]);
    ended["metadata"]["deletionTimestamp"] = "2026-11-20T10:00:00Z".into();
    ended["status"]["phase"] = "Failed".into();
    ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] = 143.into();
    let job = json!({"metadata": {"name": "train", "namespace": "ml", "uid": "j"}, "spec": {"parallelism": 1},
        "status": {"conditions": [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded",
            "lastTransitionTime": "2026-11-20T09:59:59Z"}]}});
    let read = read(vec![ended], vec![job]).await;
    let of = &read.attempts[0];
    assert_eq!((of.state, &*of.state_source), (JobState::TimedOut, "DeadlineExceeded"));
    assert_eq!((of.cause, &*of.job), (Some(Cause::TimeLimit), "ml/train"));
    let forgotten = read.forgotten.unwrap();
    assert_eq!(forgotten.ends["ml/train"].state, JobState::TimedOut);
}

#[tokio::test]
async fn times_that_make_no_sense_cost_their_pod_alone_and_are_said() {
    let end = |time: &str| {
        let mut of = pod("odd");
        of["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = time.into();
        of
    };
    for (odd, why) in [
        (end("2026-11-20T07:00:00Z"), "it ends 2h before it starts"),
        (end("2027-11-20T10:00:00Z"), "in the future"),
        (end("yesterday"), "no time"),
    ] {
        let read = read(vec![odd, pod("good")], vec![]).await;
        assert_eq!(read.attempts.len(), 1);
        let note = &read.notes[0];
        assert!(note.contains("ml/odd") && note.contains(why), "{note}");
    }
    // Clocks of nodes and of the control plane may differ a little.
    let early = read(vec![end("2026-11-20T08:59:30Z")], vec![]).await;
    assert_eq!((early.attempts[0].held_ms(), early.notes), (Some(0), vec![]));
}

#[tokio::test]
async fn a_pod_that_is_over_without_an_end_has_an_unknown_time_and_no_open_one() {
    let mut endless = pod("a");
    endless["status"]["containerStatuses"] = json!([]);
    endless["status"]["phase"] = "Failed".into();
    let told = read(vec![endless.clone()], vec![]).await;
    assert_eq!((told.attempts[0].held_ms(), told.attempts[0].ended_at), (None, None));
    assert!(told.notes[0].contains("nothing tells when"), "{:?}", told.notes);
    // Where it was taken off its node that moment is told.
    endless["status"]["conditions"].as_array_mut().unwrap().push(json!({"type": "DisruptionTarget",
        "status": "True", "reason": "PreemptionByScheduler", "lastTransitionTime": "2026-11-20T09:30:00Z"}));
    let told = read(vec![endless], vec![]).await;
    assert_eq!((told.attempts[0].state, hours(&told.attempts[0])), (JobState::Preempted, 4.0));
}

#[tokio::test]
async fn a_phase_that_is_not_known_is_unknown_and_said() {
    let mut odd = running("a");
    odd["status"]["phase"] = "Hibernated".into();
    let read = read(vec![odd], vec![]).await;
    assert_eq!(
        (read.attempts[0].state, &*read.attempts[0].state_source),
        (JobState::Unknown, "Hibernated")
    );
    assert!(read.notes[0].contains("Hibernated"), "{:?}", read.notes);
}

#[tokio::test]
async fn json_that_is_cut_or_odd_is_an_error_or_costs_its_item() {
    for body in
        [r#"{"kind":"PodList","items":[{"meta"#, "{}", "[]", r#"{"kind":"Status"}"#, "<html>"]
    {
        let server = serve(move |request| match request.path.starts_with("/api/v1/pods") {
            true => (200, body.to_owned()),
            false => cluster(&request.path, &[], &[]),
        });
        let error = Home::of(&server).read().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{body}: {error:?}");
    }
    let odd = json!({"metadata": {"name": 7}, "status": []});
    let read = read(vec![odd, running("a")], vec![]).await;
    assert_eq!((read.attempts.len(), read.holders), (1, None), "who holds the rest is not known");
    assert!(read.notes[0].contains("1 object"), "{:?}", read.notes);
}

#[tokio::test]
async fn foreign_text_is_clean_wherever_it_becomes_a_value() {
    for text in TEXTS {
        let mut odd = running(text);
        odd["metadata"]["namespace"] = (*text).into();
        odd["metadata"]["uid"] = (*text).into();
        odd["metadata"]["labels"] =
            json!({"u": text, "ray.io/cluster": text, "kueue.x-k8s.io/queue-name": text});
        odd["spec"]["nodeName"] = (*text).into();
        odd["status"]["message"] = (*text).into();
        odd["status"]["phase"] = (*text).into();
        let pods = vec![odd];
        let server = serve(move |request| match request.path.as_str() {
            "/version" => (200, json!({"gitVersion": text}).to_string()),
            path if path.starts_with("/api/v1/nodes") => {
                (403, json!({"kind": "Status", "message": text}).to_string())
            }
            path => cluster(path, &pods, &[]),
        });
        let home = Home::of(&server);
        let keys = Keys { user: Some("u".into()), ..Keys::default() };
        let settings = KubernetesSettings { keys, ..home.settings() };
        let read = Kubernetes::new(settings).read(&window()).await.unwrap();
        assert_eq!(read.attempts.len(), 1);
        let said = serde_json::to_string(&read.attempts).unwrap();
        // As JSON the rest is escaped: what is unsafe in texts would show as such.
        let back: Value = serde_json::from_str(&said).unwrap();
        let mut all = vec![format!("{:?}", read.refusal), read.about.unwrap_or_default()];
        all.extend(read.notes);
        texts(&back, &mut all);
        for value in all {
            assert!(!value.chars().any(is_unsafe), "{value:?}");
        }
    }
}

fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|value| texts(value, out)),
        Value::Object(all) => all.values().for_each(|value| texts(value, out)),
        _ => {}
    }
}

/// A program that prints `token-1`, `token-2`, … and the user that runs it.
fn plugin(home: &Path) {
    let script = r#"#!/bin/sh
cd "$(dirname "$0")" && echo x >> runs
n=$(wc -l < runs | tr -d ' ')
echo "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"token-$n\"}}"
"#;
    program::write(&home.join("plugin"), script);
}

const EXEC: &str =
    "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: ./plugin\n";

#[tokio::test]
async fn a_token_that_ends_in_the_middle_of_a_list_is_made_anew_and_the_list_goes_on() {
    let server = serve(|request| {
        let token = request.header("authorization").unwrap_or_default().to_owned();
        let is_late = request.path.contains("continue=p3") || request.path.contains("continue=p4");
        let wanted = if is_late { "Bearer token-2" } else { "Bearer token-" };
        match token.starts_with(wanted) {
            true => paged(&request.path, 5),
            false => status(401, "Unauthorized"),
        }
    });
    let home = Home::new(&https(&server), "", EXEC);
    plugin(home.0.path());
    let source = Kubernetes::new(home.settings());
    for _ in 0..2 {
        let read = source.read(&window()).await.unwrap();
        assert_eq!((read.attempts.len(), read.refusal), (5, None));
    }
    let runs = std::fs::read_to_string(home.path("runs")).unwrap();
    assert_eq!(runs.lines().count(), 2, "once at first and once anew; the second reading keeps it");
}

#[tokio::test]
async fn who_is_not_let_in_is_told_and_the_token_is_not() {
    let server = serve(|_| status(401, "Unauthorized"));
    let home = Home::new(&https(&server), "", EXEC);
    plugin(home.0.path());
    for home in [&home, &Home::of(&server)] {
        let error = home.read().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Expired, "{error:?}");
        let shown = format!("{error:?}");
        assert!(!shown.contains(TOKEN) && !shown.contains("token-"), "{shown}");
    }
    let runs = std::fs::read_to_string(home.path("runs")).unwrap();
    assert_eq!(runs.lines().count(), 2, "once more, and not for ever");
}

#[tokio::test]
async fn a_token_file_is_read_anew_for_each_reading_and_where_it_is_refused() {
    let server = serve(|request| match request.header("authorization") {
        Some("Bearer second") => cluster(&request.path, &[pod("a")], &[]),
        _ => status(401, "Unauthorized"),
    });
    let home = Home::new(&https(&server), "", "    tokenFile: token\n");
    std::fs::write(home.path("token"), "first\n").unwrap();
    let source = Kubernetes::new(home.settings());
    assert_eq!(source.read(&window()).await.unwrap_err().kind, ErrorKind::Expired);
    std::fs::write(home.path("token"), "second\n").unwrap();
    assert_eq!(source.read(&window()).await.unwrap().attempts.len(), 1);
    std::fs::write(home.path("token"), "\n").unwrap();
    let error = source.read(&window()).await.unwrap_err();
    assert!(error.message.contains("holds no token"), "{error:?}");
}

#[tokio::test]
async fn a_pod_reads_its_own_cluster_by_its_files() {
    let server = serve(|request| match request.header("authorization") {
        Some("Bearer inside") => cluster(&request.path, &[pod("a")], &[]),
        _ => status(401, "Unauthorized"),
    });
    let home = Home::of(&server);
    std::fs::write(home.path("token"), "inside").unwrap();
    std::fs::copy(tls_file("ca.pem"), home.path("ca.crt")).unwrap();
    let place = |server| Where::InCluster { server, dir: home.path("") };
    let of = |server| KubernetesSettings { place: place(server), ..home.settings() };
    let read = Kubernetes::new(of(Some(Address::new(https(&server))))).read(&window()).await;
    assert_eq!(&*read.unwrap().attempts[0].id.cluster, "k");
    let error = Kubernetes::new(of(None)).read(&window()).await.unwrap_err();
    assert!(error.message.contains("KUBERNETES_SERVICE_HOST"), "{error:?}");
}

#[tokio::test]
async fn over_plain_http_nothing_is_sent_and_no_program_is_run() {
    let server = Server::start(|_, request| {
        let (status, body) = cluster(&request.path, &[pod("a")], &[]);
        Reply::new(status, "application/json", body)
    });
    for user in [EXEC.to_owned(), format!("    token: {TOKEN}\n")] {
        let home = Home::new(&server.url, "", &user);
        plugin(home.0.path());
        assert_eq!(home.read().await.unwrap().attempts.len(), 1);
        assert!(!home.path("runs").exists());
    }
    assert!(server.seen().iter().all(|request| request.header("authorization").is_none()));
}

#[tokio::test]
async fn the_certificate_may_have_another_name_where_the_kubeconfig_says_so() {
    let server = serve_as("other-host.pem", |request| cluster(&request.path, &[pod("a")], &[]));
    let token = format!("    token: {TOKEN}\n");
    let name = "    tls-server-name: prom.example.com\n";
    let home = Home::new(&https(&server), name, &token);
    assert_eq!(home.read().await.unwrap().attempts.len(), 1);
    let seen = server.seen();
    assert_eq!(seen[0].header("host"), Some(server.address()), "the address stays what it was");
    let error = Home::new(&https(&server), "", &token).read().await.unwrap_err();
    assert!(error.fix.contains("tls-server-name"), "{error:?}");
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_gets_no_token_unless_both_files_say_so() {
    let server = serve_as("stranger.pem", |request| cluster(&request.path, &[pod("a")], &[]));
    let token = format!("    token: {TOKEN}\n");
    let error = Home::new(&https(&server), "", &token).read().await.unwrap_err();
    assert!(error.fix.contains("certificate-authority"), "{error:?}");
    let home = Home::new(&https(&server), "    insecure-skip-tls-verify: true\n", &token);
    let error = home.read().await.unwrap_err();
    assert!(error.message.contains("insecure_skip_tls_verify"), "{error:?}");
    assert!(!server.received(TOKEN));
    let settings = KubernetesSettings { may_be_insecure: true, ..home.settings() };
    assert_eq!(Kubernetes::new(settings).read(&window()).await.unwrap().attempts.len(), 1);
}

#[tokio::test]
async fn a_client_may_be_known_by_its_certificate() {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(tls_file("ca.pem")).unwrap()).unwrap();
    let verifier =
        rustls::server::WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
    let shown = vec![CertificateDer::from_pem_file(tls_file("good.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(tls_file("server.key")).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(shown, key)
        .unwrap();
    let server = Server::start_as(Mode::Tls(config.into()), |_, request| {
        let (status, body) = cluster(&request.path, &[pod("a")], &[]);
        Reply::new(status, "application/json", body)
    });
    let (certificate, key) = (tls_file("client-only.pem"), tls_file("server.key"));
    let files = format!(
        "    client-certificate: {}\n    client-key: {}\n",
        certificate.display(),
        key.display()
    );
    let data = |file: &Path| aws_smithy_types::base64::encode(std::fs::read(file).unwrap());
    let data = format!(
        "    client-certificate-data: {}\n    client-key-data: {}\n",
        data(&certificate),
        data(&key)
    );
    for user in [files, data] {
        let home = Home::new(&https(&server), "", &user);
        assert_eq!(home.read().await.unwrap().attempts.len(), 1);
    }
    let error = Home::of(&server).read().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network, "{error:?}");
    let half = Home::new(&https(&server), "", "    client-certificate-data: QUJD\n");
    assert!(half.read().await.unwrap_err().message.contains("without a key"));
}

#[tokio::test]
async fn of_two_clusters_with_one_name_neither_is_read_and_both_say_so() {
    let server = || serve(|request| cluster(&request.path, &[running("a")], &[]));
    let (one, other) = (server(), server());
    let (first, second) = (Home::of(&one), Home::of(&other));
    let named =
        |home: &Home, name: &str| KubernetesSettings { name: name.into(), ..home.settings() };
    let all: Arc<[KubernetesSettings]> = [named(&first, "east"), named(&second, "west")].into();
    for (at, of) in [(0, "west"), (1, "east")] {
        let source = Kubernetes::new(all[at].clone()).beside(all.clone());
        let error = source.read(&window()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(error.message.contains("called prod") && error.message.contains(of), "{error:?}");
    }
    // With a name of its own, or as the same server by another context, it is read.
    let apart = KubernetesSettings { cluster: Some("west".into()), ..all[1].clone() };
    let same = named(&first, "again");
    for other in [apart, same] {
        let all: Arc<[KubernetesSettings]> = [all[0].clone(), other].into();
        for settings in all.iter() {
            let source = Kubernetes::new(settings.clone()).beside(all.clone());
            assert_eq!(source.read(&window()).await.unwrap().attempts.len(), 1);
        }
    }
}

#[tokio::test]
async fn what_a_kubeconfig_lacks_is_told_with_its_path() {
    let home = Home::new("https://127.0.0.1:1", "", "    token: t\n");
    let of = |file: Option<&str>, context: Option<&str>| KubernetesSettings {
        place: Where::Kubeconfig {
            file: file.map(|name| home.path(name)),
            context: context.map(str::to_owned),
        },
        ..home.settings()
    };
    for (settings, why) in [
        (of(Some("absent"), None), "absent"),
        (of(Some("config"), Some("lab")), "no context \"lab\"; it has c"),
        (of(None, None), "which kubeconfig"),
    ] {
        let error = Kubernetes::new(settings).read(&window()).await.unwrap_err();
        assert!(error.message.contains(why), "{error:?}");
        assert_eq!(error.kind, ErrorKind::NoCredentials);
    }
}
