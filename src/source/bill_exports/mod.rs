//! From a path or `s3://…` to the deliveries of bills that lie there: AWS Data Exports, legacy Cost and Usage Reports,
//! folders of files, single files.
//!
//! | file | holds |
//! |---|---|
//! | `store` | files of this machine or of a bucket, behind one face |
//! | `manifest` | what a manifest says |
//! | `find` | the manifests below a folder, the newest of each period; files without any |
//! | `check` | whether all that a manifest names is there |
//! | `bring` | the files of a delivery on this machine |
//! | `error` | what can be wrong, and what to do |

mod bring;
mod check;
mod error;
mod find;
mod manifest;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

pub use error::ExportError;
pub use find::find;
pub use store::Store;

use crate::domain::bill::Month;

/// Files that are one bill, or one bill per period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Name of the export, or of the file without its endings.
    pub export: Arc<str>,
    /// Period of its manifest or folder; `None` where only the lines tell it.
    pub period: Option<Month>,
    /// When the manifest or the newest file was written; `None` where not known.
    pub written_at: Option<Timestamp>,
    /// SHA-256 in hex of the manifest; without one, of names, sizes and times of the files.
    pub digest: String,
    /// Files, in the order in which they are read.
    pub parts: Vec<Part>,
    /// Older executions of the same period, which it replaces.
    pub older_executions: u64,
}

impl Delivery {
    /// Digest of the delivery as it is kept with these tag keys: with others it has to be read again.
    pub fn digest_with(&self, tag_keys: &[Arc<str>]) -> String {
        sha256(format!("{}\n{}", self.digest, tag_keys.join("\n")).as_bytes())
    }
}

/// A file of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Path, or key in the bucket.
    pub path: String,
    /// Size, bytes.
    pub bytes: u64,
    /// When it was written; `None` where not known.
    pub written_at: Option<Timestamp>,
}

/// What lies at a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Complete deliveries, by export and period.
    pub deliveries: Vec<Delivery>,
    /// Deliveries that cannot be read as they are; the bills before them stay.
    pub failed: Vec<ExportError>,
}

/// SHA-256 of `bytes` in hex.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
