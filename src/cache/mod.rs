//! What burntop remembers between runs: one SQLite file, owned by one thread.
//!
//! [`Cache`] is a cheap handle that sends requests to the thread and awaits the answers. The file
//! is shared by all burntop processes (WAL, a busy time-out, short transactions). Nothing here
//! ever fails the caller: what cannot be read is absent, what cannot be written is kept in memory,
//! and a [`CacheNotice`] says so once.
//!
//! Next to the cache lie more files: a tiny one with the own-cost ledger (see
//! [`crate::source::ledger`]), so that neither `cache clear` nor a broken cache loses what was
//! already spent today; the imported bills and the imported jobs, which nobody can read from an
//! account again.
//!
//! No credential reaches these files: the cache takes typed facts, numeric series and the painted
//! summary, and nothing in this folder may name a credential type (a test walks the sources).
//!
//! | file | holds |
//! |---|---|
//! | `handle` | [`Cache`], the thread and its queue |
//! | `store` | the open connection, and what happens when it fails under way |
//! | `file` | opening, checking, migrating and setting aside a database file |
//! | `schema` | the tables and their versions |
//! | `facts`, `series`, `day`, `gpu_hours`, `bucket_sizes`, `burn_days`, `summary`, `ledger` | the things kept |
//! | `bills` | imported bills, in a file of their own |
//! | `imported` | such a file: where it lies, how it is opened, why it cannot be |
//! | `jobs` | jobs, imported or read, in a file of their own |
//! | `jobs_events` | in it: what happened to nodes |
//! | `jobs_live` | in it: nodes, holders of GPUs, and how sources were read last |
//! | `jobs_read` | its attempts, decoded by threads beside the one that reads |
//! | `scans` | trees of lists of objects |
//! | `checksum`, `digest` | what every row carries, and whether all of them are there |
//! | `decode` | from bytes to values, whose texts are clean |
//! | `maintain`, `stats` | size bound, eviction, integrity check, figures |
//! | `notice` | what the user is told |

mod bills;
mod bucket_sizes;
mod burn_days;
mod checksum;
mod day;
mod decode;
mod digest;
mod facts;
mod file;
mod fleet_hours;
mod gpu_hours;
mod handle;
mod imported;
mod jobs;
mod jobs_events;
mod jobs_live;
mod jobs_read;
mod ledger;
mod maintain;
mod notice;
mod scans;
mod schema;
mod series;
pub mod stats;
mod store;
mod summary;

#[cfg(test)]
mod tests;

pub use bills::{BesideBill, Bills, BillsError, KeptBills};
pub use bucket_sizes::BucketSize;
pub use decode::decode;
pub use facts::{FactKind, Stored};
pub use gpu_hours::GpuHours;
pub use handle::{Cache, OpenOptions};
pub use jobs::{Jobs, JobsError, JobsRound};
pub use ledger::{LedgerCharge, Reserved, ledger_path};
pub use notice::{CacheNotice, LedgerTrouble};
pub use scans::ScanKey;
pub use series::SeriesWrite;
pub use stats::CacheStats;
pub use summary::read_summaries_sync;
