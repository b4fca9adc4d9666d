//! Lists beside attempts and sums: nodes, what was lost again and again, GPUs that do nothing for a job.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::usd;
use crate::analyze::jobs::{NodeCost, Repeat, TypeFrom, Zombie};
use crate::domain::bill::Usd;
use crate::domain::{Reading, SourceId};
use crate::fleet::Fleet;
use crate::report::{List, ListField, sources};
use crate::tabs::jobs::picture::{NodeField, NodeRow, RepeatField, ZombieField};
use crate::view::{ViewContext, format};

/// What lists of nodes and of losses come from: attempts that are kept, and no source that is read now.
#[derive(Clone, Copy, Debug)]
pub struct KeptJobsOf;

/// What GPUs that do nothing for a job come from.
#[derive(Clone, Debug)]
pub struct ZombiesOf {
    /// The fleet with the readings of its sources.
    pub fleet: Arc<Fleet>,
    /// Nodes of which a fresh reading tells who holds their GPUs.
    pub nodes: usize,
}

/// Dollars of nodes.
#[derive(Default)]
struct NodeSums {
    usd: Usd,
    jobs: Usd,
    idle: Usd,
    unallocated: Usd,
    ms: u64,
    unpriced_ms: u64,
    scaled_ms: u64,
    by_rule: usize,
    without_up: usize,
}

impl NodeSums {
    fn of<'a>(rows: impl Iterator<Item = &'a NodeCost>) -> Self {
        let mut sums = Self::default();
        for of in rows {
            sums.usd += of.usd;
            sums.jobs += of.runs_usd;
            sums.idle += of.idle_usd;
            sums.unallocated += of.unallocated_usd;
            sums.ms += of.ms;
            sums.unpriced_ms += of.unpriced_ms;
            sums.scaled_ms += of.scaled_ms;
            sums.by_rule += usize::from(of.type_from == Some(TypeFrom::Rule));
            sums.without_up += usize::from(!of.is_up_known);
        }
        sums
    }
}

fn node_hours(ms: u64) -> String {
    format!("{} node-hours", format::grouped(ms as f64 / 3.6e6, 1))
}

impl ListField for NodeField {
    type Of = KeptJobsOf;

    const VIEW: &'static str = "jobs-nodes";

    const IDENTITY: &'static [Self] = &[Self::Source, Self::Cluster, Self::Node];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &KeptJobsOf) -> &[Reading] {
        &[]
    }

    fn basis(_: &KeptJobsOf) -> String {
        "Each node once: jobs + idle + unallocated = price × hours that it was up or held, at the price that held then; an attempt \
         has the largest of its shares in GPUs, CPUs and memory"
            .into()
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let sums = NodeSums::of(list.each().map(|row: &NodeRow| &row.of));
        let total = json!({
            "hours": sums.ms as f64 / 3.6e6,
            "usd": usd(Some(sums.usd)),
            "jobs_usd": usd(Some(sums.jobs)),
            "idle_usd": usd(Some(sums.idle)),
            "unallocated_usd": usd(Some(sums.unallocated)),
            "unpriced_hours": sums.unpriced_ms as f64 / 3.6e6,
            "scaled_hours": sums.scaled_ms as f64 / 3.6e6,
        });
        vec![("total", total)]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let sums = NodeSums::of(list.each().map(|row: &NodeRow| &row.of));
        let dollars = |usd: Usd| format::usd(usd.to_f64());
        let mut lines = vec![format!(
            "total: {} ({}): jobs {}, idle {}, unallocated {}",
            node_hours(sums.ms),
            dollars(sums.usd),
            dollars(sums.jobs),
            dollars(sums.idle),
            dollars(sums.unallocated),
        )];
        if sums.scaled_ms > 0 {
            lines.push(format!(
                "in {} attempts asked for more than there is: each pays its part of one node",
                node_hours(sums.scaled_ms)
            ));
        }
        if sums.unpriced_ms > 0 {
            lines.push(format!(
                "! {} have no known price: they are in no dollars",
                node_hours(sums.unpriced_ms)
            ));
        }
        let nodes = |n: usize| format::counted(n, "node", "nodes");
        if sums.by_rule > 0 {
            lines.push(format!(
                "! {}: priced by the type of their queue, an estimate",
                nodes(sums.by_rule)
            ));
        }
        if sums.without_up > 0 {
            lines.push(format!(
                "! {}: nobody tells when they were up; their idle time is not counted",
                nodes(sums.without_up)
            ));
        }
        lines
    }
}

impl ListField for RepeatField {
    type Of = KeptJobsOf;

    const VIEW: &'static str = "jobs-repeats";

    const IDENTITY: &'static [Self] = &[Self::Kind, Self::Key];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &KeptJobsOf) -> &[Reading] {
        &[]
    }

    fn basis(_: &KeptJobsOf) -> String {
        "What came to nothing of these attempts, each counted by the first kind that it is of: same_node, same_script, last_hour; of \
         a sweep a quarter of its cost: half of its members stopped at half of their time"
            .into()
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let (hours, dollars) = own(list.each());
        vec![("total", json!({ "own_lost_gpu_hours": hours, "own_lost_usd": usd(dollars) }))]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let (hours, dollars) = own(list.each());
        let priced =
            dollars.map_or(String::new(), |usd| format!(" ({})", format::usd(usd.to_f64())));
        vec![format!("total, each attempt once: {} GPU-hours{priced}", format::grouped(hours, 1))]
    }
}

/// GPU-hours and dollars of findings, each attempt once.
fn own<'a>(rows: impl Iterator<Item = &'a Repeat>) -> (f64, Option<Usd>) {
    rows.fold((0.0, None), |(hours, all), row| {
        let usd = match (all, row.own.usd) {
            (Some(all), Some(usd)) => Some(all + usd),
            (all, usd) => all.or(usd),
        };
        (hours + row.own.gpu_time.map_or(0.0, crate::domain::jobs::GpuTime::hours), usd)
    })
}

impl ListField for ZombieField {
    type Of = ZombiesOf;

    const VIEW: &'static str = "jobs-zombies";

    const IDENTITY: &'static [Self] = &[Self::Node, Self::Gpu];

    const SOURCES: &'static [SourceId] = sources::GPUS;

    fn readings(of: &ZombiesOf) -> &[Reading] {
        &of.fleet.readings
    }

    fn basis(_: &ZombiesOf) -> String {
        "GPUs that a fresh reading of the scheduler and fresh telemetry agree on: held by no living job, or idle for ten minutes in \
         one that runs; anything unknown or stale means in use"
            .into()
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let (rate, usd) = dollars(list.each());
        vec![("total", json!({ "gpus": list.rows.len(), "usd_per_hour": rate, "usd": usd }))]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let (rate, usd) = dollars(list.each());
        let gpus = format::counted(list.rows.len(), "GPU", "GPUs");
        let mut lines = vec![format!(
            "{gpus} of {}: {}/h, {} since then",
            format::counted(list.of.nodes, "node", "nodes"),
            format::usd(rate),
            format::usd(usd)
        )];
        let unpriced = list.each().filter(|row| row.usd.is_none()).count();
        if unpriced > 0 {
            let gpus = format::counted(unpriced, "GPU", "GPUs");
            lines.push(format!("! {gpus}: since when, or at what price, is not known"));
        }
        lines
    }
}

/// Dollars per hour and since then, of those that are known.
fn dollars<'a>(rows: impl Iterator<Item = &'a Zombie>) -> (f64, f64) {
    rows.fold((0.0, 0.0), |(rate, usd), row| {
        (rate + row.usd_per_hour.unwrap_or(0.0), usd + row.usd.unwrap_or(0.0))
    })
}
