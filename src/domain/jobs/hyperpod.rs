//! Instances of SageMaker HyperPod: they are SageMaker's, and no list of EC2 has them.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::bill::Usd;
use crate::domain::gpu::names_of_dns;

/// An instance of a HyperPod cluster, as nodes of schedulers may name it. Texts are clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HyperPodNode {
    /// Account, region and name of its cluster: `123456789012:us-east-1/NAME`.
    pub cluster: Arc<str>,
    /// Id of the instance.
    pub instance_id: Arc<str>,
    /// Type of the instance, with SageMaker's prefix: `ml.p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Region.
    pub region: Arc<str>,
    /// Private DNS name; `None` = unknown.
    pub private_dns: Option<Arc<str>>,
    /// Private address; `None` = unknown.
    pub private_ip: Option<Arc<str>>,
    /// True for Spot capacity; `None` = unknown.
    pub is_spot: Option<bool>,
    /// SageMaker's On-Demand list price of the type in a cluster, USD per hour, also of one that is Spot; `None` = unknown.
    pub usd_per_hour: Option<Usd>,
    /// When it was launched, where that is known; else the first reading that found it.
    pub seen_from: Timestamp,
    /// The last reading that found it.
    pub seen_until: Timestamp,
}

impl HyperPodNode {
    /// Names by which a scheduler may know it: id, private address, private DNS name in full and up to the first dot.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let of_dns = names_of_dns(self.private_dns.as_deref().unwrap_or_default());
        [Some(&*self.instance_id), self.private_ip.as_deref()].into_iter().flatten().chain(of_dns)
    }

    /// The same with what an earlier reading of this instance told and this one does not.
    #[must_use]
    pub fn beside(self, earlier: &Self) -> Self {
        Self {
            private_dns: self.private_dns.or_else(|| earlier.private_dns.clone()),
            private_ip: self.private_ip.or_else(|| earlier.private_ip.clone()),
            is_spot: self.is_spot.or(earlier.is_spot),
            usd_per_hour: self.usd_per_hour.or(earlier.usd_per_hour),
            ..self
        }
    }
}
