//! S3 Inventory: the list of all objects of a bucket that S3 delivers once a day or week, as
//! `manifest.json` and pieces in CSV or Parquet.
//!
//! | file | holds |
//! |---|---|
//! | `fetch` | where an inventory lies; the trait behind which S3 stands |
//! | `manifest`, `schema` | what the manifest says |
//! | `open` | from a path or prefix to the newest complete snapshot |
//! | `pieces` | pieces checked, brought here one or two ahead, removed again |
//! | `csv`, `parquet`, `rows` | pieces become batches |
//! | `words` | columns of few words, as numbers |
//! | `error` | what can be wrong, and what to do |

mod csv;
mod error;
mod fetch;
mod manifest;
mod open;
mod parquet;
mod pieces;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

pub use error::InventoryError;
pub use fetch::{Entry, Fetch, Place, s3_uri};
pub(crate) use manifest::MANIFEST_AT_MOST;
pub use manifest::{FileFormat, Manifest};
pub use open::open;
pub use pieces::Pieces;

use super::objects::Need;
use rows::Making;
#[cfg(test)]
pub use schema::Schema;

/// An inventory whose manifest was read.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// Validated manifest.
    pub manifest: Arc<Manifest>,
    /// Location of the manifest.
    pub place: Place,
    /// Remarks of the search, one sentence each.
    pub notes: Vec<String>,
}

impl Inventory {
    /// Pieces of the inventory, to be read once; with `prefix`, only keys that begin with it.
    ///
    /// Remote pieces are downloaded by a task of the current tokio runtime, which must keep running while they are
    /// read.
    pub fn pieces(&self, need: Need, prefix: &[u8]) -> Pieces {
        let columns = self.manifest.schema.columns();
        let making = Making {
            listed_ms: self.manifest.created_ms,
            need,
            // Without keys there is nothing to compare.
            prefix: if need.totals_only { vec![] } else { prefix.to_vec() },
            has_sizes: columns.sizes,
            has_dates: columns.dates && !need.totals_only,
        };
        Pieces::new(&self.place, &self.manifest, making)
    }
}
