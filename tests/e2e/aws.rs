//! The real program against the emulators: every planted case, and every bad day of a network.

use std::path::Path;
use std::process::Output;

use burntop::parts::domain::Hour;
use jiff::Timestamp;
use serde_json::Value;

use crate::emulators::emulators;
use crate::fault::{Fault, proxy};
use crate::world::{DEAD, SECRET, World};

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!(
            "{e}\nstdout: {}\nstderr: {}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn row<'a>(report: &'a Value, case: &str) -> &'a Value {
    let id = &emulators().ids[case];
    report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["instance_id"] == **id)
        .unwrap_or_else(|| panic!("no row for {case} ({id})"))
}

const BOTH: &[&str] =
    &["idle", "--format", "json", "--region", "us-east-1", "--region", "eu-west-1"];

#[test]
fn every_planted_case_gets_its_verdict() {
    let home = tempfile::tempdir().unwrap();
    let output = World::fine().run(home.path(), BOTH);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report = json(&output);
    assert_eq!(report["schema"], "burntop/idle/1");
    let expected = [
        ("train-7b-old", "idle"),
        ("eval-sweep", "partial"),
        ("quiet-host-busy-gpu", "busy"),
        ("one-core-of-96", "underused"),
        ("started-today", "too_new"),
        ("agent-died", "unknown"),
        ("kept-warm", "exempt"),
        ("protected", "idle"),
        ("spot-idle", "idle"),
        ("evil", "busy"),
        ("weekly-batch", "busy"),
        ("forgotten-box", "idle"),
        ("half-asleep", "underused"),
        ("asg-member", "idle"),
        ("europe-idle", "idle"),
    ];
    let got: Vec<(&str, &str)> = expected
        .iter()
        .map(|(case, _)| (*case, row(&report, case)["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(got, expected, "{report:#}");

    let partial = row(&report, "eval-sweep");
    assert_eq!((partial["idle_gpus"].as_f64(), partial["gpus"].as_f64()), (Some(5.0), Some(8.0)));
    // The live list price, not the embedded one; a spot box pays the zone's spot price.
    assert_eq!(row(&report, "train-7b-old")["usd_per_hour"], 21.5);
    assert_eq!(row(&report, "spot-idle")["usd_per_hour"], 0.00001);
    assert_eq!(row(&report, "spot-idle")["lifecycle"], "spot");
    assert_eq!(row(&report, "train-7b-old")["team"], "nlp");
    assert_eq!(row(&report, "forgotten-box")["tags"]["cost-center"], "42");

    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        !text.chars().any(|c| c != '\n' && burntop::parts::domain::text::is_unsafe(c)),
        "{text}"
    );
    assert!(row(&report, "evil")["name"].as_str().unwrap().contains('\u{FFFD}'));
}

#[test]
fn what_was_read_is_there_offline_and_asks_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut world = World::fine();
    let first = json(&world.run(home.path(), BOTH));
    let ec2 = proxy(&emulators().moto, |_| Fault::Pass);
    world.ec2 = ec2.url.clone();
    let args = [BOTH, &["--offline"]].concat();
    let output = world.run(home.path(), &args);
    assert_eq!(ec2.connections(), 0);
    let second = json(&output);
    let verdicts = |report: &Value| -> Vec<(Value, Value)> {
        let rows = report["rows"].as_array().unwrap();
        rows.iter().map(|r| (r["instance_id"].clone(), r["verdict"].clone())).collect()
    };
    assert_eq!(verdicts(&first), verdicts(&second));
    assert_eq!(second["readings"][0]["state"], "cached");
}

#[test]
fn a_second_scan_within_the_hour_asks_for_no_metric_again() {
    let scans = || {
        let home = tempfile::tempdir().unwrap();
        let mut world = World::fine();
        let hour = Hour::containing(Timestamp::now());
        world.run(home.path(), BOTH);
        let cloudwatch = proxy(&emulators().cloudwatch, |_| Fault::Pass);
        world.cloudwatch = cloudwatch.url.clone();
        let report = json(&world.run(home.path(), BOTH));
        assert_eq!(row(&report, "train-7b-old")["verdict"], "idle");
        (hour == Hour::containing(Timestamp::now())).then(|| cloudwatch.connections())
    };
    // Of two times one is within the hour.
    let asked = scans().or_else(scans).unwrap();
    assert!(asked <= 6, "{asked:?}");
}

#[test]
fn a_denied_region_names_the_action_and_leaves_the_other_alone() {
    let home = tempfile::tempdir().unwrap();
    let world = World::with_ec2(|r| {
        if r.region == "us-east-1" && r.action == "DescribeInstances" {
            Fault::Deny
        } else {
            Fault::Pass
        }
    });
    let output = world.run(home.path(), BOTH);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    assert_eq!(report["rows"].as_array().unwrap().len(), 1);
    assert_eq!(row(&report, "europe-idle")["verdict"], "idle");
    let errors = report["errors"].to_string();
    assert!(errors.contains("ec2:DescribeInstances") && errors.contains("us-east-1"), "{errors}");
}

#[test]
fn a_region_that_hangs_blanks_no_other() {
    let home = tempfile::tempdir().unwrap();
    let world = World::with_ec2(|r| {
        if r.region == "us-east-1" && r.service == "ec2" { Fault::Hang } else { Fault::Pass }
    });
    let output = world.run(home.path(), BOTH);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    assert_eq!(row(&report, "europe-idle")["verdict"], "idle");
    assert!(report["errors"].to_string().contains("us-east-1"), "{report:#}");
}

#[test]
fn throttling_that_ends_is_ridden_out() {
    let home = tempfile::tempdir().unwrap();
    let world = World::with_ec2(|r| {
        if r.service == "ec2" && r.number < 5 && r.number % 2 == 0 {
            Fault::Throttle
        } else {
            Fault::Pass
        }
    });
    let output = world.run(home.path(), &["idle", "--format", "json", "--region", "eu-west-1"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(row(&json(&output), "europe-idle")["verdict"], "idle");
}

#[test]
fn broken_answers_end_in_a_sentence() {
    for fault in [Fault::Garbage, Fault::HalfThenReset, Fault::Expired] {
        let home = tempfile::tempdir().unwrap();
        let world = World::with_ec2(move |r| if r.service == "ec2" { fault } else { Fault::Pass });
        let output = world.run(home.path(), &["idle", "--region", "eu-west-1"]);
        assert_eq!(output.status.code(), Some(4), "{fault:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("ec2:DescribeInstances"), "{fault:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn without_credentials_one_sentence_and_the_demo_offered() {
    let home = tempfile::tempdir().unwrap();
    let world = World { credentials: false, ..World::fine() };
    let output = world.run(home.path(), &["idle", "--region", "us-east-1"]);
    assert_eq!(output.status.code(), Some(4));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("credentials") && said.contains("--demo"), "{said}");
    assert!(said.lines().count() <= 4, "{said}");
}

#[test]
fn a_dead_endpoint_is_unreachable_not_empty() {
    let home = tempfile::tempdir().unwrap();
    let world = World { ec2: DEAD.into(), ..World::fine() };
    let output = world.run(home.path(), &["idle", "--region", "us-east-1"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("sts:GetCallerIdentity"));
}

#[test]
fn without_metrics_nothing_is_idle() {
    let home = tempfile::tempdir().unwrap();
    let world = World { cloudwatch: DEAD.into(), ..World::fine() };
    let output = world.run(home.path(), BOTH);
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    for row in report["rows"].as_array().unwrap() {
        assert_ne!(row["verdict"], "idle", "{row:#}");
        assert_ne!(row["verdict"], "partial", "{row:#}");
    }
    assert_eq!(row(&report, "train-7b-old")["verdict"], "unknown");
    assert_eq!(row(&report, "kept-warm")["verdict"], "exempt");
}

#[test]
fn without_the_price_list_the_embedded_one_says_its_date() {
    let home = tempfile::tempdir().unwrap();
    let world = World { pricing: DEAD.into(), ..World::fine() };
    let report = json(&world.run(home.path(), BOTH));
    let p4d = row(&report, "train-7b-old");
    assert_eq!(p4d["usd_per_hour"], 21.957_642);
    assert!(p4d["price_basis"].to_string().contains("20"), "{p4d:#}");
}

#[test]
fn an_empty_region_is_an_empty_list() {
    let home = tempfile::tempdir().unwrap();
    let args = ["idle", "--format", "json", "--region", "eu-west-3"];
    let output = World::fine().run(home.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&output)["rows"], Value::Array(vec![]));
}

#[test]
fn the_cap_stops_billed_calls_and_says_so() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("burntop.toml");
    std::fs::write(&config, "[own_cost]\ncap_usd_per_day = 0.0001\n").unwrap();
    let args = [BOTH, &["--config", config.to_str().unwrap()]].concat();
    let output = World::fine().run(home.path(), &args);
    assert_eq!(output.status.code(), Some(3));
    assert!(json(&output)["errors"].to_string().contains("own_cost.cap_usd_per_day"));
}

#[test]
fn no_secret_reaches_the_disk() {
    fn walk(dir: &Path) {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                let found = bytes.windows(SECRET.len()).any(|w| w == SECRET.as_bytes());
                assert!(!found, "{} holds the secret key", path.display());
            }
        }
    }
    let home = tempfile::tempdir().unwrap();
    World::fine().run(home.path(), &[BOTH, &["-vv"]].concat());
    walk(home.path());
}
