//! Node groups that hold empty GPU nodes: settings of an autoscaler replayed over what really ran.
//!
//! | file | holds |
//! |---|---|
//! | `load` | groups: when their nodes were up, when somebody held them, what that cost |
//! | `simulate` | which nodes would be up under a setting |
//!
//! A group is what a cluster has of an instance type for a queue. A job begins when it began; where it would have found no warm
//! node, one boots for it, and it waits for the boot.

mod load;
mod simulate;

use std::cmp::Reverse;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::waits::WaitInput;
use crate::domain::bill::{Usd, words};
use crate::domain::jobs::{Gpus, JobSource};
use simulate::{Load, Setting, simulate};

/// Days that are looked at where nobody says.
pub const SCALING_DAYS: u32 = 14;

/// Minutes that a node boots where nobody says, and too few boots were seen.
const BOOT_MINUTES: i64 = 5;

/// Boots that were seen, at least, for their median to count.
const BOOTS_AT_LEAST: usize = 3;

/// Minutes for which an empty node stays up; `None` = for ever.
const DELAYS: [Option<u32>; 7] = [Some(1), Some(5), Some(10), Some(15), Some(30), Some(60), None];

/// Nodes that stay up, besides as many as were never fewer.
const KEPT: [u32; 3] = [0, 1, 2];

/// Of so many jobs one more than so far may wait for a node under a setting that fits.
const JOBS_OF_ONE_DELAYED: u32 = 20;

/// A minute, milliseconds.
const MINUTE_MS: i64 = 60_000;

/// A day, milliseconds.
const DAY_MS: u64 = 86_400_000;

/// A month of 730 hours, milliseconds.
const MONTH_MS: u64 = 730 * 3_600_000;

words! {
    /// What tells how long a node boots.
    BootFrom {
        /// Somebody said it.
        Given = "given",
        /// The median of nodes that came up for a job that waited.
        Observed = "observed",
        /// Nobody knows: five minutes.
        Assumed = "assumed",
    }
}

/// Nodes of an instance type that a cluster has for a queue, and what they did in the time that is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeGroup {
    /// Where the nodes were read.
    pub source: JobSource,
    /// Cluster; empty where none is named.
    pub cluster: Arc<str>,
    /// Queue whose jobs held a node longest; `None` where nothing ran on it, and where jobs name none.
    pub queue: Option<Arc<str>>,
    /// Instance type; `None` = unknown.
    pub instance_type: Option<Arc<str>>,
    /// GPUs of a node.
    pub gpus: Gpus,
    /// Time that is replayed, milliseconds.
    pub span_ms: i64,
    /// Instances that were up at some time of it; of a name that is used again each counts.
    pub nodes: u32,
    /// Instances of them that were up all the time.
    pub static_nodes: u32,
    /// Fewest and most nodes that were up at once.
    pub up_at_once: (u32, u32),
    /// Instances that came up.
    pub starts: u32,
    /// Jobs that began.
    pub jobs: u32,
    /// Jobs of them that waited until a node had come up for them.
    pub delayed: u32,
    /// Time for which nodes were up, over all nodes, milliseconds.
    pub up_ms: u64,
    /// Time of it in which somebody held them, milliseconds.
    pub held_ms: u64,
    /// Time of it whose price is known, milliseconds.
    pub priced_ms: u64,
    /// What nodes cost while they were up and their price is known.
    pub usd: Usd,
    /// What of it fell on time in which nobody held them.
    pub empty_usd: Usd,
    /// Stretches in which a node was up and nobody held it.
    pub stretches: u32,
    /// Median and 95th percentile of their lengths, milliseconds; `None` without any.
    pub stretch_ms: Option<(i64, i64)>,
    /// Median time from the end of the last job on a node to when the node went away, milliseconds; `None` where none did.
    pub scale_down_ms: Option<i64>,
    /// Time that a node boots, milliseconds.
    pub boot_ms: i64,
    /// What tells it.
    pub boot_from: BootFrom,
}

impl NodeGroup {
    /// Time for which nodes were up and held by nobody, milliseconds.
    pub const fn empty_ms(&self) -> u64 {
        self.up_ms.saturating_sub(self.held_ms)
    }

    /// True where some of its time has a known price.
    pub const fn is_priced(&self) -> bool {
        self.priced_ms > 0
    }

    /// Dollars of time of its nodes, by the mean price of theirs; `None` where no price is known.
    fn usd_of(&self, ms: i64) -> Option<Usd> {
        let usd = self.usd.prorated(ms.unsigned_abs(), self.priced_ms);
        self.is_priced().then_some(if ms < 0 { -usd } else { usd })
    }
}

/// A setting replayed over a group.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingRow {
    /// Group and setting; unique.
    pub id: Arc<str>,
    /// The group.
    pub group: Arc<NodeGroup>,
    /// Minutes for which an empty node stays up; `None` = for ever.
    pub delay_minutes: Option<u32>,
    /// Nodes that stay up whatever happens.
    pub kept_nodes: u32,
    /// Node time that was empty and would not have been up, less that of boots, milliseconds; below 0 where more would have been up.
    pub saved_ms: i64,
    /// Nodes that would have come up beyond those that did; below 0 for fewer.
    pub more_starts: i64,
    /// Jobs that would have waited for a node to boot.
    pub delayed: u32,
    /// True for the setting of the group that saves most, of those by which at most one job in twenty more than so far would have
    /// waited for a node.
    pub fits: bool,
}

impl ScalingRow {
    /// Dollars a month that it saves, below 0 where it costs more; `None` where no price is known.
    pub fn saves_usd_per_month(&self) -> Option<Usd> {
        // What is known of an hour tells nothing of a month.
        let span = self.group.span_ms.unsigned_abs().max(DAY_MS);
        self.group.usd_of(self.saved_ms).map(|usd| usd.prorated(MONTH_MS, span))
    }

    /// Time for which jobs would have waited for nodes to boot, over all jobs, milliseconds.
    pub fn wait_ms(&self) -> i64 {
        self.group.boot_ms * i64::from(self.delayed)
    }
}

/// What settings were replayed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScaledOver {
    /// Groups.
    pub groups: u32,
    /// Instances of them.
    pub nodes: u32,
    /// Time for which these were up, milliseconds.
    pub up_ms: u64,
    /// Time of it in which nobody held them, milliseconds.
    pub empty_ms: u64,
    /// Its dollars, of time with a known price.
    pub empty_usd: Usd,
    /// Time for which they were up whose price is not known, milliseconds.
    pub unpriced_ms: u64,
    /// Nodes of which nobody knows whether they have GPUs: they are in no group.
    pub unknown_gpu_nodes: u32,
    /// Attempts that held nodes which are not named: while they did, every node of their cluster counts as held.
    pub unnamed_attempts: u32,
}

/// Settings that were replayed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scaling {
    /// A row per group and setting: groups by the dollars of their empty nodes, the setting that fits first, then by nodes that stay up
    /// and by delay.
    pub rows: Vec<ScalingRow>,
    /// What they were replayed over.
    pub of: ScaledOver,
}

/// Replays settings over the groups of all clusters whose schedulers tell when nodes were up. A node boots for `boot_ms`; `None` = as
/// long as boots that were seen.
pub fn scaling(input: &WaitInput<'_>, boot_ms: Option<i64>) -> Scaling {
    let (mut groups, mut of) = load::groups(input, boot_ms);
    groups.sort_by_key(|(group, _)| Reverse((group.empty_usd, group.empty_ms())));
    let mut rows = Vec::new();
    for (group, load) in groups {
        of.groups += 1;
        of.nodes += group.nodes;
        of.up_ms += group.up_ms;
        of.empty_ms += group.empty_ms();
        of.empty_usd += group.empty_usd;
        of.unpriced_ms += group.up_ms.saturating_sub(group.priced_ms);
        rows.extend(replay(group, &load));
    }
    Scaling { rows, of }
}

/// Rows of a group.
fn replay(group: NodeGroup, load: &Load) -> Vec<ScalingRow> {
    let (fewest, most) = group.up_at_once;
    let mut kept: Vec<u32> =
        KEPT.into_iter().chain([fewest]).filter(|kept| *kept <= most).collect();
    kept.sort_unstable();
    kept.dedup();
    let group = Arc::new(group);
    // The last setting under which a job waited: of several nodes that boot for a job it waits once.
    let mut waited = vec![0_u32; load.jobs as usize];
    let mut rows: Vec<ScalingRow> = Vec::new();
    for kept_nodes in kept {
        for delay_minutes in DELAYS {
            let delay_ms = delay_minutes.map(|minutes| i64::from(minutes) * MINUTE_MS);
            let number = rows.len() as u32 + 1;
            let mut delayed = 0;
            let found = simulate(load, Setting { delay_ms, kept: kept_nodes }, &mut |unit| {
                for job in &load.begun[unit.begun.start as usize..unit.begun.end as usize] {
                    let last = &mut waited[*job as usize];
                    delayed += u32::from(*last != number);
                    *last = number;
                }
            });
            let up_ms = found.idle_ms + i64::from(found.starts) * group.boot_ms;
            rows.push(ScalingRow {
                id: id(&group, delay_minutes, kept_nodes),
                group: group.clone(),
                delay_minutes,
                kept_nodes,
                saved_ms: group.empty_ms() as i64 - up_ms,
                more_starts: i64::from(found.starts) - i64::from(group.starts),
                delayed,
                fits: false,
            });
        }
    }
    let is_harmless = |row: &ScalingRow| {
        let more = row.delayed.saturating_sub(group.delayed);
        row.saved_ms > 0 && more.saturating_mul(JOBS_OF_ONE_DELAYED) <= group.jobs
    };
    let harmless = rows.iter().enumerate().filter(|(_, row)| is_harmless(row));
    let best = harmless
        .max_by_key(|(place, row)| (row.saved_ms, Reverse((row.delayed, row.more_starts, *place))));
    if let Some(place) = best.map(|(place, _)| place) {
        rows[place].fits = true;
        rows[..=place].rotate_right(1);
    }
    rows
}

fn id(group: &NodeGroup, delay_minutes: Option<u32>, kept: u32) -> Arc<str> {
    let or_none = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let parts = [
        group.source.word().to_owned(),
        group.cluster.to_string(),
        or_none(group.queue.as_deref()),
        or_none(group.instance_type.as_deref()),
        delay_minutes.map_or_else(|| "never".to_owned(), |minutes| minutes.to_string()),
        kept.to_string(),
    ];
    parts.join(" ").into()
}
