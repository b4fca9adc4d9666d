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
pub use draft::{LifecycleChange, StorageDraft, draft_lifecycle, draft_volumes};
pub use file::{AnyPlan, StoragePlanFile};
pub use fit::Fit;
pub use guard::{StorageGuard, owner_of};
pub use item::{Gp3, Matter, STORAGE_PLAN_SCHEMA, StorageItem, StoragePlan, VolumeMatter};
pub use order::{Deed, StorageOrder, snapshot_of};
pub use parity::saves_usd_per_month;
pub use undo::StorageUndo;
pub use verb::{Step, StorageVerb};
