//! Settings of an autoscaler replayed over node groups.

use serde_json::{Value as Json, json};

use super::{usd, with_known};
use crate::analyze::jobs::{SCALING_DAYS, ScaledOver};
use crate::domain::bill::Usd;
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::jobs::picture::ScalingField;
use crate::view::{ViewContext, format};

/// What settings were replayed over.
#[derive(Clone, Copy, Debug)]
pub struct ScalingOf {
    /// Days that are looked at.
    pub days: u32,
    /// Minutes that a node boots; `None` = as seen, group by group.
    pub boot_minutes: Option<f64>,
    /// Groups and nodes.
    pub over: ScaledOver,
}

impl Default for ScalingOf {
    fn default() -> Self {
        Self { days: SCALING_DAYS, boot_minutes: None, over: ScaledOver::default() }
    }
}

impl ScalingOf {
    /// Dollars of empty nodes; `None` where no price is known.
    fn empty_usd(&self) -> Option<Usd> {
        (self.over.unpriced_ms < self.over.up_ms).then_some(self.over.empty_usd)
    }
}

fn hours(ms: u64) -> f64 {
    // As exact as the rows.
    (ms as f64 / 3.6e6 * 1e6).round() / 1e6
}

impl ListField for ScalingField {
    type Of = ScalingOf;

    const VIEW: &'static str = "jobs-scaling";

    const IDENTITY: &'static [Self] =
        &[Self::Source, Self::Cluster, Self::Queue, Self::InstanceType, Self::After, Self::Kept];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &ScalingOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &ScalingOf) -> String {
        format!(
            "Nodes with GPUs in the last {}, as far as their scheduler told when they were up; a group is what a cluster has of an instance \
             type for a queue. Each setting is replayed over the jobs as they ran: the node that fell idle last is taken first, and where \
             none is up one boots, which is paid and waited for. Dollars by the mean price of the group × 730 h ÷ the hours that were \
             replayed. fits: saves most, and at most one job in twenty more than so far waits for a node",
            format::plural(of.days as usize, "day")
        )
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let of = &list.of;
        let total = json!({
            "groups": of.over.groups,
            "nodes": of.over.nodes,
            "empty_hours": hours(of.over.empty_ms),
            "empty_usd": usd(of.empty_usd()),
            "unpriced_node_hours": hours(of.over.unpriced_ms),
            "unknown_gpu_nodes": of.over.unknown_gpu_nodes,
            "unnamed_attempts": of.over.unnamed_attempts,
        });
        vec![("days", json!(of.days)), ("boot_minutes", json!(of.boot_minutes)), ("total", total)]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let (of, over) = (&list.of, &list.of.over);
        let mut notes = Vec::new();
        if over.groups == 0 {
            notes.push(
                "nobody tells when nodes with GPUs were up: Slurm's programs, slurmrestd, Kubernetes and AWS Batch do, files of jobs do not"
                    .to_owned(),
            );
        } else {
            let dollars = of.empty_usd().map(|usd| format!(" ({})", format::usd(usd.to_f64())));
            notes.push(format!(
                "{} of {} were up and empty for {} node-hours{}",
                format::plural(over.nodes as usize, "node"),
                format::plural(over.groups as usize, "group"),
                format::grouped(hours(over.empty_ms), 1),
                dollars.unwrap_or_default()
            ));
        }
        let fits = list.each().filter(|row| row.fits);
        let saves =
            fits.fold(None, |sum, row| with_known(sum, row.saves_usd_per_month().map(Usd::to_f64)));
        if let Some(saves) = saves {
            notes.push(format!(
                "the settings that fit would save {} a month together, before commitments",
                format::usd(saves)
            ));
        }
        if over.unpriced_ms > 0 {
            notes.push(format!(
                "! {} node-hours have no known price: they are in no dollars",
                format::grouped(hours(over.unpriced_ms), 1)
            ));
        }
        if over.unknown_gpu_nodes > 0 {
            notes.push(format!(
                "! of {} nobody knows whether they have GPUs: they are left out",
                format::plural(over.unknown_gpu_nodes as usize, "node")
            ));
        }
        if over.unnamed_attempts > 0 {
            notes.push(format!(
                "! {} not named: while it was held, every node of the cluster counts as held",
                format::counted(
                    over.unnamed_attempts as usize,
                    "attempt held nodes that are",
                    "attempts held nodes that are"
                )
            ));
        }
        notes
    }
}
