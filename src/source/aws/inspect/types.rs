//! Types of the instances: from the catalogue, from EC2 where that does not know them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::instances::Found;
use crate::domain::{Known, TypeSpec};
use crate::source::aws::{AwsProvider, types};
use crate::source::catalogue;

/// Instance types that the catalogue does not have, as EC2 describes them.
pub struct Specs(Known<HashMap<Arc<str>, Arc<TypeSpec>>>);

/// Reads the types of `instances` that the catalogue does not have; the data of known types does not change. A failure
/// is kept inside the result.
pub async fn specs(aws: &AwsProvider, region: &Arc<str>, instances: &[&Found]) -> Specs {
    let unknown: BTreeSet<Arc<str>> = instances
        .iter()
        .map(|f| Arc::clone(&f.instance.instance_type))
        .filter(|name| !name.is_empty() && catalogue::type_spec(name).is_none())
        .collect();
    let unknown: Vec<Arc<str>> = unknown.into_iter().collect();
    let asked = types::describe(aws, region, &unknown).await;
    let by_name = |specs: Vec<TypeSpec>| {
        specs.into_iter().map(|s| (Arc::clone(&s.name), Arc::new(s))).collect()
    };
    Specs(asked.map(by_name).map_err(Arc::new))
}

impl Specs {
    /// Instance type of this name; `None` when neither catalogue nor EC2 knows it. Err when EC2 could not be read.
    pub fn of(&self, name: &str) -> Known<Option<Arc<TypeSpec>>> {
        match catalogue::type_spec(name) {
            Some(spec) => Ok(Some(Arc::new(spec.clone()))),
            None => Ok(self.0.as_ref().map_err(Arc::clone)?.get(name).cloned()),
        }
    }
}
