//! Intents about storage whose run died before it could say what became of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claim::{ON_ITS_WAY, Open, open};
use super::observed::{ObservedState, observe};
use super::operator::StorageOperator;
use crate::act::exec::ActError;
use crate::act::exec::audit::Body;
use crate::act::plan::storage::{Step, StorageVerb};
use crate::act::plan::{Outcome, OutcomeKind};
use crate::domain::text;

pub(super) async fn reconcile(op: &StorageOperator) -> Result<Vec<Outcome>, ActError> {
    op.journal.recover(op.now())?;
    let mut alive: BTreeMap<String, bool> = BTreeMap::new();
    let mut out = Vec::new();
    for left in open(&op.journal.read()?) {
        let is_alive = match alive.get(&left.run) {
            Some(known) => *known,
            None => op.journal.is_alive(&left.run)?,
        };
        alive.insert(left.run.clone(), is_alive);
        if is_alive {
            continue;
        }
        let (kind, text, can_tell) = judge(op, &left).await;
        let outcome = Outcome {
            id: left.item.id().clone(),
            scope: left.item.scope.clone(),
            kind,
            text: text::clean(&text).into_owned(),
            state: None,
            request_ids: Vec::new(),
            at: op.now(),
        };
        if can_tell {
            // Another process may do the same at the same time: the first one writes.
            op.journal.append_if(op.now(), &mut |lines| {
                let is_open = open(lines).iter().any(|o| o.intent == left.intent);
                is_open.then(|| Body::Outcome {
                    run: left.run.clone(),
                    intent: left.intent,
                    outcomes: vec![outcome.clone()],
                    reconciled: true,
                })
            })?;
        }
        out.push(outcome);
    }
    Ok(out)
}

/// How it ended, and whether that could be seen: what cannot is left for the next time.
async fn judge(op: &StorageOperator, left: &Open) -> (OutcomeKind, String, bool) {
    use OutcomeKind::{Done, Failed, Unknown};
    let Some(access) = op.accounts.get(&left.item.scope.account) else {
        let text = "left for the next time: its account is not among those of this session";
        return (Unknown, text.to_owned(), false);
    };
    let verb = match left.step {
        Step::Snapshot | Step::Delete => StorageVerb::DeleteVolume,
        Step::Modify => StorageVerb::ModifyVolume,
        Step::Put => StorageVerb::PutLifecycle,
    };
    let look = op.see(access, verb, &Arc::clone(&left.item), false).await;
    let young = op.now().duration_since(left.at) < ON_ITS_WAY;
    let ended = "the run ended before the answer";
    match observe(left.step, &left.item, left.drafted, &look) {
        ObservedState::Reached(text) => (Done, text, true),
        ObservedState::Former if young => {
            (Unknown, format!("{ended}; the call may still be on its way: look again"), true)
        }
        ObservedState::Former => (Failed, format!("{ended}; it is as it was"), true),
        ObservedState::Moving(text) => (Unknown, format!("{ended}; {text}: look again"), true),
        ObservedState::Elsewhere(text) => (Unknown, text, true),
        ObservedState::Unknown(text) => (Unknown, format!("left for the next time: {text}"), false),
    }
}
