//! Volumes deleted and modified on the emulator, and lifecycle rules put on a server that keeps
//! them whole, through the whole program.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::acting::{id, python, session};
use crate::emulators::emulators;
use crate::server::{Reply, Request, Server};
use crate::world::World;

/// Where the bucket is.
pub const REGION: &str = "ap-northeast-3";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// What EC2 says of every volume of the region: id, then state and type.
fn volumes() -> BTreeMap<String, (String, String)> {
    let script = "
import boto3, sys
ec2 = boto3.client('ec2', endpoint_url=sys.argv[1], region_name=sys.argv[2])
for v in ec2.describe_volumes()['Volumes']:
    print(v['VolumeId'], v['State'], v['VolumeType'], sep='\\t')
";
    let lines = python(script, &[&emulators().moto, REGION]);
    let field = |line: &str, n| line.split('\t').nth(n).unwrap_or_default().to_owned();
    lines.lines().map(|l| (field(l, 0), (field(l, 1), field(l, 2)))).collect()
}

#[test]
fn volumes_go_after_a_snapshot_and_gp2_becomes_gp3() {
    let home = tempfile::tempdir().unwrap();
    let world = World::fine();
    let (author, second) = (session("author"), session("reviewer"));
    let run = |args: &[&str], who: &[(&str, String)]| {
        let who = who.iter().map(|(k, v)| (k, v));
        let args = [args, &["--region", REGION]].concat();
        world.command(home.path(), &args).envs(who).output().unwrap()
    };
    let before = volumes();

    // Only what is old, unattached, nobody's and not exempt gets into the file.
    let file = home.path().join("delete.json");
    let file = file.to_str().unwrap();
    let all = ["loose", "young", "kept", "claimed", "attached"].map(|name| id(name, REGION));
    let wanted = all.join(",");
    let made = run(
        &[
            "plan", "volumes", "--action", "delete", "--id", &wanted, "--out", file, "--format",
            "json",
        ],
        &author,
    );
    let report = json(&made);
    let blocked: Vec<&str> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|r| {
            let findings = r["findings"].as_array().unwrap();
            findings.iter().any(|f| {
                f["severity"] == "block"
                    && f["guard"] != "storage_armed"
                    && f["guard"] != "storage_executor"
                    && f["guard"] != "storage_permission"
            })
        })
        .map(|r| r["id"].as_str().unwrap())
        .collect();
    assert_eq!(blocked, all[1..], "{report:#}");
    assert_eq!(volumes(), before, "a plan changes nothing");

    // Nobody has approved it; the approver may not apply it; a read-only session does nothing.
    let refused = run(&["apply", file, "--allow-actions"], &author);
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    approve(file, &|args| run(args, &second));
    let own = run(&["apply", file, "--allow-actions"], &second);
    assert_eq!(own.status.code(), Some(5), "{own:?}");
    let read_only = run(&["apply", file], &author);
    assert_eq!(read_only.status.code(), Some(5), "{read_only:?}");
    let dry = run(&["apply", file, "--allow-actions", "--dry-run"], &author);
    assert_eq!(dry.status.code(), Some(0), "{dry:?}");
    assert_eq!(volumes(), before);

    let applied = run(&["apply", file, "--allow-actions"], &author);
    assert_eq!(applied.status.code(), Some(0), "{applied:?}");
    let mut expected = before.clone();
    expected.remove(all[0]);
    assert_eq!(volumes(), expected);
    let script = "
import boto3, sys
ec2 = boto3.client('ec2', endpoint_url=sys.argv[1], region_name=sys.argv[2])
for s in ec2.describe_snapshots(Filters=[{'Name': 'volume-id', 'Values': [sys.argv[3]]}])['Snapshots']:
    print(s['State'], sorted(t['Key'] for t in s['Tags']))
";
    let kept = python(script, &[&emulators().moto, REGION, all[0]]);
    assert_eq!(kept.trim(), "completed ['burntop:plan', 'burntop:volume']");

    // gp2 of 2,000 GiB becomes gp3 with 6,000 IOPS and 250 MiB/s.
    let slow = id("slow", REGION);
    let file = home.path().join("gp3.json");
    let file = file.to_str().unwrap();
    let made = run(&["plan", "volumes", "--action", "gp3", "--id", slow, "--out", file], &author);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    assert!(text(&made.stdout).contains("6000 IOPS 250 MiB/s"), "{made:?}");
    approve(file, &|args| run(args, &second));
    let applied = run(&["apply", file, "--allow-actions"], &author);
    assert_eq!(applied.status.code(), Some(0), "{applied:?}");
    assert_eq!(volumes()[slow].1, "gp3");

    // The log holds, and has the way back.
    let verified = run(&["audit", "verify"], &author);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    let runs = json(&run(&["audit", "list", "--format", "json"], &author))["rows"].clone();
    let verbs: Vec<&Value> = runs.as_array().unwrap().iter().map(|r| &r["verb"]).collect();
    assert!(verbs.contains(&&Value::from("delete-volume")), "{runs:#}");
    let of = runs.as_array().unwrap().iter().find(|r| r["verb"] == "delete-volume").unwrap();
    let shown = run(&["audit", "show", of["run"].as_str().unwrap()], &author);
    assert!(text(&shown.stdout).contains("aws ec2 create-volume --snapshot-id snap-"), "{shown:?}");
}

fn approve(file: &str, run: &dyn Fn(&[&str]) -> Output) {
    let asked = run(&["approve", file]);
    let digits = text(&asked.stderr).split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
    let approved = run(&["approve", file, "--yes-i-reviewed", &digits]);
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");
}

/// What the server has of the bucket.
#[derive(Debug, Default)]
pub struct Bucket {
    pub document: String,
    pub minimum: String,
    pub puts: usize,
}

/// Its configuration, by somebody else.
pub const THEIRS: &str = "<LifecycleConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
    <Rule><ID>theirs</ID><Filter><Prefix>a/</Prefix></Filter><Status>Enabled</Status>\
    <NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays><NewerNoncurrentVersions>3\
    </NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>";

/// An S3 that knows one bucket and keeps its configuration whole.
pub fn s3(bucket: &Arc<Mutex<Bucket>>) -> String {
    let bucket = bucket.clone();
    Server::start(move |_, request| answer(&mut bucket.lock().unwrap(), request)).forever()
}

fn answer(bucket: &mut Bucket, request: &Request) -> Reply {
    const MINIMUM: &str = "x-amz-transition-default-minimum-object-size";
    let asks = |what: &str| request.path.contains(what);
    let none = |code: &str| (404, format!("<Error><Code>{code}</Code></Error>"));
    let (status, answer) = if asks("?lifecycle") && request.method() == "PUT" {
        bucket.puts += 1;
        bucket.document = request.text();
        bucket.minimum = request.header(MINIMUM).unwrap_or("all_storage_classes_128K").into();
        (200, String::new())
    } else if asks("?lifecycle") {
        (200, bucket.document.clone())
    } else if asks("?versioning") {
        (200, "<VersioningConfiguration/>".to_owned())
    } else if asks("?location") {
        (200, format!("<LocationConstraint>{REGION}</LocationConstraint>"))
    } else if asks("?tagging") {
        none("NoSuchTagSet")
    } else if asks("?object-lock") {
        none("ObjectLockConfigurationNotFoundError")
    } else {
        none("ReplicationConfigurationNotFoundError")
    };
    let minimum = format!("{MINIMUM}: {}\r\n", bucket.minimum);
    Reply::Whole(status, "application/xml", minimum, answer.into())
}

/// Rules to merge.
pub const WANTED: &str = r#"{"Rules":[{"ID":"old","Status":"Enabled","Filter":{"Prefix":"old/"},
    "Transitions":[{"Days":90,"StorageClass":"GLACIER"}]}]}"#;

#[test]
fn rules_are_put_by_the_typed_name_of_the_bucket_and_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let world = World::fine();
    let bucket = Arc::new(Mutex::new(Bucket {
        document: THEIRS.to_owned(),
        minimum: "varies_by_storage_class".to_owned(),
        puts: 0,
    }));
    let url = s3(&bucket);
    let run = |args: &[&str]| {
        let args = [&["storage", "lifecycle"], args, &["--region", REGION]].concat();
        world.command(home.path(), &args).env("AWS_ENDPOINT_URL_S3", &url).output().unwrap()
    };
    let apply = |args: &[&str]| run(&[&["apply"], args].concat());
    let puts = || bucket.lock().unwrap().puts;

    // Planned: the file says what is there, what is to be, and who may not be touched.
    let wanted = home.path().join("wanted.json");
    std::fs::write(&wanted, WANTED).unwrap();
    let wanted = wanted.to_str().unwrap();
    let dir = home.path().join("rules");
    let plan = |wanted: &str, dir: &Path| {
        let dir = dir.to_str().unwrap();
        run(&["plan", "--bucket", "ml-artifacts", wanted, "--out", dir])
    };
    let made = plan(wanted, &dir);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let file = dir.join("plan.json");
    let read: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let matter = &read["plan"]["items"][0]["matter"];
    let ids: Vec<&str> = matter["after"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["id"].as_str().unwrap())
        .collect();
    assert_eq!((ids.len(), ids[0]), (2, "theirs"));
    let own = ids[1].to_owned();
    assert!(own.starts_with("burntop/") && own.ends_with("/old"), "{own}");
    let backup: Value =
        serde_json::from_slice(&std::fs::read(dir.join("backup.json")).unwrap()).unwrap();
    assert_eq!(backup["sha256"], matter["before_sha256"], "one digest");
    let file = file.to_str().unwrap();

    // What would delete for good gets into no plan.
    let deletes = home.path().join("deletes.json");
    let rule = r#"{"Rules":[{"ID":"gone","Status":"Enabled","Filter":{"Prefix":"old/"},
        "Expiration":{"Days":90}}]}"#;
    std::fs::write(&deletes, rule).unwrap();
    let other = home.path().join("other");
    let none = plan(deletes.to_str().unwrap(), &other);
    assert_eq!(none.status.code(), Some(0), "{none:?}");
    assert!(text(&none.stderr).contains("there is no plan file"), "{none:?}");
    assert!(!other.join("plan.json").exists() && other.join("quarantine.json").exists());

    // Shown and not put: without a name, with another one, and in a session that is not armed.
    let shown = apply(&[file]);
    assert!(text(&shown.stdout).contains(&format!("{own} new")), "{shown:?}");
    let wrong = apply(&[file, "--confirm", "ml", "--allow-actions"]);
    assert_eq!(wrong.status.code(), Some(5), "{wrong:?}");
    let read_only = apply(&[file, "--confirm", "ml-artifacts"]);
    assert_eq!(read_only.status.code(), Some(5), "{read_only:?}");
    // Nor by an approval, which would leave the name untyped.
    for args in [&["approve", file][..], &["apply", file, "--allow-actions"]] {
        let args = [args, &["--region", REGION]].concat();
        let mut command = world.command(home.path(), &args);
        let asked = command.env("AWS_ENDPOINT_URL_S3", &url).output().unwrap();
        assert_eq!(asked.status.code(), Some(2), "{asked:?}");
        assert!(text(&asked.stderr).contains("--confirm ml-artifacts"), "{asked:?}");
    }
    assert_eq!(puts(), 0);

    let done = apply(&[file, "--confirm", "ml-artifacts", "--allow-actions"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    {
        let bucket = bucket.lock().unwrap();
        assert_eq!((bucket.puts, &*bucket.minimum), (1, "varies_by_storage_class"));
        for part in ["<NewerNoncurrentVersions>3<", "<ID>theirs</ID>", &own] {
            assert!(bucket.document.contains(part), "{part}: {}", bucket.document);
        }
    }
    // The same plan again does not stand on what is there now.
    let again = apply(&[file, "--confirm", "ml-artifacts", "--allow-actions"]);
    assert_eq!(again.status.code(), Some(5), "{again:?}");
    assert!(text(&again.stdout).contains("changed since the plan"), "{again:?}");

    let kept = home.path().join(".local/state/burntop/undo");
    let all: Vec<_> = std::fs::read_dir(kept).unwrap().map(|e| e.unwrap().path()).collect();
    let find =
        |ending: &str| all.iter().find(|p| p.to_string_lossy().ends_with(ending)).unwrap().clone();
    assert_eq!(std::fs::read_to_string(find(".backup.xml")).unwrap(), THEIRS);
    let undo = find(".undo.json");
    let back = apply(&[undo.to_str().unwrap(), "--confirm", "ml-artifacts", "--allow-actions"]);
    assert_eq!(back.status.code(), Some(0), "{back:?}");
    let bucket = bucket.lock().unwrap();
    assert!(!bucket.document.contains("burntop/"), "{}", bucket.document);
    assert!(bucket.document.contains("theirs"), "{}", bucket.document);
}
