//! What the cache holds of instances and Spot prices, for those who read no account.

use jiff::Timestamp;

use super::{facts, savings};
use crate::cache::Cache;
use crate::domain::{Instance, SpotHistory};

/// Instances and Spot prices of the cache.
#[derive(Default)]
pub struct KeptFleet {
    /// Instances, each with the time when it was read.
    pub instances: Vec<(Timestamp, Instance)>,
    /// Spot prices over time.
    pub spot: Vec<SpotHistory>,
}

/// What the cache holds of all accounts and regions. Lists of which the time is unknown are left out.
pub async fn kept_fleet(cache: &Cache, now: Timestamp) -> KeptFleet {
    let lists = cache.all::<Vec<Instance>>(facts::kind::INSTANCES, now).await;
    let dated = lists.into_iter().filter_map(|(_, stored)| Some((stored.taken_at?, stored.value)));
    let instances = dated.flat_map(|(at, all)| all.into_iter().map(move |one| (at, one))).collect();
    KeptFleet { instances, spot: savings::kept_spot(cache, now).await }
}
