//! Looking at single volumes and buckets closely, at the moment of acting. Reads alone.

use std::sync::Arc;

use super::provider::Identity;
use crate::domain::storage::{BucketLook, VolumeLook};
use crate::domain::{Scope, SourceError};

/// An account whose volumes and buckets can be inspected before an action. Every answer is fresh.
#[async_trait::async_trait]
pub trait StorageInspector: Send + Sync {
    /// Caller's identity at this moment. Err when it cannot be read.
    async fn caller(&self) -> Result<Identity, SourceError>;

    /// Facts of a volume. Never fails as a whole. Recent attachment is read (and billed) only with `use_too`; otherwise
    /// that fact is an error that says so.
    async fn volume(&self, scope: &Scope, id: &Arc<str>, use_too: bool) -> VolumeLook;

    /// Facts of a bucket, which the account of `scope` must own. Never fails as a whole.
    async fn bucket(&self, scope: &Scope, name: &Arc<str>) -> BucketLook;
}
