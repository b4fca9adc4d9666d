//! What reading real servers costs: sweeps at their interval, each made a picture, with the CPU
//! time of this process and its largest memory at the end. No screen, no cache.
//!
//! `cargo bench --bench gpu_live -- prometheus http://127.0.0.1:9090 8 15` reads a Prometheus eight
//! times, each 15 s (`benches/backfill.py` fills one);
//! `cargo bench --bench gpu_live -- exporters http://127.0.0.1:9400/metrics?node= 256 8 15` reads
//! 256 pages, whose numbers follow the address (`tests/emulators/gpu_exporter.py` has them).

#![allow(missing_docs, reason = "a bench has no readers of its items")]
#![allow(clippy::unwrap_used, reason = "a benchmark may end in a panic")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use burntop::parts::analyze::gpu::{GpuRules, Intervals, Watch, WatchInput};
use burntop::parts::domain::HourTable;
use burntop::parts::fleet::Fleet;
use burntop::parts::source::exporter::{self, Exporter, Targets};
use burntop::parts::source::prometheus::{Prometheus, Settings};
use burntop::parts::source::vocabulary::Vocabulary;
use burntop::parts::source::{Ask, GpuSource};
use jiff::Timestamp;

/// CPU time of this process so far, ms, in ticks of 10.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()) * 10
}

/// A line of `/proc/self/status`, MiB.
fn memory_mib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn source(words: &[String]) -> Option<(Box<dyn GpuSource>, &[String])> {
    match words {
        [kind, url, rest @ ..] if kind == "prometheus" => {
            let settings = Settings { proxy: false, ..Settings::new("prom", url) };
            Some((Box::new(Prometheus::new(settings).ok()?), rest))
        }
        [kind, url, nodes, rest @ ..] if kind == "exporters" => {
            let nodes: usize = nodes.parse().ok()?;
            let listed = (0..nodes).map(|n| format!("{url}{n}")).collect();
            let targets = Targets { listed, ..Targets::default() };
            let settings = exporter::Settings { targets, ..exporter::Settings::default() };
            Some((Box::new(Exporter::new(settings, Arc::new(Vocabulary::default())).ok()?), rest))
        }
        _ => None,
    }
}

fn main() {
    // cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let Some((source, rest)) = source(&words) else {
        println!("skipped: name a server, as the head of this file says");
        return;
    };
    let number = |at: usize, default| rest.get(at).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (sweeps, every_s): (u64, u64) = (number(0, 8), number(1, 15));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    let (rules, fleet, hours) = (GpuRules::default(), Fleet::default(), HourTable::default());
    let intervals: Intervals =
        [((source.source(), source.origin().clone()), Duration::from_secs(every_s))].into();
    let (mut watch, mut shown) = (Watch::default(), None);
    // What the first sweep costs beside (names, connections) is no part of the share.
    let mut after_first = None;
    for turn in 0..sweeps {
        let (before, at) = (cpu_ms(), Instant::now());
        let ask = Ask { with_recent: turn == 0, ..Ask::all(Timestamp::now(), Arc::default()) };
        let sweep = match runtime.block_on(source.sweep(&ask)) {
            Ok(sweep) => Arc::new(sweep),
            Err(error) => {
                println!("{error}");
                return;
            }
        };
        let read = cpu_ms();
        let picture = watch.picture(WatchInput {
            version: turn,
            now: Timestamp::now(),
            sweeps: std::slice::from_ref(&sweep),
            intervals: &intervals,
            fleet: &fleet,
            rules: &rules,
            hours: &hours,
            starts: None,
        });
        println!(
            "{} GPUs: read {} ms, picture {} ms of CPU; {:.2} s until it was there; {} troubles; {} MiB",
            picture.rows.len(),
            read - before,
            cpu_ms() - read,
            at.elapsed().as_secs_f64(),
            sweep.troubles.len(),
            memory_mib("VmRSS"),
        );
        // As the program has it: the picture on screen, and what it was made of.
        shown = Some((picture, sweep));
        let started = *after_first.get_or_insert_with(|| (Instant::now(), cpu_ms()));
        std::thread::sleep(Duration::from_secs(every_s).saturating_sub(at.elapsed()));
        if turn + 1 == sweeps && turn > 0 {
            let (since, cpu) = started;
            let share = (cpu_ms() - cpu) as f64 / 10.0 / since.elapsed().as_secs_f64();
            println!("{share:.2}% of a core; {} MiB at most", memory_mib("VmHWM"));
        }
    }
    drop(shown);
}
