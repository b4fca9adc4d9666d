//! Storage through the whole program: buckets in two regions, their sizes, volumes and snapshots.

use std::process::Output;

use serde_json::Value;

use crate::acting::python;
use crate::emulators::emulators;
use crate::fault::{Fault, proxy};
use crate::world::World;

/// Where the volumes are, and nobody else looks.
const REGION: &[&str] = &["--region", "ap-south-1", "--format", "json"];

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        let error = String::from_utf8_lossy(&output.stderr);
        panic!("{e}\n{}\n{error}", String::from_utf8_lossy(&output.stdout))
    })
}

fn row<'a>(report: &'a Value, key: &str, value: &str) -> &'a Value {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().find(|r| r[key] == value).unwrap_or_else(|| panic!("no {value}: {report:#}"))
}

fn buckets(world: &World, home: &tempfile::TempDir, more: &[&str]) -> Output {
    world.run(home.path(), &[&["storage", "buckets"], REGION, more].concat())
}

#[test]
fn buckets_of_two_regions_come_with_setup_sizes_and_dollars() {
    let home = tempfile::tempdir().unwrap();
    let output = buckets(&World::fine(), &home, &[]);
    let report = json(&output);
    assert_eq!(report["schema"], "burntop/storage-buckets/1");
    let near = row(&report, "name", "ml-checkpoints");
    assert_eq!((&near["region"], &near["account"]), (&"us-east-1".into(), &"123456789012".into()));
    assert_eq!(near["lifecycle"], "rules", "{report:#}");
    // The SDK cannot read moto's answer about versioning: it is not known, and never "off".
    assert_eq!(near["versioning"], Value::Null, "{report:#}");
    assert_eq!(near["team"], "nlp");
    // Yesterday's 2 TiB in Standard and 1 TiB in a class that nobody knows yet.
    assert_eq!(near["bytes"].as_f64(), Some(3.0 * 1024_f64.powi(4)));
    assert_eq!(near["objects"].as_f64(), Some(1234.0));
    let usd = near["tiers"]["standard"]["usd_per_month"].as_f64().unwrap();
    assert!((usd - 2048.0 * 0.023).abs() < 1e-6, "{near:#}");
    assert!(near["growth"].as_f64().unwrap() > 0.0);
    let far = row(&report, "name", "eu-data");
    assert_eq!((&far["region"], &far["lifecycle"]), (&"eu-west-1".into(), &"none".into()));
    assert!(far["bytes"].is_null(), "{report:#}");

    // Offline the cache says the same, and nobody is asked.
    let mut world = World::fine();
    let silent = proxy(&emulators().moto, |_| Fault::Pass);
    world.ec2 = silent.url.clone();
    let offline = json(&buckets(&world, &home, &["--offline"]));
    assert_eq!(silent.connections(), 0);
    assert_eq!(offline["rows"], report["rows"]);
}

#[test]
fn volumes_and_snapshots_come_with_what_is_wrong_with_them() {
    let home = tempfile::tempdir().unwrap();
    let output = World::fine().run(home.path(), &[&["storage", "ebs"], REGION].concat());
    let report = json(&output);
    assert_eq!(report["schema"], "burntop/storage-ebs/1");
    let id = |case: &str| emulators().ids[case].as_str();
    let free = row(&report, "id", id("volume-free"));
    assert_eq!((&free["kind"], &free["used"]), (&"gp2".into(), &"unattached".into()));
    let stopped = row(&report, "id", id("volume-stopped"));
    assert_eq!((&stopped["used"], &stopped["kind"]), (&"stopped".into(), &"gp3".into()));
    let running = row(&report, "id", id("volume-running"));
    assert_eq!(running["used"], "in_use");
    assert_eq!(row(&report, "id", id("snapshot-orphan"))["what"], "snapshot");
}

/// Buckets of this test alone: one with an inventory that is delivered into another, one without.
const SEED: &str = "
import boto3, gzip, hashlib, io, json, sys
s3 = boto3.client('s3', endpoint_url=sys.argv[1], region_name='us-east-1')
for name in ('listed', 'listed-inventory', 'bare'):
    s3.create_bucket(Bucket=name)
for i in range(12):
    s3.put_object(Bucket='listed', Key=f'runs/a/part-{i:02}', Body=b'x' * 100)
    s3.put_object(Bucket='bare', Key=f'logs/{i % 2}/part-{i:02}', Body=b'x' * 10)
s3.create_multipart_upload(Bucket='bare', Key='logs/never')
s3.put_bucket_inventory_configuration(Bucket='listed', Id='daily', InventoryConfiguration={
    'Id': 'daily', 'IsEnabled': True, 'IncludedObjectVersions': 'All',
    'Schedule': {'Frequency': 'Daily'},
    'Destination': {'S3BucketDestination': {
        'Bucket': 'arn:aws:s3:::listed-inventory', 'Format': 'CSV', 'Prefix': 'inv'}}})
rows = ''.join(f'\"listed\",\"runs/a/part-{i:02}\",\"1073741824\",\"2026-11-01T00:00:00.000Z\",\"STANDARD\"\\n'
               for i in range(12))
piece = gzip.compress(rows.encode())
base = 'inv/listed/daily'
manifest = json.dumps({
    'sourceBucket': 'listed', 'destinationBucket': 'arn:aws:s3:::listed-inventory',
    'version': '2016-11-30', 'creationTimestamp': '1795000000000', 'fileFormat': 'CSV',
    'fileSchema': 'Bucket, Key, Size, LastModifiedDate, StorageClass',
    'files': [{'key': f'{base}/data/p.csv.gz', 'size': len(piece),
               'MD5checksum': hashlib.md5(piece).hexdigest()}]}).encode()
put = lambda key, body: s3.put_object(Bucket='listed-inventory', Key=key, Body=body)
put(f'{base}/data/p.csv.gz', piece)
put(f'{base}/2026-11-20T01-00Z/manifest.json', manifest)
put(f'{base}/2026-11-20T01-00Z/manifest.checksum', hashlib.md5(manifest).hexdigest().encode())
";

fn explore(world: &World, home: &tempfile::TempDir, more: &[&str]) -> Output {
    world.run(home.path(), &[&["storage", "explore", "--format", "json"], more].concat())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_bucket_is_explored_by_its_inventory_or_listed_at_a_stated_cost() {
    let home = tempfile::tempdir().unwrap();
    python(SEED, &[&emulators().moto]);
    let world = World::fine();

    // The inventory that the bucket delivers says 12 GiB, whatever lies in the emulator.
    // Named, as moto's answer about configured inventories is none that the SDK can read.
    let at = "s3://listed-inventory/inv/listed/daily/";
    let output = explore(&world, &home, &["--inventory", at]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = json(&output);
    let runs = row(&report, "prefix", "runs/");
    assert_eq!(runs["bytes"].as_f64(), Some(12.0 * 1024_f64.powi(3)), "{report:#}");

    // Without an inventory it says what can be done; a list is made only after a yes.
    let output = explore(&world, &home, &["--bucket", "bare"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("--list"), "{}", said(&output));
    let output = explore(&world, &home, &["--bucket", "bare", "--list"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", said(&output));
    assert!(said(&output).contains("--yes") && said(&output).contains('$'), "{}", said(&output));
    let output = explore(&world, &home, &["--bucket", "bare", "--list", "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = json(&output);
    assert_eq!(row(&report, "prefix", "logs/")["bytes"].as_f64(), Some(120.0), "{report:#}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 uploads begun"), "{report:#}");
    // The list is remembered: without --list, too, where there is no inventory.
    let output = explore(&world, &home, &["--bucket", "bare"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // But for the age, which goes on.
    let again = json(&output);
    assert_eq!(row(&again, "prefix", "logs/")["bytes"], row(&report, "prefix", "logs/")["bytes"]);
    assert_eq!(row(&again, "prefix", "logs/")["newest"], row(&report, "prefix", "logs/")["newest"]);

    let output = explore(&world, &home, &["--bucket", "nobody-has-this", "--list", "--yes"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
}

#[test]
fn a_bucket_that_may_not_be_read_is_said_to_be_so() {
    let home = tempfile::tempdir().unwrap();
    let denying = proxy(&emulators().moto, |request| match request.service.as_str() {
        "s3" => Fault::Deny,
        _ => Fault::Pass,
    })
    .forever();
    let mut world = World::fine();
    world.ec2 = denying;
    for more in [&["--list", "--yes"][..], &[]] {
        let output = explore(&world, &home, &[&["--bucket", "ml-checkpoints"], more].concat());
        assert_eq!(output.status.code(), Some(4), "{}", said(&output));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}
