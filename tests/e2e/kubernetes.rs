//! A cluster of Kubernetes: an API server of the tests behind TLS that wants a token of a program, read by the program itself, and
//! by the real kubectl, which finds the server to be one.
//!
//! Where kubectl is not installed that test prints `skipped: …`; with `BURNTOP_CI=1` that is a failure.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::remote::installed;
use crate::server::{Mode, Reply, Request, Server, certificate, tls_file};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// Minutes ago as Kubernetes writes it.
fn ago(now: Timestamp, minutes: i64) -> String {
    let at = now - SignedDuration::from_mins(minutes);
    Timestamp::from_second(at.as_second()).unwrap().to_string()
}

struct Pod<'a> {
    name: &'a str,
    gpus: u32,
    phase: &'a str,
    /// Minutes ago: made, put on its node, ended.
    times: (i64, i64, Option<i64>),
    exit: (u8, &'a str),
}

impl Pod<'_> {
    fn json(&self, now: Timestamp) -> Value {
        let (made, scheduled, ended) = self.times;
        let (code, reason) = self.exit;
        let state = match ended {
            None => json!({"running": {"startedAt": ago(now, scheduled - 15)}}),
            Some(minutes) => json!({"terminated": {"exitCode": code, "reason": reason,
                "startedAt": ago(now, scheduled - 15), "finishedAt": ago(now, minutes)}}),
        };
        let gpus = self.gpus.to_string();
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": self.name, "namespace": "ml", "uid": format!("uid-{}", self.name),
                "creationTimestamp": ago(now, made), "labels": {"owner": "alice"}},
            "spec": {"nodeName": "ip-10-1-2-3", "containers": [{"name": "c", "image": "x", "resources": {
                "requests": {"cpu": gpus, "memory": "64Gi", "nvidia.com/gpu": gpus},
                "limits": {"nvidia.com/gpu": gpus}}}]},
            "status": {"phase": self.phase,
                "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(now, scheduled)}],
                "containerStatuses": [{"name": "c", "state": state}]},
        })
    }
}

/// Three pods: one that held eight GPUs for an hour, one of four that ran out of memory after half an hour, one that runs.
fn pods(now: Timestamp, is_gone: bool) -> Vec<Value> {
    let pod = |name, gpus, phase, times, exit| Pod { name, gpus, phase, times, exit }.json(now);
    let mut all = vec![
        pod("well", 8, "Succeeded", (180, 120, Some(60)), (0, "Completed")),
        pod("oom", 4, "Failed", (55, 55, Some(25)), (137, "OOMKilled")),
    ];
    if !is_gone {
        all.push(pod("runs", 1, "Running", (50, 50, None), (0, "")));
    }
    all
}

fn node(now: Timestamp) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "ip-10-1-2-3", "creationTimestamp": ago(now, 240), "labels": {
            "node.kubernetes.io/instance-type": "p5.48xlarge", "topology.kubernetes.io/region": "us-east-1"}},
        "spec": {"providerID": "aws:///us-east-1a/i-0123456789abcdef0"},
        "status": {"capacity": {"nvidia.com/gpu": "8"},
            "addresses": [{"type": "InternalIP", "address": "10.1.2.3"}]},
    })
}

/// A page of items: as many as are asked for, with the place of the next one.
fn page(path: &str, kind: &str, items: &[Value]) -> Reply {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let of = |name: &str| {
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        pairs.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    };
    let limit: usize = of("limit").map_or(500, |limit| limit.parse().unwrap());
    let from: usize =
        of("continue").map_or(0, |token| token.trim_start_matches('n').parse().unwrap());
    let until = items.len().min(from + limit.min(2));
    let mut metadata = json!({"resourceVersion": "100"});
    if until < items.len() {
        metadata["continue"] = format!("n{until}").into();
        metadata["remainingItemCount"] = (items.len() - until).into();
    }
    let version = if kind == "Job" { "batch/v1" } else { "v1" };
    let list = json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": metadata,
        "items": items[from..until]});
    Reply::json(list.to_string())
}

fn refused(status: u16, reason: &str) -> Reply {
    let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason,
        "message": reason, "code": status});
    Reply::new(status, "application/json", body.to_string())
}

fn resources(version: &str, all: &[(&str, &str, bool)]) -> Reply {
    let all: Vec<Value> = all
        .iter()
        .map(|(name, kind, namespaced)| {
            json!({"name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]})
        })
        .collect();
    let list = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": all});
    Reply::json(list.to_string())
}

fn answer(request: &Request, now: Timestamp, is_gone: bool) -> Reply {
    if request.header("authorization") != Some("Bearer s3cr3t-1") {
        return refused(401, "Unauthorized");
    }
    match request.path.split('?').next().unwrap() {
        "/version" => Reply::json(r#"{"major":"1","minor":"31","gitVersion":"v1.31.2"}"#),
        "/api" => Reply::json(r#"{"kind":"APIVersions","versions":["v1"]}"#),
        "/apis" => Reply::json(r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[]}"#),
        "/api/v1" => resources("v1", &[("pods", "Pod", true), ("nodes", "Node", false)]),
        "/api/v1/pods" => page(&request.path, "Pod", &pods(now, is_gone)),
        "/apis/batch/v1/jobs" => page(&request.path, "Job", &[]),
        "/api/v1/nodes" => page(&request.path, "Node", &[node(now)]),
        _ => refused(404, "NotFound"),
    }
}

/// A home with a kubeconfig for a cluster, whose program makes the token that the cluster takes.
struct Lab {
    home: tempfile::TempDir,
    server: Server,
    is_gone: Arc<AtomicBool>,
}

impl Lab {
    fn new() -> Self {
        let (now, is_gone) = (Timestamp::now(), Arc::new(AtomicBool::new(false)));
        let gone = is_gone.clone();
        let server = Server::start_as(Mode::Tls(certificate("good.pem")), move |_, request| {
            answer(request, now, gone.load(SeqCst))
        });
        let lab = Self { home: tempfile::tempdir().unwrap(), server, is_gone };
        let token = r#"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"s3cr3t-1"}}"#;
        let plugin = lab.path("plugin");
        std::fs::write(&plugin, format!("#!/bin/sh\necho '{token}'\n")).unwrap();
        std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
        let kubeconfig = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: lab\ncontexts:\n- name: lab\n  context:\n    cluster: lab\n    user: me\n\
             clusters:\n- name: lab\n  cluster:\n    server: https://{}\n    certificate-authority: {}\n\
             users:\n- name: me\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1beta1\n      command: ./plugin\n",
            lab.server.address(),
            tls_file("ca.pem").display(),
        );
        std::fs::write(lab.path("kubeconfig"), kubeconfig).unwrap();
        let dir = lab.path("config/burntop");
        std::fs::create_dir_all(&dir).unwrap();
        let config = format!(
            "[[jobs.kubernetes]]\nname = 'k8s'\nkubeconfig = '{}'\nuser_label = 'owner'\n",
            lab.path("kubeconfig").display()
        );
        std::fs::write(dir.join("config.toml"), config).unwrap();
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .output()
            .unwrap()
    }

    fn jobs(&self, more: &[&str]) -> Value {
        let output = self.run(BURNTOP, &[&["jobs", "--format", "json"][..], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(!said.contains("s3cr3t"), "{said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn row<'a>(json: &'a Value, job: &str) -> &'a Value {
    let rows = json["rows"].as_array().unwrap();
    rows.iter().find(|row| row["job_id"] == job).unwrap_or_else(|| panic!("no {job}: {rows:#?}"))
}

#[test]
fn pods_cost_what_they_held_and_what_is_deleted_is_closed() {
    let lab = Lab::new();
    let first = lab.jobs(&[]);
    assert_eq!(first["rows"].as_array().unwrap().len(), 3);
    let near = |value: &Value, want: f64| (value.as_f64().unwrap() - want).abs() < 1e-6;
    // Eight GPUs for the hour from its node on, on a node of $55.04: neither 45 minutes by its containers nor 36 % by its CPUs.
    let well = row(&first, "ml/well");
    assert_eq!((&well["state"], &well["state_source"]), (&json!("completed"), &json!("Succeeded")));
    assert_eq!(
        (&well["source"], &well["cluster"], &well["user"]),
        (&json!("kubernetes"), &json!("lab"), &json!("alice"))
    );
    assert!(near(&well["gpu_hours"], 8.0) && near(&well["usd"], 55.04), "{well:#}");
    // Half a node for half an hour, all of it lost.
    let oom = row(&first, "ml/oom");
    assert_eq!((&oom["state"], &oom["cause"]), (&json!("out_of_memory"), &json!("out_of_memory")));
    assert!(near(&oom["lost_gpu_hours"], 2.0) && near(&oom["lost_usd"], 13.76), "{oom:#}");
    assert_eq!(row(&first, "ml/runs")["state"], "running");
    let reading = &first["readings"][0];
    assert_eq!((&reading["source"], &reading["state"]), (&json!("kubernetes"), &json!("live")));

    // Deleted between two readings: it held at least until it was last seen, and no hour more.
    lab.is_gone.store(true, SeqCst);
    let second = lab.jobs(&[]);
    let gone = row(&second, "ml/runs");
    assert_eq!((&gone["state"], &gone["state_source"]), (&json!("unknown"), &json!("Gone")));
    assert!(gone["gpu_hours"].as_f64().unwrap() >= 50.0 / 60.0, "{gone:#}");
    for more in [&[][..], &["--offline"]] {
        let again = lab.jobs(more);
        assert_eq!(row(&again, "ml/runs")["gpu_hours"], gone["gpu_hours"]);
        assert_eq!(row(&again, "ml/well")["usd"], well["usd"]);
    }
}

#[test]
fn doctor_reads_the_cluster_and_says_who_is_not_let_in() {
    let lab = Lab::new();
    let said = |lab: &Lab| {
        let output = lab.run(BURNTOP, &["doctor"]);
        // Lines may be broken anywhere.
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let well = said(&lab);
    assert!(well.contains("Kubernetes 1.31.2"), "{well}");
    std::fs::write(lab.path("plugin"), "#!/bin/sh\necho no session >&2\nexit 3\n").unwrap();
    let refused = said(&lab);
    assert!(refused.contains("no session") && !refused.contains("s3cr3t"), "{refused}");
}

#[test]
fn the_server_of_these_tests_is_one_for_kubectl_too() {
    let Some(kubectl) = installed("kubectl") else { return };
    let lab = Lab::new();
    let config = lab.path("kubeconfig").display().to_string();
    let arguments = ["--kubeconfig", &config, "get", "pods", "-A", "--chunk-size=2", "-o", "name"];
    let output = lab.run(&kubectl.display().to_string(), &arguments);
    let (out, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let names: Vec<&str> = out.lines().collect();
    assert_eq!(names, ["pod/well", "pod/oom", "pod/runs"], "{said}");
    assert!(lab.server.seen().iter().any(|request| request.path.contains("continue=n2")));
}
