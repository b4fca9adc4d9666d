//! What the fleet is priced and sized with.

use std::collections::HashMap;
use std::sync::Arc;

use super::prices::PriceBook;
use crate::domain::bill::{NetworkSpend, ResourceCosts, UnitCost};
use crate::domain::jobs::AvoidableRuns;
use crate::domain::{Holdings, Instance, LaunchOf, TypeSpec};

/// Prices, instance types and commitments at one moment. Analyses that compare other types use the same book as the
/// join did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// Prices of instances: list, Spot, private, and those of the newest bill.
    pub prices: PriceBook,
    /// Instance types by name.
    pub types: HashMap<Arc<str>, Arc<TypeSpec>>,
    /// Commitments held; `None` until some were read.
    pub holdings: Option<Holdings>,
    /// What resources cost on the newest bill; `None` without an imported bill.
    pub billed: Option<Arc<ResourceCosts>>,
    /// What the network costs by the newest bill; `None` without one that tells it.
    pub network: Option<Arc<NetworkSpend>>,
    /// What failed attempts of jobs took that need not have been; `None` where no jobs are read.
    pub failed_runs: Option<Arc<AvoidableRuns>>,
    /// What one prediction costs by the newest bill, and a run by it or by the jobs that are kept; empty where neither tells.
    pub units: Arc<[UnitCost]>,
    /// Who launched instances, by id, as far as the audit trails were asked.
    pub launches: Arc<HashMap<Arc<str>, Arc<LaunchOf>>>,
}

impl Book {
    /// Who launched an instance; `None` where nobody asked, or before its last start.
    pub fn launch_of(&self, instance: &Instance) -> Option<&Arc<LaunchOf>> {
        self.launches.get(&instance.id).filter(|of| of.launched_at == instance.launched_at)
    }
}
