//! Whose call it is. Two runs may look at an instance before either calls for it, and both then
//! have every reason to. What decides is the audit log, which one of them locks first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::reconcile::{ON_ITS_WAY, pending};
use super::run::Run;
use crate::act::exec::audit::{AuditError, Body, Line};
use crate::act::plan::{Order, OutcomeKind};
use crate::domain::Scope;

/// Why a row is left to somebody else.
const TAKEN: &str = "another run is at it, or was a moment ago: look again when it has ended";

/// A call that is ours to make.
pub(super) struct Claim {
    pub order: Order,
    /// The rows that are called for.
    pub rows: Vec<usize>,
    /// `seq` of the intent.
    pub intent: u64,
}

/// An intent of another run for one of our instances.
struct Other {
    row: usize,
    run: String,
    /// It counts though its run is dead: it was written after our look, or so short a time ago
    /// that a call may still be on its way. What we saw need not be so any more.
    whoever: bool,
}

impl Run<'_> {
    /// Writes the intent for those of `rows` that no other run is at, and turns the others away.
    /// `None` when none is left or it could not be written.
    ///
    /// Only runs that write to the same log are seen: for those of other machines, and for a group
    /// of which two members are called at once, the looks before the call have to do.
    pub(super) fn claim(&self, rows: &[usize], executor: &'static str) -> Option<Claim> {
        let mut rows = rows.to_vec();
        let mut dead = BTreeSet::new();
        loop {
            let order = self.ticket.order(&self.ids(&rows));
            let Some(order) = order else {
                self.turn_away(&rows, "it does not belong into one call with the others");
                return None;
            };
            let mut others = Vec::new();
            let written = self.op.journal.append_if(self.op.now(), &mut |lines| {
                others = self.others(lines, order.scope(), &rows, &dead);
                others.is_empty().then(|| self.intent(&order, &rows, executor))
            });
            match written {
                Ok(Some(line)) => return Some(Claim { order, rows, intent: line.seq }),
                Ok(None) => {}
                Err(error) => return self.not_written(&rows, &error),
            }
            let mut taken = BTreeSet::new();
            for other in others {
                if other.whoever {
                    taken.insert(other.row);
                    continue;
                }
                match self.op.journal.is_alive(&other.run) {
                    Ok(true) => drop(taken.insert(other.row)),
                    Ok(false) => drop(dead.insert(other.run)),
                    Err(error) => return self.not_written(&rows, &error),
                }
            }
            let (away, left): (Vec<usize>, Vec<usize>) =
                rows.into_iter().partition(|row| taken.contains(row));
            self.turn_away(&away, TAKEN);
            rows = left;
            if rows.is_empty() {
                return None;
            }
        }
    }

    fn not_written(&self, rows: &[usize], error: &AuditError) -> Option<Claim> {
        self.turn_away(rows, &format!("nothing was done: {error}"));
        None
    }

    /// What other runs intend for our rows: not settled, unless the run is dead; and whatever is
    /// later than our look, or so young that nobody can have seen what came of it.
    fn others(
        &self,
        lines: &[Line],
        scope: &Scope,
        rows: &[usize],
        dead: &BTreeSet<String>,
    ) -> Vec<Other> {
        let ours: Vec<(usize, Arc<str>, u64)> = self.rows(|all| {
            rows.iter().map(|n| (*n, all[*n].item.id.clone(), all[*n].looked)).collect()
        });
        let now = self.op.now();
        let mut others = Vec::new();
        for line in lines {
            let Body::Intent { run, scope: theirs, rows, .. } = &line.body else { continue };
            if *run == self.id || theirs != scope {
                continue;
            }
            let is_young = now.duration_since(line.at) < ON_ITS_WAY;
            let counts = |id: &Arc<str>, looked: u64| {
                line.seq > looked || (is_young && !was_seen_through(lines, line.seq, id))
            };
            let named = |id: &Arc<str>| rows.iter().any(|r| r.item.id == *id);
            let theirs = ours.iter().filter(|(_, id, looked)| named(id) && counts(id, *looked));
            others.extend(theirs.map(|(row, ..)| Other {
                row: *row,
                run: run.clone(),
                whoever: true,
            }));
        }
        for open in pending(lines) {
            if open.run == self.id || open.scope != *scope || dead.contains(&open.run) {
                continue;
            }
            let named = |id: &Arc<str>| open.rows.iter().any(|r| r.id == *id);
            others.extend(ours.iter().filter(|(_, id, _)| named(id)).map(|(row, ..)| Other {
                row: *row,
                run: open.run.clone(),
                whoever: false,
            }));
        }
        others
    }

    /// Ends rows that are not called. One that was called before is looked at first: an earlier
    /// call for it may have happened after all, and then it was not left alone.
    pub(super) fn turn_away(&self, rows: &[usize], why: &str) {
        let fresh = self.rows(|all| {
            let (fresh, called): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|n| all[**n].intents.is_empty());
            for n in called {
                all[n].refused = Some(why.to_owned());
            }
            fresh
        });
        self.settle(fresh.into_iter().map(|n| (n, OutcomeKind::Refused, why.to_owned())).collect());
    }
}

/// True when the run that wrote an intent also said what became of a row, which a run that died
/// could not.
fn was_seen_through(lines: &[Line], seq: u64, id: &Arc<str>) -> bool {
    lines.iter().any(|line| match &line.body {
        Body::Outcome { intent, outcomes, reconciled: false, .. } => {
            *intent == seq && outcomes.iter().any(|o| o.id == *id)
        }
        _ => false,
    })
}
