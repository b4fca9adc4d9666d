//! Log groups of the demo. `docs/demo.md` lists them.

use jiff::Timestamp;

use super::calendar;
use super::places::{ACCOUNTS, REGIONS};
use crate::domain::{Hour, LogGroup};

/// A planted log group.
struct Planted {
    name: &'static str,
    place: (usize, usize),
    gib: u64,
    retention_days: Option<u32>,
    /// Made so many days ago, by the demo's [`calendar`].
    days: i32,
}

const PLANTED: [Planted; 5] = [
    Planted {
        name: "/aws/containerinsights/train/application",
        place: (1, 0),
        gib: 6_144,
        retention_days: None,
        days: 900,
    },
    Planted {
        name: "/aws/sagemaker/TrainingJobs",
        place: (1, 0),
        gib: 320,
        retention_days: None,
        days: 700,
    },
    Planted {
        name: "/aws/vpc/flow-logs",
        place: (0, 0),
        gib: 1_800,
        retention_days: Some(30),
        days: 600,
    },
    Planted { name: "/aws/lambda/resize", place: (0, 0), gib: 0, retention_days: None, days: 400 },
    Planted {
        name: "/aws/eks/serve/cluster",
        place: (0, 2),
        gib: 512,
        retention_days: None,
        days: 500,
    },
];

/// Log groups of an account and region.
pub(super) fn of(account: &str, region: &str, now: Timestamp) -> Vec<LogGroup> {
    let is_here = |group: &&Planted| {
        ACCOUNTS[group.place.0].id == account && REGIONS[group.place.1].code == region
    };
    let group = |group: &Planted| LogGroup {
        name: group.name.into(),
        created_at: Some(calendar::dated(Hour::containing(now), group.days * 24)),
        retention_days: group.retention_days,
        bytes: Some(group.gib << 30),
    };
    PLANTED.iter().filter(is_here).map(group).collect()
}
