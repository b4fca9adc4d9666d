//! Groups instances that AWS meters alike.

use std::sync::Arc;

use crate::domain::{Instance, Platform, Scope, Tenancy};
use crate::fleet::prices::PriceBook;

/// Instances that commitments treat alike: their hours are summed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Meter {
    /// Account and region it lies in.
    pub scope: Scope,
    /// Availability zone; empty when unknown, which no zonal reservation covers.
    pub az: Arc<str>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and licence: a part of the price key.
    pub platform: Platform,
    /// EC2 tenancy (shared, dedicated, host): a part of the price key.
    pub tenancy: Tenancy,
    /// Id of the capacity reservation it runs in; `None` outside of any.
    pub reservation: Option<Arc<str>>,
}

impl Meter {
    /// Meter of an on-demand instance; `None` for instances that no commitment covers: Spot, Capacity Blocks, scheduled
    /// instances, dedicated hosts, licensed software without a price.
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

    /// On-demand price of one instance-hour, USD, private or list; `None` when unknown.
    pub fn on_demand_price(&self, prices: &PriceBook) -> Option<f64> {
        prices
            .on_demand(&self.scope, &self.instance_type, self.platform, self.tenancy)
            .map(|rate| rate.usd_per_hour)
    }

    /// Sort key of a meter: independent of the order in which meters were found.
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
