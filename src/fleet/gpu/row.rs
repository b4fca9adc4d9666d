//! One GPU with everything joined to it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::trail::Trail;
use crate::domain::{GpuKey, GpuSample, GpuState, GpuVerdict, SourceError, SourceId};
use crate::fleet::Row;

/// A host of GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuNode {
    /// Name on screen: the node's, else the instance's.
    pub name: Arc<str>,
    /// The instance; `None` when no instance of the read accounts has the host's names.
    pub instance: Option<Arc<Row>>,
}

impl GpuNode {
    /// Name without the domain of EC2's private DNS, which all hosts of a region share: `ip-10-0-0-7` for
    /// `ip-10-0-0-7.ec2.internal`. Names in other domains are kept whole.
    pub fn short_name(&self) -> &str {
        let is_private = self.name.ends_with(".internal");
        let short = self.name.split_once('.').map(|(host, _)| host).filter(|_| is_private);
        short.filter(|host| host.starts_with("ip-") || host.starts_with("i-")).unwrap_or(&self.name)
    }
}

/// A source that reported a GPU, with the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Kind of source.
    pub source: SourceId,
    /// Configured name or host name of the source.
    pub origin: Arc<str>,
    /// Time of measurement.
    pub taken_at: Timestamp,
}

/// One GPU, or one MIG slice of a partitioned GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuRow {
    /// Key of the GPU over all sources.
    pub key: GpuKey,
    /// Key as text, by which cursor and marks identify the row.
    pub id: Arc<str>,
    /// Host it sits in.
    pub node: Arc<GpuNode>,
    /// Model as in the catalogue (`H100`) where it is known there, else as the source reports it.
    pub model: Arc<str>,
    /// Newest values: those of the best source, completed with those that only others have.
    pub sample: GpuSample,
    /// State, with activity and reason.
    pub verdict: Arc<GpuVerdict>,
    /// Team, from the tags of the instance, else from a rule on the owner; `None` without either.
    pub team: Option<Arc<str>>,
    /// GPU equivalents: 1, a fraction of a physical GPU, or the slice's share.
    pub equivalents: f64,
    /// Its share of the instance's price, USD/h: price ÷ the instance's GPU equivalents × its own;
    /// `None` without an instance or a price.
    pub usd_per_hour: Option<f64>,
    /// Wasted part of its price, USD/h: all of it for a GPU that is idle, stalled, or unhealthy and quiet; 0 while it
    /// works; `None` when unknown.
    pub waste_usd_per_hour: Option<f64>,
    /// Dollars from the start of the idle spell to the last sample, at today's rate; later hours have no evidence.
    /// `None` when not idle or not priced.
    pub wasted_usd: Option<f64>,
    /// Sources, best first.
    pub told: Vec<Told>,
    /// Differences between the sources, one clause; empty when they agree.
    pub disagreement: Arc<str>,
    /// Effective activity of the last samples, 0–1.
    pub trail: Trail,
}

impl GpuRow {
    /// True when `wasted_usd` is a lower bound: nobody looked before the idle spell was first seen.
    pub fn wasted_at_least(&self) -> bool {
        self.verdict.idle_since_at_least && self.wasted_usd.is_some_and(|usd| usd > 0.0)
    }

    /// Share of its time that does useful work, 0–1: its activity, and 0 for a stalled GPU, whose engines are busy to
    /// no end. `None` when it is not known.
    pub fn effective(&self) -> Option<f64> {
        let activity = self.verdict.activity?;
        let is_stalled = self.verdict.state == GpuState::Stalled;
        Some(if is_stalled { 0.0 } else { f64::from(activity.effective) })
    }
}

/// A running instance with accelerators that reports too little telemetry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blind {
    /// The instance with its price and type.
    pub instance: Arc<Row>,
    /// Number of devices without fresh telemetry.
    pub missing: u32,
    /// Number of devices of the instance type.
    pub devices: u32,
    /// Price of the devices without telemetry, USD/h; `None` without a price.
    pub usd_per_hour: Option<f64>,
    /// Why it does.
    pub cause: BlindCause,
}

/// Why an instance with accelerators reports too little telemetry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlindCause {
    /// Its source did not answer.
    Failed(Arc<SourceError>),
    /// It has AMD GPUs, which no source reads.
    Amd,
    /// It has accelerators of another kind that no source reads.
    OtherKind,
    /// Other devices of it report.
    SomeTold,
    /// Its telemetry stopped within the last hour.
    Stopped,
    /// Trainium or Inferentia without an exporter.
    Neuron,
    /// No source names the instance.
    Unnamed,
    /// No source is configured.
    NoSource,
    /// A sentence of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}
