//! What is known of all that could be saved, raw: before anything is concluded.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::commitment::Holdings;
use super::evidence::HourlySeries;
use super::fleet_hour::FleetHour;
use super::log_group::EndlessLogs;
use super::metric_stream::MetricStreams;
use super::reading::Reading;
use super::resource::{Resource, ResourceSignal};
use super::scope::Scope;
use super::spot::{SpotHistory, ZoneOffering};
use super::vpc::Routing;

/// A resource with its hourly metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceFacts {
    /// The resource itself.
    pub resource: Resource,
    /// Hourly metrics by signal. A missing signal was not read; a series of `NaN` means that CloudWatch had no data.
    pub hours: BTreeMap<ResourceSignal, HourlySeries>,
    /// True when CloudWatch answered for all of its signals.
    pub complete: bool,
}

/// The resources of one account and region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeResources {
    /// Resources with their metrics, by kind and id.
    pub items: Vec<Arc<ResourceFacts>>,
    /// How the networks are routed; nothing of it is known where the region has neither a NAT gateway nor an
    /// endpoint that is billed.
    #[serde(default)]
    pub routing: Routing,
    /// Log groups that keep everything; `None` while the list was never read.
    #[serde(default)]
    pub logs: Option<EndlessLogs>,
    /// Metric streams of CloudWatch; `None` while the list was never read.
    #[serde(default)]
    pub streams: Option<MetricStreams>,
}

/// Everything read for savings, before any conclusion. Immutable: a newer reading is another value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavingsFacts {
    /// Grows with each new value.
    pub version: u64,
    /// Time when the value was assembled.
    pub made_at: Timestamp,
    /// Commitments; `None` while none was read.
    pub holdings: Option<Arc<Holdings>>,
    /// Running instances by hour, closed hours of the last week, oldest first.
    pub hours: Arc<Vec<FleetHour>>,
    /// Spot prices over time, per region, zone, type and platform.
    pub spot: Vec<Arc<SpotHistory>>,
    /// Instance types offered per zone, by account and region.
    pub offerings: BTreeMap<Scope, Arc<Vec<ZoneOffering>>>,
    /// Resources by account and region.
    pub resources: BTreeMap<Scope, Arc<ScopeResources>>,
    /// State of the savings sources, by source and scope.
    pub readings: Vec<Reading>,
}
