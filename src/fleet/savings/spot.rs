//! What of the fleet could run on Spot.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Effort, Risk};
use crate::domain::{Interruption, Owner, Scope, Workload};

/// Whether a workload bears interruptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpotFit {
    /// It does: training with checkpoints, search, batch.
    Yes,
    /// A part of it, above a base on demand: serving behind a load balancer.
    Partial,
    /// It does not: interactive work, what keeps state, what must not stop.
    No,
    /// Nothing says what it is.
    Unknown,
}

impl SpotFit {
    /// All of them.
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

/// Spot in one zone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ZonePrice {
    /// Availability zone.
    pub az: Arc<str>,
    /// Price now, USD/h.
    pub usd_per_hour: f64,
    /// Mean over the history, weighted by time, USD/h; `None` without one.
    pub mean: Option<f64>,
    /// Highest of the history, USD/h.
    pub highest: Option<f64>,
    /// Hours of history.
    pub hours: u32,
}

/// An on-demand instance, and what Spot would make of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpotRow {
    /// Instance id.
    pub id: Arc<str>,
    /// Its name, or the id.
    pub name: Arc<str>,
    /// Account and region.
    pub scope: Scope,
    /// Availability zone.
    pub az: Arc<str>,
    /// Team.
    pub team: Option<Arc<str>>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// GPU equivalents.
    pub gpus: f64,
    /// What kind of work, where a tag or rule says it.
    pub workload: Option<Workload>,
    /// Whether it fits.
    pub fit: SpotFit,
    /// Which tag or rule says so, a clause; clean text.
    pub because: Arc<str>,
    /// On-demand price, USD/h.
    pub on_demand: Option<f64>,
    /// Zones of the region with a price, cheapest first by the dearer of price now and mean. Local
    /// Zones stand here only where the instance runs in one. Rows of one market share them.
    pub zones: Arc<[ZonePrice]>,
    /// How often it is interrupted within a month, and the date of the figure.
    pub interruption: Option<(Interruption, Arc<str>)>,
    /// Hours between checkpoints that lose the least (Young/Daly); `None` where none are needed or
    /// nothing is known.
    pub checkpoint_every_hours: Option<f64>,
    /// Part of the time that is work kept, 0–1.
    pub efficiency: Option<f64>,
    /// USD per hour of useful work, re-work and on-demand fallback included, with Spot in the best zone
    /// where it is worth it; never above on demand. Where only a part of a group moves, the mean
    /// over all of it. `None` where it does not fit or is not known.
    pub effective: Option<f64>,
    /// What it saves at list price, USD/h: on demand less Spot now, for the part that moves. Negative
    /// where Spot is dearer; `None` where it does not fit or is not known.
    pub gross_usd_per_hour: Option<f64>,
    /// What the bill falls by were it moved: re-work, fallback and commitments considered, USD/h, for
    /// the part that moves; 0 or negative where moving is not worth it. `None` where it does not fit
    /// or is not known.
    pub net_usd_per_hour: Option<f64>,
    /// Work.
    pub effort: Effort,
    /// What may go wrong.
    pub risk: Risk,
    /// What must hold and what to watch, a sentence each. Clean text.
    pub says: Vec<Arc<str>>,
}

/// Instances that do the same work, as one fleet: on demand up to a base, Spot above it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixedFleet {
    /// Account and region.
    pub scope: Scope,
    /// Team.
    pub team: Option<Arc<str>>,
    /// What kind of work, where a tag or rule says it.
    pub workload: Option<Workload>,
    /// Whether all of it fits, or a part: also where members of the group that nothing speaks for, or
    /// that must not move, stay on demand.
    pub fit: SpotFit,
    /// What manages the instances already, whose setting it is to change.
    pub owner: Option<Owner>,
    /// On-demand instances in it, by id.
    pub instances: Vec<Arc<str>>,
    /// All that run in it, those on Spot already included.
    pub count: u32,
    /// `OnDemandBaseCapacity`, instances; never fewer than the members that stay on demand.
    pub base: u32,
    /// `OnDemandPercentageAboveBaseCapacity`, 0–100.
    pub percent_above_base: u32,
    /// Instances on demand that this comes to; the rest of `count` is Spot.
    pub on_demand: u32,
    /// Instance types, those that run now first, then those that can do the same; each once, at most
    /// 40.
    pub types: Vec<Arc<str>>,
    /// Zones where Spot is cheaper than on demand, cheapest first.
    pub zones: Vec<Arc<str>>,
    /// What it saves at list price, USD/h.
    pub gross_usd_per_hour: Option<f64>,
    /// What the bill falls by, all of them together, USD/h; `None` when it is not known.
    pub net_usd_per_hour: Option<f64>,
    /// What must hold and how it is applied, a sentence each. Clean text.
    pub says: Vec<Arc<str>>,
    /// Why there is no policy to copy: a group keeps a number of instances on demand, not those that
    /// must stay there. `None` where there is one. Clean text.
    pub no_policy: Option<Arc<str>>,
}

impl MixedFleet {
    /// Instances on Spot that it comes to.
    pub fn spot(&self) -> u32 {
        self.count.saturating_sub(self.on_demand)
    }
}
