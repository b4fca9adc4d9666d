//! Drafts a plan from volumes or from a merged configuration.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::item::{
    BucketMatter, Matter, STORAGE_PLAN_SCHEMA, StorageItem, StoragePlan, VolumeMatter,
};
use super::parity::{as_gp3, saves_usd_per_month, usd_per_month};
use super::verb::StorageVerb;
use super::{lifecycle_hash, owner_of};
use crate::act::plan::Rules;
use crate::domain::storage::{Lifecycle, Volume};
use crate::domain::{Scope, Tags, text};

/// Basis of the figures.
const BASIS: &str = "list price of us-east-1 (infracost, August 2026), elsewhere an estimate";

/// Parameters of a plan about storage, beside its rows.
#[derive(Clone, Copy, Debug)]
pub struct StorageDraft<'a> {
    /// Justification; may be empty.
    pub justification: &'a str,
    /// Time from `now` until the plan expires.
    pub valid_for: SignedDuration,
    /// The present moment.
    pub now: Timestamp,
}

/// Why no plan was drafted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageDraftError {
    /// There are no rows.
    #[error("no volume was chosen; name some with --id, or leave --id out to take all that fit")]
    Empty,
}

impl StorageDraft<'_> {
    fn plan(&self, verb: StorageVerb, items: Vec<StorageItem>) -> StoragePlan {
        StoragePlan {
            schema: STORAGE_PLAN_SCHEMA.to_owned(),
            created_at: self.now,
            expires_at: self.now.saturating_add(self.valid_for).unwrap_or(self.now),
            verb,
            justification: text::clean(self.justification).into_owned(),
            items,
        }
    }
}

/// Drafts a plan for volumes. Those that cannot pass the guards are taken in as well: the preflight
/// says why they leave. A plan to modify gives each volume what it has as gp2.
pub fn draft_volumes(
    volumes: &[Arc<Volume>],
    verb: StorageVerb,
    rules: &Rules,
    draft: &StorageDraft<'_>,
) -> Result<StoragePlan, StorageDraftError> {
    if volumes.is_empty() {
        return Err(StorageDraftError::Empty);
    }
    let item = |volume: &Arc<Volume>| {
        let target = (verb == StorageVerb::ModifyVolume).then(|| as_gp3(volume.size_gib));
        let usd = match target {
            Some(target) => saves_usd_per_month(volume.size_gib, target),
            None => {
                usd_per_month(volume.kind, volume.size_gib, volume.iops, volume.throughput_mibps)
            }
        };
        StorageItem {
            scope: volume.scope.clone(),
            matter: Matter::Volume(VolumeMatter::of(volume, target)),
            usd_per_month: usd.map(crate::act::plan::draft::whole_millionths),
            price_basis: BASIS.to_owned(),
            production: rules.is_production(&volume.scope.account, &volume.tags),
            environment: volume.tags.find(&rules.tag_keys.environment).cloned(),
        }
    };
    Ok(draft.plan(verb, volumes.iter().map(item).collect()))
}

/// A lifecycle configuration that is to replace another.
#[derive(Clone, Copy, Debug)]
pub struct LifecycleChange<'a> {
    /// Account and region of the bucket.
    pub scope: &'a Scope,
    /// Name of the bucket.
    pub bucket: &'a Arc<str>,
    /// Tags of the bucket.
    pub tags: &'a Tags,
    /// Configuration that the bucket has; `None` for none.
    pub before: Option<&'a Lifecycle>,
    /// Configuration wanted.
    pub after: &'a Lifecycle,
    /// Saving, USD per month of 730 h; `None` when not known.
    pub usd_per_month: Option<f64>,
}

/// Drafts a plan to put a configuration.
pub fn draft_lifecycle(
    change: &LifecycleChange<'_>,
    rules: &Rules,
    draft: &StorageDraft<'_>,
) -> StoragePlan {
    let owner = owner_of(change.tags, change.before);
    let matter = BucketMatter {
        name: change.bucket.clone(),
        before_sha256: lifecycle_hash(change.before),
        before: change.before.cloned(),
        after: change.after.clone(),
        owner: owner.map(|o| text::clean(&o).into_owned()).unwrap_or_default(),
    };
    let item = StorageItem {
        scope: change.scope.clone(),
        matter: Matter::Bucket(Box::new(matter)),
        usd_per_month: change.usd_per_month.map(crate::act::plan::draft::whole_millionths),
        price_basis: String::new(),
        production: rules.is_production(&change.scope.account, change.tags),
        environment: change.tags.find(&rules.tag_keys.environment).cloned(),
    };
    draft.plan(StorageVerb::PutLifecycle, vec![item])
}

impl StoragePlan {
    /// Plan that takes this one back: it puts the former configuration, on the one that this plan
    /// puts, and goes through the same guards. `None` for volumes.
    pub fn reversed(&self, draft: &StorageDraft<'_>) -> Option<StoragePlan> {
        let [item] = self.items.as_slice() else { return None };
        let bucket = item.bucket()?;
        let none_left = bucket.after.rules.is_empty();
        let put = (!none_left).then_some(&bucket.after);
        let empty = Lifecycle { rules: Vec::new(), minimum_size: bucket.after.minimum_size };
        let matter = BucketMatter {
            name: bucket.name.clone(),
            before_sha256: lifecycle_hash(put),
            before: put.cloned(),
            after: bucket.before.clone().unwrap_or(empty),
            owner: bucket.owner.clone(),
        };
        let item = StorageItem {
            matter: Matter::Bucket(Box::new(matter)),
            usd_per_month: item.usd_per_month.map(|usd| -usd),
            ..item.clone()
        };
        Some(draft.plan(StorageVerb::PutLifecycle, vec![item]))
    }
}
