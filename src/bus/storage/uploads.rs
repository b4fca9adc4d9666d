//! Uploads begun and not completed: listed by whoever lists a bucket, for it is billed per page.

use std::sync::Arc;

use jiff::Timestamp;

use super::keep::kind;
use crate::cache::Cache;
use crate::domain::Scope;
use crate::domain::storage::IncompleteUploads;

/// Remembers the uploads of a bucket.
pub async fn put_uploads(cache: &Cache, bucket: &str, at: Timestamp, uploads: &IncompleteUploads) {
    cache.put(kind::UPLOADS, &Scope::new(bucket, "-"), at, uploads).await;
}

/// What was listed of all buckets. Names of buckets are unique among all accounts.
pub(super) async fn all(cache: &Cache, now: Timestamp) -> Vec<(Arc<str>, IncompleteUploads)> {
    let all = cache.all::<IncompleteUploads>(kind::UPLOADS, now).await;
    all.into_iter().map(|(scope, stored)| (scope.account, stored.value)).collect()
}
