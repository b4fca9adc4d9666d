//! One GPU with everything joined to it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::trail::Trail;
use crate::domain::{GpuKey, GpuSample, GpuState, GpuVerdict, SourceId};
use crate::fleet::Row;

/// The host of GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuNode {
    /// The name to show: the node's, else the instance's.
    pub name: Arc<str>,
    /// The instance; `None` where no instance of the accounts read has the names of this host.
    pub instance: Option<Arc<Row>>,
}

impl GpuNode {
    /// The name without the domain of EC2's private DNS, which is the same for all hosts of a
    /// region: `ip-10-0-0-7` of `ip-10-0-0-7.ec2.internal`. Other domains tell hosts apart and stay.
    pub fn short_name(&self) -> &str {
        let is_private = self.name.ends_with(".internal");
        let short = self.name.split_once('.').map(|(host, _)| host).filter(|_| is_private);
        short.filter(|host| host.starts_with("ip-") || host.starts_with("i-")).unwrap_or(&self.name)
    }
}

/// Who told something about a GPU, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The kind of source.
    pub source: SourceId,
    /// Which one of its kind.
    pub origin: Arc<str>,
    /// When it was measured.
    pub taken_at: Timestamp,
}

/// One GPU, or one slice of a partitioned GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuRow {
    /// What tells it apart.
    pub key: GpuKey,
    /// The key as one text: cursor and marks belong to it.
    pub id: Arc<str>,
    /// Where it sits.
    pub node: Arc<GpuNode>,
    /// Model in the catalogue's terms where it is known there (`H100`), else as the source says.
    pub model: Arc<str>,
    /// The newest values: those of the best source, and what only others know.
    pub sample: GpuSample,
    /// The conclusion.
    pub verdict: Arc<GpuVerdict>,
    /// Team: by the instance's tags, else by a rule over the owner.
    pub team: Option<Arc<str>>,
    /// GPU equivalents: 1, a fraction of a physical GPU, or the slice's share.
    pub equivalents: f64,
    /// Its share of the instance's price, USD/h: price ÷ the instance's GPU equivalents × its own;
    /// `None` without an instance or a price.
    pub usd_per_hour: Option<f64>,
    /// The part of it that buys nothing, USD/h: all of a GPU that is idle, stalled, or unhealthy and
    /// quiet; 0 of one that works; `None` when not known.
    pub waste_usd_per_hour: Option<f64>,
    /// Dollars from the beginning of the idle spell to the last sample, at today's rate: nobody can
    /// call wasted what nobody saw. `None` when not idle or not priced.
    pub wasted_usd: Option<f64>,
    /// Who told, best first.
    pub told: Vec<Told>,
    /// What sources disagree about, one clause; empty when they agree.
    pub disagreement: Arc<str>,
    /// Effective activity of the last samples.
    pub trail: Trail,
}

impl GpuRow {
    /// True when `wasted_usd` is a lower bound: nobody looked before the idle spell was first seen.
    pub fn wasted_at_least(&self) -> bool {
        self.verdict.idle_since_at_least && self.wasted_usd.is_some_and(|usd| usd > 0.0)
    }

    /// The share of its time that is of use, 0–1: its activity, but nothing of a stalled GPU, whose
    /// engines are busy to no end. `None` when it is not known.
    pub fn effective(&self) -> Option<f64> {
        let activity = self.verdict.activity?;
        let is_stalled = self.verdict.state == GpuState::Stalled;
        Some(if is_stalled { 0.0 } else { f64::from(activity.effective) })
    }
}

/// A running instance with accelerators that tells too little.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blind {
    /// The instance.
    pub instance: Arc<Row>,
    /// Devices that nobody reports.
    pub missing: u32,
    /// Devices the type has.
    pub devices: u32,
    /// What the unseen devices burn, USD/h; `None` without a price.
    pub usd_per_hour: Option<f64>,
    /// What to do about it, one sentence.
    pub fix: Arc<str>,
}
