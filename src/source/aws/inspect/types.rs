//! Types of the instances: from the catalogue, from EC2 where that does not know them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::instances::Found;
use crate::domain::{Known, TypeSpec};
use crate::source::aws::{AwsProvider, types};
use crate::source::catalogue;

/// What is known of the types.
pub struct Specs(Known<HashMap<Arc<str>, Arc<TypeSpec>>>);

/// Asks EC2 for the types that the catalogue does not have; what it has does not change.
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
    /// The type of this name; `None` where nobody knows it.
    pub fn of(&self, name: &str) -> Known<Option<Arc<TypeSpec>>> {
        match catalogue::type_spec(name) {
            Some(spec) => Ok(Some(Arc::new(spec.clone()))),
            None => Ok(self.0.as_ref().map_err(Arc::clone)?.get(name).cloned()),
        }
    }
}
