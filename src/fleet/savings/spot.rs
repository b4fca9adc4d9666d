//! What of the fleet could run on Spot.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Effort, NoPolicy, Risk, SpotBecause, SpotNote};
use crate::domain::{Interruption, Owner, Scope, Workload};

/// Whether a workload tolerates Spot interruptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpotFit {
    /// All of it: training with checkpoints, hyperparameter search, batch.
    Yes,
    /// The part above an on-demand base: serving behind a load balancer.
    Partial,
    /// None of it: interactive work, work with state, work that must not stop.
    No,
    /// No evidence of the kind of work.
    Unknown,
}

impl SpotFit {
    /// All variants, in the order of declaration.
    pub const ALL: [Self; 4] = [Self::Yes, Self::Partial, Self::No, Self::Unknown];

    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partial => "partial",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// Spot prices of an instance type in one zone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ZonePrice {
    /// Availability zone, such as `us-east-1a`.
    pub az: Arc<str>,
    /// Spot price now, USD/h.
    pub usd_per_hour: f64,
    /// Time-weighted mean of the history, USD/h; `None` without history.
    pub mean: Option<f64>,
    /// Highest price in the history, USD/h; `None` without one.
    pub highest: Option<f64>,
    /// Length of the history, hours.
    pub hours: u32,
}

/// An on-demand instance, judged for Spot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpotRow {
    /// EC2 instance id, such as `i-0abc`.
    pub id: Arc<str>,
    /// `Name` tag, or the id without one.
    pub name: Arc<str>,
    /// Account and region it lies in.
    pub scope: Scope,
    /// Availability zone, such as `us-east-1a`.
    pub az: Arc<str>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// GPU equivalents of the instance.
    pub gpus: f64,
    /// Kind of work, by tag or rule; `None` without either.
    pub workload: Option<Workload>,
    /// Whether the work tolerates interruptions.
    pub fit: SpotFit,
    /// Tag or rule behind `fit`. Rows with an equal one share it.
    pub because: Arc<SpotBecause>,
    /// On-demand price, USD/h; `None` when unknown.
    pub on_demand: Option<f64>,
    /// Zones of the region with a price, ordered by the higher of present and mean price, cheapest first. Local Zones
    /// are listed only where the instance runs in one. Rows of one market share the list.
    pub zones: Arc<[ZonePrice]>,
    /// Monthly interruption band of the Spot Instance Advisor, and the date of the figure; `None` when the Advisor has
    /// none.
    pub interruption: Option<(Interruption, Arc<str>)>,
    /// Hours between checkpoints that lose the least work (Young/Daly); `None` when no checkpoints are needed or the
    /// inputs are unknown.
    pub checkpoint_every_hours: Option<f64>,
    /// Share of the time that is useful work, 0–1; `None` when unknown.
    pub efficiency: Option<f64>,
    /// USD per hour of useful work, with re-work and on-demand fallback, on Spot in the best zone where that is
    /// cheaper; never above on demand. When only a part of a group moves, the mean over the whole group. `None` when it
    /// does not fit or is unknown.
    pub effective: Option<f64>,
    /// Saving at list price, USD/h: on demand less Spot now, for the part that moves. Negative when Spot is dearer;
    /// `None` when it does not fit or is unknown.
    pub gross_usd_per_hour: Option<f64>,
    /// Decrease of the bill by moving, USD/h, with re-work, fallback and commitments considered, for the part that
    /// moves; 0 or negative when moving does not pay. `None` when it does not fit or is unknown.
    pub net_usd_per_hour: Option<f64>,
    /// Effort to move it.
    pub effort: Effort,
    /// Possible loss by moving it.
    pub risk: Risk,
    /// Conditions and what to watch, the most important first. Rows with an equal note share it.
    pub says: Vec<Arc<SpotNote>>,
}

/// Instances that do the same work, as one fleet: on demand up to a base, Spot above it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixedFleet {
    /// Account and region it lies in.
    pub scope: Scope,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Kind of work, by tag or rule; `None` without either.
    pub workload: Option<Workload>,
    /// Whether all of it fits or a part. A part also when members without evidence, or that must not move, stay on
    /// demand.
    pub fit: SpotFit,
    /// Auto Scaling group or other service that manages the instances, whose setting has to change; `None` without one.
    pub owner: Option<Owner>,
    /// Ids of its on-demand instances.
    pub instances: Vec<Arc<str>>,
    /// Number of running instances in it, those on Spot included.
    pub count: u32,
    /// `OnDemandBaseCapacity`, instances; never fewer than the members that stay on demand.
    pub base: u32,
    /// `OnDemandPercentageAboveBaseCapacity`, 0–100.
    pub percent_above_base: u32,
    /// Number of instances on demand under these settings; the rest of `count` is Spot.
    pub on_demand: u32,
    /// Instance types: first those that run now, then equivalents; each once, at most 40.
    pub types: Vec<Arc<str>>,
    /// Zones where Spot is cheaper than on demand, cheapest first.
    pub zones: Vec<Arc<str>>,
    /// Saving at list price, USD/h; `None` when unknown.
    pub gross_usd_per_hour: Option<f64>,
    /// Decrease of the bill for all of them together, USD/h; `None` when unknown.
    pub net_usd_per_hour: Option<f64>,
    /// Conditions and how to apply it.
    pub says: Vec<SpotNote>,
    /// Why there is no policy to copy; `None` when there is one.
    pub no_policy: Option<NoPolicy>,
}

impl MixedFleet {
    /// Number of instances on Spot under these settings.
    pub fn spot(&self) -> u32 {
        self.count.saturating_sub(self.on_demand)
    }
}
