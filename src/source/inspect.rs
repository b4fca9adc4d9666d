//! Looking at single instances closely, at the moment of acting. Reads alone: what changes
//! anything lives in `act::exec`.

use std::sync::Arc;

use jiff::Timestamp;

use super::provider::Identity;
use crate::domain::{Inspection, Instance, InstanceState, Known, Recent, Scope, SourceError, Tags};

/// State and tags of an instance, for verification.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Instance id.
    pub id: Arc<str>,
    /// Its state; `None` when EC2 knows no such instance.
    pub state: Option<InstanceState>,
    /// Last launch, when it exists.
    pub launched_at: Option<Timestamp>,
    /// Its tags.
    pub tags: Tags,
}

/// An account whose instances can be looked at closely. Every answer is fresh: nothing comes from
/// a cache. Implementations time out and retry as [`super::Provider`]'s do.
#[async_trait::async_trait]
pub trait Inspector: Send + Sync {
    /// Who we are, asked now.
    async fn caller(&self) -> Result<Identity, SourceError>;

    /// Everything a preflight asks, one inspection per id in the order of `ids`; at most 50 ids,
    /// all of one region. Never fails as a whole: what could not be read says so in its place.
    async fn inspect(&self, scope: &Scope, ids: &[Arc<str>]) -> Vec<Inspection>;

    /// What the instances did between `from` and `to` (`to` is now): CPU mean and maximum, network in and
    /// out, and each GPU that any source reports, at the finest period there is (5 minutes with
    /// basic monitoring). One answer per instance, in order. `devices` is the number of NVIDIA
    /// GPUs of each instance's type.
    async fn recent(
        &self,
        scope: &Scope,
        instances: &[(Arc<Instance>, u32)],
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<Known<Recent>>;

    /// State and tags now, one per id in order: an id that EC2 does not know has state `None`.
    async fn states(&self, scope: &Scope, ids: &[Arc<str>]) -> Result<Vec<Seen>, SourceError>;
}
