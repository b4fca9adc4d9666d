//! Carries out a confirmed plan about storage: each call after a look of its own, each with an intent on disk before
//! it.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};

use super::claim::{Others, others};
use super::observed::{ObservedState, of_plan};
use super::operator::{Looked, ROWS_AT_ONCE, StorageOperator};
use crate::act::exec::ActError;
use crate::act::exec::audit::{Body, StorageIntentRow};
use crate::act::exec::operator::run::{new_id, user_at_host};
use crate::act::exec::pace::{Instant, sleep};
use crate::act::plan::storage::{
    Step, Storage, StorageItem, StorageOrder, StoragePlan, StorageUndo, StorageVerb,
};
use crate::act::plan::{Confirmed, Outcome, OutcomeKind, Progress, Ticket, Verified};
use crate::domain::storage::StorageLook;
use crate::domain::{ErrorKind, text};

/// Why a row is left to somebody else.
const TAKEN: &str = "another run is at it, or was a moment ago: look again when it has ended";

/// One execution.
struct Run<'a> {
    op: &'a StorageOperator,
    ticket: Ticket<'a, Storage>,
    id: String,
    from: String,
    say: &'a (dyn Fn(Progress) + Send + Sync),
    warnings: Mutex<Vec<String>>,
}

/// End of a step: the outcome, without the row.
struct End {
    kind: OutcomeKind,
    text: String,
    request_ids: Vec<String>,
}

impl End {
    fn new(kind: OutcomeKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), request_ids: Vec::new() }
    }
}

/// One step of a row while it runs.
#[derive(Default)]
struct Tries {
    intents: Vec<u64>,
    accepted: bool,
    doubtful: bool,
    error: Option<String>,
    request_ids: Vec<String>,
}

pub(super) async fn execute(
    op: &StorageOperator,
    confirmed: &Confirmed<Storage>,
    say: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Verified<StorageItem>, ActError> {
    let id = new_id();
    // Held until the end: a run whose lease is gone is dead, and its intents are reconciled.
    let _lease = op.journal.lease(&id)?;
    let since = if op.copies.is_empty() { 0 } else { op.journal.bytes()?.len() };
    let started_at = op.now();
    let ticket = confirmed.redeem(started_at)?;
    let run = Run { op, ticket, id, from: user_at_host(), say, warnings: Mutex::default() };
    let items: Vec<Arc<StorageItem>> = run.ticket.rows().iter().map(|r| r.item.clone()).collect();
    let work = items.iter().map(|item| {
        // A defect in one row ends neither the others nor the audit trail of its own.
        let row = AssertUnwindSafe(run.row(item)).catch_unwind();
        row.map(|end| (item.clone(), end.unwrap_or_else(|_| inside()))).boxed()
    });
    let work: Vec<_> = work.collect();
    let mut outcomes = Vec::new();
    let mut ended = stream::iter(work).buffered(ROWS_AT_ONCE);
    while let Some((item, end)) = ended.next().await {
        let outcome = run.outcome(&item, &end);
        (run.say)(Progress::Finished(outcome.clone()));
        outcomes.push(outcome);
    }
    drop(ended);
    run.copy(since).await;
    let warnings = run.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Verified {
        plan_id: run.plan().id(),
        run_id: run.id.clone(),
        started_at,
        finished_at: op.now(),
        outcomes,
        items,
        warnings,
    })
}

fn inside() -> End {
    End::new(OutcomeKind::Unknown, "burntop failed inside; look again")
}

impl Run<'_> {
    fn plan(&self) -> &Arc<StoragePlan> {
        self.ticket.plan()
    }

    fn warn(&self, warning: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
    }

    /// Copies the log. A failure is reported, and changes no outcome.
    async fn copy(&self, since: usize) {
        for copy in &self.op.copies {
            let log = match self.op.journal.bytes() {
                Ok(log) => log,
                Err(error) => return self.warn(error.to_string()),
            };
            let copied = copy.copy(&self.id, &log, since.min(log.len()));
            let copied = self.op.within("audit copy", copied).await;
            if let Err(error) = copied.and_then(|c| c.map_err(Arc::new)) {
                self.warn(format!("the audit log was not copied to {}: {error}", copy.place()));
            }
        }
    }

    fn outcome(&self, item: &StorageItem, end: &End) -> Outcome {
        Outcome {
            id: item.id().clone(),
            scope: item.scope.clone(),
            kind: end.kind,
            text: text::clean(&end.text).into_owned(),
            state: None,
            request_ids: end.request_ids.clone(),
            at: self.op.now(),
        }
    }

    async fn row(&self, item: &Arc<StorageItem>) -> End {
        match self.plan().verb {
            StorageVerb::ModifyVolume => self.step(item, Step::Modify).await,
            StorageVerb::PutLifecycle => self.step(item, Step::Put).await,
            StorageVerb::DeleteVolume => {
                let kept = self.step(item, Step::Snapshot).await;
                if kept.kind != OutcomeKind::Done {
                    let text = format!("the volume was not deleted: {}", kept.text);
                    return End { text, ..kept };
                }
                let end = self.step(item, Step::Delete).await;
                let request_ids = [kept.request_ids, end.request_ids].concat();
                let text = if end.kind == OutcomeKind::Done {
                    end.text
                } else {
                    format!("{}; {} and goes on billing", end.text, kept.text)
                };
                End { kind: end.kind, text, request_ids }
            }
        }
    }

    /// One step: looked at, announced, called for, and looked at until it is seen. What it left in
    /// the log has its outcome when this returns.
    async fn step(&self, item: &Arc<StorageItem>, step: Step) -> End {
        let mut tries = Tries::default();
        let mut end = self.attempts(item, step, &mut tries).await;
        end.request_ids.clone_from(&tries.request_ids);
        let outcome = self.outcome(item, &end);
        let bodies: Vec<Body> = if tries.intents.is_empty() {
            // A snapshot that was there already is no news for the log.
            let (run, plan) = (self.id.clone(), self.plan().id());
            let is_news = end.kind != OutcomeKind::Done;
            let refused = Body::Refused { run, plan, outcomes: vec![outcome] };
            is_news.then_some(refused).into_iter().collect()
        } else {
            let outcomes = tries.intents.iter().map(|intent| Body::Outcome {
                run: self.id.clone(),
                intent: *intent,
                outcomes: vec![outcome.clone()],
                reconciled: false,
            });
            outcomes.collect()
        };
        for body in bodies {
            if let Err(error) = self.op.journal.append(self.op.now(), body) {
                // What is done is done; the intent without outcome is reconciled at a later start.
                self.warn(format!("an outcome is not in the audit log: {error}"));
            }
        }
        end
    }

    async fn attempts(&self, item: &Arc<StorageItem>, step: Step, tries: &mut Tries) -> End {
        let patience = &self.op.patience;
        let mut pause = patience.back_off;
        for attempt in 0..patience.attempts.max(1) {
            if attempt > 0 {
                sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
            (self.say)(Progress::Rechecking(vec![item.id().clone()]));
            // Without it every intent of somebody else counts as later than the look.
            let last = self.op.journal.last().unwrap_or(0);
            let looked = self.op.look(self.plan(), item, Some(step), true).await;
            match of_plan(step, item, self.plan(), &looked.look) {
                // It is there: an earlier call has had its effect, or the snapshot was made before.
                ObservedState::Reached(text) if step == Step::Snapshot || attempt > 0 => {
                    return End::new(OutcomeKind::Done, text);
                }
                ObservedState::Moving(_) if step == Step::Snapshot || attempt > 0 => {
                    return self.verify(item, step, tries).await;
                }
                ObservedState::Elsewhere(_) | ObservedState::Unknown(_) if attempt > 0 => {
                    return self.verify(item, step, tries).await;
                }
                _ => {}
            }
            if let Some(why) = self.refusal(item, &looked) {
                return self.turned_away(item, step, tries, why).await;
            }
            let Some(order) = self.ticket.order(item.id(), step, &looked.look) else {
                let why = "what was seen right before the call does not allow it: check again";
                return self.turned_away(item, step, tries, why.to_owned()).await;
            };
            match self.call(item, step, &order, &looked, last, tries).await {
                Called::Accepted => return self.verify(item, step, tries).await,
                Called::Refused(why) => return self.turned_away(item, step, tries, why).await,
                Called::Failed { again: true } => {}
                Called::Failed { again: false } => return self.verify(item, step, tries).await,
            }
        }
        self.verify(item, step, tries).await
    }

    /// Ends a step that is not called (again). One that was called for before is looked at first.
    async fn turned_away(
        &self,
        item: &Arc<StorageItem>,
        step: Step,
        tries: &mut Tries,
        why: String,
    ) -> End {
        if tries.intents.is_empty() {
            return End::new(OutcomeKind::Refused, why);
        }
        tries.error.get_or_insert(why);
        self.verify(item, step, tries).await
    }

    /// Why a row is not acted on after all: a guard, or something that was confirmed otherwise.
    fn refusal(&self, item: &StorageItem, now: &Looked) -> Option<String> {
        if let Some(finding) = now.checked.reason() {
            return Some(finding.text.clone());
        }
        let then = self.ticket.rows().iter().find(|r| *r.item == *item);
        let was_production = then.is_some_and(|r| r.production);
        if now.checked.production && !was_production && self.ticket.justification().is_empty() {
            return Some("it is production by now, and nobody wrote why: check again".to_owned());
        }
        let confirmed = self.ticket.callers().get(&item.scope.account);
        if now.caller.is_none() || now.caller.as_ref() != confirmed {
            return Some("the caller is not who it was when it was confirmed: check again".into());
        }
        None
    }

    /// One call, after its intent.
    async fn call(
        &self,
        item: &Arc<StorageItem>,
        step: Step,
        order: &StorageOrder,
        looked: &Looked,
        last: u64,
        tries: &mut Tries,
    ) -> Called {
        let Some(access) = self.op.accounts.get(&item.scope.account) else {
            return Called::Refused("its account is not there; nothing was done".to_owned());
        };
        let undo = match self.way_back(step, looked, access.executor.name()) {
            Ok(undo) => undo,
            Err(why) => return Called::Refused(format!("nothing was done: {why}")),
        };
        let row = StorageIntentRow {
            item: item.clone(),
            findings: looked.checked.findings.clone(),
            undo,
        };
        let intent = Body::StorageIntent {
            run: self.id.clone(),
            plan: self.plan().id(),
            drafted: self.plan().created_at,
            verb: self.plan().verb,
            step,
            scope: item.scope.clone(),
            by: order.by().clone(),
            from: self.from.clone(),
            executor: access.executor.name().to_owned(),
            authority: self.ticket.authority().clone(),
            justification: self.ticket.justification().to_owned(),
            row,
        };
        match self.claim(item, &intent, last) {
            Ok(seq) => tries.intents.push(seq),
            Err(why) => return Called::Refused(why),
        }
        (self.say)(Progress::Calling(vec![item.id().clone()]));
        let answer = self.op.within(step.word(), access.executor.act(order)).await;
        match answer.and_then(|a| a.map_err(Arc::new)) {
            Ok(receipt) if receipt.pretended => {
                Called::Refused(format!("dry run: would {}; nothing was done", step.word()))
            }
            Ok(receipt) => {
                tries.accepted = true;
                tries.request_ids.extend(receipt.request_ids);
                (self.say)(Progress::Accepted(vec![item.id().clone()]));
                Called::Accepted
            }
            Err(error) => {
                let unclear = error.kind.is_transient() && error.kind != ErrorKind::Throttled;
                tries.doubtful |= unclear;
                tries.error = Some(error.with_fix());
                Called::Failed { again: error.kind.is_transient() }
            }
        }
    }

    /// The way back. That of a configuration is on disk before this returns.
    fn way_back(
        &self,
        step: Step,
        looked: &Looked,
        executor: &str,
    ) -> Result<Option<StorageUndo>, String> {
        if step != Step::Put || executor == "dry-run" {
            return Ok(looked.checked.undo.clone().filter(|_| step != Step::Snapshot));
        }
        let StorageLook::Bucket(seen) = &looked.look else {
            return Err("it is no bucket".to_owned());
        };
        let seen = seen.lifecycle.as_ref().map_err(ToString::to_string)?;
        let Some(backups) = &self.op.backups else {
            return Err("there is no place for the backup and the undo file".to_owned());
        };
        let kept = backups.keep(self.plan(), seen, &self.id, self.op.now());
        kept.map(Some).map_err(|e| {
            format!("the backup and the undo file cannot be kept: {}", crate::files::explain(&e))
        })
    }

    /// Writes the intent, unless another run is at it.
    fn claim(&self, item: &StorageItem, intent: &Body, last: u64) -> Result<u64, String> {
        let journal = &self.op.journal;
        let mut dead = BTreeSet::new();
        loop {
            let mut found = Others::None;
            let now = self.op.now();
            let written = journal.append_if(now, &mut |lines| {
                found = others(lines, &self.id, &item.scope, item.id(), last, now, &dead);
                matches!(found, Others::None).then(|| intent.clone())
            });
            match written {
                Ok(Some(line)) => return Ok(line.seq),
                Err(error) => return Err(format!("nothing was done: {error}")),
                Ok(None) => {}
            }
            let Others::Open(runs) = found else { return Err(TAKEN.to_owned()) };
            for run in runs {
                match journal.is_alive(&run) {
                    Ok(false) => drop(dead.insert(run)),
                    Ok(true) => return Err(TAKEN.to_owned()),
                    Err(error) => return Err(format!("nothing was done: {error}")),
                }
            }
        }
    }

    /// Looks until it is seen: what was asked for is done when it was seen to be so, never before.
    async fn verify(&self, item: &Arc<StorageItem>, step: Step, tries: &Tries) -> End {
        use OutcomeKind::{Done, Failed, Refused, Unknown};
        let patience = &self.op.patience;
        let within =
            if step == Step::Snapshot { patience.snapshot_within } else { patience.visible_within };
        let until = Instant::now() + within;
        let mut pause = patience.poll;
        let asked = tries.accepted || tries.doubtful;
        let why = || tries.error.clone().unwrap_or_else(|| "it was not called".to_owned());
        loop {
            let over = Instant::now() >= until;
            let looked = self.op.look(self.plan(), item, Some(step), false).await;
            let end = match of_plan(step, item, self.plan(), &looked.look) {
                ObservedState::Reached(text) => Some(End::new(Done, text)),
                ObservedState::Moving(text) if over => {
                    Some(End::new(Unknown, format!("not there yet: {text}; look again")))
                }
                ObservedState::Unknown(text) if over || !asked => Some(End::new(
                    if asked || !tries.intents.is_empty() { Unknown } else { Refused },
                    format!("it cannot be seen whether it happened: {text}"),
                )),
                ObservedState::Moving(_) | ObservedState::Unknown(_) => None,
                ObservedState::Former if asked && !over => None,
                ObservedState::Former if tries.accepted => {
                    Some(End::new(Unknown, "accepted, and not seen to have happened: look again"))
                }
                ObservedState::Former if tries.intents.is_empty() => Some(End::new(Refused, why())),
                ObservedState::Former => Some(End::new(pretended(&why()), why())),
                // Somebody may have written over it after our call, or our call is what is late.
                ObservedState::Elsewhere(text) if asked && over => Some(End::new(Unknown, text)),
                ObservedState::Elsewhere(text) if asked && step == Step::Put => {
                    Some(End::new(Unknown, format!("{text}: look at it, and at the undo file")))
                }
                ObservedState::Elsewhere(_) if asked && !over => None,
                ObservedState::Elsewhere(text) => {
                    Some(End::new(Failed, format!("{text}: {}", why())))
                }
            };
            if let Some(end) = end {
                return end;
            }
            sleep(pause.min(until.saturating_duration_since(Instant::now())).max(MOMENT)).await;
            pause = patience.next_poll(pause);
        }
    }
}

/// The shortest pause between two looks.
const MOMENT: Duration = Duration::from_millis(1);

/// A dry run touched nothing, which is what refused means.
fn pretended(why: &str) -> OutcomeKind {
    if why.starts_with("dry run") { OutcomeKind::Refused } else { OutcomeKind::Failed }
}

/// Result of a call.
enum Called {
    /// The service accepted it.
    Accepted,
    /// It was not made.
    Refused(String),
    /// It was made and failed; `again` when it may be made once more after a look.
    Failed { again: bool },
}
