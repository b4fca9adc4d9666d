//! What a bucket has to be before a configuration is put.

use super::{FindingSink, StorageGuard, StorageScene};
use crate::act::plan::storage::{Fit, lifecycle_hash};
use crate::analyze::storage::lifecycle::is_own;
use crate::domain::storage::{BucketLook, StorageLook, Versioning};

const GET: &str = "s3:GetBucketLifecycleConfiguration";

fn look<'a>(scene: &'a StorageScene<'_>) -> Option<&'a BucketLook> {
    match scene.look {
        StorageLook::Bucket(look) => Some(look),
        StorageLook::Volume(_) => None,
    }
}

pub(super) fn unchanged(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let (Some(look), Some(planned)) = (look(scene), scene.item.bucket()) else {
        return out.block("it is no bucket", "plan");
    };
    if lifecycle_hash(planned.before.as_ref()) != planned.before_sha256 {
        out.block("the plan's former configuration is not what its hash says", "plan");
    }
    let there = match &look.lifecycle {
        Err(e) => return out.unknown("its configuration", e),
        Ok(there) => there,
    };
    if lifecycle_hash(there.lifecycle.as_ref()) != planned.before_sha256 {
        let text =
            "its configuration was changed since the plan: make a new plan on what it is now";
        out.block(text, GET);
    }
    if let Some(part) = there.unknown_parts.first() {
        out.block(
            format!(
                "its configuration has a part this version does not know (<{part}>): put back \
                     without it, a rule would change"
            ),
            GET,
        );
    }
}

pub(super) fn fit(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let (Some(look), Some(planned)) = (look(scene), scene.item.bucket()) else { return };
    let versioning = match &look.versioning {
        Err(e) => return out.unknown("whether it is versioned", e),
        Ok(versioning) => *versioning,
    };
    let Ok(there) = &look.lifecycle else { return };
    match Fit::of(there.lifecycle.as_ref(), &planned.after, versioning) {
        Err(why) => out.block(why.to_string(), "plan"),
        Ok(fit) => {
            let own = fit.lifecycle().rules.iter().filter(|r| is_own(r)).count();
            let foreign = fit.lifecycle().rules.len() - own;
            out.note(
                format!("{own} rules of burntop's own, {foreign} of others as they were"),
                "plan",
            );
            let noncurrent = |r: &&_| {
                let r: &crate::domain::storage::LifecycleRule = r;
                is_own(r) && r.noncurrent_expiration.is_some()
            };
            if let Some(rule) = fit.lifecycle().rules.iter().find(noncurrent) {
                let text = format!("rule \"{}\" deletes noncurrent versions for good", rule.id);
                out.warn(text, "plan");
            }
        }
    }
}

pub(super) fn kind(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let Some(look) = look(scene) else { return };
    match &look.locked {
        Err(e) => out.unknown("whether its objects are locked", e),
        Ok(true) => {
            out.warn("Object Lock: rules move objects, and delete none that is locked", "s3");
        }
        Ok(false) => {}
    }
    match &look.replicates {
        Err(e) => out.unknown("whether it is replicated", e),
        Ok(true) => out.warn("it is replicated: rules do not reach the copies", "s3"),
        Ok(false) => {}
    }
    if matches!(look.versioning, Ok(Versioning::Suspended)) {
        out.note("versioning is suspended: taken as not versioned", "s3");
    }
}
