//! Instance types of jobs, by the embedded catalogue, at what the newest bill charged for them, else at list price.

use crate::analyze::jobs::{NodeType, PriceFrom};
use crate::cache::Bills;
use crate::cli::invocation::Invocation;
use crate::domain::bill::{BilledRates, Usd};
use crate::domain::jobs::Gpus;
use crate::report::ASSUMED_REGION;
use crate::source::catalogue;

/// Instance types with their prices.
pub(super) struct PricedTypes {
    billed: Option<BilledRates>,
}

impl PricedTypes {
    /// By the newest bill that is kept. The demo's jobs are at list price.
    pub fn of(invocation: &Invocation) -> Self {
        let is_demo = invocation.options.demo.is_some();
        let file = invocation.cache_file().ok().filter(|_| !is_demo);
        // What cannot be read is said where bills are shown.
        let newest = file.and_then(|file| Bills::beside(&file).newest().ok().flatten());
        Self { billed: newest.map(|newest| newest.rates) }
    }

    /// An instance type with its price in a region; `None` for one that the catalogue lacks. SageMaker's names have `ml.`
    /// before them and prices of their own, which SageMaker's jobs bring along: here they have none.
    pub fn node_type(&self, region: Option<&str>, name: &str) -> Option<NodeType> {
        let spec = catalogue::type_spec(name.strip_prefix("ml.").unwrap_or(name))?;
        let region = region.unwrap_or(ASSUMED_REGION);
        let billed = self.billed.as_ref().and_then(|rates| rates.of_one_account(region, name));
        let (price, from) = match billed {
            Some(usd) => (Some(usd), PriceFrom::Bill),
            None => (catalogue::list_price(region, name), PriceFrom::List),
        };
        let accelerator = spec.accelerator.as_ref();
        Some(NodeType {
            usd_per_hour: price.and_then(Usd::from_f64),
            from,
            gpus: accelerator.and_then(|a| Gpus::from_f64(a.equivalents)).unwrap_or_default(),
            vcpus: spec.vcpus,
            memory_mib: spec.memory_mib,
            model: accelerator.map(|a| a.model.clone()),
        })
    }
}
