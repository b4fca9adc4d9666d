//! The calls: each after a look of its own, each with an intent on disk before it.

use std::sync::Arc;

use crate::act::exec::pace::{Instant, sleep};

use super::Operator;
use super::batch::Batch;
use super::claim::Claim;
use super::judge::{ObservedState, observe};
use super::look::LookedRow;
use super::run::{Row, Run};
use crate::act::exec::Receipt;
use crate::act::exec::audit::{Body, IntentRow};
use crate::act::plan::{ActApi, CheckedRow, Order, OutcomeKind, Progress, guard};
use crate::domain::{ErrorKind, SourceError};
use crate::source::inspect::Seen;

/// Meaning of an error for the rows of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Not now: nothing happened, and it may be asked again.
    Later,
    /// No: nothing happened, and the same call would be turned down again.
    No,
    /// It may have happened.
    Unclear,
}

impl Answer {
    fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Throttled => Self::Later,
            kind if kind.is_transient() => Self::Unclear,
            _ => Self::No,
        }
    }
}

impl Run<'_> {
    /// Calls for the rows of a batch, and again for those for which it failed.
    ///
    /// Before each further attempt the instances are looked at as before the first. Only one that
    /// is as it was, in the same life, is called for again. A retry has an intent of its own that
    /// names exactly its instances; when a row is finished, each intent that names it gets the
    /// outcome.
    pub(super) async fn batch(&self, batch: &Batch) {
        let patience = &self.op.patience;
        let mut todo = batch.rows.clone();
        let mut pause = patience.back_off;
        let mut answer = None;
        for attempt in 0..patience.attempts.max(1) {
            if attempt > 0 {
                sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
            let ready = self.ready(&todo, attempt > 0).await;
            // What was turned down as a whole is worth a second call only without the instance
            // that was the reason: one that is protected now, or gone.
            if answer == Some(Answer::No) && ready.len() == todo.len() {
                return;
            }
            todo = Vec::new();
            for rows in batch.calls(ready) {
                let Err((failed, rows)) = self.call(&rows).await else { continue };
                answer = Some(failed);
                if may_repeat(&batch.via, failed) {
                    todo.extend(rows);
                }
            }
            if todo.is_empty() {
                return;
            }
        }
    }

    /// Looks at rows and says which may be called for. Those that may not are finished, or left for
    /// verification when a call for them may have happened.
    async fn ready(&self, rows: &[usize], again: bool) -> Vec<usize> {
        let ids = self.ids(rows);
        self.say(Progress::Rechecking(ids));
        let items: Vec<_> = self.rows(|all| rows.iter().map(|n| all[*n].item.clone()).collect());
        // Without it every intent of somebody else counts as later than the look.
        let last = self.op.journal.last().unwrap_or(0);
        let looked = self.op.look(self.plan(), &items).await;
        let (mut checked, inspections): (Vec<CheckedRow>, Vec<_>) = looked
            .rows
            .into_iter()
            .map(|LookedRow { checked, inspection }| (checked, inspection))
            .unzip();
        let gone = self.gone(rows);
        guard::together_after(&self.plan().verb, &mut checked, &gone);
        let (mut ready, mut finished) = (Vec::new(), Vec::new());
        for ((n, checked), inspection) in rows.iter().zip(checked).zip(inspections) {
            let caller = looked.callers.get(&checked.item.scope.account);
            if let Ok(Some(instance)) = &inspection.instance {
                self.saw(*n, instance.state);
            }
            self.rows(|all| {
                let row = &mut all[*n];
                row.looked = last;
                let refusal = self.refusal(row, &checked, caller);
                if again && !is_untouched(self, row, &inspection) {
                    return;
                }
                match refusal {
                    Some(why) if again => row.refused = Some(why),
                    Some(why) => finished.push((*n, OutcomeKind::Refused, why)),
                    None => {
                        row.checked = checked;
                        ready.push(*n);
                    }
                }
            });
        }
        self.finish_rows(finished);
        ready
    }

    /// The rows beside `rows` that this run has called for: a load balancer may still count on
    /// them.
    fn gone(&self, rows: &[usize]) -> Vec<CheckedRow> {
        let called = |row: &&Row| row.accepted || row.doubtful;
        self.rows(|all| {
            let others = all.iter().enumerate().filter(|(n, _)| !rows.contains(n));
            others.map(|(_, row)| row).filter(called).map(|row| row.checked.clone()).collect()
        })
    }

    /// Why a row is not acted on after all: a guard, or something that was confirmed otherwise.
    fn refusal(&self, row: &Row, now: &CheckedRow, caller: Option<&Arc<str>>) -> Option<String> {
        if let Some(finding) = now.reason() {
            return Some(finding.text.clone());
        }
        let then = &row.checked;
        if now.via != then.via || now.az != then.az {
            return Some("it is managed otherwise than when it was confirmed: check again".into());
        }
        let is_destructive = self.plan().verb.is_destructive();
        if is_destructive
            && now.production
            && !then.production
            && self.ticket.justification().is_empty()
        {
            return Some("it is production by now, and nobody wrote why: check again".into());
        }
        let confirmed = self.ticket.callers().get(&now.item.scope.account);
        if caller.is_none() || caller != confirmed {
            return Some("the caller is not who it was when it was confirmed: check again".into());
        }
        None
    }

    /// One call, after its intent. When it failed, what the answer says and for which rows it was
    /// made: those that another run is at were left out.
    async fn call(&self, rows: &[usize]) -> Result<(), (Answer, Vec<usize>)> {
        // All rows of a call are in one account.
        let account = self.rows(|all| rows.first().map(|n| all[*n].item.scope.account.clone()));
        let Some(access) = account.and_then(|account| self.op.accounts.get(&account)) else {
            self.turn_away(rows, "its account is not there; nothing was done");
            return Ok(());
        };
        let Some(claim) = self.claim(rows, access.executor.name()) else { return Ok(()) };
        let Claim { order, rows, intent } = claim;
        let ids = self.ids(&rows);
        self.rows(|all| rows.iter().for_each(|n| all[*n].intents.push(intent)));
        self.say(Progress::Calling(ids.clone()));
        let deadline = Instant::now() + self.op.patience.call;
        let answer =
            Operator::within(deadline, order.verb().word(), access.executor.act(&order)).await;
        match answer.and_then(|a| a.map_err(Arc::new)) {
            Ok(receipt) if receipt.pretended => {
                // Refused is what it is: not touched. An outcome of its own would have to be told
                // from done by everybody who counts.
                let why = format!("dry run: would {}; nothing was done", order.verb().word());
                let finished = rows.iter().map(|n| (*n, OutcomeKind::Refused, why.clone()));
                self.finish_rows(finished.collect());
                Ok(())
            }
            Ok(receipt) => {
                self.accepted(&rows, ids, &receipt);
                Ok(())
            }
            Err(error) => {
                let answer = Answer::of(error.kind);
                self.failed(&rows, &error, answer);
                Err((answer, rows))
            }
        }
    }

    pub(super) fn intent(&self, order: &Order, rows: &[usize], executor: &'static str) -> Body {
        let row = |row: &Row| IntentRow {
            item: row.item.clone(),
            findings: row.checked.findings.clone(),
            undo: row.checked.undo.clone(),
        };
        Body::Intent {
            run: self.id.clone(),
            plan: self.plan().id(),
            verb: order.verb().clone(),
            scope: order.scope().clone(),
            az: order.az().clone(),
            via: order.via().clone(),
            by: order.by().clone(),
            from: self.from.clone(),
            executor: executor.to_owned(),
            authority: self.ticket.authority().clone(),
            justification: self.ticket.justification().to_owned(),
            rows: self.rows(|all| rows.iter().map(|n| row(&all[*n])).collect()),
        }
    }

    fn accepted(&self, rows: &[usize], ids: Vec<Arc<str>>, receipt: &Receipt) {
        self.rows(|all| {
            for n in rows {
                let row = &mut all[*n];
                row.accepted = true;
                row.request_ids.extend(receipt.request_ids.iter().cloned());
            }
        });
        let at = |id: &Arc<str>| ids.iter().position(|i| i == id).and_then(|n| rows.get(n));
        let states = receipt.states.iter().filter_map(|(id, state)| Some((*at(id)?, *state)));
        let states: Vec<_> = states.collect();
        self.say(Progress::Accepted(ids));
        for (n, state) in states {
            self.saw(n, state);
        }
    }

    fn failed(&self, rows: &[usize], error: &SourceError, answer: Answer) {
        let text = error.with_fix();
        self.rows(|all| {
            for n in rows {
                let row = &mut all[*n];
                row.doubtful |= answer == Answer::Unclear;
                row.error = Some(text.clone());
            }
        });
    }
}

/// True when a failed call may be made again. A member of an Auto Scaling group goes in a call of
/// its own, so nobody else can be why it was turned down; and where the group is to want one
/// instance less, a call that may have happened is never repeated: its effect shows late, and a
/// second decrement would cost a member that nobody chose.
fn may_repeat(via: &ActApi, answer: Answer) -> bool {
    match via {
        ActApi::Ec2 => true,
        ActApi::AutoScaling { decrement, .. } => match answer {
            Answer::Later => true,
            Answer::No => false,
            Answer::Unclear => !decrement,
        },
    }
}

/// True when what is seen now says that no call for the row has had an effect: it is as it was,
/// in the same life, and its group still counts on it. What cannot be read says nothing.
fn is_untouched(run: &Run<'_>, row: &Row, now: &crate::domain::Inspection) -> bool {
    let Ok(Some(instance)) = &now.instance else { return false };
    let seen = Seen {
        id: instance.id.clone(),
        state: Some(instance.state),
        launched_at: Some(instance.launched_at),
        tags: instance.tags.clone(),
    };
    if observe(&run.plan().verb, &row.item, &seen, run.plan().created_at) != ObservedState::Former {
        return false;
    }
    match (&row.checked.via, &now.group) {
        (ActApi::Ec2, _) => true,
        (ActApi::AutoScaling { .. }, Ok(Some(group))) => is_in_service(group),
        (ActApi::AutoScaling { .. }, _) => false,
    }
}

/// True while a group counts on a member: one that is leaving still runs for minutes.
pub(super) fn is_in_service(group: &crate::domain::GroupFact) -> bool {
    &*group.lifecycle == "InService"
}
