//! Executing plans about storage: volumes and lifecycle rules.

pub mod aws;
mod backup;
mod claim;
mod convert;
mod demo;
mod executor;
mod observed;
mod operator;
mod reconcile;
mod run;
#[cfg(test)]
mod tests;

pub use backup::Backups;
pub use demo::MemoryStorage;
#[cfg(test)]
pub use executor::StorageReceipt;
pub use executor::{DryRunStorage, RefuseStorage, StorageExecutor};
pub use operator::{StorageAccess, StorageOperator};
