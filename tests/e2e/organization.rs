//! Accounts of an organisation: found, read by their roles, kept for when the list cannot be had.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::emulators::emulators;
use crate::fault::{Fault, Request};
use crate::world::{World, cache_dir};

/// A configuration that finds its accounts, and the arguments that use it.
fn configured(home: &Path, more: &str) -> PathBuf {
    let file = home.join("c.toml");
    let text = format!("regions = ['us-east-1']\n[organization]\n{more}\n");
    std::fs::write(&file, text).unwrap();
    file
}

fn run(world: &World, home: &Path, config: &Path, args: &[&str]) -> (Output, Value) {
    let output = world.run(home, &[args, &["--config", config.to_str().unwrap()]].concat());
    let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output, json)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// True for a request that assumes the role of this account.
fn assumes(request: &Request, account: &str) -> bool {
    request.action == "AssumeRole" && request.body.contains(account)
}

#[test]
fn each_account_is_read_by_its_role_or_says_why_not() {
    let (e, home) = (emulators(), tempfile::tempdir().unwrap());
    let locked = e.ids["org-locked"].clone();
    let world = World::with_ec2(move |request| match request {
        r if assumes(r, &locked) => Fault::Deny,
        _ => Fault::Pass,
    });
    let config = configured(home.path(), "exclude = ['123456789012']");
    let (output, report) = run(&world, home.path(), &config, &["doctor", "--json"]);
    let checks = report["checks"].as_array().unwrap_or_else(|| panic!("{}", said(&output)));
    let check = |id: &str| {
        let found = checks.iter().find(|c| c["id"] == id);
        found.unwrap_or_else(|| panic!("{id}: {report:#}"))
    };
    let of = |case: &str| {
        let check = check(&format!("organization/{}", e.ids[case]));
        (check["status"].as_str().unwrap(), check["message"].as_str().unwrap())
    };
    let list = check("organization")["message"].as_str().unwrap();
    assert!(list.starts_with("5 accounts, listed 0 min ago: 3 are read, 2 left out"), "{list}");
    let (status, message) = of("org-nlp");
    assert_eq!(status, "ok", "{message}");
    assert!(message.contains("org-nlp") && message.contains("role/burntop-read"), "{message}");
    let (status, message) = of("org-locked");
    assert_eq!(status, "warn", "{message}");
    assert!(message.contains("sts:AssumeRole"), "{message}");
    let (status, message) = of("org-closed");
    assert_eq!(status, "skip", "{message}");
    assert!(message.contains("its state is SUSPENDED"), "{message}");
    let (status, message) = of("org-evil");
    assert_eq!(status, "ok", "{message}");
    assert!(message.contains("evil\u{fffd}[2J"), "{message}");

    // The policy names what finding and reading take.
    let (_, policy) = run(&world, home.path(), &config, &["iam-policy"]);
    let statements = policy["Statement"].as_array().unwrap();
    let has = |action: &str, resource: Value| {
        statements.iter().any(|s| s["Action"] == action && s["Resource"] == resource)
    };
    assert!(has("organizations:ListAccounts", "*".into()), "{policy:#}");
    let roles = serde_json::json!(["arn:aws:iam::*:role/burntop-read"]);
    assert!(has("sts:AssumeRole", roles), "{policy:#}");

    // What one account denies keeps nothing back of another; what it denies is said.
    let (output, report) = run(&world, home.path(), &config, &["idle", "--format", "json"]);
    let rows = report["rows"].as_array().unwrap_or_else(|| panic!("{}", said(&output)));
    let here = rows.iter().find(|r| r["instance_id"] == *e.ids["org-box"]);
    let row = here.unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!(row["account"], *e.ids["org-nlp"], "{row:#}");
    assert!(rows.iter().all(|r| r["account"] == *e.ids["org-nlp"]), "{rows:#?}");
    assert!(format!("{report}{}", said(&output)).contains("sts:AssumeRole"), "{report:#}");
}

#[test]
fn the_last_list_holds_where_there_is_no_new_one_and_nothing_found_is_armed() {
    let (e, home) = (emulators(), tempfile::tempdir().unwrap());
    let config = configured(home.path(), "include = ['IDS']");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("IDS", &e.ids["org-nlp"])).unwrap();
    let world = World::with_ec2(|_| Fault::Pass);
    let idle = ["idle", "--format", "json"];
    let reads_box = |report: &Value| {
        let rows = report["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
        rows.iter().any(|r| r["instance_id"] == *e.ids["org-box"])
    };
    let denied = World::with_ec2(|request| match request.service.as_str() {
        "organizations" => Fault::Deny,
        _ => Fault::Pass,
    });
    // No list at all: it is said, and no account is invented.
    let (output, report) = run(&denied, home.path(), &config, &idle);
    let words = said(&output);
    assert!(words.contains("[organization]: the accounts cannot be listed"), "{words}");
    assert!(words.contains("organizations:ListAccounts"), "{words}");
    assert!(!reads_box(&report));

    let (output, report) = run(&world, home.path(), &config, &idle);
    assert!(reads_box(&report), "{}{report:#}", said(&output));
    let kept = cache_dir(home.path()).join("organization.json");
    let mut list: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
    let then: jiff::Timestamp = list["listed_at"].as_str().unwrap().parse().unwrap();
    list["listed_at"] = (then - jiff::SignedDuration::from_hours(5)).to_string().into();
    std::fs::write(&kept, list.to_string()).unwrap();
    let (output, report) = run(&denied, home.path(), &config, &idle);
    let words = said(&output);
    assert!(words.contains("the accounts listed 5 h ago are read"), "{words}");
    assert!(reads_box(&report), "{report:#}");
    // Offline nobody is asked.
    let silent = World::hanging();
    let offline = [&idle[..], &["--offline"]].concat();
    let (output, report) = run(&silent, home.path(), &config, &offline);
    assert!(reads_box(&report), "{}{report:#}", said(&output));

    let (output, report) =
        run(&world, home.path(), &config, &["doctor", "--json", "--allow-actions"]);
    let checks = report["checks"].as_array().unwrap_or_else(|| panic!("{}", said(&output)));
    let actions = checks.iter().find(|c| c["id"] == "actions" && c["account"] == "org-nlp");
    let message = actions.unwrap_or_else(|| panic!("{report:#}"))["message"].as_str().unwrap();
    assert!(message.contains("read-only"), "{message}");
}
