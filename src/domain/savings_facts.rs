//! What is known of all that could be saved, raw: before anything is concluded.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::commitment::Holdings;
use super::evidence::HourlySeries;
use super::fleet_hour::FleetHour;
use super::reading::Reading;
use super::resource::{Resource, ResourceSignal};
use super::scope::Scope;
use super::spot::{SpotHistory, ZoneOffering};

/// A resource and what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceFacts {
    /// The resource.
    pub resource: Resource,
    /// Its signals by the hour. A signal that is missing was not looked at; a series of `NaN` means
    /// that nothing came.
    pub hours: BTreeMap<ResourceSignal, HourlySeries>,
    /// True when CloudWatch was asked and answered for all of its signals.
    pub complete: bool,
}

/// The resources of one account and region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeResources {
    /// Resources, by kind and id.
    pub items: Vec<Arc<ResourceFacts>>,
}

/// Everything read of it. Immutable: a newer picture is another value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavingsFacts {
    /// Grows with each picture.
    pub version: u64,
    /// When the picture was put together.
    pub made_at: Timestamp,
    /// Commitments; `None` while none was read.
    pub holdings: Option<Arc<Holdings>>,
    /// Running instances by hour, closed hours of the last week, oldest first.
    pub hours: Arc<Vec<FleetHour>>,
    /// Spot prices over time.
    pub spot: Vec<Arc<SpotHistory>>,
    /// Which zones offer what, by account and region.
    pub offerings: BTreeMap<Scope, Arc<Vec<ZoneOffering>>>,
    /// Resources by account and region.
    pub resources: BTreeMap<Scope, Arc<ScopeResources>>,
    /// Readings of these sources, by source and scope.
    pub readings: Vec<Reading>,
}
