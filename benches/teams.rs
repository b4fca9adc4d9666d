//! Dollars by team: 10,000 resources under 50 mappings by name and 5 shared costs, and the same without a rule beside it.
//!
//! `cargo bench --bench teams` prints a line for each.

#![allow(missing_docs, clippy::expect_used, reason = "a bench has no readers of its items")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use burntop::parts::analyze::teams::{
    Dimension, Lack, Line, Mapping, MoneyFilter, Pattern, Pool, Rules, Split, allocate,
};
use burntop::parts::domain::TagKeys;
use burntop::parts::domain::bill::{Charge, Pricing, Usd};

/// Resources.
const LINES: u64 = 10_000;
/// Mappings, and shared costs.
const MAPPINGS: u64 = 50;
const POOLS: u64 = 5;
/// Runs of each; the fastest is printed.
const RUNS: usize = 9;

fn main() {
    let lines: Vec<Line> = (0..LINES).map(line).collect();
    let plain = Rules::new(&TagKeys::default(), &[]);
    let ruled = Rules {
        mappings: (0..MAPPINGS).map(mapping).collect(),
        pools: (0..POOLS).map(pool).collect(),
        ..plain.clone()
    };
    for (what, rules) in [("no rule", &plain), ("50 mappings, 5 shared costs", &ruled)] {
        let mut fastest = Duration::MAX;
        for _ in 0..RUNS {
            let begin = Instant::now();
            let found = allocate(&lines, rules, Dimension::Team);
            fastest = fastest.min(begin.elapsed());
            let mut sum = Usd::ZERO;
            found.rows.iter().for_each(|row| sum += row.usd());
            assert_eq!(sum, found.total, "the rows are the total");
        }
        println!("{LINES} resources, {what}: {:.2} ms", fastest.as_secs_f64() * 1e3);
    }
}

/// A third has a tag of the team; of the others a mapping takes half.
fn line(n: u64) -> Line {
    let tags: &[(Arc<str>, Arc<str>)] =
        &[("team".into(), format!("team-{}", n % 20).into())][..usize::from(n.is_multiple_of(3))];
    let group = n * 7_919 % (2 * MAPPINGS);
    Line {
        usd: Usd::from_f64(1.0 + (n % 977) as f64 / 100.0).expect("an amount"),
        gpu_hours: (n % 9) as f64,
        day: 0,
        lack: Lack::Untagged,
        account: Some(format!("{:012}", n % 7).into()),
        region: Some("us-east-1".into()),
        service: Some("Amazon Elastic Compute Cloud".into()),
        usage_type: Some("BoxUsage:p5.48xlarge".into()),
        resource: Some(format!("i-{n:017x}").into()),
        commitment: None,
        name: Some(format!("group-{group}-worker-{n}").into()),
        category: Some("training"),
        charge: Charge::Usage,
        pricing: Pricing::OnDemand,
        tags: tags.into(),
    }
}

fn mapping(n: u64) -> Mapping {
    let name = Some(Pattern::new(&format!("group-{n}-*")));
    Mapping { team: format!("team-{}", n % 20).into(), account: None, name, tag: None }
}

fn pool(n: u64) -> Pool {
    let filter = MoneyFilter::parse(&format!("team=team-{n}")).expect("a filter");
    Pool { name: format!("pool-{n}").into(), filter, split: Split::BySpend, among: Vec::new() }
}
