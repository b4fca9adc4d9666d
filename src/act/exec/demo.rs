//! The executor of the demo: it moves its invented fleet, and nothing else.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{Executor, Receipt};
use crate::act::plan::{ActApi, BY_TAG, EXPIRES_TAG, Order, REASON_TAG, REMINDED_TAG, Verb};
use crate::domain::{Scope, SourceError};
use crate::source::demo::{Controls, DemoAccount, Lever};

/// Executes orders in one account of the demo, on its invented fleet.
pub struct DemoExecutor(Arc<Controls>);

/// An executor for `account`. It changes the world that its provider and inspector show.
pub fn executor(account: &DemoAccount) -> Arc<dyn Executor> {
    Arc::new(DemoExecutor(account.controls.clone()))
}

#[async_trait::async_trait]
impl Executor for DemoExecutor {
    fn name(&self) -> &'static str {
        "demo"
    }

    async fn permitted(
        &self,
        scope: &Scope,
        verb: &Verb,
        _ids: &[Arc<str>],
    ) -> Result<(), SourceError> {
        let lever = match verb {
            Verb::Stop => Lever::Stop,
            Verb::Terminate { .. } => Lever::Terminate,
            Verb::Start => Lever::Start,
            Verb::Mark { .. } | Verb::Remind => Lever::Tag(&[(EXPIRES_TAG, Some(""))]),
            Verb::Unmark => Lever::Tag(&[(EXPIRES_TAG, None)]),
        };
        self.0.permitted(scope, &lever)
    }

    async fn act(&self, order: &Order) -> Result<Receipt, SourceError> {
        let pull = |lever: &Lever<'_>| {
            let accepted = self.0.pull(order.scope(), lever, order.ids())?;
            Ok(Receipt {
                request_ids: vec![accepted.request_id],
                states: accepted.states,
                pretended: false,
            })
        };
        match (order.verb(), order.via()) {
            (Verb::Stop, _) => pull(&Lever::Stop),
            (Verb::Start, _) => pull(&Lever::Start),
            (Verb::Terminate { .. }, ActApi::Ec2) => pull(&Lever::Terminate),
            (Verb::Terminate { .. }, ActApi::AutoScaling { group, decrement }) => {
                pull(&Lever::LeaveGroup { group, decrement: *decrement })
            }
            (Verb::Mark { expires, reason }, _) => pull(&Lever::Tag(&[
                (EXPIRES_TAG, Some(&expires.to_string())),
                (BY_TAG, Some(order.by())),
                (REASON_TAG, Some(reason)),
            ])),
            (Verb::Remind, _) => {
                pull(&Lever::Tag(&[(REMINDED_TAG, Some(&self.0.now().to_string()))]))
            }
            (Verb::Unmark, _) => pull(&Lever::Tag(&[
                (EXPIRES_TAG, None),
                (BY_TAG, None),
                (REASON_TAG, None),
                (REMINDED_TAG, None),
            ])),
        }
    }
}
