//! Deliveries in both layouts, on a disk and in a bucket.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use super::*;
use crate::source::inventory::{Entry, Fetch, InventoryError, Place};

/// Time in hours after a fixed moment.
fn hour(hours: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + hours * 3600).unwrap()
}

/// A bucket in memory: bytes and hour of writing by key.
#[derive(Clone, Default)]
struct Bucket(BTreeMap<String, (Vec<u8>, i64)>);

#[async_trait]
impl Fetch for Bucket {
    async fn get(&self, key: &str, _: u64) -> Result<Option<Vec<u8>>, InventoryError> {
        Ok(self.0.get(key).map(|(bytes, _)| bytes.clone()))
    }

    async fn size(&self, key: &str) -> Result<Option<u64>, InventoryError> {
        Ok(self.0.get(key).map(|(bytes, _)| bytes.len() as u64))
    }

    async fn download(&self, key: &str, to: &Path) -> Result<Option<u64>, InventoryError> {
        let Some((bytes, _)) = self.0.get(key) else { return Ok(None) };
        fs::write(to, bytes).unwrap();
        Ok(Some(bytes.len() as u64))
    }

    async fn entries(&self, prefix: &str) -> Result<Vec<Entry>, InventoryError> {
        let mut entries = Vec::new();
        for (key, (bytes, at)) in &self.0 {
            let Some(rest) = key.strip_prefix(prefix) else { continue };
            let entry = match rest.split_once('/') {
                Some((folder, _)) => Entry::Folder(format!("{folder}/")),
                None => Entry::File {
                    name: rest.into(),
                    bytes: bytes.len() as u64,
                    modified: Some(hour(*at)),
                },
            };
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }
}

impl Bucket {
    fn put(&mut self, key: &str, bytes: &str, at: i64) {
        self.0.insert(key.into(), (bytes.into(), at));
    }

    /// Delivers an execution of the Data Export `cur` below `pre`.
    fn export(&mut self, period: &str, execution: &str, files: &[&str], at: i64) {
        let keys: Vec<String> = files
            .iter()
            .map(|file| format!("pre/cur/data/BILLING_PERIOD={period}/{execution}{file}"))
            .collect();
        for key in &keys {
            self.put(key, &format!("{key} at {at}"), at);
        }
        let uris: Vec<String> = keys.iter().map(|key| format!("\"s3://bills/{key}\"")).collect();
        let manifest = format!("{{\"dataFiles\": [{}]}}", uris.join(", "));
        let to = format!("pre/cur/metadata/BILLING_PERIOD={period}/{execution}cur-Manifest.json");
        self.put(&to, &manifest, at);
    }

    /// Delivers an assembly of the legacy report `rep` below `old`.
    fn report(&mut self, assembly: &str, at: i64) {
        let folder = "old/rep/20261001-20261101";
        let key = format!("{folder}/{assembly}/rep-1.csv.gz");
        self.put(&key, assembly, at);
        let manifest = format!(
            "{{\"reportName\": \"rep\", \"reportKeys\": [\"{key}\"],
              \"billingPeriod\": {{\"start\": \"20261001T000000.000Z\"}}}}"
        );
        self.put(&format!("{folder}/{assembly}/rep-Manifest.json"), &manifest, at);
        self.put(&format!("{folder}/rep-Manifest.json"), &manifest, at);
    }

    fn at(&self, key: &str) -> Store {
        let fetch = Arc::new(self.clone());
        Store(Place::Remote { bucket: "bills".into(), key: key.into(), fetch })
    }

    /// A copy of what lies below `prefix`, as `aws s3 cp --recursive` makes it.
    fn copied(&self, prefix: &str) -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        for (key, (bytes, _)) in &self.0 {
            let Some(rest) = key.strip_prefix(prefix) else { continue };
            let to = dir.path().join(rest);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, bytes).unwrap();
        }
        let store = Store(Place::Local(dir.path().into()));
        (dir, store)
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn found(store: &Store) -> Found {
    run(find(store, None)).unwrap()
}

/// Export, period and names of files of each delivery.
fn short(found: &Found) -> Vec<String> {
    let short = |d: &Delivery| {
        let files: Vec<_> = d.parts.iter().map(|part| store::name(&part.path)).collect();
        let period = d.period.map_or("-".into(), |period| period.to_string());
        format!("{} {period} {}", d.export, files.join("+"))
    };
    found.deliveries.iter().map(short).collect()
}

fn message(error: &ExportError) -> String {
    error.source_error().with_fix()
}

/// The bucket itself, and a copy of the export.
fn both(bucket: &Bucket, prefix: &str) -> [(Option<tempfile::TempDir>, Store); 2] {
    let (dir, copy) = bucket.copied(prefix);
    [(None, bucket.at(prefix.trim_end_matches('/'))), (Some(dir), copy)]
}

#[test]
fn an_export_that_overwrites_is_read_by_its_manifests() {
    let mut bucket = Bucket::default();
    bucket.export("2026-09", "", &["cur-00001.parquet"], 1);
    bucket.export("2026-10", "", &["cur-00001.parquet", "cur-00002.parquet"], 2);
    // A file of a former delivery that nothing names any more.
    bucket.put("pre/cur/data/BILLING_PERIOD=2026-10/cur-00003.parquet", "old", 1);
    for prefix in ["pre/cur/", "pre/", "pre/cur/metadata/BILLING_PERIOD=2026-10/"] {
        let all =
            ["cur 2026-09 cur-00001.parquet", "cur 2026-10 cur-00001.parquet+cur-00002.parquet"];
        let wanted = if prefix.contains("2026-10") { &all[1..] } else { &all[..] };
        let store = bucket.at(prefix);
        assert_eq!(short(&found(&store)), wanted, "{prefix}");
        assert_eq!(found(&store).failed, []);
    }
    let (_dir, copy) = bucket.copied("pre/cur/");
    assert_eq!(short(&found(&copy)).len(), 2);
    // The same digest each time, and another one after a delivery that changes a file alone.
    let digest = |bucket: &Bucket| found(&bucket.at("pre/cur")).deliveries[1].digest.clone();
    let before = digest(&bucket);
    assert_eq!(before, digest(&bucket));
    bucket.export("2026-10", "", &["cur-00001.parquet", "cur-00002.parquet"], 9);
    assert_ne!(before, digest(&bucket));
}

#[test]
fn the_newest_execution_of_a_period_replaces_those_before_it() {
    let mut bucket = Bucket::default();
    bucket.export("2026-10", "20261101T010000Z-aaaa/", &["cur-00001.csv.gz"], 1);
    bucket.export("2026-10", "20261103T010000Z-0000/", &["cur-00001.csv.gz"], 3);
    bucket.export("2026-10", "20261102T010000Z-ffff/", &["cur-00001.csv.gz"], 2);
    for (_dir, store) in both(&bucket, "pre/cur/") {
        let found = found(&store);
        assert_eq!(short(&found), ["cur 2026-10 cur-00001.csv.gz"]);
        let delivery = &found.deliveries[0];
        assert!(delivery.parts[0].path.contains("20261103T"), "{delivery:?}");
        assert_eq!(delivery.older_executions, 2);
    }
}

#[test]
fn a_legacy_report_is_read_by_the_manifest_above_its_assemblies() {
    let mut bucket = Bucket::default();
    bucket.report("ffff", 1);
    bucket.report("aaaa", 2);
    for (_dir, store) in both(&bucket, "old/") {
        let found = found(&store);
        assert_eq!(short(&found), ["rep 2026-10 rep-1.csv.gz"]);
        assert!(found.deliveries[0].parts[0].path.contains("/aaaa/"), "{found:?}");
    }
    let manifest = bucket.at("old/rep/20261001-20261101/ffff/rep-Manifest.json");
    assert!(found(&manifest).deliveries[0].parts[0].path.contains("/ffff/"));
}

#[test]
fn a_period_with_missing_files_fails_and_the_others_do_not() {
    let mut bucket = Bucket::default();
    bucket.export("2026-09", "", &["cur-00001.parquet"], 1);
    bucket.export("2026-10", "", &["cur-1.gz", "cur-2.gz", "cur-3.gz", "cur-4.gz", "cur-5.gz"], 2);
    for at in 2..=5 {
        bucket.0.remove(&format!("pre/cur/data/BILLING_PERIOD=2026-10/cur-{at}.gz"));
    }
    for (_dir, store) in both(&bucket, "pre/cur/") {
        let found = found(&store);
        assert_eq!(short(&found), ["cur 2026-09 cur-00001.parquet"]);
        let message = message(&found.failed[0]);
        for part in ["cur-2.gz", "cur-4.gz and 1 other", "stays"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("cur-1.gz"), "{message}");
    }
}

#[test]
fn an_export_in_the_middle_of_delivery_is_refused() {
    let mut bucket = Bucket::default();
    bucket.export("2026-10", "", &["cur-1.gz", "cur-2.gz"], 2);
    bucket.put("pre/cur/data/BILLING_PERIOD=2026-10/cur-2.gz", "newer", 3);
    let found = found(&bucket.at("pre/cur"));
    assert_eq!(found.deliveries, []);
    let message = message(&found.failed[0]);
    assert!(message.contains("cur-2.gz was written after s3://bills/pre/cur/meta"), "{message}");
}

#[test]
fn files_without_a_manifest_are_bills_by_their_names() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["cur-1.csv.gz", "cur-2.csv.gz", "focus.parquet", "notes.txt", ".hidden.csv"] {
        fs::write(dir.path().join(file), file).unwrap();
    }
    let store = Store(Place::Local(dir.path().into()));
    let all = ["cur - cur-1.csv.gz+cur-2.csv.gz", "focus - focus.parquet"];
    assert_eq!(short(&found(&store)), all);
    let one = Store(Place::Local(dir.path().join("focus.parquet")));
    assert_eq!(short(&found(&one)), ["focus - focus.parquet"]);
    let named = run(find(&one, Some("azure"))).unwrap();
    assert_eq!(short(&named), ["azure - focus.parquet"]);
    // The same content at another time is another delivery: cheap, and read once too often at worst.
    let before = found(&one).deliveries[0].digest.clone();
    fs::write(dir.path().join("focus.parquet"), "longer than it was").unwrap();
    assert_ne!(found(&one).deliveries[0].digest, before);
}

#[test]
fn data_folders_copied_without_manifests_keep_the_newest_execution_of_a_period() {
    let mut bucket = Bucket::default();
    bucket.export("2026-10", "20261101T010000Z-a/", &["x.parquet"], 1);
    bucket.export("2026-10", "20261103T010000Z-b/", &["y.parquet", "z.parquet"], 3);
    bucket.0.retain(|key, _| !key.contains("metadata"));
    for (_dir, store) in both(&bucket, "pre/") {
        let found = found(&store);
        assert_eq!(short(&found), ["cur 2026-10 y.parquet+z.parquet"]);
        assert_eq!(found.deliveries[0].older_executions, 1);
    }
}

#[test]
fn of_several_exports_one_is_chosen_by_name_and_two_of_one_name_do_not_replace_each_other() {
    let mut bucket = Bucket::default();
    bucket.export("2026-10", "", &["a.parquet"], 1);
    bucket.report("aaaa", 2);
    let of = |name| short(&run(find(&bucket.at(""), name)).unwrap());
    assert_eq!(of(None), ["cur 2026-10 a.parquet", "rep 2026-10 rep-1.csv.gz"]);
    assert_eq!(of(Some("rep")), ["rep 2026-10 rep-1.csv.gz"]);
    assert!(run(find(&bucket.at(""), Some("none"))).is_err());
    let twice = bucket.0.clone().into_iter();
    let twice = twice.map(|(key, value)| (key.replace("pre/", "other/"), value));
    bucket.0.extend(twice);
    let found = found(&bucket.at(""));
    assert_eq!((found.deliveries.len(), found.failed.len()), (2, 1));
    assert!(message(&found.failed[0]).contains("of exports of one name"));
}

#[test]
fn nothing_and_nonsense_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let nothing = run(find(&Store(Place::Local(dir.path().into())), None)).unwrap_err();
    assert!(message(&nothing).contains("there is no bill at"));
    let absent = run(find(&Store(Place::Local(dir.path().join("x"))), None)).unwrap_err();
    assert!(message(&absent).contains("/x"), "{absent:?}");
    fs::write(dir.path().join("a-Manifest.json"), "{}").unwrap();
    let found = found(&Store(Place::Local(dir.path().into())));
    assert!(message(&found.failed[0]).contains("no manifest of a bill"));
}

#[test]
fn files_of_a_bucket_are_here_as_long_as_they_are_read() {
    let mut bucket = Bucket::default();
    bucket.export("2026-10", "", &["cur-1.gz", "cur-2.gz"], 2);
    let store = bucket.at("pre/cur");
    let delivery = found(&store).deliveries.remove(0);
    let mut told = Vec::new();
    let brought = run(delivery.bring(&store, &mut |bytes| told.push(bytes))).unwrap();
    assert_eq!(told.last(), Some(&delivery.bytes()));
    let text = fs::read_to_string(&brought.files[1]).unwrap();
    assert!(text.contains("cur-2.gz"));
    let said = format!("{} is damaged", brought.files[1].display());
    let said = brought.in_words(&store, &delivery, &said);
    assert_eq!(said, "s3://bills/pre/cur/data/BILLING_PERIOD=2026-10/cur-2.gz is damaged");
    let folder = brought.files[0].parent().unwrap().to_owned();
    drop(brought);
    assert!(!folder.exists());
    // Replaced since it was listed.
    bucket.put("pre/cur/data/BILLING_PERIOD=2026-10/cur-2.gz", "another size", 3);
    let error = run(delivery.bring(&bucket.at("pre/cur"), &mut |_| ())).unwrap_err();
    assert!(matches!(error, ExportError::UnderWay { .. }));
}
