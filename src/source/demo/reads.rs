//! Reads of the demo's data sets: a server access log of four weeks, as S3 writes it.
//!
//! Planted: rounds over `pretrain/` in one order, which is larger than any cache; rounds in new orders over `imagenet/`, which
//! fits; `features/`, read in no order; `clicks/`, read once; and what is no read.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use super::DemoOptions;

/// Bucket of the data sets.
const BUCKET: &str = "acme-datasets";

/// Seconds of the log.
const SPAN: i64 = 28 * 86_400;

const GIB: u64 = 1 << 30;

/// Readers: nodes that train on text, and after them those that train on pictures.
const NODES: u64 = 8;
const PICTURE_NODES: u64 = 4;

/// A data set: its prefix, objects, size of each, rounds over it.
struct DataSet {
    prefix: &'static str,
    objects: u64,
    bytes: u64,
    rounds: u64,
    order: Order,
}

/// In which order objects are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Same,
    New,
    None,
}

const SETS: [DataSet; 4] = [
    DataSet {
        prefix: "pretrain/",
        objects: 2_000,
        bytes: 200 * GIB,
        rounds: 3,
        order: Order::Same,
    },
    DataSet { prefix: "imagenet/", objects: 1_200, bytes: GIB, rounds: 12, order: Order::New },
    DataSet { prefix: "features/", objects: 300, bytes: 2 * GIB, rounds: 10, order: Order::None },
    DataSet { prefix: "clicks/", objects: 1_000, bytes: GIB / 16, rounds: 1, order: Order::Same },
];

/// The log as text.
pub fn access_log(options: &DemoOptions) -> String {
    let mut rng = fastrand::Rng::with_seed(options.seed ^ 0x0072_6561_6473);
    let start = (options.clock)() - SignedDuration::from_secs(SPAN + 3_600);
    let mut lines: Vec<(i64, String)> = Vec::new();
    for set in &SETS {
        let reads = set.objects * set.rounds;
        let mut order: Vec<u64> = (0..set.objects).collect();
        for place in 0..reads {
            let of_round = place % set.objects;
            if of_round == 0 && set.order == Order::New {
                rng.shuffle(&mut order);
            }
            let object = match set.order {
                Order::None => rng.u64(0..set.objects),
                _ => order[of_round as usize],
            };
            let second = (SPAN as u64 * place / reads) as i64;
            let node = match set.order {
                // The next round goes to other nodes.
                Order::Same => (place + place / set.objects) % NODES,
                Order::New | Order::None => NODES + place % PICTURE_NODES,
            };
            let sent = format!("200 - {} {}", set.bytes, set.bytes);
            let key = format!("{}shard-{object:05}.tar", set.prefix);
            lines.push((second, line(start, second, node, ("GET.OBJECT", &key), &sent)));
        }
    }
    for place in 0..40 {
        let second = SPAN / 40 * place;
        let of = |operation, key: &str, sent: &str| {
            (second, line(start, second, place as u64 % NODES, (operation, key), sent))
        };
        lines.extend([
            of("HEAD.OBJECT", "imagenet/shard-00000.tar", &format!("200 - - {GIB}")),
            of("GET.OBJECT", "secret/plan.tar", "403 AccessDenied 243 -"),
            of("PUT.OBJECT", &format!("runs/step-{place}.pt"), &format!("200 - - {GIB}")),
            of("GET.BUCKET", "-", "200 - 18230 -"),
        ]);
    }
    lines.sort_by_key(|(second, _)| *second);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn line(
    start: Timestamp,
    second: i64,
    node: u64,
    (operation, key): (&str, &str),
    sent: &str,
) -> String {
    let at = (start + SignedDuration::from_secs(second)).strftime("%d/%b/%Y:%H:%M:%S +0000");
    let verb = operation.split('.').next().unwrap_or_default();
    let mut line = String::with_capacity(400);
    // A text takes whatever is written to it.
    let _ = writeln!(
        line,
        "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be {BUCKET} [{at}] 10.0.8.{} \
         arn:aws:sts::111122223333:assumed-role/train/i-0{node:016x} {second:016X} REST.{operation} {key} \"{verb} \
         /{BUCKET}/{key} HTTP/1.1\" {sent} 41 12 \"-\" \"Boto3/1.42\" - host SigV4 - AuthHeader - TLSv1.3 - - us-east-1",
        10 + node
    );
    line
}
