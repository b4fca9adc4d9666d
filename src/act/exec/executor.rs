//! The trait of executors, the boundary between a confirmed plan and the world, and the one that refuses everything.

use std::sync::Arc;

use crate::act::plan::{Order, Verb};
use crate::domain::{ErrorKind, InstanceState, Scope, SourceError};

/// Executes confirmed orders in one account. One attempt per call, never a retry: whether and how
/// to try again is decided by the operator, after a look at what the first attempt did.
#[async_trait::async_trait]
pub trait Executor: Send + Sync {
    /// Name in the audit log and the header: `live`, `dry-run`, `read-only`, `demo`.
    fn name(&self) -> &'static str;

    /// Asks whether the caller may do `verb` to `ids` (EC2's `DryRun`), changing nothing.
    /// `Err` with [`ErrorKind::Denied`] when not. It says nothing about protection.
    async fn permitted(
        &self,
        scope: &Scope,
        verb: &Verb,
        ids: &[Arc<str>],
    ) -> Result<(), SourceError>;

    /// Executes an order, once. `Err` may mean that it was carried out all the same: see the kind
    /// of the error.
    async fn act(&self, order: &Order) -> Result<Receipt, SourceError>;
}

/// Answer to a call that was accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// AWS request ids, as the answers named them; empty for the demo and a dry run.
    pub request_ids: Vec<String>,
    /// New states by instance id; only of the instances that the answer named.
    pub states: Vec<(Arc<str>, InstanceState)>,
    /// True for a dry run: nothing was done.
    pub pretended: bool,
}

/// The executor of a read-only session: it holds nothing that could make a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refuse;

#[async_trait::async_trait]
impl Executor for Refuse {
    fn name(&self) -> &'static str {
        "read-only"
    }

    async fn permitted(&self, _: &Scope, verb: &Verb, _: &[Arc<str>]) -> Result<(), SourceError> {
        Err(refusal(verb))
    }

    async fn act(&self, order: &Order) -> Result<Receipt, SourceError> {
        Err(refusal(order.verb()))
    }
}

fn refusal(verb: &Verb) -> SourceError {
    SourceError::new(
        ErrorKind::Denied,
        verb.word(),
        "this session is read-only",
        "start with --allow-actions, or set allow_actions for the account",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_read_only_executor_holds_no_client() {
        assert_eq!(size_of::<Refuse>(), 0);
    }
}
