//! The audit log: who did what to which instance, on which evidence, and how to take it back.
//!
//! One JSON object per line, each with the hash of the line before it, so that no line can be
//! changed, dropped or slipped in without breaking the chain. An intent is on disk, fsynced,
//! before the call that it announces. What a crash left half-written stays where it is, and the
//! next line accounts for it.

mod chain;
mod copy;
mod disk;
mod entry;
mod error;
mod file;
mod journal;
mod lease;
#[cfg(test)]
pub(crate) mod memory;
mod s3;
mod seal;
mod tail;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub use chain::Problem;
pub use chain::{Chain, Defect};
pub use copy::{AuditCopy, DirectoryCopy};
#[cfg(test)]
pub use disk::{Disk, DiskError, Lease, Stored};
pub use entry::{Body, IntentRow, Line, StorageIntentRow};
pub use error::AuditError;
pub use file::FileDisk;
pub use journal::Journal;
#[cfg(test)]
pub use journal::RecentLines;
pub use s3::BucketCopy;
