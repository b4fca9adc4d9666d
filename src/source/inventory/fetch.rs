//! Where an inventory lies: files of this machine, or objects that are fetched.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::error::InventoryError;

/// Gets objects of one bucket (or what stands for one). Errors are
/// [`InventoryError::Unreadable`]; what is not there is `None`.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// A small object as a whole; an error when it is larger than `at_most` bytes.
    async fn get(&self, key: &str, at_most: u64) -> Result<Option<Vec<u8>>, InventoryError>;

    /// Size of an object, bytes.
    async fn size(&self, key: &str) -> Result<Option<u64>, InventoryError>;

    /// Writes an object to a file that is there and empty; its size in bytes.
    async fn download(&self, key: &str, to: &Path) -> Result<Option<u64>, InventoryError>;

    /// Names of the "folders" directly under a prefix that is empty or ends with `/`, each with its
    /// `/`.
    async fn folders(&self, prefix: &str) -> Result<Vec<String>, InventoryError>;
}

/// Where an inventory, or a prefix of inventories, lies.
#[derive(Clone)]
pub enum Place {
    /// A file or directory.
    Local(PathBuf),
    /// An object or prefix of a bucket.
    Remote {
        /// The bucket.
        bucket: String,
        /// Key or prefix.
        key: String,
        /// How to get it.
        fetch: Arc<dyn Fetch>,
    },
}

impl Place {
    /// As it is shown.
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
