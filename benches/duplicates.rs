//! Copies among 10 million objects: time and peak memory, beside `DuckDB`'s `GROUP BY` of `ETag` and
//! size over the same file in the same run.
//!
//! `cargo bench --bench duplicates [-- ROWS]`; with `BENCH_PYTHON` naming a Python that has
//! `duckdb`, `DuckDB` runs as well, and the ratio of the processor times is printed. A process of its
//! own per measurement, so that peaks are apart.

#![allow(missing_docs, reason = "a bench has no readers of its items")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a bench")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use burntop::parts::analyze::storage::duplicates::{Duplicates, Limits};
use burntop::parts::analyze::storage::{Fold, ListInfo};
use burntop::parts::domain::storage::{
    Confidence, Etag, ObjectBatch, ObjectColumns, ObjectFlags, Tier,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

const PER_DIR: u64 = 50;
const CHUNK: u64 = 65_536;
const THREADS: usize = 2;

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Object `i` of `rows`: 50 to a directory; each tenth directory is a copy of another, under
/// another prefix.
fn object(i: u64, rows: u64) -> (String, i64, String) {
    let dirs = (rows / PER_DIR).max(10);
    let (dir, k) = (i / PER_DIR % dirs, i % PER_DIR);
    let originals = dirs - dirs / 10;
    let (source, top) =
        if dir < originals { (dir, "") } else { (dir - originals, "archive/copies/") };
    let key = format!(
        "{top}team-{:02}/project-{:04}/runs/experiment-{source:06}/output/part-{k:05}-of-00050.parquet",
        source % 20,
        source % 400,
    );
    let content = mix(source * PER_DIR + k);
    // From 1 KiB to 8 GiB, every doubling as likely.
    let size = (1024u64 << (content % 23)) + content % 1021;
    let etag = format!("{content:016x}{:016x}", mix(content));
    let parts = size >> 26;
    let etag = if parts > 0 { format!("{etag}-{}", parts + 1) } else { etag };
    (key, size as i64, etag)
}

fn generate(path: &Path, rows: u64, is_shuffled: bool) {
    let fields = [
        Field::new("key", DataType::Utf8, false),
        Field::new("size", DataType::Int64, true),
        Field::new("e_tag", DataType::Utf8, true),
    ];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(500_000))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).unwrap();
    // A prime beyond all sizes: a permutation.
    let at = |i: u64| {
        if is_shuffled {
            (u128::from(i) * 2_305_843_009_213_693_951 % u128::from(rows)) as u64
        } else {
            i
        }
    };
    let mut start = 0;
    while start < rows {
        let chunk: Vec<_> = (start..rows.min(start + CHUNK)).map(|i| object(at(i), rows)).collect();
        start += CHUNK;
        let keys: ArrayRef = Arc::new(StringArray::from_iter_values(chunk.iter().map(|c| &c.0)));
        let sizes: ArrayRef = Arc::new(Int64Array::from_iter_values(chunk.iter().map(|c| c.1)));
        let etags: ArrayRef = Arc::new(StringArray::from_iter_values(chunk.iter().map(|c| &c.2)));
        writer
            .write(&RecordBatch::try_new(schema.clone(), vec![keys, sizes, etags]).unwrap())
            .unwrap();
    }
    writer.close().unwrap();
}

fn fold() -> Duplicates {
    let columns =
        ObjectColumns { sizes: true, etags: true, encryption: true, ..ObjectColumns::default() };
    let info = ListInfo { bucket: Arc::from("bench"), listed_ms: 0, columns };
    Duplicates::new(&info, Limits::default())
}

/// Every `THREADS`-th row group from `first` on, into `sink`.
fn read(path: &Path, first: usize, mut sink: impl FnMut(&ObjectBatch)) {
    let groups = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let groups = groups.metadata().num_row_groups();
    let mut batch = ObjectBatch::default();
    for group in (first..groups).step_by(THREADS) {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap())
            .unwrap()
            .with_row_groups(vec![group])
            .with_batch_size(8192)
            .build()
            .unwrap();
        for rows in reader {
            let rows = rows.unwrap();
            batch.clear();
            let (keys, etags) =
                (rows.column(0).as_string::<i32>(), rows.column(2).as_string::<i32>());
            let sizes = rows.column(1).as_primitive::<Int64Type>();
            for i in 0..rows.num_rows() {
                batch.keys.push(keys.value(i).as_bytes());
                batch.sizes.push(sizes.value(i) as u64);
                batch.modified_ms.push(1_700_000_000_000);
                batch.tiers.push(Tier::Standard);
                batch.flags.push(ObjectFlags(0));
                batch.etags.push(Etag::parse(etags.value(i).as_bytes()));
            }
            sink(&batch);
        }
    }
}

/// Peak of this process's memory, MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) / 1024
}

/// Seconds of processor time of this process so far, user and system.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn measure(path: &Path) {
    let start = Instant::now();
    std::thread::scope(|s| {
        for t in 0..THREADS {
            s.spawn(move || {
                read(path, t, |b| {
                    std::hint::black_box(b.len());
                });
            });
        }
    });
    let (reading, cpu_reading) = (start.elapsed(), cpu_s());
    let start = Instant::now();
    let folds: Vec<Duplicates> = std::thread::scope(|s| {
        let work = |t| {
            move || {
                let mut fold = fold();
                read(path, t, |b| fold.take(b));
                fold
            }
        };
        let all: Vec<_> = (0..THREADS).map(|t| s.spawn(work(t))).collect();
        all.into_iter().map(|w| w.join().unwrap()).collect()
    });
    let folded = start.elapsed();
    let all = folds
        .into_iter()
        .reduce(|mut a, b| {
            a.merge(b);
            a
        })
        .unwrap();
    let merged = start.elapsed();
    let found = all.finish(Confidence::C);
    let (done, cpu) = (start.elapsed(), cpu_s() - cpu_reading);
    let level = |l: usize| {
        (found.levels[l].groups, found.levels[l].extra_objects, found.levels[l].extra_bytes)
    };
    let sum = [level(0), level(1)];
    println!(
        "burntop  {:6.2} s in all, cpu {cpu:.2} s (reading alone {:.2}, cpu {cpu_reading:.2}; read and fold {:.2}, merge {:.2}, find {:.2})  peak {} MiB  groups {} extra {} bytes {}  pairs {} compared {}",
        done.as_secs_f64(),
        reading.as_secs_f64(),
        folded.as_secs_f64(),
        merged.checked_sub(folded).unwrap().as_secs_f64(),
        done.checked_sub(merged).unwrap().as_secs_f64(),
        peak(),
        sum[0].0 + sum[1].0,
        sum[0].1 + sum[1].1,
        sum[0].2 + sum[1].2,
        found.pairs.len(),
        found.compared.0,
    );
}

const DUCK: &str = r#"
import sys, time, resource, duckdb
con = duckdb.connect()
con.execute("SET threads=2; SET enable_progress_bar=false")
t, cpu = time.time(), time.process_time()
r = con.execute("""SELECT count(*), sum(n-1), sum((n-1)*size) FROM
  (SELECT e_tag, size, count(*) n FROM read_parquet(?) GROUP BY e_tag, size HAVING count(*) > 1)""", [sys.argv[1]]).fetchone()
print(f"duckdb   {time.time()-t:6.2f} s in all, cpu {time.process_time()-cpu:.2f} s  peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss//1024} MiB  groups {r[0]} extra {r[1]} bytes {r[2]}  (no prefixes)")
"#;

/// Runs a command, shows what it prints and says how much processor time it took by its own words.
fn shown(command: &mut Command) -> Option<f64> {
    let out = command.stderr(std::process::Stdio::inherit()).output().unwrap().stdout;
    let out = String::from_utf8_lossy(&out);
    print!("{out}");
    let (_, cpu) = out.split_once("in all, cpu ")?;
    cpu.split(' ').next()?.parse().ok()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [flag, path] = args.as_slice()
        && flag == "--measure"
    {
        return measure(Path::new(path));
    }
    if let [flag, path, rows, order] = args.as_slice()
        && flag == "--generate"
    {
        return generate(Path::new(path), rows.parse().unwrap(), order == "shuffled");
    }
    let rows: u64 = args.first().and_then(|a| a.parse().ok()).unwrap_or(10_000_000);
    let dir = std::env::temp_dir().join(format!("burntop-bench-duplicates-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    for (name, is_shuffled) in [("sorted", false), ("shuffled", true)] {
        let path: PathBuf = dir.join(format!("{name}.parquet"));
        generate(&path, rows, is_shuffled);
        println!("{name}: {rows} objects, {} MiB of Parquet", path.metadata().unwrap().len() >> 20);
        let me = std::env::current_exe().unwrap();
        let ours = shown(Command::new(me).arg("--measure").arg(&path));
        if let Ok(python) = std::env::var("BENCH_PYTHON") {
            let theirs = shown(Command::new(python).arg("-c").arg(DUCK).arg(&path));
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                println!("{name}: {:.1} times the processor time of DuckDB", ours / theirs);
            }
        }
        std::fs::remove_file(&path).unwrap();
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
