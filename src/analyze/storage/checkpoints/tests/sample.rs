//! Batches for tests: the inventory with known truth, and lists made up on the spot.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::analyze::storage::checkpoints::RunFold;
use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::storage::{ObjectBatch, ObjectColumns, ObjectFlags, Run, Tier};

/// The moment of the sample inventory: 2026-11-20T01:00:00Z.
pub const LISTED_MS: i64 = 1_795_136_400_000;

pub const DAY_MS: i64 = 86_400_000;

pub fn info() -> ListInfo {
    let columns = ObjectColumns {
        sizes: true,
        dates: true,
        classes: true,
        etags: true,
        versions: true,
        encryption: true,
        lock: true,
        replication: true,
    };
    ListInfo { bucket: Arc::from("acme-ml-ckpt"), listed_ms: LISTED_MS, columns }
}

/// A row as tests write it.
#[derive(Clone, Debug)]
pub struct Object {
    pub key: Vec<u8>,
    pub size: u64,
    pub modified_ms: i64,
    pub tier: Tier,
    pub flags: u16,
}

impl Object {
    /// A current object in Standard, so many days old.
    pub fn new(key: &str, size: u64, days: f64) -> Self {
        Self {
            key: key.as_bytes().to_vec(),
            size,
            modified_ms: LISTED_MS - (days * DAY_MS as f64) as i64,
            tier: Tier::Standard,
            flags: 0,
        }
    }
}

pub fn batch(objects: &[Object]) -> ObjectBatch {
    let mut batch = ObjectBatch::default();
    for o in objects {
        batch.keys.push(&o.key);
        batch.sizes.push(o.size);
        batch.modified_ms.push(o.modified_ms);
        batch.tiers.push(o.tier);
        batch.flags.push(ObjectFlags(o.flags));
        batch.versions.push(b"");
    }
    batch
}

pub fn found(objects: &[Object]) -> Vec<Run> {
    let mut fold = RunFold::new(&info());
    fold.take(&batch(objects));
    fold.finish().runs
}

pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/storage/inventory").join(name)
}

/// The sample inventory, from its CSV, by means that share nothing with the program's reader.
pub fn sample() -> Vec<Object> {
    let file = std::fs::File::open(data("data/synthetic.csv.gz")).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader
        .records()
        .map(|row| {
            let row = row.unwrap();
            let key = percent_encoding::percent_decode_str(&row[1].replace('+', "%20"))
                .collect::<Vec<u8>>();
            let mut flags = 0;
            if &row[3] != "true" {
                flags |= ObjectFlags::NONCURRENT;
            }
            if &row[4] == "true" {
                flags |= ObjectFlags::DELETE_MARKER;
            }
            let modified: jiff::Timestamp = row[6].parse().unwrap();
            Object {
                key,
                size: row[5].parse().unwrap_or(0),
                modified_ms: modified.as_millisecond(),
                tier: Tier::of_object(&row[8], &row[15]),
                flags,
            }
        })
        .collect()
}
