//! Who else manages a volume or the configuration of a bucket.

use super::{FindingSink, StorageGuard, StorageScene};
use crate::domain::Tags;
use crate::domain::storage::{Lifecycle, StorageLook};

/// Tags of volumes that something makes, attaches and deletes by itself, and what to do instead:
/// key (`*` at the end: its beginning), who, advice.
const VOLUMES: &[(&str, &str, &str)] = &[
    ("kubernetes.io/created-for/pvc/name", "Kubernetes", "delete the claim instead"),
    ("kubernetes.io/created-for/pv/name", "Kubernetes", "delete the claim instead"),
    ("kubernetes.io/cluster/*", "Kubernetes", "delete the claim instead"),
    ("ebs.csi.aws.com/cluster", "the EBS CSI driver", "delete the claim instead"),
    ("CSIVolumeName", "the EBS CSI driver", "delete the claim instead"),
    ("aws:autoscaling:groupName", "an Auto Scaling group", "change the group instead"),
    ("aws:ec2launchtemplate:id", "a launch template", "change the template instead"),
    ("aws:cloudformation:stack-name", "a CloudFormation stack", "change the stack instead"),
    ("aws:elasticmapreduce:job-flow-id", "EMR", "end the cluster instead"),
];

/// Who owns a bucket's configuration, by its tags and the ids of its rules; `None` when nobody is
/// seen. Where somebody is, a patch for them is the way, never a PUT: their next run would undo it.
pub fn owner_of(tags: &Tags, lifecycle: Option<&Lifecycle>) -> Option<String> {
    let owner = crate::analyze::storage::lifecycle::owner(lifecycle, Some(tags))?;
    Some(format!("{} ({})", owner.kind.name(), owner.evidence))
}

pub(super) fn owner(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    match scene.look {
        StorageLook::Volume(_) => {
            let tags = scene.look.tags().into_iter().flat_map(Tags::iter);
            for (key, _) in tags {
                let is = |wanted: &&(&str, &str, &str)| match wanted.0.strip_suffix('*') {
                    Some(beginning) => key.starts_with(beginning),
                    None => key == wanted.0,
                };
                if let Some((_, who, advice)) = VOLUMES.iter().find(is) {
                    out.block(format!("{who} manages it ({key}): {advice}"), "tags");
                }
            }
        }
        StorageLook::Bucket(look) => {
            let planned = scene.item.bucket().map(|b| b.owner.as_str()).unwrap_or_default();
            let seen = look.tags.as_ref().ok().and_then(|tags| {
                let there = look.lifecycle.as_ref().ok()?.lifecycle.as_ref();
                owner_of(tags, there)
            });
            let owner = seen.unwrap_or_else(|| planned.to_owned());
            if !owner.is_empty() {
                out.block(
                    format!(
                        "{owner} owns its configuration and would undo this: apply the patch there"
                    ),
                    "tags, rules",
                );
            }
        }
    }
}
