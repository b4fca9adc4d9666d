//! Intents whose run died before it could say what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::judge::{ObservedState, as_seen, observe, reached};
use super::{ActError, Operator};
use crate::act::exec::audit::{AuditError, Body, Line};
use crate::act::plan::{ActApi, MAX_BATCH, Outcome, OutcomeKind, PlanItem, Verb};
use crate::domain::{InstanceState, Scope, text};
use crate::source::inspect::Seen;

/// A call may still be on its way to EC2 for this long after its intent: until then, an instance
/// that looks untouched may not stay so.
pub(super) const ON_ITS_WAY: SignedDuration = SignedDuration::from_mins(1);

/// An intent, as far as its rows have no outcome.
struct Pending {
    run: String,
    intent: u64,
    at: Timestamp,
    verb: Verb,
    scope: Scope,
    via: ActApi,
    rows: Vec<Arc<PlanItem>>,
}

pub(super) async fn reconcile(op: &Operator) -> Result<Vec<Outcome>, ActError> {
    op.journal.recover(op.now())?;
    let mut alive: BTreeMap<String, bool> = BTreeMap::new();
    let mut out = Vec::new();
    for pending in pending(&op.journal.read()?) {
        let is_alive = match alive.get(&pending.run) {
            Some(known) => *known,
            None => op.journal.is_alive(&pending.run)?,
        };
        alive.insert(pending.run.clone(), is_alive);
        if !is_alive {
            out.extend(reconcile_intent(op, &pending).await?);
        }
    }
    Ok(out)
}

/// The intents of a log with rows that have no outcome, oldest first.
fn pending(lines: &[Line]) -> Vec<Pending> {
    let mut open: BTreeMap<u64, Pending> = BTreeMap::new();
    for line in lines {
        match &line.body {
            Body::Intent { run, verb, scope, via, rows, .. } => {
                let pending = Pending {
                    run: run.clone(),
                    intent: line.seq,
                    at: line.at,
                    verb: verb.clone(),
                    scope: scope.clone(),
                    via: via.clone(),
                    rows: rows.iter().map(|row| row.item.clone()).collect(),
                };
                open.insert(line.seq, pending);
            }
            Body::Outcome { intent, outcomes, .. } => {
                if let Some(pending) = open.get_mut(intent) {
                    pending.rows.retain(|row| outcomes.iter().all(|o| o.id != row.id));
                }
            }
            Body::StorageIntent { .. }
            | Body::Refused { .. }
            | Body::Approved { .. }
            | Body::Recovered { .. } => {}
        }
    }
    open.into_values().filter(|pending| !pending.rows.is_empty()).collect()
}

/// Looks at the rows of one intent and writes what became of them. Another process may do the same
/// at the same time: only what is still open when the log is locked is written.
async fn reconcile_intent(op: &Operator, pending: &Pending) -> Result<Vec<Outcome>, AuditError> {
    let (mut found, mut left) = (Vec::new(), Vec::new());
    for rows in pending.rows.chunks(MAX_BATCH) {
        let ids: Vec<Arc<str>> = rows.iter().map(|row| row.id.clone()).collect();
        match op.states(&pending.scope, &ids).await {
            Ok(seen) => {
                for (row, seen) in rows.iter().zip(&seen) {
                    found.push(judge(op, pending, row, seen).await);
                }
            }
            Err(why) => left.extend(rows.iter().map(|row| {
                let text = format!("left for the next time: {why}");
                outcome(op, pending, row, None, OutcomeKind::Unknown, &text)
            })),
        }
    }
    let mut written = Vec::new();
    let line = op.journal.append_if(op.now(), &mut |lines| {
        let open: BTreeSet<Arc<str>> = self::pending(lines)
            .into_iter()
            .filter(|p| p.intent == pending.intent)
            .flat_map(|p| p.rows.into_iter().map(|row| row.id.clone()).collect::<Vec<_>>())
            .collect();
        written = found.iter().filter(|o| open.contains(&o.id)).cloned().collect();
        (!written.is_empty()).then(|| Body::Outcome {
            run: pending.run.clone(),
            intent: pending.intent,
            outcomes: written.clone(),
            reconciled: true,
        })
    })?;
    if line.is_none() {
        written.clear();
    }
    written.extend(left);
    Ok(written)
}

async fn judge(op: &Operator, pending: &Pending, row: &Arc<PlanItem>, seen: &Seen) -> Outcome {
    use OutcomeKind::{Done, Failed, Unknown};
    let verb = &pending.verb;
    let age = op.now().duration_since(pending.at);
    let untouched = || format!("the run ended before the answer; {}", as_seen(seen.state));
    let (kind, text) = match observe(verb, row, seen, pending.at) {
        ObservedState::Reached => (Done, reached(verb)),
        ObservedState::Former if age < ON_ITS_WAY => {
            (Unknown, format!("{}, and the call may still be on its way: look again", untouched()))
        }
        ObservedState::Former
            if pending.via != ActApi::Ec2 && !op.is_in_service(&pending.scope, &row.id).await =>
        {
            (Unknown, format!("{}; its group may be letting it go: look again", untouched()))
        }
        // A tag has no life by which to tell one that was never changed from one that somebody
        // changed back since.
        ObservedState::Former if verb.is_tagging() => {
            (Unknown, format!("{}, with the tags as before, or as before again", untouched()))
        }
        ObservedState::Former => (Failed, untouched()),
        ObservedState::Moving => (Unknown, format!("{}: look again", untouched())),
        ObservedState::Gone => (Unknown, "EC2 knows no such instance any more".to_owned()),
        ObservedState::Elsewhere(text) => (Unknown, text),
    };
    outcome(op, pending, row, seen.state, kind, &text)
}

fn outcome(
    op: &Operator,
    pending: &Pending,
    row: &PlanItem,
    state: Option<InstanceState>,
    kind: OutcomeKind,
    text: &str,
) -> Outcome {
    Outcome {
        id: row.id.clone(),
        scope: pending.scope.clone(),
        kind,
        text: text::clean(text).into_owned(),
        state,
        request_ids: Vec::new(),
        at: op.now(),
    }
}
