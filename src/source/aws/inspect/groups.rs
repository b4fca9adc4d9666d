//! Auto Scaling: which group an instance is a member of, and what the group wants.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_sdk_autoscaling::types as scaling;

use crate::domain::{GroupFact, Known, SourceError};
use crate::source::aws::calls::{DESCRIBE_AUTO_SCALING_GROUPS, DESCRIBE_AUTO_SCALING_INSTANCES};
use crate::source::aws::inventory::clean;
use crate::source::aws::limit::Api;
use crate::source::aws::{AwsProvider, error};

/// Ids per call of `DescribeAutoScalingInstances` (API reference).
const IDS: usize = 50;

/// Names per call of `DescribeAutoScalingGroups`: as many groups as one page holds.
const NAMES: usize = 100;

/// Auto Scaling memberships of some instances.
pub struct Memberships {
    members: Known<HashMap<Arc<str>, scaling::AutoScalingInstanceDetails>>,
    groups: Known<HashMap<Arc<str>, (u32, u32)>>,
}

/// Reads the memberships of `ids`, then the sizes of their groups. A failure is kept inside the result.
pub async fn memberships(aws: &AwsProvider, region: &Arc<str>, ids: &[Arc<str>]) -> Memberships {
    let members = members(aws, region, ids).await.map_err(Arc::new);
    let names: BTreeSet<&str> = members
        .iter()
        .flat_map(HashMap::values)
        .filter_map(scaling::AutoScalingInstanceDetails::auto_scaling_group_name)
        .collect();
    let groups = groups(aws, region, &names).await.map_err(Arc::new);
    Memberships { members, groups }
}

impl Memberships {
    /// Auto Scaling group of an instance; `None` when it is in none. Err when Auto Scaling could not be read.
    pub fn of(&self, id: &str) -> Known<Option<GroupFact>> {
        let Some(member) = self.members.as_ref().map_err(Arc::clone)?.get(id) else {
            return Ok(None);
        };
        let name = clean(member.auto_scaling_group_name());
        let groups = self.groups.as_ref().map_err(Arc::clone)?;
        let (min, desired) = groups.get(&name).copied().ok_or_else(|| {
            let message = format!("Auto Scaling names group {name} and does not describe it");
            Arc::new(SourceError::new(
                crate::domain::ErrorKind::Malformed,
                DESCRIBE_AUTO_SCALING_GROUPS.action,
                &message,
                "",
            ))
        })?;
        Ok(Some(GroupFact {
            name,
            min,
            desired,
            // Not said counts as protected: that asks for a second look and breaks nothing.
            protected_from_scale_in: member.protected_from_scale_in().unwrap_or(true),
            lifecycle: clean(member.lifecycle_state()),
        }))
    }
}

async fn members(
    aws: &AwsProvider,
    region: &Arc<str>,
    ids: &[Arc<str>],
) -> Result<HashMap<Arc<str>, scaling::AutoScalingInstanceDetails>, SourceError> {
    let client = aws.clients().await.auto_scaling(region);
    let mut out = HashMap::new();
    for batch in ids.chunks(IDS) {
        let ask = |token| {
            let ids = Some(batch.iter().map(ToString::to_string).collect());
            client
                .describe_auto_scaling_instances()
                .set_instance_ids(ids)
                .set_next_token(token)
                .send()
        };
        let of = (Api::AutoScaling, &DESCRIBE_AUTO_SCALING_INSTANCES);
        let members = aws
            .all_pages(of, region, ask, |page| (page.auto_scaling_instances, page.next_token))
            .await?;
        out.extend(members.into_iter().map(|member| (clean(member.instance_id()), member)));
    }
    Ok(out)
}

/// Smallest and wanted size by name.
async fn groups(
    aws: &AwsProvider,
    region: &Arc<str>,
    names: &BTreeSet<&str>,
) -> Result<HashMap<Arc<str>, (u32, u32)>, SourceError> {
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    let client = aws.clients().await.auto_scaling(region);
    let mut out = HashMap::new();
    for batch in names.chunks(NAMES) {
        let ask = |token| {
            let names = Some(batch.to_vec());
            client
                .describe_auto_scaling_groups()
                .set_auto_scaling_group_names(names)
                .set_next_token(token)
                .send()
        };
        aws.each_page((Api::AutoScaling, &DESCRIBE_AUTO_SCALING_GROUPS), region, ask, |page| {
            for group in page.auto_scaling_groups() {
                let size = |n: Option<i32>| n.and_then(|n| u32::try_from(n).ok());
                let (Some(min), Some(desired)) =
                    (size(group.min_size()), size(group.desired_capacity()))
                else {
                    let place = aws.place(&DESCRIBE_AUTO_SCALING_GROUPS, region);
                    return Err(error::malformed("a group came without its size", place));
                };
                out.insert(clean(group.auto_scaling_group_name()), (min, desired));
            }
            Ok(page.next_token)
        })
        .await?;
    }
    Ok(out)
}
