//! Confirmation of a checked plan by a person, and the tickets for calls that come of it.
//!
//! ```
//! use burntop::parts::act::plan::{Confirmed, Order};
//! ```
//!
//! ```compile_fail
//! // A confirmation cannot be made by hand: its fields are private and it has no constructor.
//! let confirmed = burntop::parts::act::plan::Confirmed {};
//! ```
//!
//! ```compile_fail
//! // Nor can an order.
//! let order = burntop::parts::act::plan::Order {};
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::approval::{Approval, ApprovalError};
use super::kind::{Instances, Kind};
use super::preflighted::{ActApi, CheckedRow, Preflighted};
use super::verb::Verb;
use crate::domain::Scope;

/// Longest time between a confirmation and its execution.
pub const VALID_FOR: SignedDuration = SignedDuration::from_secs(60);

/// Longest time between the checks and their confirmation: the world moves on.
pub const CHECKS_VALID_FOR: SignedDuration = SignedDuration::from_mins(5);

/// How far a clock may run backwards between two readings, because a picture is drawn with the time of its last tick.
/// Beyond it somebody set the clock, and ages are no longer known.
pub const CLOCK_SLACK: SignedDuration = SignedDuration::from_secs(5);

/// Most instances of one call.
pub const MAX_BATCH: usize = 50;

/// Words that must be typed, and whether a justification is required, before the plan runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Accepted words, of which one must be typed; empty where a dialog with Cancel focused
    /// suffices.
    pub typed: Vec<String>,
    /// True when a justification must be written, because an instance is production.
    pub justification: bool,
}

impl Challenge {
    /// Words for a verb that destroys: `word` with the number of rows, or the id of the only row.
    pub(super) fn count_or_id(word: &str, ids: &[&Arc<str>]) -> Vec<String> {
        let mut words = vec![format!("{word} {}", ids.len())];
        if let [only] = ids {
            words.push(only.to_string());
        }
        words
    }
}

/// Answer of a person to a [`Challenge`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Word that was typed; empty where none was asked for.
    pub typed: String,
    /// Justification; empty takes the one of the plan.
    pub justification: String,
}

/// Why nothing was confirmed, or a confirmation is void.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfirmError {
    /// No row passed the guards.
    #[error("every row of the plan is blocked; there is nothing to do")]
    Nothing,
    /// The plan breaks a cap.
    #[error("{0}")]
    Cap(#[from] super::caps::Breach),
    /// Another word was typed than this one.
    #[error("type {0} to go on")]
    Typed(String),
    /// A justification is required and none was written.
    #[error("an instance is production: write why")]
    Justification,
    /// The checks are older than [`CHECKS_VALID_FOR`], or the clock was set back.
    #[error("the checks are more than 5 minutes old: check again")]
    Stale,
    /// The checks were confirmed before.
    #[error("this plan was confirmed already: check again")]
    Taken,
    /// The confirmation is older than [`VALID_FOR`], or the clock was set back.
    #[error("the confirmation is older than 60 seconds: check and confirm again")]
    Expired,
    /// The confirmation was redeemed before.
    #[error("a confirmation is good for one execution, and this one was used")]
    Spent,
    /// An approval does not replace the typed words for this plan.
    #[error("an approval is not enough for this: the words have to be typed by who acts")]
    TypedOnly,
    /// The approval does not hold.
    #[error("{0}")]
    Approval(#[from] ApprovalError),
}

/// Who allowed a plan to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Authority {
    /// A person confirmed it at the screen.
    Person,
    /// A second person approved the plan or the policy file.
    Approval(Approval),
}

/// A plan that may run: once, within [`VALID_FOR`] of its confirmation.
#[derive(Debug)]
pub struct Confirmed<K: Kind = Instances> {
    plan: Arc<K::Plan>,
    rows: Vec<K::Row>,
    callers: BTreeMap<Arc<str>, Arc<str>>,
    authority: Authority,
    justification: String,
    at: Timestamp,
    spent: AtomicBool,
}

impl<K: Kind> Preflighted<K> {
    /// What a person must type and write before this may run.
    pub fn challenge(&self) -> Challenge {
        K::challenge(self)
    }

    /// Confirms by the answer of a person. Fails when nothing passed, a cap is broken, the answer
    /// does not meet the [`Challenge`], or the checks are old or were confirmed before.
    pub fn confirm(&self, answer: &Answer, now: Timestamp) -> Result<Confirmed<K>, ConfirmError> {
        self.may_confirm(now)?;
        let challenge = self.challenge();
        let typed = answer.typed.trim();
        if let Some(first) = challenge.typed.first()
            && !challenge.typed.iter().any(|word| word == typed)
        {
            return Err(ConfirmError::Typed(first.clone()));
        }
        let written = match answer.justification.trim() {
            "" => K::justification(&self.plan).trim(),
            written => written,
        };
        if challenge.justification && written.is_empty() {
            return Err(ConfirmError::Justification);
        }
        self.mint(Authority::Person, written, now)
    }

    /// Confirms by an approval; `subject` is the hash of what was approved, the plan or the policy
    /// file. Fails as [`Preflighted::confirm`] does, and when the approval does not hold or the
    /// approver is the caller in an account of the plan.
    pub fn confirm_by(
        &self,
        approval: &Approval,
        subject: &str,
        now: Timestamp,
    ) -> Result<Confirmed<K>, ConfirmError> {
        self.may_confirm(now)?;
        if !K::takes_approvals(&self.plan) {
            return Err(ConfirmError::TypedOnly);
        }
        approval.check(subject, &self.callers, now)?;
        // A row passes with a known caller alone; an account that nobody asked is nobody's to
        // approve.
        let unasked = |r: &&K::Row| !self.callers.contains_key(K::account(r));
        if let Some(row) = self.passed().find(unasked) {
            return Err(ApprovalError::Uncovered(K::account(row).clone()).into());
        }
        let written = K::justification(&self.plan).trim();
        if self.challenge().justification && written.is_empty() {
            return Err(ConfirmError::Justification);
        }
        self.mint(Authority::Approval(approval.clone()), written, now)
    }

    fn may_confirm(&self, now: Timestamp) -> Result<(), ConfirmError> {
        if self.passed().next().is_none() {
            return Err(ConfirmError::Nothing);
        }
        if let Some(breach) = self.breaches.first() {
            return Err(breach.clone().into());
        }
        let age = now.duration_since(self.checked_at);
        // A clock that went backwards makes no check young.
        if age > CHECKS_VALID_FOR || age < -CLOCK_SLACK {
            return Err(ConfirmError::Stale);
        }
        Ok(())
    }

    fn mint(
        &self,
        authority: Authority,
        justification: &str,
        at: Timestamp,
    ) -> Result<Confirmed<K>, ConfirmError> {
        if !self.take() {
            return Err(ConfirmError::Taken);
        }
        Ok(Confirmed {
            plan: self.plan.clone(),
            rows: self.passed().cloned().collect(),
            callers: self.callers.clone(),
            authority,
            justification: crate::domain::text::clean(justification).into_owned(),
            at,
            spent: AtomicBool::new(false),
        })
    }
}

impl<K: Kind> Confirmed<K> {
    /// The plan.
    pub fn plan(&self) -> &Arc<K::Plan> {
        &self.plan
    }

    /// The rows that passed the guards.
    pub fn rows(&self) -> &[K::Row] {
        &self.rows
    }

    /// Opens the one execution. Fails when the confirmation has expired or was redeemed before.
    pub fn redeem(&self, now: Timestamp) -> Result<Ticket<'_, K>, ConfirmError> {
        let age = now.duration_since(self.at);
        if age > VALID_FOR || age < -CLOCK_SLACK {
            return Err(ConfirmError::Expired);
        }
        if self.spent.swap(true, Ordering::SeqCst) {
            return Err(ConfirmError::Spent);
        }
        Ok(Ticket { confirmed: self })
    }
}

/// A redeemed confirmation, held by the execution of its plan.
#[derive(Debug)]
pub struct Ticket<'a, K: Kind = Instances> {
    confirmed: &'a Confirmed<K>,
}

impl<K: Kind> Ticket<'_, K> {
    /// The plan.
    pub fn plan(&self) -> &Arc<K::Plan> {
        &self.confirmed.plan
    }

    /// The rows that passed the guards when it was confirmed.
    pub fn rows(&self) -> &[K::Row] {
        &self.confirmed.rows
    }

    /// ARN of the caller by account, as it was when the plan was confirmed.
    pub fn callers(&self) -> &BTreeMap<Arc<str>, Arc<str>> {
        &self.confirmed.callers
    }

    /// Who allowed the plan to run.
    pub fn authority(&self) -> &Authority {
        &self.confirmed.authority
    }

    /// Justification; empty where none is required and none was written.
    pub fn justification(&self) -> &str {
        &self.confirmed.justification
    }
}

impl Ticket<'_> {
    /// An order for `ids`: rows of this ticket, of one scope, zone and API, [`MAX_BATCH`] at
    /// most. `None` when they are anything else.
    pub fn order(&self, ids: &[Arc<str>]) -> Option<Order> {
        let rows: Vec<&CheckedRow> = ids
            .iter()
            .map(|id| self.rows().iter().find(|r| r.item.id == *id))
            .collect::<Option<_>>()?;
        let first = *rows.first()?;
        let one_group = rows
            .iter()
            .all(|r| r.item.scope == first.item.scope && r.az == first.az && r.via == first.via);
        let distinct = ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
        (one_group && distinct && ids.len() <= MAX_BATCH).then(|| Order {
            scope: first.item.scope.clone(),
            az: first.az.clone(),
            via: first.via.clone(),
            verb: self.plan().verb.clone(),
            by: self.callers().get(&first.item.scope.account).cloned().unwrap_or_default(),
            ids: ids.to_vec(),
        })
    }
}

/// One call to be executed. Made by a [`Ticket`] alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    scope: Scope,
    az: Arc<str>,
    via: ActApi,
    verb: Verb,
    by: Arc<str>,
    ids: Vec<Arc<str>>,
}

impl Order {
    /// Account and region.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Zone of all instances.
    pub fn az(&self) -> &Arc<str> {
        &self.az
    }

    /// API that the call goes through.
    pub fn via(&self) -> &ActApi {
        &self.via
    }

    /// Action.
    pub fn verb(&self) -> &Verb {
        &self.verb
    }

    /// ARN of the caller.
    pub fn by(&self) -> &Arc<str> {
        &self.by
    }

    /// Instance ids, at most [`MAX_BATCH`].
    pub fn ids(&self) -> &[Arc<str>] {
        &self.ids
    }
}

#[cfg(test)]
mod tests;
