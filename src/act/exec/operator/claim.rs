//! Whose call it is. Two runs may look at an instance before either calls for it, and both then
//! have every reason to. What decides is the audit log, which one of them locks first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::reconcile::ON_ITS_WAY;
use super::run::{Row, Run};
use crate::act::exec::audit::{AuditError, Body, IntentRow, Line};
use crate::act::plan::{ActApi, Finding, Guard, Order, OutcomeKind, Severity, Verb};
use crate::domain::Scope;

/// A call whose intent is in the log, and which is therefore ours to make.
pub(super) struct Claim {
    pub order: Order,
    /// Places in the plan of the rows that the call is for.
    pub rows: Vec<usize>,
    /// `seq` of the intent.
    pub intent: u64,
}

/// Overlap of an intent of another run with a row of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// The same instance.
    Instance,
    /// The Auto Scaling group: each of two decrements may be the last that its minimum allows.
    Group,
    /// Both serve target groups: each of two targets may be the last healthy one but one.
    Targets,
}

impl Shared {
    /// Overlap of `theirs`, called for by `verb` through `via`, with `ours`; `None` without one.
    fn of(
        ours: &Row,
        our_verb: &Verb,
        theirs: &IntentRow,
        verb: &Verb,
        via: &ActApi,
    ) -> Option<Self> {
        if ours.item.id == theirs.item.id {
            return Some(Self::Instance);
        }
        if !our_verb.is_destructive() || !verb.is_destructive() {
            return None;
        }
        let group = |via: &ActApi| match via {
            ActApi::AutoScaling { group, .. } => Some(group.clone()),
            ActApi::Ec2 => None,
        };
        if group(via).is_some_and(|theirs| group(&ours.checked.via) == Some(theirs)) {
            return Some(Self::Group);
        }
        let warns = |f: &Finding| f.guard == Guard::TargetGroups && f.severity == Severity::Warn;
        let serves = |findings: &[Finding]| findings.iter().any(warns);
        (serves(&ours.checked.findings) && serves(&theirs.findings)).then_some(Self::Targets)
    }

    /// Why our row is left to the other run.
    fn why(self) -> &'static str {
        match self {
            Self::Instance => {
                "another run is at it, or was a moment ago: look again when it has ended"
            }
            Self::Group => {
                "another run takes members of its group away, or did a moment ago: look again when \
                 it has ended"
            }
            Self::Targets => {
                "another run takes targets of a load balancer away, or did a moment ago: look \
                 again when it has ended"
            }
        }
    }
}

/// An intent of another run that stands in the way of a row of ours.
struct Other {
    row: usize,
    run: String,
    shared: Shared,
    /// True when the intent counts although its run is dead: what we observed may have changed since.
    whoever: bool,
}

/// Outcomes of the rows of intents: `seq` of the outcome, and whether another run reconciled it later.
type Ends<'a> = BTreeMap<(u64, &'a Arc<str>), (u64, bool)>;

impl Run<'_> {
    /// Writes the intent for those of `rows` that no other run is at, and turns the others away.
    /// `None` when none is left or it could not be written.
    ///
    /// Only runs that write to the same log are seen: for those of other machines the looks before
    /// the call have to do.
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
            let mut taken: BTreeMap<usize, Shared> = BTreeMap::new();
            for Other { row, run, shared, whoever } in others {
                match if whoever { Ok(true) } else { self.op.journal.is_alive(&run) } {
                    Ok(true) => {
                        let worst = taken.entry(row).or_insert(shared);
                        *worst = shared.min(*worst);
                    }
                    Ok(false) => drop(dead.insert(run)),
                    Err(error) => return self.not_written(&rows, &error),
                }
            }
            for shared in [Shared::Instance, Shared::Group, Shared::Targets] {
                let is = |row: &usize| taken.get(row) == Some(&shared);
                let away: Vec<usize> = rows.iter().copied().filter(is).collect();
                self.turn_away(&away, shared.why());
            }
            rows.retain(|row| !taken.contains_key(row));
            if rows.is_empty() {
                return None;
            }
        }
    }

    fn not_written(&self, rows: &[usize], error: &AuditError) -> Option<Claim> {
        self.turn_away(rows, &format!("nothing was done: {error}"));
        None
    }

    /// What other runs intend for our rows, or for what our rows share with them: intents without
    /// an outcome, unless the run is dead; those later than our look, or ended after it, or so
    /// young that nobody can have seen what came of it.
    fn others(
        &self,
        lines: &[Line],
        scope: &Scope,
        rows: &[usize],
        dead: &BTreeSet<String>,
    ) -> Vec<Other> {
        let ends = ends(lines);
        let now = self.op.now();
        let our_verb = &self.plan().verb;
        let mut others = Vec::new();
        for line in lines {
            let Body::Intent { run, scope: theirs, verb, via, rows: named, .. } = &line.body else {
                continue;
            };
            if *run == self.id || theirs != scope {
                continue;
            }
            let is_young = now.duration_since(line.at) < ON_ITS_WAY;
            self.rows(|all| {
                for (n, named) in rows.iter().flat_map(|n| named.iter().map(move |r| (*n, r))) {
                    let ours = &all[n];
                    let Some(shared) = Shared::of(ours, our_verb, named, verb, via) else {
                        continue;
                    };
                    let end = ends.get(&(line.seq, &named.item.id));
                    let whoever = line.seq > ours.looked
                        || match end {
                            // Its run saw it through: what we saw is what came of it, unless we
                            // looked before. A load balancer notices late.
                            Some((seq, false)) => {
                                *seq > ours.looked || (is_young && shared == Shared::Targets)
                            }
                            Some((_, true)) | None => is_young,
                        };
                    if whoever || (end.is_none() && !dead.contains(run)) {
                        others.push(Other { row: n, run: run.clone(), shared, whoever });
                    }
                }
            });
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
        self.finish_rows(
            fresh.into_iter().map(|n| (n, OutcomeKind::Refused, why.to_owned())).collect(),
        );
    }
}

/// Outcomes of the rows of intents in the log.
fn ends(lines: &[Line]) -> Ends<'_> {
    let mut ends = Ends::new();
    for line in lines {
        if let Body::Outcome { intent, outcomes, reconciled, .. } = &line.body {
            let of_rows = outcomes.iter().map(|o| ((*intent, &o.id), (line.seq, *reconciled)));
            ends.extend(of_rows);
        }
    }
    ends
}
