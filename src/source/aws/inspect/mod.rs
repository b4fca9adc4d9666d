//! Single instances, looked at closely: one small file per service. Each fact is read by itself
//! and fails by itself, so that one missing permission hides one fact.

mod addresses;
mod attributes;
mod gpus;
mod groups;
mod instances;
mod launch;
mod recent;
mod spot;
mod states;
mod targets;
mod types;
mod volumes;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use jiff::Timestamp;

use self::instances::Found;
use super::calls::DESCRIBE_INSTANCES;
use super::{AwsProvider, identity};
use crate::domain::{
    Addresses, ErrorKind, Inspection, Instance, Known, Recent, Scope, SourceError,
};
use crate::source::inspect::{Inspector, Seen};
use crate::source::provider::Identity;

#[async_trait::async_trait]
impl Inspector for AwsProvider {
    async fn caller(&self) -> Result<Identity, SourceError> {
        identity::identity(self).await
    }

    async fn inspect(&self, scope: &Scope, ids: &[Arc<str>]) -> Vec<Inspection> {
        // Many calls side by side: too much for the stack of a caller.
        Box::pin(inspect(self, scope, ids)).await
    }

    async fn recent(
        &self,
        scope: &Scope,
        instances: &[(Arc<Instance>, u32)],
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<Known<Recent>> {
        recent::read(self, scope, instances, from, to).await
    }

    async fn states(&self, scope: &Scope, ids: &[Arc<str>]) -> Result<Vec<Seen>, SourceError> {
        states::read(self, scope, ids).await
    }
}

/// Filter of an EC2 `Describe*` call. Unlike a list of ids, a filter ignores ids that do not exist instead of failing.
pub(super) fn filter<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> ec2::Filter {
    let values = values.into_iter().map(str::to_owned).collect();
    ec2::Filter::builder().name(name).set_values(Some(values)).build()
}

async fn inspect(aws: &AwsProvider, scope: &Scope, ids: &[Arc<str>]) -> Vec<Inspection> {
    let region = &scope.region;
    let (found, protection, elastic, groups) = tokio::join!(
        instances::by_id(aws, scope, ids),
        attributes::protection(aws, region, ids),
        addresses::elastic(aws, region, ids),
        groups::memberships(aws, region, ids),
    );
    let found = found.map_err(Arc::new);
    let living: Vec<&Found> = found.iter().flat_map(HashMap::values).collect();
    let (volumes, spot, types, targets) = tokio::join!(
        volumes::by_id(aws, region, &living),
        spot::requests(aws, region, &living),
        types::specs(aws, region, &living),
        targets::of_region(aws, region, &living),
    );
    let taken_at = (aws.now)();
    ids.iter()
        .zip(protection)
        .map(|(id, (termination_protection, stop_protection))| {
            let one = one(&found, id);
            let known = one.clone();
            Inspection {
                id: Arc::clone(id),
                taken_at,
                instance: found
                    .as_ref()
                    .map(|found| found.get(id).map(|f| Arc::clone(&f.instance)))
                    .map_err(Arc::clone),
                spec: known.clone().and_then(|f| types.of(&f.instance.instance_type)),
                launch: known.clone().map(|f| launch::spec(&f.raw)),
                termination_protection,
                stop_protection,
                volumes: known.clone().and_then(|f| volumes::of(f, &volumes)),
                addresses: known.clone().and_then(|f| {
                    let elastic = elastic.as_ref().map_err(Arc::clone)?;
                    let elastic = elastic.get(id).cloned().unwrap_or_default();
                    Ok(Addresses { public_ipv4: addresses::lent(&f.raw, &elastic), elastic })
                }),
                group: groups.of(id),
                target_groups: known.and_then(|f| targets::of(f, &targets)),
                spot: one.and_then(|f| spot::of(f, &spot)),
            }
        })
        .collect()
}

/// The instance, or why there is none.
fn one<'a>(found: &'a Known<HashMap<Arc<str>, Found>>, id: &Arc<str>) -> Known<&'a Found> {
    found.as_ref().map_err(Arc::clone)?.get(id).ok_or_else(|| {
        let message = format!("EC2 knows no instance {id}");
        Arc::new(SourceError::new(ErrorKind::Unavailable, DESCRIBE_INSTANCES.action, &message, ""))
    })
}
