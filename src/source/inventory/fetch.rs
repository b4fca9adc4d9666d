//! Where an inventory lies: files of this machine, or objects that are fetched.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use super::error::InventoryError;

/// Reads objects of one bucket (or a directory in its place). Errors are [`InventoryError::Unreadable`]; a missing
/// object is `None`.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// A small object as a whole; `None` when it does not exist. Err when it is larger than `at_most` bytes or cannot
    /// be read.
    async fn get(&self, key: &str, at_most: u64) -> Result<Option<Vec<u8>>, InventoryError>;

    /// Size of an object, bytes; `None` when it does not exist. Err when it cannot be read.
    async fn size(&self, key: &str) -> Result<Option<u64>, InventoryError>;

    /// Writes an object to an existing empty file and returns its size in bytes; `None` when the object does not exist.
    /// Err when it cannot be read or written.
    async fn download(&self, key: &str, to: &Path) -> Result<Option<u64>, InventoryError>;

    /// What lies directly under `prefix` (empty or ending with `/`); names that are not UTF-8 are left out. Err when it
    /// cannot be listed.
    async fn entries(&self, prefix: &str) -> Result<Vec<Entry>, InventoryError>;
}

/// Something directly under a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Name of a "folder", with its `/`.
    Folder(String),
    /// An object.
    File {
        /// Name below the prefix.
        name: String,
        /// Size, bytes.
        bytes: u64,
        /// When it was written; `None` where not known.
        modified: Option<Timestamp>,
    },
}

/// Location of an inventory, or of a prefix of inventories.
#[derive(Clone)]
pub enum Place {
    /// A local file or directory.
    Local(PathBuf),
    /// An object or prefix of a bucket.
    Remote {
        /// Bucket name.
        bucket: String,
        /// Key of the manifest, or prefix.
        key: String,
        /// Reader of the bucket's objects.
        fetch: Arc<dyn Fetch>,
    },
}

impl Place {
    /// Path or `s3://` URL, for the screen.
    pub fn label(&self) -> String {
        match self {
            Self::Local(path) => path.display().to_string(),
            Self::Remote { bucket, key, .. } => format!("s3://{bucket}/{key}"),
        }
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label())
    }
}

/// Bucket and key of `s3://bucket/key`; `None` for anything else.
pub fn s3_uri(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("s3://")?;
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    (!bucket.is_empty()).then_some((bucket, key))
}

#[cfg(test)]
mod tests {
    use super::s3_uri;

    #[test]
    fn uris_are_taken_apart() {
        assert_eq!(s3_uri("s3://b/p/manifest.json"), Some(("b", "p/manifest.json")));
        assert_eq!(s3_uri("s3://b"), Some(("b", "")));
        assert_eq!(s3_uri("s3:///x"), None);
        assert_eq!(s3_uri("/a/b"), None);
    }
}
