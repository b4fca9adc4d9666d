//! The demo's GPUs, and tapes: what was recorded is played through the whole program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::gpus::unzipped;
use crate::pty::Pty;
use crate::world::{ROOMY, quit};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");
const NOW: &str = "2026-11-20T12:00:00Z";
/// A fleet that holds every planted case.
const SMALL: [&str; 3] = ["--demo", "--demo-size", "60"];

fn burntop(home: &Path, args: &[&str]) -> Output {
    Command::new(BURNTOP)
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .output()
        .expect("burntop starts")
}

#[track_caller]
fn json(home: &Path, args: &[&str]) -> Value {
    let output = burntop(home, &[args, &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

/// Numbers of a tape have been text in between: the last digit may differ.
#[track_caller]
fn assert_alike(a: &Value, b: &Value) {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            assert!((x - y).abs() <= x.abs() * 1e-12, "{x} {y}");
        }
        (Value::Array(x), Value::Array(y)) => {
            assert_eq!(x.len(), y.len(), "{a:#}\n{b:#}");
            x.iter().zip(y).for_each(|(x, y)| assert_alike(x, y));
        }
        (Value::Object(x), Value::Object(y)) => {
            assert!(x.keys().eq(y.keys()), "{a:#}\n{b:#}");
            x.values().zip(y.values()).for_each(|(x, y)| assert_alike(x, y));
        }
        _ => assert_eq!(a, b),
    }
}

/// Records one look at the small demo.
fn recorded(home: &Path) -> (PathBuf, Value) {
    let tape = home.join("demo.tape");
    let record = ["gpus", "--now", NOW, "--record", tape.to_str().unwrap()];
    let report = json(home, &[&SMALL[..], &record].concat());
    (tape, report)
}

fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn what_was_recorded_is_played_again() {
    let home = tempfile::tempdir().unwrap();
    let (tape, live) = recorded(home.path());
    let path = tape.to_str().unwrap();
    let before = files(&home.path().join(".cache"));
    assert!(!before.is_empty());
    let played = json(home.path(), &["gpus", "--replay", path]);
    assert_eq!(played["generated_at"], live["generated_at"], "by the clock of the tape");
    assert!(rows(&live).len() > 200, "{}", rows(&live).len());
    assert_alike(&live["rows"], &played["rows"]);
    assert_alike(&live["blind"], &played["blind"]);
    // A list of GPUs reads no commitments, so a tape of it knows no net; one of instances does.
    let second = home.path().join("idle.tape");
    let second = second.to_str().unwrap();
    let record = ["idle", "--now", NOW, "--no-cache", "--record", second];
    let idle = json(home.path(), &[&SMALL[..], &record].concat());
    assert!(rows(&idle).iter().any(|row| row["net_usd_per_hour"].is_number()));
    assert_alike(&idle["rows"], &json(home.path(), &["idle", "--replay", second])["rows"]);
    let without = json(home.path(), &["idle", "--replay", path]);
    assert_eq!(rows(&without).len(), rows(&idle).len());
    assert!(
        rows(&without)
            .iter()
            .all(|row| row["state"] != "running" || row["net_usd_per_hour"].is_null())
    );
    assert!(before == files(&home.path().join(".cache")), "a tape is no news for the cache");

    // Each line of it is JSON.
    let text = unzipped(&tape);
    let kinds: Vec<Value> =
        text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["kind"].clone()).collect();
    for kind in ["account", "instances", "offers", "verdicts", "sweep", "hours"] {
        assert!(kinds.contains(&kind.into()), "no {kind}");
    }
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&tape).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600, "it holds names and tags");

    // Half of it is worth half of it.
    let whole = std::fs::read(&tape).unwrap();
    let torn = home.path().join("torn.tape");
    std::fs::write(&torn, &whole[..whole.len() - 100]).unwrap();
    let half = json(home.path(), &["idle", "--replay", torn.to_str().unwrap()]);
    assert_eq!(rows(&half).len(), rows(&idle).len());
}

#[test]
fn a_tape_arms_nothing_and_what_is_none_is_told() {
    let home = tempfile::tempdir().unwrap();
    let (tape, _) = recorded(home.path());
    let path = tape.to_str().unwrap();
    for args in [
        &["gpus", "--replay", path, "--allow-actions"][..],
        &["gpus", "--replay", path, "--demo"],
        &["gpus", "--replay", path, "--record", path],
        &["gpus", "--speed", "2"],
        &["idle", "--replay", BURNTOP],
        &["--demo", "gpus", "--record", "/nowhere/at.all"],
    ] {
        let output = burntop(home.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
        assert!(output.stdout.is_empty() && !said(&output).is_empty(), "{args:?}");
    }
    // A tape that is not there cannot be read.
    let output = burntop(home.path(), &["gpus", "--replay", "/nowhere/at.all"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(output.stdout.is_empty() && said(&output).contains("cannot read the tape"));
}

#[test]
fn a_tape_on_the_screen() {
    let home = tempfile::tempdir().unwrap();
    let (tape, _) = recorded(home.path());
    let home = home.path().to_str().unwrap();
    let args = ["--replay", tape.to_str().unwrap(), "--speed", "100"];
    let mut cockpit = Pty::spawn(BURNTOP, &args, &[("HOME", home)], ROOMY);
    cockpit.wait_for_line(&["burntop", "ec2"]);
    cockpit.send("1");
    cockpit.wait_for("train-7b-old");
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.wait_for_line(&["weekly-report", "busy"]);
    cockpit.send("2");
    cockpit.wait_for("effective");
    quit(cockpit);
}

/// What each planted box shows: name, how many of its GPUs, state. The states that need watching
/// have their time on the tape below.
const CASES: &[(&str, usize, &str)] = &[
    ("reserved-idle", 1, "unknown"),
    ("reserved-idle", 3, "held_idle"),
    ("h200-waiting", 8, "held_idle"),
    ("train-7b-old", 8, "unallocated_idle"),
    ("block-reserved", 8, "stalled"),
    ("eval-sweep", 3, "inefficient"),
    ("eval-sweep", 5, "unallocated_idle"),
    ("baseline-protected", 1, "unhealthy"),
    ("pretrain-70b", 8, "busy"),
    ("agent-hung", 4, "stale"),
    ("broken-exporter", 4, "unknown"),
    ("resumed-run", 4, "busy"),
];

#[test]
fn every_planted_gpu_is_in_its_state() {
    let home = tempfile::tempdir().unwrap();
    let tape = home.path().join("watch.tape");
    let path = tape.to_str().unwrap();
    let start: Timestamp = NOW.parse().unwrap();
    // A quarter of an hour of watching, a look each hundred seconds.
    let mut last = Value::Null;
    for look in 0..=10 {
        let now = (start + SignedDuration::from_secs(100 * look)).to_string();
        last =
            json(home.path(), &[&SMALL[..], &["gpus", "--now", &now, "--record", path]].concat());
    }
    let names: BTreeMap<String, String> = rows(&json(home.path(), &["idle", "--replay", path]))
        .iter()
        .map(|r| {
            let text = |field: &str| r[field].as_str().unwrap().to_owned();
            (text("instance_id"), text("name"))
        })
        .collect();
    let watched = json(home.path(), &["gpus", "--replay", path]);
    assert_eq!(rows(&watched).len(), rows(&last).len());
    let of = |report: &Value, name: &str| -> Vec<Value> {
        let is = |r: &&Value| {
            r["instance_id"].as_str().and_then(|id| names.get(id)).is_some_and(|n| n == name)
        };
        rows(report).iter().filter(is).cloned().collect()
    };
    for (name, count, state) in CASES {
        let gpus = of(&watched, name);
        let found = gpus.iter().filter(|r| r["state"] == **state).count();
        assert_eq!(found, *count, "{name} {state}: {gpus:#?}");
    }
    let gpu = |name: &str, index: u64| {
        let gpus = of(&watched, name);
        gpus.into_iter().find(|r| r["gpu_index"] == index).unwrap()
    };
    let phantom = gpu("reserved-idle", 0);
    assert_eq!(phantom["util"], 1.0, "a full utilisation that nothing causes: {phantom:#}");
    let encoding = gpu("tiny-batches", 3);
    assert_eq!(encoding["state"], "busy", "{encoding:#}");
    assert!(encoding["enc"].as_f64().unwrap() > 0.5 && encoding["util"].as_f64().unwrap() < 0.2);
    let decoding = gpu("marked-busy", 0);
    assert_eq!(decoding["state"], "busy", "{decoding:#}");
    assert!(decoding["dram_active"].as_f64().unwrap() > 0.5, "{decoding:#}");
    let fallen = gpu("baseline-protected", 3);
    assert_eq!((&fallen["xid"], &fallen["state"]), (&79.into(), &"unhealthy".into()));
    let faulty = gpu("pretrain-70b", 2);
    assert_eq!((&faulty["xid"], &faulty["state"]), (&31.into(), &"busy".into()));
    let told_twice = gpu("pretrain-70b", 6);
    assert_eq!(told_twice["sources"], serde_json::json!(["prom", "dcgm"]));
    assert!(told_twice["disagreement"].as_str().unwrap().contains("utilisation"));
    assert!(gpu("pretrain-70b", 0)["disagreement"].is_null());
    // Who holds a GPU and does nothing pays for it, and what hangs is no waste yet proven idle.
    let held = gpu("reserved-idle", 1);
    assert_eq!(held["waste_usd_per_hour"], held["usd_per_hour"]);
}

#[test]
fn the_demo_is_the_same_twice_and_every_report_has_it() {
    let look = |home: &Path| json(home, &["--demo", "gpus", "--now", NOW]);
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = look(one.path());
    assert_eq!(first, look(other.path()));
    assert!((900..1_200).contains(&rows(&first).len()), "{}", rows(&first).len());
    // Slices of one GPU: one at work, the others with a single witness.
    let sliced: Vec<&Value> = rows(&first).iter().filter(|r| !r["mig"].is_null()).collect();
    assert!(sliced.iter().any(|r| r["state"] == "busy"), "{sliced:#?}");
    assert!(sliced.iter().any(|r| r["state"] == "unknown"), "{sliced:#?}");
    assert!(sliced.iter().all(|r| r["gpus"].as_f64().unwrap() < 1.0));

    let text_and_told = |args: &[&str], code: i32| {
        let output = burntop(one.path(), args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", said(&output));
        let told = String::from_utf8(output.stderr).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            !text.chars().any(|c| c != '\n' && burntop::parts::domain::text::is_unsafe(c)),
            "{text}"
        );
        (text, told)
    };
    let text = |args: &[&str]| text_and_told(args, 0).0;
    for group in ["team", "node", "owner", "model", "state"] {
        let groups = text(&["--demo", "gpus", "--now", NOW, "--group", group]);
        assert!(groups.contains(&group.to_uppercase()), "{groups}");
    }
    // It sums buckets as well, and of one that is planted not all can be read.
    let (overview, told) = text_and_told(&["--demo", "overview", "--now", NOW], 3);
    let s3: Vec<&str> = told.lines().filter(|line| line.contains(" s3 ")).collect();
    assert!(
        matches!(s3[..], [why] if why.contains("% was read: s3:") && why.contains("AccessDenied")),
        "{told}"
    );
    for words in ["Teams", "GPU utilisation", "GPU telemetry missing"] {
        assert!(overview.contains(words), "no {words}\n{overview}");
    }
    let doctor = text(&["--demo", "doctor"]);
    assert!(doctor.contains("gpus/demo ") && doctor.contains("gpus/demo-exporters"), "{doctor}");
    assert!(doctor.contains("0 failed"), "{doctor}");
}
