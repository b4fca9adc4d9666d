//! Looking at single volumes and buckets closely, at the moment of acting. Reads alone.

use std::sync::Arc;

use super::provider::Identity;
use crate::domain::storage::{BucketLook, VolumeLook};
use crate::domain::{Scope, SourceError};

/// An account whose volumes and buckets can be looked at closely. Every answer is fresh.
#[async_trait::async_trait]
pub trait StorageInspector: Send + Sync {
    /// Who we are, asked now.
    async fn caller(&self) -> Result<Identity, SourceError>;

    /// Everything asked of a volume. Never fails as a whole. Whether it was attached lately is
    /// asked (and billed) with `use_too` alone; without, that answer says that nobody asked.
    async fn volume(&self, scope: &Scope, id: &Arc<str>, use_too: bool) -> VolumeLook;

    /// Everything asked of a bucket that the account of `scope` has to own. Never fails as a whole.
    async fn bucket(&self, scope: &Scope, name: &Arc<str>) -> BucketLook;
}
