//! Inventories as they are, and as they should not be.

mod hostile;
mod totals;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use flate2::write::GzEncoder;

use super::manifest::{hex, md5_of};
use super::*;
use crate::domain::SourceError;
use crate::domain::storage::{ObjectFlags, Tier};
use crate::source::objects::Supply;

const LISTED: i64 = 1_795_136_400_000;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/storage/inventory").join(name)
}

/// A row as a batch had it.
type Row = (Vec<u8>, u64, i64, Tier, u16, u128, Vec<u8>);

fn read(pieces: &Pieces) -> (Vec<Row>, Vec<SourceError>) {
    let (mut rows, mut errors) = (vec![], vec![]);
    while let Some(piece) = pieces.next() {
        let read = piece.and_then(|mut piece| {
            piece.read(&mut |batch, _| {
                for i in 0..batch.len() {
                    rows.push((
                        batch.keys.get(i).to_vec(),
                        batch.sizes[i],
                        batch.modified_ms[i],
                        batch.tiers[i],
                        batch.flags[i].0,
                        batch.etags.get(i).map_or(0, |e| e.md5),
                        batch.versions.get(i).to_vec(),
                    ));
                }
                ControlFlow::Continue(())
            })
        });
        errors.extend(read.err());
    }
    rows.sort();
    (rows, errors)
}

async fn opened(path: impl Into<PathBuf>) -> Result<Inventory, InventoryError> {
    open(&Place::Local(path.into())).await
}

#[tokio::test]
async fn csv_and_parquet_hold_the_same_objects() {
    let csv = opened(sample("manifest-csv.json")).await.unwrap();
    let parquet = opened(sample("manifest-parquet.json")).await.unwrap();
    assert_eq!(csv.manifest.bucket, "acme-ml-ckpt");
    assert_eq!(csv.notes, Vec::<String>::new());
    assert_eq!(csv.manifest.schema.columns(), parquet.manifest.schema.columns());
    let (rows, errors) = read(&csv.pieces(Need::ALL, b""));
    assert_eq!(errors, []);
    // Counted by the script that made the sample.
    assert_eq!(rows.len(), 10_544);
    let key = "weird key/with space+plus%25/ünï/checkpoint-10/model.safetensors";
    assert!(rows.iter().any(|r| r.0 == key.as_bytes()));
    let marked = |bit| rows.iter().filter(|r| r.4 & bit != 0).count();
    assert_eq!(marked(ObjectFlags::DELETE_MARKER), 40);
    assert_eq!(marked(ObjectFlags::NONCURRENT), 49 + 40);
    assert_eq!(marked(ObjectFlags::OPAQUE_ETAG), 99);
    assert_eq!(marked(ObjectFlags::BAD_SIZE | ObjectFlags::BAD_DATE), 0);
    let (others, errors) = read(&parquet.pieces(Need::ALL, b""));
    assert_eq!(errors, []);
    assert!(rows == others, "the two forms differ");
    // Only what is asked for is decoded, and only below a prefix.
    let (some, _) = read(&parquet.pieces(Need::default(), b"datasets/"));
    assert_eq!(some.len(), 199 + 300);
    assert!(some.iter().all(|r| r.5 == 0 && r.6.is_empty()));
    let (below, _) = read(&csv.pieces(Need::default(), b"datasets/"));
    assert!(some == below);
}

/// A snapshot that S3 could have delivered: pieces in CSV below `data/`.
struct Made {
    root: tempfile::TempDir,
}

const SCHEMA: &str =
    "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, StorageClass";

fn line(key: &str, size: &str, date: &str) -> String {
    format!("\"b\",\"{key}\",\"v\",\"true\",\"false\",\"{size}\",\"{date}\",\"STANDARD\"\n")
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(vec![], flate2::Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

impl Made {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes a manifest with its checksum; pieces are named by key.
    fn manifest(&self, at: &str, format: &str, schema: &str, pieces: &[(&str, &[u8])]) {
        let files: Vec<_> = pieces
            .iter()
            .map(|(key, bytes)| {
                serde_json::json!({
                    "key": key, "size": bytes.len(), "MD5checksum": hex(&md5_of(bytes)),
                })
            })
            .collect();
        let text = serde_json::json!({
            "sourceBucket": "b", "destinationBucket": "arn:aws:s3:::i", "version": "2016-11-30",
            "creationTimestamp": LISTED.to_string(), "fileFormat": format, "fileSchema": schema,
            "files": files,
        })
        .to_string();
        self.put(&format!("{at}/manifest.json"), text.as_bytes());
        let sum = format!("{}\n", hex(&md5_of(text.as_bytes())));
        self.put(&format!("{at}/manifest.checksum"), sum.as_bytes());
    }

    /// One snapshot with one good piece; returns its key.
    fn snapshot(&self, time: &str, rows: usize) -> String {
        let text: String =
            (0..rows).map(|i| line(&format!("k{i}"), "5", "2026-11-19T02:00:00.000Z")).collect();
        let bytes = gzip(text.as_bytes());
        let key = format!("inv/b/daily/data/{time}.csv.gz");
        self.put(&key, &bytes);
        self.manifest(&format!("inv/b/daily/{time}"), "CSV", SCHEMA, &[(&key, &bytes)]);
        key
    }
}

#[tokio::test]
async fn the_newest_complete_snapshot_is_taken() {
    let made = Made::new();
    made.snapshot("2026-11-18T01-00Z", 3);
    let lost = made.snapshot("2026-11-19T01-00Z", 4);
    made.snapshot("2026-11-20T01-00Z", 5);
    fs::remove_file(made.path(&lost)).unwrap();
    // The newest is not finished, and the one before has lost a piece.
    fs::remove_file(made.path("inv/b/daily/2026-11-20T01-00Z/manifest.json")).unwrap();
    for at in ["inv/b/daily", "inv/b", "inv"] {
        let inventory = opened(made.path(at)).await.unwrap();
        assert!(inventory.place.label().ends_with("2026-11-18T01-00Z/manifest.json"));
        assert_eq!(inventory.notes.len(), 2, "{:?}", inventory.notes);
        assert!(inventory.notes[0].contains("2026-11-20T01-00Z: no manifest yet"));
        assert!(inventory.notes[1].contains("is missing"));
        assert_eq!(read(&inventory.pieces(Need::default(), b"")).0.len(), 3);
    }
    // A snapshot itself.
    let own = opened(made.path("inv/b/daily/2026-11-18T01-00Z")).await.unwrap();
    assert_eq!(own.manifest.pieces.len(), 1);
}

#[tokio::test]
async fn a_manifest_that_was_changed_is_passed_over_or_refused() {
    let made = Made::new();
    made.snapshot("2026-11-18T01-00Z", 3);
    made.snapshot("2026-11-19T01-00Z", 4);
    let newest = "inv/b/daily/2026-11-19T01-00Z/manifest.json";
    let mut text = fs::read_to_string(made.path(newest)).unwrap();
    text.push(' ');
    made.put(newest, text.as_bytes());
    let inventory = opened(made.path("inv/b/daily")).await.unwrap();
    assert!(inventory.place.label().contains("2026-11-18"));
    let error = opened(made.path(newest)).await.unwrap_err();
    assert!(matches!(error, InventoryError::ManifestChecksum { .. }), "{error}");
}

#[tokio::test]
async fn what_is_no_inventory_is_told() {
    let made = Made::new();
    fs::create_dir_all(made.path("empty")).unwrap();
    let error = opened(made.path("empty")).await.unwrap_err();
    assert!(matches!(error, InventoryError::NoSnapshot { .. }), "{error}");
    let error = opened(made.path("nowhere/manifest.json")).await.unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    made.snapshot("2026-11-18T01-00Z", 1);
    made.put("inv/b/weekly/2026-11-18T01-00Z/manifest.json", b"{}");
    let error = opened(made.path("inv")).await.unwrap_err();
    assert!(matches!(error, InventoryError::Several { .. }), "{error}");
    for text in ["", "{}", "[1]", "{\"sourceBucket\":1}", "\u{feff}"] {
        made.put("m.json", text.as_bytes());
        let error = opened(made.path("m.json")).await.unwrap_err();
        assert!(matches!(error, InventoryError::Manifest { .. }), "{text}: {error}");
    }
    made.manifest("orc", "ORC", SCHEMA, &[]);
    let error: SourceError = opened(made.path("orc")).await.unwrap_err().into();
    assert!(error.message.contains("ORC") && error.fix.contains("Parquet"), "{error:?}");
    for schema in ["", "Bucket, Size", "Key, Key"] {
        made.manifest("s", "CSV", schema, &[]);
        let error = opened(made.path("s")).await.unwrap_err();
        assert!(matches!(error, InventoryError::Schema { .. }), "{schema}: {error}");
    }
    made.manifest("p", "Parquet", "message s { required nonsense", &[]);
    assert!(matches!(opened(made.path("p")).await, Err(InventoryError::Schema { .. })));
    // Nothing in it is an inventory as well.
    made.manifest("none", "CSV", SCHEMA, &[]);
    let none = opened(made.path("none")).await.unwrap();
    assert_eq!(read(&none.pieces(Need::ALL, b"")), (vec![], vec![]));
}

/// Reads a piece of CSV that the manifest has as `said` and the disk as `found`.
async fn one(said: &[u8], found: Option<&[u8]>) -> (usize, String) {
    let made = Made::new();
    made.manifest("s", "CSV", SCHEMA, &[("inv/data/x.csv.gz", said)]);
    if let Some(found) = found {
        made.put("s/data/x.csv.gz", found);
    }
    let inventory = opened(made.path("s/manifest.json")).await.unwrap();
    let (rows, errors) = read(&inventory.pieces(Need::default(), b""));
    assert_eq!(errors.len(), 1);
    assert!(!errors[0].fix.is_empty());
    (rows.len(), errors[0].message.clone())
}

#[tokio::test]
async fn a_broken_piece_is_named() {
    let text: String =
        (0..20_000).map(|i| line(&format!("k{i}"), "5", "2026-11-19T02:00:00.000Z")).collect();
    let good = gzip(text.as_bytes());
    assert_eq!(one(&good, None).await, (0, "piece inv/data/x.csv.gz is missing".into()));
    let (rows, error) = one(&good, Some(&good[..good.len() - 1])).await;
    assert!(rows == 0 && error.contains("the manifest says"), "{error}");
    let mut other = good.clone();
    *other.last_mut().unwrap() ^= 1;
    let (rows, error) = one(&good, Some(&other)).await;
    assert!(rows == 0 && error.contains("another MD5"), "{error}");
    // S3 delivered it cut off: what was read before counts, and the error says how far.
    let cut = &good[..good.len() / 2];
    let (rows, error) = one(cut, Some(cut)).await;
    assert!(rows > 0 && error.contains("x.csv.gz is damaged: after row"), "{error}");
    let (rows, error) = one(b"", Some(b"")).await;
    assert!(rows == 0 && error.contains("damaged"), "{error}");
    let plain = gzip(b"\"b\",\"k\"\n");
    let (_, error) = one(&plain, Some(&plain)).await;
    assert!(error.contains("row 1 has 2 fields, the schema has 8"), "{error}");
    let long = gzip(line(&"k".repeat(40_000), "1", "").as_bytes());
    assert!(one(&long, Some(&long)).await.1.contains("a key of 40000 bytes"));
}

#[tokio::test]
async fn odd_values_are_flagged_and_counted() {
    let made = Made::new();
    let good = "2026-11-19T02:00:00.000Z";
    let rows = [
        line("a", "-5", good),
        line("b", "99999999999999999", good),
        line("c", "", good),
        line("d", "1e3", good),
        line("e", "5", "2199-01-01T00:00:00.000Z"),
        line("f", "5", "1999-01-01T00:00:00.000Z"),
        line("g", "5", "yesterday"),
        line("h%FF%00%1B", "5", good),
    ];
    let bytes = gzip(rows.concat().as_bytes());
    made.put("s/data/x.csv.gz", &bytes);
    made.manifest("s", "CSV", SCHEMA, &[("data/x.csv.gz", &bytes)]);
    let inventory = opened(made.path("s")).await.unwrap();
    let (rows, errors) = read(&inventory.pieces(Need::default(), b""));
    assert_eq!(errors, []);
    let flags: BTreeMap<_, _> = rows.iter().map(|r| (r.0[0] as char, r.4)).collect();
    for key in ['a', 'b', 'c', 'd'] {
        assert_eq!(flags[&key], ObjectFlags::BAD_SIZE, "{key}");
    }
    for key in ['e', 'f', 'g'] {
        assert_eq!(flags[&key], ObjectFlags::BAD_DATE, "{key}");
    }
    assert_eq!(flags[&'h'], 0);
    assert!(rows.iter().any(|r| r.0 == b"h\xff\x00\x1b"));
}

mod in_parquet {
    use ::parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use super::*;

    const MESSAGE: &str = "message s3.inventory { required binary bucket (UTF8); required binary \
        key (UTF8); optional int64 size; optional int64 last_modified_date (TIMESTAMP_MILLIS); \
        optional binary storage_class (UTF8); }";

    fn written(message: &str, keys: &[&[u8]], sizes: &[Option<i64>]) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(message).unwrap());
        let properties = Arc::new(WriterProperties::builder().build());
        let mut out = vec![];
        let mut writer = SerializedFileWriter::new(&mut out, schema.clone(), properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let present: Vec<i16> = sizes.iter().map(|s| i16::from(s.is_some())).collect();
        let ones = vec![1i16; keys.len()];
        for field in schema.get_fields() {
            let mut column = group.next_column().unwrap().unwrap();
            let texts = |t: &[&[u8]]| -> Vec<ByteArray> {
                t.iter().map(|k| ByteArray::from(k.to_vec())).collect()
            };
            match field.name() {
                "key" => {
                    column.typed::<ByteArrayType>().write_batch(&texts(keys), None, None).unwrap()
                }
                "size" => {
                    let values: Vec<i64> = sizes.iter().flatten().copied().collect();
                    column.typed::<Int64Type>().write_batch(&values, Some(&present), None).unwrap()
                }
                "last_modified_date" => {
                    let values = vec![LISTED - 1; keys.len()];
                    column.typed::<Int64Type>().write_batch(&values, Some(&ones), None).unwrap()
                }
                name => {
                    let text: &[u8] = if name == "bucket" { b"b" } else { b"GLACIER" };
                    let values = texts(&vec![text; keys.len()]);
                    let levels = (name != "bucket").then_some(&*ones);
                    column.typed::<ByteArrayType>().write_batch(&values, levels, None).unwrap()
                }
            };
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        out
    }

    async fn one(message: &str, bytes: &[u8]) -> (Vec<Row>, Vec<SourceError>) {
        let made = Made::new();
        made.put("s/data/x.parquet", bytes);
        made.manifest("s", "Parquet", message, &[("data/x.parquet", bytes)]);
        let inventory = opened(made.path("s")).await.unwrap();
        read(&inventory.pieces(Need::default(), b""))
    }

    #[tokio::test]
    async fn keys_of_any_bytes_and_values_that_are_not_there() {
        let keys: [&[u8]; 4] = [b"a", b"\xff\xfe", b"", b"d/\x1b"];
        let sizes = [Some(7), None, Some(-1), Some(i64::MAX)];
        let (rows, errors) = one(MESSAGE, &written(MESSAGE, &keys, &sizes)).await;
        assert_eq!(errors, []);
        let found: BTreeSet<&[u8]> = rows.iter().map(|r| &*r.0).collect();
        assert_eq!(found, BTreeSet::from(keys));
        for row in &rows {
            let bad = row.0 != b"a";
            assert_eq!((row.1, row.3), (if bad { 0 } else { 7 }, Tier::Glacier));
            assert_eq!(row.4 & ObjectFlags::BAD_SIZE != 0, bad);
            assert_eq!(row.2, LISTED - 1);
        }
        let (none, errors) = one(MESSAGE, &written(MESSAGE, &[], &[])).await;
        assert!(none.is_empty() && errors.is_empty());
    }

    #[tokio::test]
    async fn another_schema_and_a_bad_footer_are_named() {
        let good = written(MESSAGE, &[b"a"], &[Some(7)]);
        let said = MESSAGE
            .replace("optional int64 size;", "optional int64 size; optional boolean is_latest;");
        let (rows, errors) = one(&said, &good).await;
        assert!(rows.is_empty() && errors[0].message.contains("no column is_latest"), "{errors:?}");
        let text = MESSAGE
            .replace("int64 last_modified_date (TIMESTAMP_MILLIS)", "int64 last_modified_date");
        let (_, errors) = one(MESSAGE, &written(&text, &[b"a"], &[Some(7)])).await;
        assert!(errors[0].message.contains("a number and no time"), "{errors:?}");
        for broken in [&good[..good.len() - 3], &good[..10], b"", b"PAR1PAR1"] {
            let (rows, errors) = one(MESSAGE, broken).await;
            assert!(rows.is_empty());
            assert!(errors[0].message.contains("x.parquet is damaged"), "{errors:?}");
        }
        // Any damaged byte is an error or another value, never a crash.
        for i in 0..good.len() {
            let mut broken = good.clone();
            broken[i] ^= 0x55;
            one(MESSAGE, &broken).await;
        }
    }
}

/// A bucket in memory.
struct Bucket {
    objects: BTreeMap<String, Vec<u8>>,
    fetched: AtomicUsize,
}

#[async_trait]
impl Fetch for Bucket {
    async fn get(&self, key: &str, _: u64) -> Result<Option<Vec<u8>>, InventoryError> {
        Ok(self.objects.get(key).cloned())
    }

    async fn size(&self, key: &str) -> Result<Option<u64>, InventoryError> {
        Ok(self.objects.get(key).map(|b| b.len() as u64))
    }

    async fn download(&self, key: &str, to: &Path) -> Result<Option<u64>, InventoryError> {
        self.fetched.fetch_add(1, Ordering::Relaxed);
        let Some(bytes) = self.objects.get(key) else { return Ok(None) };
        fs::write(to, bytes).unwrap();
        Ok(Some(bytes.len() as u64))
    }

    async fn entries(&self, prefix: &str) -> Result<Vec<Entry>, InventoryError> {
        let below = self.objects.keys().filter_map(|k| k.strip_prefix(prefix));
        let names: BTreeSet<String> =
            below.filter_map(|k| Some(format!("{}/", k.split_once('/')?.0))).collect();
        Ok(names.into_iter().map(Entry::Folder).collect())
    }
}

#[test]
fn pieces_come_from_a_bucket_a_few_at_a_time_and_are_removed() {
    let made = Made::new();
    let text = line("k", "5", "2026-11-19T02:00:00.000Z");
    let bytes = gzip(text.as_bytes());
    let keys: Vec<String> = (0..20).map(|i| format!("inv/b/daily/data/{i}.csv.gz")).collect();
    let pieces: Vec<(&str, &[u8])> = keys.iter().map(|k| (&**k, &*bytes)).collect();
    made.manifest("m", "CSV", SCHEMA, &pieces);
    let mut objects: BTreeMap<String, Vec<u8>> =
        keys.iter().map(|k| (k.clone(), bytes.clone())).collect();
    for name in ["manifest.json", "manifest.checksum"] {
        let at = format!("inv/b/daily/2026-11-20T01-00Z/{name}");
        objects.insert(at, fs::read(made.path(&format!("m/{name}"))).unwrap());
    }
    let bucket = Arc::new(Bucket { objects, fetched: AtomicUsize::new(0) });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let place = |fetch: &Arc<Bucket>| Place::Remote {
        bucket: "i".into(),
        key: "inv".into(),
        fetch: fetch.clone(),
    };
    let inventory = runtime.block_on(open(&place(&bucket))).unwrap();
    let label = inventory.place.label();
    assert_eq!(label, "s3://i/inv/b/daily/2026-11-20T01-00Z/manifest.json");
    let pieces = {
        let _inside = runtime.enter();
        inventory.pieces(Need::default(), b"")
    };
    let mut first = pieces.next().unwrap().unwrap();
    first.read(&mut |_, _| ControlFlow::Continue(())).unwrap();
    // While nobody takes the next one, no more than a handful lie here.
    assert!(bucket.fetched.load(Ordering::Relaxed) <= 7);
    drop(first);
    let (rows, errors) = read(&pieces);
    assert_eq!((rows.len(), errors.len()), (19, 0));
    let temporary = format!("burntop-{}-", std::process::id());
    drop(pieces);
    let left = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let left = left.filter(|e| e.file_name().to_string_lossy().starts_with(&temporary)).count();
    assert_eq!(left, 0);
    // A piece that was deleted since is named, the others are read.
    let mut objects = bucket.objects.clone();
    objects.remove(&keys[3]);
    let less = Arc::new(Bucket { objects, fetched: AtomicUsize::new(0) });
    let there = Inventory { place: place(&less), ..inventory };
    let pieces = {
        let _inside = runtime.enter();
        there.pieces(Need::default(), b"")
    };
    let (rows, errors) = read(&pieces);
    assert_eq!(rows.len(), 19);
    assert!(errors[0].message.contains("data/3.csv.gz is missing"), "{errors:?}");
}
