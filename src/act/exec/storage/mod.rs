//! Doing it to storage: volumes and lifecycle rules.

pub mod aws;
mod backup;
mod claim;
mod convert;
mod demo;
mod hands;
mod operator;
mod reconcile;
mod run;
mod sight;
#[cfg(test)]
mod tests;

pub use backup::Backups;
pub use demo::MemoryStorage;
#[cfg(test)]
pub use hands::StorageReceipt;
pub use hands::{DryRunStorage, RefuseStorage, StorageHands};
#[cfg(test)]
pub use operator::StoragePatience;
pub use operator::{StorageOperator, StoragePost};
