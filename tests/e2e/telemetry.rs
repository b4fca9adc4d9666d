//! Bad days of GPU telemetry, and this host's own GPUs, through the whole program.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::fault::{Fault, proxy};
use crate::remote::installed;
use crate::server::{Reply, Server};
use crate::world::{DEAD, World};

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a server does instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// Nobody listens.
    Dead,
    /// Accepts and never answers.
    Silent,
    /// A page for people: somebody else's port, or a login.
    Html,
    /// `503 Service Unavailable`.
    Busy,
    /// Announces more than it sends.
    Longer,
    /// A valid answer of something that is no Prometheus.
    Foreign,
    /// Answers, and has no GPU metric.
    Empty,
}

const HTML: &str = "<!DOCTYPE html><html><body>Please log in\u{1b}[31m</body></html>";
const NONE: &str = r#"{"status":"success","data":[]}"#;

/// Starts such a server; its address.
fn server(lie: Lie) -> String {
    let reply = match lie {
        Lie::Dead => return DEAD.to_owned(),
        Lie::Silent => Reply::Silence,
        Lie::Html => Reply::new(200, "text/html", HTML),
        Lie::Busy => Reply::new(503, "text/plain", "overloaded"),
        Lie::Longer => {
            let length = NONE.len() + 5_000;
            let kind = "Content-Type: application/json";
            let head = format!("HTTP/1.1 200 OK\r\n{kind}\r\nContent-Length: {length}\r\n");
            Reply::Raw(format!("{head}Connection: close\r\n\r\n{NONE}").into())
        }
        Lie::Foreign => Reply::json(r#"{"hello":"world"}"#),
        Lie::Empty => Reply::json(NONE),
    };
    Server::start(move |_, _| reply.clone()).forever()
}

fn config(home: &Path, lie: Lie) -> String {
    let path = home.join("c.toml");
    let text = format!(
        "[gpus]\nlocal = false\ncloudwatch = false\n[[gpus.prometheus]]\nname = \"lab\"\n\
         url = \"{}\"\ntimeout_s = 2\n",
        server(lie)
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What each is told by.
const LIES: [(Lie, &str); 7] = [
    (Lie::Dead, "refused"),
    (Lie::Silent, "answer"),
    (Lie::Html, "web page"),
    (Lie::Busy, "503"),
    (Lie::Longer, "lab"),
    (Lie::Foreign, "unreadable"),
    (Lie::Empty, "GPU"),
];

#[test]
fn a_prometheus_that_is_none_is_said_with_its_fix() {
    let world = World { credentials: false, ..World::fine() };
    for (lie, word) in LIES {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path(), lie);
        let args = ["gpus", "--config", &config, "--region", "us-east-1", "--format", "json"];
        let output = world.run(home.path(), &args);
        // Nothing could be read at all, and credentials are the first thing to say then.
        assert_eq!(output.status.code(), Some(4), "{lie:?}: {}", said(&output));
        assert!(said(&output).contains("credentials"), "{lie:?}: {}", said(&output));

        let doctor = world.run(home.path(), &["doctor", "--json", "--config", &config]);
        let report: Value = serde_json::from_slice(&doctor.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|c| c["id"] == "gpus/lab").unwrap();
        assert_ne!(check["status"], "ok", "{lie:?}: {check:#}");
        assert!(!check["fix"].as_str().unwrap().is_empty(), "{lie:?}: {check:#}");
        let message = check["message"].as_str().unwrap();
        assert!(message.contains(word), "{lie:?}: {message}");
        assert!(!message.contains('\u{1b}'), "{lie:?}: {message}");
        assert_eq!(doctor.status.code(), Some(1), "no credentials");
    }
}

#[test]
fn a_prometheus_that_fails_costs_its_own_part_alone() {
    for lie in [Lie::Dead, Lie::Html] {
        let home = tempfile::tempdir().unwrap();
        let config = config(home.path(), lie);
        let args = ["--config", &config, "--region", "eu-west-1", "--format", "json"];
        for command in ["gpus", "idle"] {
            let output = World::fine().run(home.path(), &[&[command], &args[..]].concat());
            assert_eq!(output.status.code(), Some(3), "{lie:?}: {}", said(&output));
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let errors = report["errors"].as_array().unwrap();
            assert_eq!(errors.len(), 1, "{errors:#?}");
            assert_eq!(
                (&errors[0]["source"], &errors[0]["scope"]),
                (&"prom".into(), &"lab/-".into())
            );
            assert!(!errors[0]["fix"].as_str().unwrap().is_empty());
            let reading = report["readings"].as_array().unwrap();
            let reading = reading.iter().find(|r| r["source"] == "prom").unwrap();
            assert!(reading["taken_at"].is_null() && reading["state"] != "live", "{reading:#}");
            let rows = report["rows"].as_array().unwrap();
            assert_eq!(rows.len(), usize::from(command == "idle"), "{report:#}");
        }
    }
}

/// A host with the stand-in for NVIDIA's library; `None` where it cannot be compiled.
fn library(home: &Path, scenario: &str) -> Option<String> {
    let cc = installed("cc")?;
    let library = home.join("libnvidia-ml.so.1");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gpu/nvml_stub.c");
    let made = Command::new(cc)
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(format!("-DDIRECTORY=\"{}\"", home.display()))
        .arg(source)
        .status();
    assert!(made.is_ok_and(|s| s.success()), "the stand-in compiles");
    std::fs::write(home.join("scenario"), scenario).unwrap();
    let config = home.join("c.toml");
    let text = format!("[gpus]\nnvml_library = \"{}\"\n", library.display());
    std::fs::write(&config, text).unwrap();
    Some(config.to_str().unwrap().to_owned())
}

/// A world that counts who is asked.
fn watched() -> (World, impl Fn() -> usize) {
    let proxy = proxy(DEAD, |_| Fault::Hang);
    let cloud = || proxy.url.clone();
    let world = World { ec2: cloud(), cloudwatch: cloud(), pricing: cloud(), credentials: false };
    (world, move || proxy.connections())
}

#[test]
fn the_gpus_of_this_host_need_no_account() {
    let home = tempfile::tempdir().unwrap();
    let scenario = "gpus=5\nmode0=busy\nmode1=idle\nmode2=video\nmode3=phantom\nmode4=lost\n";
    let Some(config) = library(home.path(), scenario) else { return };
    let (world, asked) = watched();
    let args = ["gpus", "--once", "--config", &config];
    let output = world.run(home.path(), &[&args[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(3), "one is lost: {}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let state = |index: u64| {
        let row = rows.iter().find(|r| r["gpu_index"] == index);
        row.unwrap_or_else(|| panic!("{report:#}"))["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(rows.len(), 4, "{report:#}");
    // Idleness takes two minutes, a phantom is nothing, encoding is work.
    assert_eq!([0, 1, 2, 3].map(state), ["busy", "unknown", "busy", "unknown"]);
    let idle = rows.iter().find(|r| r["gpu_index"] == 1).unwrap();
    assert!(idle["reason"].as_str().unwrap().starts_with("quiet"), "{idle:#}");
    assert_eq!((&idle["model"], &idle["sources"]), (&"H100".into(), &serde_json::json!(["nvml"])));
    let errors = report["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0]["scope"].as_str().unwrap().contains("GPU 4"), "{errors:#?}");

    let table = world.run(home.path(), &args);
    assert_eq!(table.status.code(), Some(3), "{}", said(&table));
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("4 of 4 GPUs") && table.contains("GPU 4"), "{table}");
    assert_eq!(asked(), 0, "the cloud was asked");
    let calls = std::fs::read_to_string(home.path().join("calls")).unwrap();
    assert!(calls.contains("UtilizationRates"), "{calls}");
}

#[test]
fn a_host_without_a_driver_is_told_so() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("c.toml");
    std::fs::write(&config, "[gpus]\nnvml_library = \"/nowhere/libnvidia-ml.so.1\"\n").unwrap();
    let (world, asked) = watched();
    let args = ["gpus", "--once", "--config", config.to_str().unwrap()];
    let output = world.run(home.path(), &args);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let text = said(&output);
    assert!(text.contains("/nowhere/libnvidia-ml.so.1") && text.contains("driver"), "{text}");
    assert!(!text.contains("credentials"), "{text}");
    assert_eq!(asked(), 0, "the cloud was asked");
    // What is broken is told as well.
    if let Some(config) = library(home.path(), "init=999\n") {
        let output = world.run(home.path(), &["gpus", "--once", "--config", &config]);
        assert_eq!(output.status.code(), Some(4), "{}", said(&output));
        assert!(said(&output).contains("nvml"), "{}", said(&output));
    }
}
