//! The operator: checks a plan, carries out a confirmed one, and says what became of each row.

mod batch;
mod call;
mod claim;
mod execute;
mod judge;
mod look;
mod reconcile;
pub(super) mod run;
#[cfg(test)]
mod tests;
mod verify;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use super::pace::{Instant, timeout_at};
use futures_util::FutureExt as _;
use jiff::Timestamp;

use super::audit::{AuditCopy, AuditError, Journal};
use super::executor::Executor;
use super::patience::Patience;
use crate::act::plan::{
    ConfirmError, Confirmed, Outcome, Plan, Preflighted, Progress, Rules, Verified,
};
use crate::domain::{ErrorKind, Known, SourceError};
use crate::source::inspect::Inspector;
use crate::source::ledger::Ledger;

/// Scopes (account × region) that are worked on at the same time.
const SCOPES_AT_ONCE: usize = 8;

/// The inspector and the executor of one account.
#[derive(Clone)]
pub struct AccountAccess {
    /// Reads the account: who the caller is, its instances, their last minutes.
    pub inspector: Arc<dyn Inspector>,
    /// Executes orders in the account; [`super::Refuse`] where nothing may be done.
    pub executor: Arc<dyn Executor>,
}

/// Why a confirmed plan was not begun. No call was made.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// The confirmation has expired, or was used before.
    #[error("{0}")]
    Confirm(#[from] ConfirmError),
    /// The audit log cannot be read or written.
    #[error("{0}")]
    Audit(#[from] AuditError),
}

/// Carries out plans. One for all accounts; runs of several operators, in this process or in
/// others, share nothing but the audit log.
pub struct Operator {
    rules: Rules,
    journal: Arc<Journal>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ledger: Option<Ledger>,
    patience: Patience,
    copies: Vec<Arc<dyn AuditCopy>>,
    accounts: HashMap<Arc<str>, AccountAccess>,
}

impl Operator {
    /// An operator without accounts: see [`Operator::add`]. `clock` returns the present moment.
    pub fn new(
        rules: Rules,
        journal: Arc<Journal>,
        clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Self {
        Self {
            rules,
            journal,
            clock,
            ledger: None,
            patience: Patience::default(),
            copies: Vec::new(),
            accounts: HashMap::new(),
        }
    }

    /// Charges the cost of re-measuring to `ledger` before it is incurred. Without a ledger nothing
    /// is charged.
    #[must_use]
    pub fn with_ledger(mut self, ledger: Ledger) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// Waits longer, or less long.
    #[must_use]
    #[cfg(test)]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Copies the audit log to `copy` too, after each run.
    #[must_use]
    pub fn with_copy(mut self, copy: Arc<dyn AuditCopy>) -> Self {
        self.copies.push(copy);
        self
    }

    /// Adds an account by its id. Rows of accounts that were not added are blocked.
    pub fn add(&mut self, account: Arc<str>, access: AccountAccess) {
        self.accounts.insert(account, access);
    }

    /// Inspector of an account; `None` for one that was not added.
    pub fn inspector(&self, account: &str) -> Option<&Arc<dyn Inspector>> {
        self.accounts.get(account).map(|access| &access.inspector)
    }

    /// Rules that its plans are checked against.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Audit log that it writes to.
    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    /// Asks everything about every row of a plan and holds it against the guards. Changes nothing.
    pub async fn preflight(&self, plan: Arc<Plan>) -> Preflighted {
        let items: Vec<_> = plan.items.iter().cloned().map(Arc::new).collect();
        let looked = self.look(&plan, &items).await;
        let rows = looked.rows.into_iter().map(|r| r.checked).collect();
        Preflighted::new(plan, rows, self.now(), looked.callers, &self.rules.caps)
    }

    /// Carries out a confirmed plan: once, and within sixty seconds of the confirmation. `say` is
    /// told what happens; it must not block.
    ///
    /// When the future is dropped, what is in flight stays in the audit log as an intent without
    /// outcome, which [`Operator::reconcile`] makes up for later.
    pub async fn execute(
        &self,
        confirmed: &Confirmed,
        say: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Verified, ActError> {
        execute::execute(self, confirmed, say).await
    }

    /// Reconciles the intents of runs that died: looks at the instances and writes what became of
    /// them. Rows of accounts that are not there or cannot be read are left for the next time;
    /// they are in the answer as unknown, with a text that says so.
    pub async fn reconcile(&self) -> Result<Vec<Outcome>, ActError> {
        reconcile::reconcile(self).await
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Waits for an answer until `deadline`. A defect in what answers is no answer.
    async fn within<T>(
        deadline: Instant,
        operation: &str,
        answer: impl Future<Output = T>,
    ) -> Known<T> {
        let error = |kind, message, fix| Arc::new(SourceError::new(kind, operation, message, fix));
        match timeout_at(deadline, AssertUnwindSafe(answer).catch_unwind()).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(error(ErrorKind::Other, "burntop failed inside", "please report it")),
            Err(_) => Err(error(ErrorKind::Timeout, "no answer in time", "check again")),
        }
    }
}
