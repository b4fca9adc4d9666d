//! What jobstats measured of a job, as its sites keep it in Slurm's `AdminComment`: `JS1:`, then base64 of gzip of JSON. `JS1:Short`
//! and `JS1:None` are none.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use aws_smithy_types::base64;
use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::domain::jobs::{Attempt, JobUsage};

/// What such a comment begins with.
const MARK: &str = "JS1:";

/// Most bytes of JSON, and of what it is packed in.
const BYTES_AT_MOST: usize = 1 << 20;

/// Bytes in a mebibyte.
const MIB: f64 = 1_048_576.0;

/// Bytes of memory of one node from which on a number is none.
const MEMORY_BELOW: f64 = 1e18;

/// The part of a summary that is read.
#[derive(Deserialize)]
struct Summary {
    nodes: BTreeMap<String, NodeSummary>,
}

/// What was measured of a job on one node.
#[derive(Deserialize)]
struct NodeSummary {
    /// Peak memory, bytes.
    used_memory: Option<f64>,
    /// Mean activity of its GPUs by their index, percent.
    gpu_utilization: Option<BTreeMap<String, f64>>,
}

/// What jobstats measured of a job on these nodes. `None` for any other comment, for one that makes no sense, and where it tells of other
/// nodes: what is not whole is not known.
pub(super) fn usage(comment: &str, nodes: &[Arc<str>]) -> Option<JobUsage> {
    let packed = comment.trim().strip_prefix(MARK).filter(|text| text.len() <= BYTES_AT_MOST)?;
    let packed = base64::decode(packed).ok()?;
    let mut json = Vec::new();
    let mut unpacked = GzDecoder::new(&packed[..]).take(BYTES_AT_MOST as u64 + 1);
    unpacked.read_to_end(&mut json).ok()?;
    if json.len() > BYTES_AT_MOST {
        return None;
    }
    let summary: Summary = serde_json::from_slice(&json).ok()?;
    summary.over(nodes)
}

impl Summary {
    /// Over all of these nodes; `None` where it tells of others, or a number cannot be.
    fn over(&self, nodes: &[Arc<str>]) -> Option<JobUsage> {
        let is_whole = !nodes.is_empty() && self.nodes.len() == nodes.len();
        if !is_whole || nodes.len() > Attempt::NODES_AT_MOST {
            return None;
        }
        let (mut gpus, mut gpus_working, mut percents) = (0_u32, 0_u32, 0.0_f64);
        let mut most_memory = Some(0.0_f64);
        for name in nodes {
            let node = self.nodes.get(&**name)?;
            for percent in node.gpu_utilization.iter().flat_map(BTreeMap::values) {
                if !(0.0..=100.0).contains(percent) {
                    return None;
                }
                gpus += 1;
                gpus_working += u32::from(*percent > 0.0);
                percents += percent;
            }
            if node.used_memory.is_some_and(|bytes| !(0.0..MEMORY_BELOW).contains(&bytes)) {
                return None;
            }
            // Nothing runs in none: it was not measured.
            let measured = node.used_memory.filter(|bytes| *bytes > 0.0);
            most_memory = most_memory.zip(measured).map(|(most, bytes)| most.max(bytes));
        }
        let mean = if gpus > 0 { percents / f64::from(gpus) } else { 0.0 };
        Some(JobUsage {
            gpus,
            gpus_working,
            gpu_activity_per_mille: (mean * 10.0).round() as u16,
            memory_peak_mib: most_memory
                .map(|bytes| (bytes / MIB).ceil() as u64 * nodes.len() as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn packed(bytes: &[u8]) -> String {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        format!("{MARK}{}", base64::encode(gzip.finish().unwrap()))
    }

    fn names(nodes: &[&str]) -> Vec<Arc<str>> {
        nodes.iter().map(|name| Arc::from(*name)).collect()
    }

    /// What is read of a summary of two nodes, `a` as given and `b` with two idle GPUs and 1 GiB.
    fn of(a: serde_json::Value) -> Option<JobUsage> {
        let b =
            json!({ "used_memory": 1_073_741_824_u64, "gpu_utilization": { "0": 0, "1": 0.0 } });
        let text =
            json!({ "nodes": { "a": a, "b": b }, "total_time": 3600, "gpus": 4 }).to_string();
        usage(&packed(text.as_bytes()), &names(&["a", "b"]))
    }

    #[test]
    fn a_summary_of_all_nodes_is_the_use_of_a_job() {
        let found = of(json!({
            "total_memory": 68_719_476_736_u64, "used_memory": 3_221_225_472_u64, "total_time": 90.5, "cpus": 8,
            "gpu_total_memory": { "0": 1, "1": 1 }, "gpu_used_memory": { "0": 1, "1": 1 },
            "gpu_utilization": { "0": 97.5, "1": 0.1 },
        }));
        let want = JobUsage {
            gpus: 4,
            gpus_working: 2,
            // 97.6% over four.
            gpu_activity_per_mille: 244,
            // The node with most has 3 GiB, and both are given alike.
            memory_peak_mib: Some(6_144),
        };
        assert_eq!(found, Some(want));
    }

    #[test]
    fn what_is_not_measured_of_a_node_is_not_0() {
        let no_memory = of(json!({ "gpu_utilization": { "0": 5 } })).unwrap();
        assert_eq!((no_memory.gpus, no_memory.memory_peak_mib), (3, None));
        assert_eq!(of(json!({ "used_memory": 0 })).unwrap().memory_peak_mib, None);
        assert_eq!(of(json!({ "used_memory": null, "gpu_utilization": null })).unwrap().gpus, 2);
        let text = packed(br#"{"nodes":{"a":{"used_memory":5,"gpu_utilization":{"0":9}}}}"#);
        assert!(usage(&text, &names(&["a"])).is_some());
        for nodes in [&["a", "b"][..], &["b"], &[]] {
            assert_eq!(usage(&text, &names(nodes)), None, "{nodes:?}");
        }
        assert_eq!(usage(&text, &names(&["a", "a"])), None, "one node told twice is not two");
    }

    #[test]
    fn a_summary_that_makes_no_sense_is_none() {
        for odd in [
            json!({ "gpu_utilization": { "0": -0.1 } }),
            json!({ "gpu_utilization": { "0": 100.1 } }),
            json!({ "gpu_utilization": { "0": "97" } }),
            json!({ "gpu_utilization": [97] }),
            json!({ "used_memory": -1 }),
            json!({ "used_memory": 1e300 }),
            json!({ "used_memory": "5G" }),
            json!([]),
        ] {
            assert_eq!(of(odd.clone()), None, "{odd}");
        }
        let one = names(&["a"]);
        for text in [
            "",
            "JS1:",
            "JS1:Short",
            "JS1:None",
            "JS1:eyJub2RlcyI6e319",
            "JS2:x",
            "a word of an administrator",
        ] {
            assert_eq!(usage(text, &one), None, "{text}");
        }
        for json in
            ["{}", "[]", r#"{"nodes":{}}"#, r#"{"nodes":{"a":{"gpu_utilization":{"0":NaN}}}}"#]
        {
            assert_eq!(usage(&packed(json.as_bytes()), &one), None, "{json}");
        }
        let cut = packed(br#"{"nodes":{"a":{"used_memory":5}}}"#);
        assert!(usage(&cut, &one).is_some());
        assert_eq!(usage(&cut[..cut.len() - 8], &one), None);
    }

    #[test]
    fn little_that_unpacks_to_much_is_not_unpacked() {
        let mut text = br#"{"nodes":{"a":{"used_memory":5}}}"#.to_vec();
        text.resize(BYTES_AT_MOST, b' ');
        assert!(usage(&packed(&text), &names(&["a"])).is_some());
        text.push(b' ');
        assert_eq!(usage(&packed(&text), &names(&["a"])), None);
    }

    proptest! {
        #[test]
        fn hostile_text_is_none_and_nothing_worse(text in ".{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let nodes = names(&["a"]);
            usage(&text, &nodes);
            usage(&format!("{MARK}{text}"), &nodes);
            usage(&format!("{MARK}{}", base64::encode(&bytes)), &nodes);
            prop_assert_eq!(usage(&packed(&bytes), &nodes), None);
        }

        #[test]
        fn what_a_site_writes_comes_back(
            nodes in prop::collection::btree_map("[a-z]{1,8}-[0-9]{1,3}", (1_u64..1 << 40, prop::collection::vec(0_u32..=1000, 0..9)), 1..9),
        ) {
            let one = |(bytes, gpus): &(u64, Vec<u32>)| {
                let gpus: BTreeMap<String, f64> = gpus
                    .iter()
                    .enumerate()
                    .map(|(index, per_mille)| (index.to_string(), f64::from(*per_mille) / 10.0))
                    .collect();
                json!({ "used_memory": bytes, "gpu_utilization": gpus, "cpus": 4 })
            };
            let all: BTreeMap<&String, _> = nodes.iter().map(|(name, of)| (name, one(of))).collect();
            let text = json!({ "nodes": all, "gpus": 0 }).to_string();
            let list: Vec<Arc<str>> = nodes.keys().map(|name| Arc::from(name.as_str())).collect();
            let found = usage(&packed(text.as_bytes()), &list).unwrap();
            let activity: Vec<u32> = nodes.values().flat_map(|(_, gpus)| gpus.clone()).collect();
            prop_assert_eq!(found.gpus as usize, activity.len());
            let working = activity.iter().filter(|per_mille| **per_mille > 0).count();
            prop_assert_eq!(found.gpus_working as usize, working);
            let most = nodes.values().map(|(bytes, _)| bytes.div_ceil(1 << 20)).max().unwrap();
            prop_assert_eq!(found.memory_peak_mib, Some(most * nodes.len() as u64));
            let mean = f64::from(activity.iter().sum::<u32>()) / activity.len().max(1) as f64;
            prop_assert!((f64::from(found.gpu_activity_per_mille) - mean).abs() <= 0.51);
        }
    }
}
