//! View models of storage: the tables of buckets, prefixes, volumes and snapshots, findings, runs
//! and copies, the bar of tiers, and the rows of the explorer.
//!
//! One table of fields per kind of row, shared by screen, reports and filter.

mod block;
mod bucket;
mod copies;
mod explorer;
mod finding;
#[cfg(test)]
pub(crate) mod fixture;
mod prefix;
mod priced;
mod run;
pub mod strip;
#[cfg(test)]
mod tests;
pub mod tier_bar;
pub mod tiers;
pub mod words;

pub use block::{BlockField, BlockRow, block_rows};
pub use bucket::BucketField;
pub use copies::{CopyField, CopyRow, copy_rows};
pub use explorer::Explorer;
pub use finding::{FindingField, FindingRow, finding_rows, findings_of_bucket};
pub use prefix::{PrefixField, PrefixRow, prefix_rows};
pub use run::{RunField, RunRow, run_rows, runs_of_bucket};
