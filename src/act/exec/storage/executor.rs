//! The trait of executors of storage, and the one that refuses everything.

use std::sync::Arc;

use crate::act::plan::storage::{StorageItem, StorageOrder, StorageVerb};
use crate::domain::{ErrorKind, SourceError};

/// Executes confirmed orders about storage in one account. One attempt per call, never a retry.
#[async_trait::async_trait]
pub trait StorageExecutor: Send + Sync {
    /// Name in the audit log: `live`, `dry-run`, `read-only`, `demo`.
    fn name(&self) -> &'static str;

    /// Asks whether the caller may do `verb` to `item` (EC2's `DryRun`; S3 has none), changing
    /// nothing.
    async fn permitted(&self, verb: StorageVerb, item: &StorageItem) -> Result<(), SourceError>;

    /// Executes an order, once. A configuration is put only when the bucket has, at that very
    /// moment, the one that the order was made on.
    async fn act(&self, order: &StorageOrder) -> Result<StorageReceipt, SourceError>;
}

/// Answer to a call that was accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageReceipt {
    /// AWS request ids, as the answers named them; empty for the demo and a dry run.
    pub request_ids: Vec<String>,
    /// True for a dry run: nothing was done.
    pub pretended: bool,
}

/// The executor of a read-only session: it holds nothing that could make a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefuseStorage;

#[async_trait::async_trait]
impl StorageExecutor for RefuseStorage {
    fn name(&self) -> &'static str {
        "read-only"
    }

    async fn permitted(&self, verb: StorageVerb, _: &StorageItem) -> Result<(), SourceError> {
        Err(refusal(verb.word()))
    }

    async fn act(&self, _: &StorageOrder) -> Result<StorageReceipt, SourceError> {
        Err(refusal("act"))
    }
}

fn refusal(what: &str) -> SourceError {
    let fix = "start with --allow-actions, or set allow_actions for the account";
    SourceError::new(ErrorKind::Denied, what, "this session is read-only", fix)
}

/// Puts a dry run in the place of every action. What it wraps is asked for permission alone.
pub struct DryRunStorage(Arc<dyn StorageExecutor>);

impl DryRunStorage {
    /// A dry run of what `executor` would do.
    pub fn new(executor: Arc<dyn StorageExecutor>) -> Self {
        Self(executor)
    }
}

#[async_trait::async_trait]
impl StorageExecutor for DryRunStorage {
    fn name(&self) -> &'static str {
        "dry-run"
    }

    async fn permitted(&self, verb: StorageVerb, item: &StorageItem) -> Result<(), SourceError> {
        self.0.permitted(verb, item).await
    }

    async fn act(&self, _: &StorageOrder) -> Result<StorageReceipt, SourceError> {
        Ok(StorageReceipt { pretended: true, ..StorageReceipt::default() })
    }
}
