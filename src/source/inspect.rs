//! Looking at single instances closely, at the moment of acting. Reads alone: what changes
//! anything lives in `act::exec`.

use std::sync::Arc;

use jiff::Timestamp;

use super::provider::Identity;
use crate::domain::{Inspection, Instance, InstanceState, Known, Recent, Scope, SourceError, Tags};

/// State and tags of an instance, for verification.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// EC2 instance id, such as `i-0abc`.
    pub id: Arc<str>,
    /// State of the instance; `None` when EC2 does not know the id.
    pub state: Option<InstanceState>,
    /// Time of the last launch; `None` when EC2 does not know the id.
    pub launched_at: Option<Timestamp>,
    /// Tags of the instance; empty when EC2 does not know the id.
    pub tags: Tags,
}

/// An account whose instances can be inspected before an action. Every answer is fresh, never from a cache.
/// Implementations time out and retry like those of [`super::Provider`].
#[async_trait::async_trait]
pub trait Inspector: Send + Sync {
    /// Caller's identity at this moment. Err when it cannot be read.
    async fn caller(&self) -> Result<Identity, SourceError>;

    /// Facts for the preflight, one inspection per id in the order of `ids`; at most 50 ids, all of one region. Never
    /// fails as a whole: a fact that could not be read is an error in its place.
    async fn inspect(&self, scope: &Scope, ids: &[Arc<str>]) -> Vec<Inspection>;

    /// Metrics of the instances between `from` and `to` (the present): CPU mean and maximum, network in and out, and
    /// each GPU that any source reports, in the shortest periods available (5 minutes with basic monitoring). One
    /// answer per instance, in order, each with its number of NVIDIA GPUs.
    async fn recent(
        &self,
        scope: &Scope,
        instances: &[(Arc<Instance>, u32)],
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<Known<Recent>>;

    /// Present state and tags, one per id in order; an unknown id has state `None`. Err when EC2 cannot be read.
    async fn states(&self, scope: &Scope, ids: &[Arc<str>]) -> Result<Vec<Seen>, SourceError>;
}
