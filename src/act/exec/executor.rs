//! What can change something: the boundary between a confirmed plan and the world.

use std::sync::Arc;

use crate::act::plan::{Order, Verb};
use crate::domain::{ErrorKind, InstanceState, Scope, SourceError};

/// Something that can carry out orders in one account.
///
/// An implementation makes exactly one attempt: whether and how to try again is decided above,
/// after a look at what the first attempt did.
#[async_trait::async_trait]
pub trait Executor: Send + Sync {
    /// What it is, for the audit log and the header: `live`, `dry-run`, `read-only`, `demo`.
    fn name(&self) -> &'static str;

    /// Asks whether the caller may do `verb` to `ids` (EC2's `DryRun`), changing nothing.
    /// `Err` with [`ErrorKind::Denied`] when not. It says nothing about protection.
    async fn permitted(
        &self,
        scope: &Scope,
        verb: &Verb,
        ids: &[Arc<str>],
    ) -> Result<(), SourceError>;

    /// Carries out an order, once, without any retry of its own.
    async fn act(&self, order: &Order) -> Result<Receipt, SourceError>;
}

/// What came back from a call that was accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// AWS request ids.
    pub request_ids: Vec<String>,
    /// States that the answer named.
    pub states: Vec<(Arc<str>, InstanceState)>,
    /// True when nothing was really done (a dry run).
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
