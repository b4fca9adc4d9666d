//! Bills are imported from files, folders and an export in S3, once, and kept.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::acting::python;
use crate::emulators::emulators;
use crate::world::{World, cache_dir};

/// What all four files add up to, to the last digit that a JSON reader keeps.
const TOTAL: f64 = 535_198.688_915_327_7;

const FILES: [(&str, &str); 4] = [
    ("synthetic-cur1.csv.gz", "cur1"),
    ("synthetic-cur2.parquet", "cur2"),
    ("synthetic-focus-1.0-aws.parquet", "focus1.0"),
    ("synthetic-focus-1.2-aws.parquet", "focus1.2"),
];

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bill").join(file)
}

/// A world without credentials: files need none.
fn nowhere() -> World {
    let dead = crate::world::DEAD.to_owned();
    World { ec2: dead.clone(), cloudwatch: dead.clone(), pricing: dead, credentials: false }
}

fn import(world: &World, home: &Path, more: &[&str]) -> Output {
    world.run(home, &[&["bill", "import", "--format", "json"], more].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(output)))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_format_adds_up_to_the_same_and_is_read_once() {
    let home = tempfile::tempdir().unwrap();
    let world = nowhere();
    let paths = FILES.map(|(file, _)| data(file).to_str().unwrap().to_owned());
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for unchanged in [false, true] {
        let output = import(&world, home.path(), &paths);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let report = json(&output);
        assert_eq!(report["schema"], "burntop/bill-import/1");
        let rows = report["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 4, "{rows:?}");
        for (row, (_, format)) in rows.iter().zip(FILES) {
            assert_eq!((&row["format"], &row["provider"]), (&format.into(), &"AWS".into()));
            assert_eq!(row["billed_usd"].as_f64(), Some(TOTAL), "{row}");
            assert_eq!(row["effective_usd"].as_f64(), Some(TOTAL), "{row}");
            assert_eq!(row["unchanged"], unchanged, "{row}");
        }
    }
    // They are beside the cache, whose clearing leaves them.
    assert!(cache_dir(home.path()).join("bills.db").exists());
    assert_eq!(world.run(home.path(), &["cache", "clear"]).status.code(), Some(0));
    assert_eq!(json(&import(&world, home.path(), &paths))["rows"][0]["unchanged"], true);
    let stats = world.run(home.path(), &["cache", "stats"]);
    assert!(String::from_utf8_lossy(&stats.stdout).contains("bills.db"));
}

#[test]
fn what_cannot_be_imported_is_named_and_the_rest_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let world = nowhere();
    let whole = data("synthetic-cur1.csv.gz");
    let cut = home.path().join("cut.csv.gz");
    let bytes = std::fs::read(&whole).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let (whole, cut) = (whole.to_str().unwrap(), cut.to_str().unwrap());
    let some = import(&world, home.path(), &[whole, cut]);
    assert_eq!(some.status.code(), Some(3), "{}", said(&some));
    assert!(said(&some).contains("cut.csv.gz"), "{}", said(&some));
    assert_eq!(json(&some)["rows"].as_array().unwrap().len(), 1);
    assert!(json(&some)["errors"][0]["message"].as_str().unwrap().contains("cut.csv.gz"));
    for nothing in [cut, "/nowhere/at/all", home.path().join(".cache").to_str().unwrap()] {
        let output = import(&world, home.path(), &[nothing]);
        assert_eq!(output.status.code(), Some(4), "{nothing}: {}", said(&output));
        assert!(output.stdout.is_empty() && !said(&output).is_empty());
    }
    let without = import(&world, home.path(), &[]);
    assert_eq!(without.status.code(), Some(2), "{}", said(&without));
    assert!(said(&without).contains("[bill]"), "{}", said(&without));
}

/// An export that makes a new execution each day, whose second one is whole and whose third is under way; and a period
/// whose manifest names a file that is not there.
const DELIVERED: &str = r"
import boto3, json, sys
s3 = boto3.client('s3', endpoint_url=sys.argv[1], region_name='us-east-1')
s3.create_bucket(Bucket='acme-bills')
body = open(sys.argv[2], 'rb').read()
def deliver(period, execution, body, manifest=True):
    key = f'exports/cur/data/BILLING_PERIOD={period}/{execution}/cur-00001.snappy.parquet'
    if body:
        s3.put_object(Bucket='acme-bills', Key=key, Body=body)
    if manifest:
        at = f'exports/cur/metadata/BILLING_PERIOD={period}/{execution}/cur-Manifest.json'
        text = json.dumps({'dataFiles': [f's3://acme-bills/{key}'], 'billingPeriod': period})
        s3.put_object(Bucket='acme-bills', Key=at, Body=text.encode())
period = sys.argv[3]
deliver(period, '20261101T010000Z-1', b'broken')
import time; time.sleep(1.1)
deliver(period, '20261102T010000Z-2', body)
deliver(period, '20261103T010000Z-3', body, manifest=False)
deliver('2020-01', '20261102T010000Z-2', None)
";

#[test]
fn an_export_in_s3_is_read_by_its_newest_manifests() {
    let home = tempfile::tempdir().unwrap();
    let world = World::fine();
    let file = data("synthetic-cur2.parquet");
    let local = json(&import(&world, home.path(), &[file.to_str().unwrap()]));
    let period = local["rows"][0]["period"].as_str().unwrap().to_owned();
    python(DELIVERED, &[&emulators().moto, file.to_str().unwrap(), &period]);
    let config = home.path().join("burntop.toml");
    std::fs::write(&config, "[bill]\nexports = ['s3://acme-bills/exports']\n").unwrap();
    let args = ["--config", config.to_str().unwrap()];
    for unchanged in [false, true] {
        let output = import(&world, home.path(), &args);
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        let report = json(&output);
        let rows = report["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(
            (&rows[0]["export"], &rows[0]["period"]),
            (&"cur".into(), &period.clone().into())
        );
        assert_eq!(rows[0]["billed_usd"].as_f64(), Some(TOTAL));
        assert_eq!(rows[0]["unchanged"], unchanged);
        let missing = report["errors"][0]["message"].as_str().unwrap();
        assert!(missing.contains("BILLING_PERIOD=2020-01") && missing.contains("cur-00001"));
    }
    let policy = world.run(home.path(), &[&["iam-policy"], &args[..]].concat());
    assert!(String::from_utf8_lossy(&policy.stdout).contains("arn:aws:s3:::acme-bills/exports*"));
    let doctor = world.run(home.path(), &[&["doctor"], &args[..]].concat());
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("of cur ("));
}

#[test]
fn paths_of_an_imported_bill_are_those_of_its_lines() {
    let home = tempfile::tempdir().unwrap();
    let world = nowhere();
    let file = data("synthetic-cur2.parquet");
    let imported = import(&world, home.path(), &[file.to_str().unwrap()]);
    assert_eq!(imported.status.code(), Some(0), "{}", said(&imported));
    let output = world.run(home.path(), &["network", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = json(&output);
    // What Python's csv and decimal add up of the same month.
    assert_eq!(report["total"]["usd_per_month"].as_f64(), Some(30_229.483_879_6));
    assert_eq!(report["total"]["requests_usd_per_month"].as_f64(), Some(2_180.271_603_6));
}
