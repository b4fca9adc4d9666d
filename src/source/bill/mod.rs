//! Files of bills, as AWS's Data Exports and other providers deliver them, folded into a [`Bill`] per billing period.
//!
//! | file | holds |
//! |---|---|
//! | `fields` | columns of the formats, and what is unknown without them |
//! | `layout` | from the names in a file to what each column means |
//! | `open` | plain, gzip, zip or Parquet, by the first bytes |
//! | `csv`, `zip`, `parquet`, `columns`, `decode`, `maps` | lines become batches of columns |
//! | `batch`, `texts`, `tags`, `time` | columns of a batch; texts as numbers; tags; moments |
//! | `rules` | what a line charges for, and how its amounts are made |
//! | `fold`, `slot`, `odd` | batches into bills, one per period; what is odd about them |
//! | `error` | what can be wrong, and what to do |

mod amounts;
mod batch;
mod columns;
mod csv;
mod decode;
mod error;
mod fields;
mod fold;
mod layout;
mod maps;
mod odd;
mod open;
mod parquet;
mod rules;
mod slot;
pub mod sql;
mod tags;
#[cfg(test)]
mod tests;
mod texts;
mod time;
mod zip;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

pub use error::BillFileError;

use crate::domain::bill::{Bill, Month};

/// How a delivery is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Name of the export, for [`crate::domain::bill::BillHead::export`].
    pub export: Arc<str>,
    /// Tag keys whose values are kept, without prefix; `costCategory:NAME` for a cost category.
    pub tag_keys: Vec<Arc<str>>,
    /// When the provider wrote the files; `None` where not known.
    pub written_at: Option<Timestamp>,
    /// Now: decides whether a period is over.
    pub now: Timestamp,
    /// Period that all lines belong to, as a manifest names it; `None` to take it from the lines.
    pub fixed_period: Option<Month>,
}

/// How far reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Lines read.
    pub lines: u64,
    /// Bytes of the files read, as they lie on disk.
    pub bytes: u64,
    /// Bytes of all files.
    pub of_bytes: u64,
}

/// Reads all files of one delivery as one: a bill per billing period in them, oldest first. Blocks; `progress` is called
/// after each batch of lines and ends it with [`ControlFlow::Break`].
///
/// # Errors
/// The first thing that would make a sum wrong: nothing is returned then.
pub fn read(
    files: &[PathBuf],
    options: &ReadOptions,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Bill>, BillFileError> {
    let mut fold = fold::Fold::new(options);
    open::all(files, &mut fold, progress)?;
    fold.finish(files)
}
