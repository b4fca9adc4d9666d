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
pub use hands::{DryRunStorage, RefuseStorage, StorageHands, StorageReceipt};
pub use operator::{StorageOperator, StoragePatience, StoragePost};
