//! Acting on storage: plans, guards and orders for volumes and for the lifecycle of buckets.
//!
//! The way is that of instances, by the same types ([`crate::act::plan::Preflighted`] and what
//! comes after it). What differs is what is looked at, what is asked, and what an order can be.

mod canonical;
mod checked;
mod draft;
pub mod file;
mod fit;
#[cfg(test)]
pub(crate) mod fixture;
pub mod guard;
mod item;
mod order;
mod parity;
mod undo;
mod verb;

pub use canonical::{backup_text, lifecycle_hash};
pub use checked::{CheckedStorage, Storage};
pub use draft::{LifecycleChange, StorageDraft, StorageDraftError, draft_lifecycle, draft_volumes};
pub use file::{AnyPlan, StoragePlanFile};
pub use fit::{Fit, MAX_RULES, Unfit};
pub use guard::{StorageGuard, owner_of};
pub use item::{
    BucketMatter, Gp3, Matter, STORAGE_PLAN_SCHEMA, StorageItem, StoragePlan, VolumeMatter,
};
pub use order::{Deed, StorageOrder, snapshot_of};
pub use parity::{as_gp3, saves_usd_per_month, usd_per_month};
pub use undo::StorageUndo;
pub use verb::{Step, StorageVerb};
