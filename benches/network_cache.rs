//! A log of reads to a curve: lines per second and memory.
//!
//! `cargo bench --bench network_cache -- generate FILE LINES OBJECTS` writes a server access log of four weeks: half of the
//! reads a loop over the objects, half any of them. `… -- read FILE` folds it and prints one line. Without arguments a small one
//! is made, folded and checked.

#![allow(missing_docs, clippy::expect_used, reason = "a bench has no readers of its items")]

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use burntop::parts::analyze::network::cache::CacheFold;
use burntop::parts::domain::object_reads::ReadsBy;
use burntop::parts::source::access_logs::{Log, read};

/// Seconds of the log.
const SPAN: u64 = 28 * 86_400;
/// Readers.
const NODES: u64 = 64;
/// Smallest object, and by how much the largest is larger; bytes.
const BYTES: (u64, u64) = (1 << 20, 200 << 20);

fn main() {
    // `cargo bench` adds flags of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate", file, lines, objects] => {
            generate(Path::new(file), number(lines), number(objects));
        }
        ["read", file] => {
            fold(Path::new(file));
        }
        _ => {
            let file = std::env::temp_dir().join(format!("burntop-reads-{}", std::process::id()));
            generate(&file, 200_000, 20_000);
            assert_eq!(fold(&file), 200_000, "every line is a read");
            let _ = fs::remove_file(&file);
        }
    }
}

fn number(text: &str) -> u64 {
    text.replace('_', "").parse().expect("a number")
}

fn generate(file: &Path, lines: u64, objects: u64) {
    let mut out = BufWriter::new(fs::File::create(file).expect("a file"));
    let mut rng = fastrand::Rng::with_seed(7);
    for place in 0..lines {
        let second = place * SPAN / lines + rng.u64(0..30);
        let (day, of_day) = (second / 86_400 % 28 + 1, second % 86_400);
        let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
        let object = if rng.bool() { place % objects } else { rng.u64(0..objects) };
        let bytes = BYTES.0 + object * 7_919 % BYTES.1;
        let (node, folder) = (place % NODES, object % 1_000);
        let key = format!("pretrain/shard-{folder:05}/part-{object:09}.tar");
        writeln!(
            out,
            "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be acme-corpus \
             [{day:02}/Feb/2026:{hour:02}:{minute:02}:{second:02} +0000] 10.0.0.{node} \
             arn:aws:sts::111122223333:assumed-role/train/i-0abc{node:08x} {place:016X} REST.GET.OBJECT {key} \
             \"GET /acme-corpus/{key} HTTP/1.1\" 200 - {bytes} {bytes} 77 12 \"-\" \"Boto3/1.34.0 md/Botocore#1.34.0 ua/2.0 \
             os/linux#6.1.0 md/arch#x86_64 lang/python#3.11.6\" - \
             s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= SigV4 \
             ECDHE-RSA-AES128-GCM-SHA256 AuthHeader acme-corpus.s3.us-east-1.amazonaws.com TLSV1.3 - - us-east-1"
        )
        .expect("room on the disk");
    }
}

/// Folds a log and prints one line. Returns the number of reads.
fn fold(file: &Path) -> u64 {
    let start = Instant::now();
    let mut fold = CacheFold::new(&[]);
    let log = Log::Paths(vec![file.to_owned()]);
    let reads = read(log, ReadsBy::All, &mut |event| fold.take(event));
    let found = fold.finished();
    let seconds = start.elapsed().as_secs_f64();
    let requests = found.all.requests.unwrap_or_default();
    println!(
        "{} lines in {seconds:.2} s, {:.0} a second; {requests} reads, {} failed, {} late, {} of the objects followed",
        reads.lines,
        reads.lines as f64 / seconds,
        reads.failed_count,
        reads.late,
        found.followed,
    );
    requests
}
