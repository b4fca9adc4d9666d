//! Recognising runs and steps in lists of keys, beside the plain way: split each key at `/`, try
//! the patterns on each part as text, sum in maps of strings.
//!
//! `cargo bench --bench checkpoints`

#![allow(missing_docs, reason = "a bench has no readers of its items")]

use std::collections::HashMap;
use std::sync::Arc;

use burntop::parts::analyze::storage::checkpoints::RunFold;
use burntop::parts::analyze::storage::{Fold, ListInfo};
use burntop::parts::domain::storage::{ObjectBatch, ObjectColumns, ObjectFlags, Tier};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

const ROWS: usize = 1_000_000;
const BATCH: usize = 8192;
const LISTED_MS: i64 = 1_795_136_400_000;

fn main() {
    divan::main();
}

/// What a list is made of.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Half data sets and logs, half checkpoints of four frameworks, in order.
    Mixed,
    /// The same in no order.
    Shuffled,
    /// Checkpoints alone: every key is a candidate.
    Steps,
    /// Not a single candidate.
    Data,
}

const KINDS: [Kind; 4] = [Kind::Mixed, Kind::Shuffled, Kind::Steps, Kind::Data];

fn step_key(i: usize) -> String {
    let (run, step, part) = (i / 6400, i / 64 % 100 * 500, i % 64);
    match run % 4 {
        0 => {
            format!("llm/pretrain/team-{}/70b-run-{run}/iter_{step:07}/__{part}_0.distcp", run % 7)
        }
        1 => format!(
            "team-rlhf/exp-{run:05}/output/checkpoint-{step}/global_step{step}/bf16_zero_pp_rank_{part}_mp_rank_00_optim_states.pt"
        ),
        2 => format!(
            "jax/gemma-ft/run-{run}/ckpts/{step}/items/ocdbt.process_{}/d/{:032x}",
            part % 8,
            i
        ),
        _ => format!(
            "vision/exp_{run}/lightning_logs/version_3/checkpoints/epoch={part}-val_loss=0.{step}-step={step}.ckpt"
        ),
    }
}

fn data_key(i: usize) -> String {
    match i % 3 {
        0 => format!("datasets/laion-400m/en/2026/shard-{:05}/part-{i:08}.parquet", i / 1000),
        1 => {
            format!("logs/team-{}/2026/10/{:02}/host-{:04}/{i:09}.json.gz", i % 9, i % 31, i % 977)
        }
        _ => format!(
            "datasets/imagenet/train/n{:08}/n{:08}_{i}.JPEG-resized-512.webp",
            i / 1300,
            i / 1300
        ),
    }
}

fn keys(kind: Kind) -> Vec<String> {
    let mut keys: Vec<String> = (0..ROWS)
        .map(|i| match kind {
            Kind::Steps => step_key(i),
            Kind::Data => data_key(i),
            Kind::Mixed | Kind::Shuffled if i < ROWS / 2 => data_key(i),
            Kind::Mixed | Kind::Shuffled => step_key(i),
        })
        .collect();
    if matches!(kind, Kind::Shuffled) {
        fastrand::Rng::with_seed(7).shuffle(&mut keys);
    }
    keys
}

fn batches(keys: &[String]) -> Vec<ObjectBatch> {
    keys.chunks(BATCH)
        .map(|keys| {
            let mut batch = ObjectBatch::default();
            for (i, key) in keys.iter().enumerate() {
                batch.keys.push(key.as_bytes());
                batch.sizes.push(1 << 30);
                batch.modified_ms.push(LISTED_MS - 86_400_000 * (1 + i as i64 % 300));
                batch.tiers.push(Tier::Standard);
                batch.flags.push(ObjectFlags(0));
            }
            batch
        })
        .collect()
}

#[divan::bench(args = KINDS, sample_count = 10)]
fn run_fold(bencher: Bencher<'_, '_>, kind: Kind) {
    let batches = batches(&keys(kind));
    let columns = ObjectColumns { sizes: true, dates: true, ..ObjectColumns::default() };
    let info = ListInfo { bucket: Arc::from("b"), listed_ms: LISTED_MS, columns };
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let mut fold = RunFold::new(&info);
        for batch in &batches {
            fold.take(batch);
        }
        black_box(fold.finish())
    });
}

#[divan::bench(args = KINDS, sample_count = 10)]
fn plain_text(bencher: Bencher<'_, '_>, kind: Kind) {
    let batches = batches(&keys(kind));
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let mut runs: HashMap<String, HashMap<u64, (u64, u64)>> = HashMap::new();
        for batch in &batches {
            for i in 0..batch.len() {
                let Ok(key) = std::str::from_utf8(batch.keys.get(i)) else { continue };
                let parts: Vec<&str> = key.split('/').collect();
                let Some((at, step)) =
                    parts.iter().enumerate().find_map(|(at, part)| Some((at, plain(part)?)))
                else {
                    continue;
                };
                let sums = runs.entry(parts[..at].join("/")).or_default().entry(step).or_default();
                sums.0 += batch.sizes[i];
                sums.1 += 1;
            }
        }
        black_box(runs)
    });
}

/// The number of a step in a part of a key, by the patterns one after the other.
fn plain(part: &str) -> Option<u64> {
    for head in
        ["checkpoint-", "checkpoint_", "iter_", "global_step", "step-", "step_", "epoch_", ""]
    {
        if let Some(step) = part.strip_prefix(head).and_then(|n| n.parse().ok()) {
            return Some(step);
        }
    }
    let rest = &part[part.find("step=")? + 5..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
