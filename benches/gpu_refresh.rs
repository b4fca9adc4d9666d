//! A refresh of 16,000 GPUs from a Prometheus: six answers read into samples, beside the same
//! answers read into `serde_json::Value` and turned into a map per series, in the same run.
//!
//! `cargo bench --bench gpu_refresh`

#![allow(missing_docs, reason = "a bench has no readers of its items")]
#![allow(clippy::unwrap_used, reason = "a benchmark may end in a panic")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use burntop::parts::source::prometheus::json;
use burntop::parts::source::vocabulary::{Gather, Vocabulary};
use divan::{Bencher, black_box};
use jiff::Timestamp;

const NODES: usize = 2_000;
const METRICS: [&str; 6] = [
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_ENC_UTIL",
];

fn main() {
    divan::main();
}

/// The answers of one refresh; owner labels in the first.
fn answers() -> Vec<Vec<u8>> {
    METRICS
        .iter()
        .enumerate()
        .map(|(i, _)| {
            let mut out =
                String::from(r#"{"status":"success","data":{"resultType":"vector","result":["#);
            for gpu in 0..NODES * 8 {
                let (node, index) = (gpu / 8, gpu % 8);
                let comma = if gpu == 0 { "" } else { "," };
                let owner = if i == 0 {
                    format!(
                        r#","modelName":"NVIDIA H100 80GB HBM3","namespace":"team-{}","pod":"llm-{node}""#,
                        node % 20
                    )
                } else {
                    String::new()
                };
                let _ = write!(
                    out,
                    r#"{comma}{{"metric":{{"Hostname":"gpu-node-{node:04}","UUID":"GPU-{gpu:08x}-0000-4000-8000-{node:012x}","gpu":"{index}","instance":"gpu-node-{node:04}:9400"{owner}}},"value":[1795221889.009,"0.{:06}"]}}"#,
                    gpu * 7 % 1_000_000
                );
            }
            out.push_str("]}}");
            out.into_bytes()
        })
        .collect()
}

#[divan::bench]
fn ours(bencher: Bencher) {
    let answers = answers();
    let mut gather = Gather::new(Arc::new(Vocabulary::default()));
    bencher.bench_local(|| {
        for (metric, body) in METRICS.iter().zip(&answers) {
            let metric = gather.vocabulary().get(metric).unwrap();
            json::read(body, &mut |labels, points| {
                let pairs = labels.iter().map(|(n, v)| (&**n, &**v));
                gather.take(&metric, pairs, points[0].1);
            })
            .unwrap();
        }
        let gathered = gather.finish(Timestamp::UNIX_EPOCH);
        assert_eq!(gathered.samples.len(), NODES * 8);
        gathered
    });
}

#[divan::bench]
fn by_a_tree_and_maps(bencher: Bencher) {
    let answers = answers();
    bencher.bench_local(|| {
        let mut all = Vec::new();
        for body in &answers {
            let tree: serde_json::Value = serde_json::from_slice(body).unwrap();
            for series in tree["data"]["result"].as_array().unwrap() {
                let labels: HashMap<String, String> = series["metric"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(n, v)| (n.clone(), v.as_str().unwrap().to_owned()))
                    .collect();
                let value: f64 = series["value"][1].as_str().unwrap().parse().unwrap();
                all.push((labels, value));
            }
        }
        black_box(all)
    });
}
