//! The guards of storage: what has to be true before anything is done to a volume or a bucket.
//!
//! Each guard is one row of `table::TABLE`. A fact that could not be read blocks wherever the guard
//! needs it.

mod bucket;
mod owner;
mod table;
mod trust;
mod volume;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;

use super::checked::CheckedStorage;
use super::item::{StorageItem, StoragePlan};
use super::order::snapshot_of;
use super::undo::StorageUndo;
use super::verb::{Step, StorageVerb};
use crate::act::plan::Rules;
use crate::act::plan::finding::{FindingSink, guards};
use crate::act::plan::guard::{FACTS_VALID_FOR, shared};
use crate::domain::storage::StorageLook;
use crate::domain::{Caller, Known};

pub use owner::owner_of;

guards! {
    /// The guards of storage, in the order in which they are asked. `docs/acting.md` explains each.
    enum StorageGuard, asker StorageArmed | StorageExecutor | StoragePermission;
    /// The account may be changed at all, and no tag pins it read-only.
    StorageArmed "storage_armed";
    /// The caller is in the account that the plan names, and the plan names the row.
    StorageIdentity "storage_identity";
    /// The plan has not expired.
    StoragePlanAge "storage_plan_age";
    /// The facts are of this moment, and about what was asked.
    StorageFacts "storage_facts";
    /// No tag exempts it.
    StorageExempt "storage_exempt";
    /// The volume is there, the one that was planned, and attached to nothing where it is to go.
    VolumeState "volume_state";
    /// The volume is old enough.
    VolumeAge "volume_age";
    /// The volume was not attached in the last two weeks.
    VolumeUse "volume_use";
    /// Nothing else manages it: Kubernetes, an Auto Scaling group, CloudFormation.
    StorageOwner "storage_owner";
    /// A snapshot holds what is deleted.
    VolumeSnapshot "volume_snapshot";
    /// The volume can be modified now: gp2, and six hours after the last time.
    VolumeCoolDown "volume_cool_down";
    /// As gp3 it is no slower, and cheaper.
    VolumeParity "volume_parity";
    /// The bucket has the configuration that the plan was made on.
    LifecycleUnchanged "lifecycle_unchanged";
    /// The configuration may be put: foreign rules stay, nothing deletes for good.
    LifecycleFit "lifecycle_fit";
    /// What the bucket is: locked, replicated, versioned.
    BucketKind "bucket_kind";
    /// Whether it is production.
    StorageProduction "storage_production";
    /// The call is permitted.
    StoragePermission "storage_permission";
    /// What would carry it out.
    StorageExecutor "storage_executor";
}

/// Everything that the guards judge of one row.
#[derive(Clone, Copy, Debug)]
pub struct StorageScene<'a> {
    /// The plan.
    pub plan: &'a StoragePlan,
    /// The row.
    pub item: &'a Arc<StorageItem>,
    /// Next step; `None` for the preflight, which is about all of them.
    pub step: Option<Step>,
    /// Caller in the account of the row, asked now.
    pub caller: &'a Known<Caller>,
    /// Facts about the volume or bucket, read now.
    pub look: &'a StorageLook,
    /// Answer to the dry run of the call; always `Ok` for S3, which has none.
    pub permitted: &'a Known<()>,
    /// Name of the executor: `live`, `dry-run`, `read-only`, `demo`.
    pub executor: &'static str,
    /// Rules of acting of this run.
    pub rules: &'a Rules,
    /// The present moment.
    pub now: Timestamp,
}

impl StorageScene<'_> {
    fn is_production(&self) -> bool {
        let account = &self.item.scope.account;
        self.item.production
            || self.rules.account(account).production
            || self.look.tags().is_some_and(|tags| self.rules.is_production(account, tags))
    }
}

/// Asks every guard of the verb; the findings are sorted worst first.
pub fn check(scene: &StorageScene<'_>) -> CheckedStorage {
    let mut findings = Vec::new();
    let verb = scene.plan.verb;
    for row in table::TABLE.iter().filter(|row| row.verbs.contains(&verb)) {
        (row.ask)(scene, &mut FindingSink::new(row.guard, &mut findings));
    }
    // Stable: within a severity the order of the guards stays.
    findings.sort_by_key(|f| Reverse(f.severity));
    CheckedStorage {
        item: scene.item.clone(),
        findings,
        undo: way_back(scene),
        production: scene.is_production(),
    }
}

/// The way back, as far as it is known before the call. That of a configuration is a file, which
/// the executor writes.
fn way_back(scene: &StorageScene<'_>) -> Option<StorageUndo> {
    let scope = scene.item.scope.clone();
    let volume = scene.item.volume()?;
    match scene.plan.verb {
        StorageVerb::DeleteVolume => {
            let snapshot = snapshot_of(scene.item, scene.look, scene.plan.created_at)?;
            let tags = scene.look.tags().into_iter().flat_map(crate::domain::tags::Tags::iter);
            let own = tags.filter(|(key, _)| !key.starts_with("aws:"));
            Some(StorageUndo::Restore {
                scope,
                snapshot: snapshot.id.clone(),
                volume: Box::new(volume.clone()),
                tags: own.map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
            })
        }
        StorageVerb::ModifyVolume => Some(StorageUndo::Gp2 { scope, volume: volume.id.clone() }),
        StorageVerb::PutLifecycle => None,
    }
}
