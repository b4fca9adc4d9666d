//! kube-state-metrics in a real Prometheus: pages of the tests, of two copies, scraped every second and for the day before, and the
//! program that reads them.
//!
//! Without `prometheus`, `promtool` and `python3` installed this test prints `skipped: …`; with `BURNTOP_CI=1` that is a failure.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::prometheus::{blocks, served};
use crate::remote::{installed, wait_until};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// Addresses of the two copies, as Prometheus knows them.
const COPIES: [&str; 2] = ["ksm-0:8080", "ksm-1:8080"];

/// A pod: times in minutes ago.
struct Pod {
    name: &'static str,
    owner: &'static str,
    resource: &'static str,
    amount: u32,
    scheduled: i64,
    completed: Option<(i64, &'static str, &'static str)>,
    deleted: Option<i64>,
}

impl Pod {
    fn json(&self, now: i64) -> Value {
        let ago = |minutes: i64| now - 60 * minutes;
        let (completed, phase, reason) = match self.completed {
            Some((minutes, phase, reason)) => (Some(ago(minutes)), phase, reason),
            None => (None, "", ""),
        };
        json!({
            "name": self.name, "owner": self.owner, "requests": {"cpu": 4, self.resource: self.amount},
            "created": ago(self.scheduled + 8), "scheduled": ago(self.scheduled),
            "completed": completed, "phase": phase, "reason": reason, "deleted": self.deleted.map(ago),
        })
    }
}

/// Who held what: of those that are over GPUs × minutes by this table is what they cost.
const PODS: [Pod; 7] = {
    const GPU: &str = "nvidia_com_gpu";
    const WELL: (&str, &str) = ("Succeeded", "Completed");
    const RUNS: Pod = Pod {
        name: "runs",
        owner: "",
        resource: GPU,
        amount: 1,
        scheduled: 50,
        completed: None,
        deleted: None,
    };
    [
        // Kept for a day after an hour.
        Pod {
            name: "kept",
            amount: 8,
            scheduled: 1_390,
            completed: Some((1_330, WELL.0, WELL.1)),
            ..RUNS
        },
        // Deleted while it ran, long before anybody read.
        Pod { name: "gone", amount: 4, scheduled: 300, deleted: Some(180), ..RUNS },
        // Over, and deleted ten minutes later.
        Pod {
            name: "oom",
            amount: 4,
            scheduled: 90,
            completed: Some((60, "Failed", "OOMKilled")),
            deleted: Some(50),
            ..RUNS
        },
        Pod {
            name: "slices",
            resource: "nvidia_com_mig_1g_10gb",
            amount: 7,
            scheduled: 240,
            completed: Some((180, WELL.0, WELL.1)),
            ..RUNS
        },
        // A job without GPUs, and what serves without them.
        Pod {
            name: "prepare-x1",
            owner: "Job",
            resource: "memory",
            scheduled: 400,
            completed: Some((390, WELL.0, WELL.1)),
            ..RUNS
        },
        Pod { name: "web-x1", owner: "ReplicaSet", resource: "memory", scheduled: 700, ..RUNS },
        RUNS,
    ]
};

/// A Prometheus with a day of history, its two targets, and a home with a configuration.
struct Lab {
    home: tempfile::TempDir,
    pages: Child,
    server: Child,
    port: u16,
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in [&mut self.server, &mut self.pages] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Lab {
    fn start() -> Option<Self> {
        let (program, promtool) = (installed("prometheus")?, installed("promtool")?);
        let python = installed("python3")?;
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        let now = Timestamp::now().as_second();
        let world = json!({
            "node": {"name": "n1", "created": now - 86_400, "type": "p5.48xlarge",
                "provider": "aws:///us-east-1a/i-0123456789abcdef0", "address": "10.1.2.3"},
            "pods": PODS.iter().map(|pod| pod.json(now)).collect::<Vec<_>>(),
            "history": {"file": path("samples"), "from": now - 1_400 * 60, "until": now - 30, "instances": COPIES},
        });
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/kube_state.py");
        let mut pages = Command::new(python)
            .arg(script)
            .arg(world.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(pages.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let port: u16 = port.trim().parse().unwrap();
        blocks(&promtool, &path("samples"), &path("data"));
        let targets: String = COPIES
            .iter()
            .enumerate()
            .map(|(i, copy)| {
                format!(
                    "      - targets: ['{copy}']\n        labels: {{namespace: monitoring, pod: ksm-{i}}}\n"
                )
            })
            .collect();
        // As in Kubernetes, and `honor_labels` stands at its default: the labels of the target displace those of the pods.
        let scrapes = format!(
            "global:\n  scrape_interval: 1s\n  scrape_timeout: 1s\nscrape_configs:\n  - job_name: ksm\n    static_configs:\n\
             {targets}    relabel_configs:\n      - {{source_labels: [__address__], target_label: instance}}\n\
             \x20     - {{target_label: __address__, replacement: '127.0.0.1:{port}'}}\n"
        );
        let (server, url) = served(&program, home.path(), &scrapes, &path("data"));
        let dir = path("config/burntop");
        std::fs::create_dir_all(&dir).unwrap();
        let config = format!(
            "[[gpus.prometheus]]\nname = 'lab'\nurl = '{url}'\n[jobs]\nfirst_days = 1\n\
             [[jobs.kubernetes]]\nname = 'k8s'\nprometheus = 'lab'\ncluster = 'prod'\nuser_label = 'owner'\n"
        );
        std::fs::write(dir.join("config.toml"), config).unwrap();
        Some(Self { home, pages, server, port })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(BURNTOP)
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

    fn jobs(&self) -> Value {
        let output = self.run(&["jobs", "--format", "json"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn delete(&self, pod: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request =
            format!("GET /delete?pod={pod} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
}

fn row<'a>(json: &'a Value, job: &str) -> &'a Value {
    let rows = json["rows"].as_array().unwrap();
    rows.iter().find(|row| row["job_id"] == job).unwrap_or_else(|| panic!("no {job}: {rows:#?}"))
}

#[test]
fn pods_of_a_day_cost_what_they_held_by_a_table_of_their_own() {
    let Some(lab) = Lab::start() else { return };
    // Until it was scraped what runs is not known to run.
    wait_until(|| {
        let doctor = lab.run(&["doctor"]);
        let text = String::from_utf8_lossy(&doctor.stdout).into_owned();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_well = text.contains("kube-state-metrics") && !text.contains("tells nothing since");
        if is_well { Ok(()) } else { Err(text) }
    });
    let first = lab.jobs();
    assert_eq!(first["rows"].as_array().unwrap().len(), 6, "what serves is none: {first:#}");
    let hours = |json: &Value, job: &str| row(json, job)["gpu_hours"].as_f64().unwrap();
    let gpus = |pod: &Pod| match pod.resource {
        "nvidia_com_gpu" => f64::from(pod.amount),
        "memory" => 0.0,
        _ => f64::from(pod.amount) / 7.0,
    };
    for pod in PODS.iter().filter(|pod| pod.completed.is_some()) {
        let (ended, ..) = pod.completed.unwrap();
        let want = gpus(pod) * (pod.scheduled - ended) as f64 / 60.0;
        // The pods of a job that runs one at a time are attempts of it.
        let name = pod.name.strip_suffix("-x1").unwrap_or(pod.name);
        let job = format!("ml/{name}");
        let found = hours(&first, &job);
        assert!((found - want).abs() < 1e-4, "{job}: {found} instead of {want}");
    }
    // By its requests, which are told until it is deleted, it would be a day: $1,320.96 or so.
    let kept = row(&first, "ml/kept");
    assert!((kept["usd"].as_f64().unwrap() - 55.04).abs() < 1e-6, "{kept:#}");
    assert_eq!((&kept["cluster"], &kept["user"]), (&json!("prod"), &json!("alice")));
    let oom = row(&first, "ml/oom");
    assert_eq!((&oom["state"], &oom["cause"]), (&json!("out_of_memory"), &json!("out_of_memory")));
    assert!((oom["lost_gpu_hours"].as_f64().unwrap() - 2.0).abs() < 1e-6, "{oom:#}");
    // Scraped each minute: its last one may be two before its end.
    let gone = row(&first, "ml/gone");
    assert_eq!((&gone["state"], &gone["state_source"]), (&json!("unknown"), &json!("Gone")));
    let found = hours(&first, "ml/gone");
    assert!(found <= 8.0 && found > 8.0 - 4.0 * 2.5 / 60.0, "{found}");
    assert_eq!(row(&first, "ml/runs")["state"], "running");

    lab.delete("runs");
    wait_until(|| {
        let seen = lab.jobs();
        let is_gone = row(&seen, "ml/runs")["state_source"] == "Gone";
        if is_gone { Ok(()) } else { Err(seen["rows"].to_string()) }
    });
    let last = lab.jobs();
    let found = hours(&last, "ml/runs");
    // What was there for seconds alone falls between two looks: then the last minute of the past is when it was seen last.
    assert!((48.0 / 60.0..1.0).contains(&found), "{found}");
    for job in ["ml/kept", "ml/gone", "ml/oom", "ml/slices"] {
        assert_eq!(hours(&last, job), hours(&first, job), "{job} is counted once");
    }
}
