//! State and tags, for verification.

use std::sync::Arc;

use super::instances;
use crate::domain::{Scope, SourceError, Tags};
use crate::source::aws::AwsProvider;
use crate::source::inspect::Seen;

/// State and tags of each of `ids`, for verification. Err when EC2 cannot be read.
pub async fn read(
    aws: &AwsProvider,
    scope: &Scope,
    ids: &[Arc<str>],
) -> Result<Vec<Seen>, SourceError> {
    let found = instances::by_id(aws, scope, ids).await?;
    let seen = |id: &Arc<str>| {
        let instance = found.get(id).map(|f| &f.instance);
        Seen {
            id: Arc::clone(id),
            state: instance.map(|i| i.state),
            launched_at: instance.map(|i| i.launched_at),
            tags: instance.map_or_else(Tags::default, |i| i.tags.clone()),
        }
    };
    Ok(ids.iter().map(seen).collect())
}
