//! What an executor of storage takes: one call, made from a ticket and a look.

use std::sync::Arc;

use jiff::Timestamp;

use super::checked::Storage;
use super::fit::Fit;
use super::item::{Gp3, Matter, StorageItem};
use super::verb::{Step, StorageVerb};
use super::{lifecycle_hash, parity};
use crate::act::plan::Ticket;
use crate::domain::Scope;
use crate::domain::storage::{Snapshot, StorageLook, VolumeKind};

/// One call's worth. Comes out of a [`Ticket`] alone, and out of a look at what it is about: an
/// order to delete needs a snapshot that has completed, an order to put a configuration that
/// deletes nothing for good and that stands on what the bucket has at this moment.
///
/// ```
/// use burntop::parts::act::plan::storage::StorageOrder; // It is there,
/// ```
/// ```compile_fail
/// let order = burntop::parts::act::plan::storage::StorageOrder {}; // and cannot be made.
/// ```
#[derive(Debug, PartialEq, Eq)]
// A test's network keeps a call that is on its way.
#[cfg_attr(test, derive(Clone))]
pub struct StorageOrder {
    scope: Scope,
    by: Arc<str>,
    plan: String,
    deed: Deed,
}

/// Call of an order, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Begin a snapshot of the volume.
    Snapshot {
        /// Id of the volume.
        volume: Arc<str>,
    },
    /// Delete the volume.
    Delete {
        /// Id of the volume.
        volume: Arc<str>,
        /// The snapshot that holds its data.
        snapshot: Arc<str>,
    },
    /// Modify the volume to gp3.
    Modify {
        /// Id of the volume.
        volume: Arc<str>,
        /// gp3 parameters wanted.
        target: Gp3,
    },
    /// Put the lifecycle configuration.
    Put {
        /// Name of the bucket.
        bucket: Arc<str>,
        /// Hash of the configuration that the bucket must still have.
        before_sha256: String,
        /// Configuration to be put.
        fit: Fit,
    },
    /// Delete the lifecycle configuration, because no rule is left: S3 takes none without rules.
    Clear {
        /// Name of the bucket.
        bucket: Arc<str>,
        /// Hash of the configuration that the bucket must still have.
        before_sha256: String,
    },
}

impl StorageOrder {
    /// Account and region.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// ARN of the caller.
    pub fn by(&self) -> &Arc<str> {
        &self.by
    }

    /// First twelve digits of the hash of the plan.
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// Call that is to be made.
    pub fn deed(&self) -> &Deed {
        &self.deed
    }
}

impl Ticket<'_, Storage> {
    /// Order for one step of a row of this ticket. `None` for an id that is no row, for a step that
    /// is not of the plan, and where `look`, the facts of this moment, does not allow it.
    pub fn order(&self, id: &str, step: Step, look: &StorageLook) -> Option<StorageOrder> {
        let row = self.rows().iter().find(|r| **r.item.id() == *id)?;
        let item = &row.item;
        let deed = match (&item.matter, self.plan().verb, step, look) {
            (
                Matter::Volume(volume),
                StorageVerb::DeleteVolume,
                Step::Snapshot,
                StorageLook::Volume(_),
            ) => {
                is_detached(look)?;
                Deed::Snapshot { volume: volume.id.clone() }
            }
            (
                Matter::Volume(volume),
                StorageVerb::DeleteVolume,
                Step::Delete,
                StorageLook::Volume(_),
            ) => {
                is_detached(look)?;
                let snapshot = snapshot_of(item, look, self.plan().created_at)?;
                if &*snapshot.state != "completed" {
                    return None;
                }
                Deed::Delete { volume: volume.id.clone(), snapshot: snapshot.id.clone() }
            }
            (
                Matter::Volume(volume),
                StorageVerb::ModifyVolume,
                Step::Modify,
                StorageLook::Volume(_),
            ) => {
                let now = look.volume()?;
                let target = volume.target?;
                let is_gp2 = now.kind == VolumeKind::Gp2 && now.id == volume.id;
                (is_gp2 && parity::holds(now.size_gib, target)).then_some(())?;
                Deed::Modify { volume: volume.id.clone(), target }
            }
            (
                Matter::Bucket(bucket),
                StorageVerb::PutLifecycle,
                Step::Put,
                StorageLook::Bucket(seen),
            ) if seen.name == bucket.name => {
                let there = seen.lifecycle.as_ref().ok()?;
                let versioning = *seen.versioning.as_ref().ok()?;
                let before = there.lifecycle.as_ref();
                let as_planned = lifecycle_hash(before) == bucket.before_sha256;
                (as_planned && there.unknown_parts.is_empty()).then_some(())?;
                let fit = Fit::of(before, &bucket.after, versioning).ok()?;
                let before_sha256 = bucket.before_sha256.clone();
                let bucket = bucket.name.clone();
                if fit.lifecycle().rules.is_empty() {
                    Deed::Clear { bucket, before_sha256 }
                } else {
                    Deed::Put { bucket, before_sha256, fit }
                }
            }
            _ => return None,
        };
        let account = &item.scope.account;
        Some(StorageOrder {
            scope: item.scope.clone(),
            by: self.callers().get(account).cloned().unwrap_or_default(),
            plan: self.plan().id(),
            deed,
        })
    }
}

/// Some for a volume that is attached to nothing.
fn is_detached(look: &StorageLook) -> Option<()> {
    let volume = look.volume()?;
    (&*volume.state == "available" && volume.attachments.is_empty()).then_some(())
}

/// Best snapshot that holds everything on a volume: of that volume and its whole size, begun after
/// `drafted`, when the volume was attached to nothing, and not failed. A completed one goes before
/// one that is on its way; `None` where there is none.
pub fn snapshot_of<'a>(
    item: &StorageItem,
    look: &'a StorageLook,
    drafted: Timestamp,
) -> Option<&'a Snapshot> {
    let volume = item.volume()?;
    let StorageLook::Volume(look) = look else { return None };
    let fits = |s: &&Snapshot| {
        s.volume == volume.id
            && s.volume_gib == volume.size_gib
            && s.started_at.is_some_and(|at| at >= drafted)
            && matches!(&*s.state, "completed" | "pending")
    };
    let all = look.snapshots.as_ref().ok()?;
    all.iter().filter(fits).max_by_key(|s| (&*s.state == "completed", s.started_at))
}
