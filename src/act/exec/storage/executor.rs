//! What can change storage: the boundary between a confirmed plan and the world.

use std::sync::Arc;

use crate::act::plan::storage::{StorageItem, StorageOrder, StorageVerb};
use crate::domain::{ErrorKind, SourceError};

/// Something that can carry out orders about storage in one account. An implementation makes
/// exactly one attempt.
#[async_trait::async_trait]
pub trait StorageExecutor: Send + Sync {
    /// What it is, for the audit log: `live`, `dry-run`, `read-only`, `demo`.
    fn name(&self) -> &'static str;

    /// Asks whether the caller may do `verb` to `item` (EC2's `DryRun`; S3 has none), changing
    /// nothing.
    async fn permitted(&self, verb: StorageVerb, item: &StorageItem) -> Result<(), SourceError>;

    /// Carries out an order, once, without any retry of its own. A configuration is put when the
    /// bucket has, at that very moment, the one that the order stands on.
    async fn act(&self, order: &StorageOrder) -> Result<StorageReceipt, SourceError>;
}

/// What came back from a call that was accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageReceipt {
    /// AWS request ids.
    pub request_ids: Vec<String>,
    /// True when nothing was really done (a dry run).
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
