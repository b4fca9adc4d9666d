//! What is metered alike.

use std::sync::Arc;

use crate::domain::{Instance, Platform, Scope, Tenancy};
use crate::fleet::prices::PriceBook;

/// Instances that no commitment can tell apart: their hours are one quantity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Meter {
    /// Account and region.
    pub scope: Scope,
    /// Availability zone; empty when not known, which no zonal reservation covers.
    pub az: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system.
    pub platform: Platform,
    /// Tenancy.
    pub tenancy: Tenancy,
    /// The capacity reservation it runs in.
    pub reservation: Option<Arc<str>>,
}

impl Meter {
    /// The meter of an on-demand instance; `None` for what no commitment covers: Spot, Capacity
    /// Blocks, scheduled instances, dedicated hosts, licensed software that has no price here.
    pub fn of(instance: &Instance) -> Option<Self> {
        use crate::domain::Lifecycle;
        let coverable = instance.lifecycle == Lifecycle::OnDemand
            && instance.tenancy != Tenancy::Host
            && instance.platform != Platform::Other;
        coverable.then(|| Self {
            scope: instance.scope.clone(),
            az: instance.az.clone(),
            instance_type: instance.instance_type.clone(),
            platform: instance.platform,
            tenancy: instance.tenancy,
            reservation: instance.capacity_reservation.clone(),
        })
    }

    /// On-demand price of one instance-hour, USD: of the list, or by the configuration; `None` when not known.
    pub fn on_demand_price(&self, prices: &PriceBook) -> Option<f64> {
        prices
            .on_demand(&self.scope, &self.instance_type, self.platform, self.tenancy)
            .map(|rate| rate.usd_per_hour)
    }

    /// Puts meters in an order that depends on nothing but what they are.
    pub(super) fn rank(&self) -> impl Ord + use<'_> {
        (
            &self.scope,
            &self.instance_type,
            &self.az,
            self.platform as u8,
            self.tenancy as u8,
            &self.reservation,
        )
    }
}
