//! Which guard is asked for which verb.

use super::shared::{executor, permission};
use super::{FindingSink, StorageGuard, StorageScene, bucket, owner, trust, volume};
use crate::act::plan::storage::StorageVerb;

/// One guard, with the verbs that it checks.
pub(super) struct Row {
    /// Guard that the findings name.
    pub guard: StorageGuard,
    /// Verbs that it checks.
    pub verbs: &'static [StorageVerb],
    /// Function that asks it.
    pub ask: fn(&StorageScene<'_>, &mut FindingSink<'_, StorageGuard>),
}

const ALL: &[StorageVerb] = &StorageVerb::ALL;
const DELETE: &[StorageVerb] = &[StorageVerb::DeleteVolume];
const MODIFY: &[StorageVerb] = &[StorageVerb::ModifyVolume];
const VOLUMES: &[StorageVerb] = &[StorageVerb::DeleteVolume, StorageVerb::ModifyVolume];
const PUT: &[StorageVerb] = &[StorageVerb::PutLifecycle];

const fn row(
    guard: StorageGuard,
    verbs: &'static [StorageVerb],
    ask: fn(&StorageScene<'_>, &mut FindingSink<'_, StorageGuard>),
) -> Row {
    Row { guard, verbs, ask }
}

/// The guards, in the order of [`StorageGuard::ALL`].
pub(super) const TABLE: &[Row] = &[
    row(StorageGuard::StorageArmed, ALL, trust::armed),
    row(StorageGuard::StorageIdentity, ALL, trust::identity),
    row(StorageGuard::StoragePlanAge, ALL, trust::plan_age),
    row(StorageGuard::StorageFacts, ALL, trust::facts),
    row(StorageGuard::StorageExempt, ALL, trust::exempt),
    row(StorageGuard::VolumeState, VOLUMES, volume::state),
    row(StorageGuard::VolumeAge, DELETE, volume::age),
    row(StorageGuard::VolumeUse, DELETE, volume::in_use),
    row(StorageGuard::StorageOwner, ALL, owner::owner),
    row(StorageGuard::VolumeSnapshot, DELETE, volume::snapshot),
    row(StorageGuard::VolumeCoolDown, MODIFY, volume::cool_down),
    row(StorageGuard::VolumeParity, MODIFY, volume::parity),
    row(StorageGuard::LifecycleUnchanged, PUT, bucket::unchanged),
    row(StorageGuard::LifecycleFit, PUT, bucket::fit),
    row(StorageGuard::BucketKind, PUT, bucket::kind),
    row(StorageGuard::StorageProduction, ALL, trust::production),
    row(StorageGuard::StoragePermission, ALL, |s, out| permission(s.permitted, out)),
    row(StorageGuard::StorageExecutor, ALL, |s, out| executor(s.executor, out)),
];
