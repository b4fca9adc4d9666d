//! Bad days of the reports that need no AWS: configurations, clocks, pipes and metrics that lie.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::fault::Fault;
use crate::world::World;

fn burntop(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burntop"));
    command
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("AWS_EC2_METADATA_DISABLED", "true");
    command
}

fn demo(home: &Path, args: &[&str]) -> Output {
    let all = [&["idle", "--demo", "--demo-size", "60"], args].concat();
    burntop(home, &all).output().expect("burntop starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_wrong_clock_is_named_as_the_cause() {
    let home = tempfile::tempdir().unwrap();
    let world = World::with_ec2(|_| Fault::Skewed);
    let output = world.run(home.path(), &["idle", "--region", "eu-west-1"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(said(&output).contains("this machine's clock differs too much"), "{}", said(&output));
    assert!(said(&output).contains("set the clock (NTP)"), "{}", said(&output));
}

#[test]
fn a_typo_in_the_configuration_is_pointed_out_and_the_rest_holds() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("c.toml");
    std::fs::write(&config, "[idle]\npreset = \"mean-cpu\"\n[cahce]\nmax = 1\n").unwrap();
    let args = ["--config", config.to_str().unwrap(), "--format", "json"];
    let output = demo(home.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("cahce") && said(&output).contains("`cache`"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["basis"].as_str().unwrap().contains("preset mean-cpu"), "{report:#}");
    // What bounds spending and acting is not to be lost with a letter.
    for (source, says) in [
        ("[own_cots]\ncap_usd_per_day = 0\n", "`own_cost`"),
        ("[actions]\nmax_instance = 1\n", "`actions.max_instances`"),
        ("[[accounts]]\nname = 'a'\nreadonly = true\n", "`accounts[0].read_only`"),
        ("[keys]\nquti = ['q']\n", "`quit`"),
    ] {
        std::fs::write(&config, source).unwrap();
        let output = demo(home.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(says), "{}", said(&output));
    }
}

#[test]
fn the_demo_shows_the_part_that_was_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let rows = |args: &[&str]| {
        let output = demo(home.path(), &[&["--format", "json"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["rows"].as_array().unwrap().clone()
    };
    let part = ["--profile", "ml-prod", "--region", "eu-west-1"];
    let (all, some) = (rows(&[]), rows(&part));
    let is_it = |r: &&Value| r["account"] == "111122223333" && r["region"] == "eu-west-1";
    assert!(!some.is_empty() && some.iter().all(|r| is_it(&r)), "{some:#?}");
    // What the cache remembers of a larger part is not shown in the smaller one.
    assert_eq!(all.iter().filter(is_it).count(), some.len());
    assert!(some.len() < all.len());
    for (args, says) in [
        (["--region", "eu-west-9"], "us-east-1, us-west-2, eu-west-1, ap-northeast-1"),
        (["--profile", "prod"], "ml-prod, ml-research, data-platform"),
    ] {
        let output = demo(home.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(says), "{}", said(&output));
    }
}

#[test]
fn a_cache_from_the_future_is_read_without_trust() {
    let home = tempfile::tempdir().unwrap();
    let later = demo(home.path(), &["--now", "2026-09-01T12:00:00Z"]);
    assert_eq!(later.status.code(), Some(0), "{}", said(&later));
    let args = ["--now", "2026-06-10T12:00:00Z", "--format", "json"];
    let output = demo(home.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let fresh = tempfile::tempdir().unwrap();
    let (there, fresh): (Value, Value) = (
        serde_json::from_slice(&output.stdout).unwrap(),
        serde_json::from_slice(&demo(fresh.path(), &args).stdout).unwrap(),
    );
    assert_eq!(there["rows"], fresh["rows"]);
    // Without asking anybody, nothing in it is younger than now.
    let offline = demo(home.path(), &[&args[..], &["--offline"]].concat());
    let report: Value = serde_json::from_slice(&offline.stdout).unwrap();
    for reading in report["readings"].as_array().unwrap() {
        let taken = reading["taken_at"].as_str().unwrap_or("2026");
        assert!(taken < "2026-06-10T12:00:01", "{reading}");
    }
}

#[test]
fn a_reader_that_goes_away_hears_nothing_of_it() {
    let home = tempfile::tempdir().unwrap();
    let script = "\"$@\" 2>err | head -1; echo \"${PIPESTATUS[0]}\"";
    let bin = env!("CARGO_BIN_EXE_burntop");
    let output = Command::new("bash")
        .args(["-c", script, "bash", bin, "idle", "--demo", "--demo-size", "2000"])
        .current_dir(home.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].contains("VERDICT") && lines[1] == "0", "{out}");
    assert_eq!(std::fs::read_to_string(home.path().join("err")).unwrap(), "");
}

#[test]
fn findings_end_with_one_only_when_asked() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(demo(home.path(), &[]).status.code(), Some(0));
    let output = demo(home.path(), &["--fail-on", "idle"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("--fail-on"), "{}", said(&output));
    assert!(!output.stdout.is_empty());
    let busy = demo(home.path(), &["--fail-on", "idle", "--filter", "verdict=busy"]);
    assert_eq!(busy.status.code(), Some(0), "{}", said(&busy));
    assert_eq!(demo(home.path(), &["--fail-on", "idle>9999"]).status.code(), Some(0));
}

#[test]
fn a_filter_that_makes_no_sense_is_a_usage_error() {
    let home = tempfile::tempdir().unwrap();
    for (filter, word) in [("gpu<", "column"), ("gpuu<5", "gpu"), ("(idle>3d", "column")] {
        let output = demo(home.path(), &["--filter", filter]);
        assert_eq!(output.status.code(), Some(2), "{filter}");
        assert!(output.stdout.is_empty());
        assert!(
            said(&output).contains("--filter") && said(&output).contains(word),
            "{filter}: {}",
            said(&output)
        );
    }
}

#[test]
fn metrics_that_are_no_numbers_mean_in_use() {
    let home = tempfile::tempdir().unwrap();
    let output = demo(home.path(), &["--format", "json", "--filter", "name=broken-exporter"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{report:#}");
    assert_eq!(rows[0]["verdict"], "busy");
    assert!(rows[0]["wasted_usd"].is_null(), "{report:#}");
    assert!(rows[0]["reason"].as_str().unwrap().contains("made no sense"), "{report:#}");
    let table = demo(home.path(), &["--filter", "name=broken-exporter"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(!table.contains("NaN") && !table.contains("inf "), "{table}");
}
