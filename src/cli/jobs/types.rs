//! Instance types of jobs, by the embedded catalogue.

use crate::analyze::jobs::NodeType;
use crate::domain::bill::Usd;
use crate::domain::jobs::Gpus;
use crate::report::ASSUMED_REGION;
use crate::source::catalogue;

/// An instance type with its list price in a region; `None` for one that the catalogue lacks. SageMaker's names have `ml.`
/// before them and prices of their own: they are not known.
pub(super) fn node_type(region: Option<&str>, name: &str) -> Option<NodeType> {
    let spec = catalogue::type_spec(name)?;
    let price = catalogue::list_price(region.unwrap_or(ASSUMED_REGION), name);
    let accelerator = spec.accelerator.as_ref();
    Some(NodeType {
        usd_per_hour: price.and_then(Usd::from_f64),
        gpus: accelerator.and_then(|a| Gpus::from_f64(a.equivalents)).unwrap_or_default(),
        vcpus: spec.vcpus,
        memory_mib: spec.memory_mib,
        model: accelerator.map(|a| a.model.clone()),
    })
}
