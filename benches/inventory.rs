//! An inventory to a browsable tree: rows per second and memory, beside `DuckDB` on the same files.
//!
//! `cargo bench --bench inventory -- generate DIR ROWS sorted|shuffled` writes an inventory in
//! pieces of a million rows; `… -- tree DIR [THREADS]` folds it and prints one line. Without
//! arguments a small one is made, folded and checked. `benches/inventory_duckdb.py` asks `DuckDB` the
//! same of the same files.

#![allow(missing_docs, clippy::expect_used, reason = "a bench has no readers of its items")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use burntop::parts::analyze::storage::{Fold, ListInfo, TreeFold, TreeLimits};
use burntop::parts::bus::scan::{OnError, Pass, Progress, run};
use burntop::parts::domain::storage::{NodeKind, ObjectBatch, PrefixTree, Tier};
use burntop::parts::source::inventory::{Place, open};
use burntop::parts::source::objects::Need;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use tokio_util::sync::CancellationToken;

/// Rows of a piece.
const PIECE: u64 = 1_000_000;
/// Distinct directories.
const DIRS: u64 = 200_000;
/// The moment of the list.
const LISTED: i64 = 1_795_136_400_000;

fn main() {
    // `cargo bench` adds flags of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate", dir, rows, order] => {
            generate(Path::new(dir), number(rows), *order == "sorted");
        }
        ["tree", dir] => tree(Path::new(dir), 2),
        ["tree", dir, threads] => tree(Path::new(dir), number(threads) as usize),
        ["classes", dir] => classes(Path::new(dir)),
        _ => {
            let dir = std::env::temp_dir().join(format!("burntop-bench-{}", std::process::id()));
            for sorted in [true, false] {
                generate(&dir, 400_000, sorted);
                tree(&dir, 2);
            }
            let _ = fs::remove_dir_all(&dir);
        }
    }
}

fn number(text: &str) -> u64 {
    text.replace('_', "").parse().expect("a number")
}

/// One directory of [`DIRS`]: 45–90 bytes, four levels.
fn dir(i: u64, out: &mut String) {
    use std::fmt::Write;
    let (team, project, run) = (i / 10_000, i / 400 % 25, i / 20 % 20);
    let long = ["", "-pretrain-tokens", "-instruct-long-context"][(run % 3) as usize];
    let _ = write!(
        out,
        "team-{team:03}/project-{project:04}{long}/run-{run:06}-lr3e-4/checkpoint-{:07}/",
        i % 20 * 500
    );
}

/// Writes an inventory; the random numbers are the same each time.
fn generate(to: &Path, rows: u64, sorted: bool) {
    let data = to.join("data");
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(&data).expect("a directory");
    let mut files = Vec::new();
    for piece in 0..rows.div_ceil(PIECE) {
        let name = format!("piece-{piece:05}.parquet");
        let path = data.join(&name);
        let from = piece * PIECE;
        write(&path, from, (from + PIECE).min(rows), rows, sorted);
        let bytes = fs::read(&path).expect("the piece");
        let md5: [u8; 16] =
            md5::Digest::finalize(<md5::Md5 as md5::Digest>::new_with_prefix(&bytes)).into();
        let md5 = format!("{:032x}", u128::from_be_bytes(md5));
        files.push(serde_json::json!({
            "key": format!("inventory/bench/daily/data/{name}"),
            "size": bytes.len(),
            "MD5checksum": md5,
        }));
    }
    let manifest = serde_json::json!({
        "sourceBucket": "bench",
        "destinationBucket": "arn:aws:s3:::inventory",
        "version": "2016-11-30",
        "creationTimestamp": LISTED.to_string(),
        "fileFormat": "Parquet",
        "fileSchema": "message s3.inventory { required binary bucket (UTF8); required binary key (UTF8); optional boolean is_latest; optional boolean is_delete_marker; optional int64 size; optional int64 last_modified_date (TIMESTAMP_MILLIS); optional binary e_tag (UTF8); optional binary storage_class (UTF8); optional binary intelligent_tiering_access_tier (UTF8); }",
        "files": files,
    });
    let text = manifest.to_string();
    fs::write(to.join("unverified.json"), text.replace("MD5checksum", "none")).expect("a manifest");
    fs::write(to.join("manifest.json"), text).expect("the manifest");
}

fn write(path: &Path, from: u64, to: u64, rows: u64, sorted: bool) {
    let mut random = fastrand::Rng::with_seed(from ^ 0x0135_2940);
    let file = fs::File::create(path).expect("a file");
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(250_000))
        .build();
    let mut writer = None;
    let mut at = from;
    while at < to {
        let n = (to - at).min(50_000) as usize;
        let mut keys = Vec::with_capacity(n);
        let (mut sizes, mut dates, mut etags, mut classes, mut tiers, mut latest) =
            (vec![], vec![], vec![], vec![], vec![], vec![]);
        for row in at..at + n as u64 {
            let d = if sorted { row * DIRS / rows } else { random.u64(..DIRS) };
            let mut key = String::with_capacity(120);
            dir(d, &mut key);
            use std::fmt::Write;
            let part = if sorted { row } else { random.u64(..rows) };
            let _ = write!(key, "part-{part:09}.safetensors");
            keys.push(key);
            // From a few bytes to some GiB, as many small ones as large ones.
            sizes.push((random.u64(..) >> random.u32(32..60)) as i64);
            dates.push(LISTED - random.i64(1..900) * 86_400_000 - random.i64(..86_400_000));
            etags.push(format!("{:032x}-{}", random.u128(..), random.u32(1..900)));
            // A directory is of one class, but for one in a hundred rows.
            let class = if random.u32(..100) == 0 { random.u64(..5) } else { d % 7 };
            classes.push(
                ["STANDARD", "STANDARD", "STANDARD_IA", "GLACIER_IR", "INTELLIGENT_TIERING"]
                    [class.min(4) as usize],
            );
            tiers.push((class == 4).then_some("FREQUENT"));
            latest.push(random.u32(..20) != 0);
        }
        let columns: Vec<(&str, ArrayRef, bool)> = vec![
            ("bucket", Arc::new(StringArray::from(vec!["bench"; n])), false),
            ("key", Arc::new(StringArray::from(keys)), false),
            ("is_latest", Arc::new(BooleanArray::from(latest)), true),
            ("is_delete_marker", Arc::new(BooleanArray::from(vec![false; n])), true),
            ("size", Arc::new(Int64Array::from(sizes)), true),
            ("last_modified_date", Arc::new(TimestampMillisecondArray::from(dates)), true),
            ("e_tag", Arc::new(StringArray::from(etags)), true),
            ("storage_class", Arc::new(StringArray::from(classes)), true),
            ("intelligent_tiering_access_tier", Arc::new(StringArray::from(tiers)), true),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
        let writer = writer.get_or_insert_with(|| {
            let file = file.try_clone().expect("the file");
            ArrowWriter::try_new(file, batch.schema(), Some(properties.clone())).expect("a writer")
        });
        writer.write(&batch).expect("written");
        at += n as u64;
    }
    writer.expect("rows").close().expect("closed");
}

/// Reads everything into a fold and says how fast.
fn scan<F: Fold>(
    dir: &Path,
    threads: usize,
    need: Need,
    make: impl Fn(&ListInfo) -> F + Sync,
) -> (F, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    // Set: what reading costs without the verification.
    let name =
        if std::env::var_os("UNVERIFIED").is_some() { "unverified.json" } else { "manifest.json" };
    let place = Place::Local(dir.join(name));
    let inventory = runtime.block_on(open(&place)).expect("an inventory");
    let info = ListInfo {
        bucket: inventory.manifest.bucket.as_str().into(),
        listed_ms: inventory.manifest.created_ms,
        columns: inventory.manifest.schema.columns(),
    };
    let pieces = inventory.pieces(need, b"");
    let (progress, stop) = (Progress::default(), CancellationToken::new());
    let pass = Pass { threads, on_error: OnError::Stop, progress: &progress, stop: &stop };
    let done = run(&pieces, pass, || make(&info)).expect("a pass");
    (done.fold, done.rows)
}

fn tree(dir: &Path, threads: usize) {
    let (start, cpu) = (Instant::now(), cpu_s());
    let (fold, rows) =
        scan(dir, threads, Need::default(), |info| TreeFold::new(info, TreeLimits::default()));
    let (folded, cpu_folded) = (start.elapsed().as_secs_f64(), cpu_s() - cpu);
    let tree = fold.finish();
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_s() - cpu);
    let sums = tree.sums(PrefixTree::ROOT);
    assert_eq!(sums.all_objects(), rows);
    println!(
        "tree: {rows} rows, {threads} threads: wall {wall:.2} s (fold {folded:.2}), cpu {cpu:.2} s \
         (fold {cpu_folded:.2}): {:.2} M rows/s wall, {:.2} M rows/s per cpu-second; {} nodes, \
         {:.0} MB, peak {:.0} MiB",
        rows as f64 / wall / 1e6,
        rows as f64 / cpu / 1e6,
        tree.len(),
        tree.memory() as f64 / 1e6,
        peak_mib(),
    );
    // What DuckDB is asked as well: three levels, and the classes.
    let mut levels = (0, 0u64);
    let mut at = vec![(PrefixTree::ROOT, 0)];
    while let Some((node, depth)) = at.pop() {
        for child in tree.children(node).filter(|c| tree.kind(*c) == NodeKind::Prefix) {
            if depth < 2 {
                at.push((child, depth + 1));
            } else {
                levels.0 += 1;
                levels.1 += tree.bytes(child);
            }
        }
    }
    println!("three levels: {} prefixes, {} bytes", levels.0, levels.1);
    let by: BTreeMap<&str, u64> = Tier::ALL
        .into_iter()
        .map(|t| (t.word(), sums.objects[t.index()]))
        .filter(|(_, n)| *n > 0)
        .collect();
    println!("classes: {by:?}");
}

/// The group-by over classes alone.
struct Classes([(u64, u64); Tier::COUNT]);

impl Fold for Classes {
    fn take(&mut self, batch: &ObjectBatch) {
        for (tier, size) in batch.tiers.iter().zip(&batch.sizes) {
            let (objects, bytes) = &mut self.0[tier.index()];
            *objects += 1;
            *bytes += size;
        }
    }

    fn merge(&mut self, other: Self) {
        for (mine, other) in self.0.iter_mut().zip(other.0) {
            mine.0 += other.0;
            mine.1 += other.1;
        }
    }
}

fn classes(dir: &Path) {
    let (start, cpu) = (Instant::now(), cpu_s());
    let (fold, rows) = scan(dir, 2, Need::TOTALS, |_| Classes([(0, 0); Tier::COUNT]));
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_s() - cpu);
    println!("classes: {rows} rows: wall {wall:.2} s, cpu {cpu:.2} s; {:?}", fold.0);
}

/// Seconds of processor time so far, user and system.
fn cpu_s() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory that was resident, MiB.
fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or_default();
    let kib = line.split_whitespace().nth(1).and_then(|t| t.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
