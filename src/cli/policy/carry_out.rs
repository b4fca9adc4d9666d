//! Carries out the plans of a policy, one verb after the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::super::approve::{Subject, key};
use super::super::invocation::Invocation;
use super::approve::LONGEST;
use super::{PolicyFile, approval};
use crate::act::exec::Operator;
use crate::act::plan::policy::{DecisionKind, Planned, Scene};
use crate::act::plan::{
    Approval, BY_TAG, CheckedRow, EXPIRES_TAG, MAX_BATCH, Outcome, OutcomeKind, Plan, PlanItem,
    Preflighted, REASON_TAG, REMINDED_TAG, Verified,
};
use crate::analyze::idle::EXEMPT_TAG;
use crate::domain::{Scope, Tags};
use crate::fleet::Fleet;
use crate::report::acting::{Trouble, outcome_of_blocked};

/// Outcomes of a policy run.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// Outcome of each row with something to do; in a dry run of those that a guard blocks.
    pub outcomes: Vec<Outcome>,
    /// Why a whole plan did not run.
    pub refusals: Vec<String>,
    /// Runs in the audit log.
    pub runs: Vec<String>,
    /// Questions to accounts that failed.
    pub errors: Vec<Trouble>,
}

/// Everything that carrying out takes.
pub(super) struct CarryOut<'a> {
    pub path: &'a Path,
    pub file: &'a PolicyFile,
    pub invocation: &'a Invocation,
    pub operator: &'a Operator,
    pub fleet: &'a Fleet,
    pub scene: Scene<'a>,
}

impl CarryOut<'_> {
    /// All plans in their order; what is not well with one leaves the others alone.
    pub async fn all(&self, planned: &[Planned], apply: bool) -> Carried {
        let mut carried = Carried::default();
        if planned.is_empty() {
            return carried;
        }
        for one in planned {
            if let Some(breach) = one.breaches.first() {
                let text = format!(
                    "{} {} refused: {breach} (the stricter of the policy's caps and [actions])",
                    one.kind.word(),
                    one.plan.items.len()
                );
                carried.refusals.push(text);
                if apply {
                    let text = "a cap refuses all of them";
                    carried.outcomes.extend(one.plan.items.iter().map(|i| self.refused(i, text)));
                }
                continue;
            }
            if apply {
                self.one(one, &mut carried).await;
            } else {
                self.pretend(one, &mut carried).await;
            }
        }
        carried
    }

    /// Asks the guards without acting. The caller need not be allowed to act.
    async fn pretend(&self, planned: &Planned, carried: &mut Carried) {
        let checked = self.operator.preflight(Arc::new(planned.plan.clone())).await;
        for row in &checked.rows {
            if let Some(finding) = row.reason_for_anybody() {
                let text = format!("{}: {}", finding.guard.name(), finding.text);
                carried.outcomes.push(self.refused(&row.item, &text));
            }
        }
    }

    async fn one(&self, planned: &Planned, carried: &mut Carried) {
        let (kept, changed) = self.unchanged(&planned.plan).await;
        let text = "its tags were changed since they were read, or could not be read again";
        carried.outcomes.extend(changed.iter().map(|i| self.refused(i, text)));
        let Some(checked) = self.checked(planned.kind, kept, carried).await else { return };
        let now = self.invocation.options.clock()();
        carried.outcomes.extend(checked.blocked().map(|r| outcome_of_blocked(r, now)));
        if checked.passed().next().is_none() {
            return;
        }
        match self.executed(&checked).await {
            Ok(verified) => {
                carried.outcomes.extend(verified.outcomes.iter().cloned());
                carried.runs.push(verified.run_id.clone());
                carried.errors.extend(Trouble::after(&verified));
            }
            Err(why) => {
                let left = checked.passed().map(|r| self.refused(&r.item, &why));
                carried.outcomes.extend(left);
                let count = checked.passed().count();
                carried.refusals.push(format!("{} {count} refused: {why}", planned.kind.word()));
            }
        }
    }

    /// The preflight of what is left. A row that turns out to be production leaves a stop, and the
    /// rest is checked again without it: nobody said why it may be stopped.
    async fn checked(
        &self,
        kind: DecisionKind,
        plan: Plan,
        carried: &mut Carried,
    ) -> Option<Preflighted> {
        if plan.items.is_empty() {
            return None;
        }
        let checked = self.operator.preflight(Arc::new(plan)).await;
        let is_late =
            |r: &&CheckedRow| kind == DecisionKind::Stop && r.production && !r.is_blocked();
        let late: Vec<Arc<str>> =
            checked.rows.iter().filter(is_late).map(|r| r.item.id.clone()).collect();
        if late.is_empty() {
            return Some(checked);
        }
        let (out, items): (Vec<PlanItem>, Vec<PlanItem>) =
            checked.plan.items.iter().cloned().partition(|i| late.contains(&i.id));
        let text = "it is production now: a policy never stops it";
        carried.outcomes.extend(out.iter().map(|i| self.refused(i, text)));
        if items.is_empty() {
            return None;
        }
        let rest = Plan { items, ..(*checked.plan).clone() };
        // Should another one turn, the empty justification refuses all of it.
        Some(self.operator.preflight(Arc::new(rest)).await)
    }

    async fn executed(&self, checked: &Preflighted) -> Result<Verified, String> {
        let approval = self.approved(checked).await?;
        let now = self.invocation.options.clock()();
        let confirmed =
            checked.confirm_by(&approval, &self.file.sha256, now).map_err(|e| e.to_string())?;
        self.operator.execute(&confirmed, &|_| {}).await.map_err(|e| e.to_string())
    }

    /// The approval of this version of the file, checked to its signature.
    async fn approved(&self, checked: &Preflighted) -> Result<Approval, String> {
        let found = approval(self.path).map_err(|e| e.to_string())?;
        let approval = found.ok_or_else(|| {
            let path = self.path.display();
            format!("nobody has approved {path}; a second person runs `burntop approve {path}`")
        })?;
        let key = key(self.invocation).await.map_err(|e| e.to_string())?;
        let subject = Subject {
            sha256: &self.file.sha256,
            callers: &checked.callers,
            longest: LONGEST,
            now: self.invocation.options.clock()(),
        };
        subject.is_approved_by(&approval, key.as_ref()).await.map_err(|e| e.to_string())?;
        Ok(approval)
    }

    /// The plan without the rows whose tags are not as they were when it was decided: an owner may
    /// have taken the mark away, another run may have made one.
    async fn unchanged(&self, plan: &Plan) -> (Plan, Vec<PlanItem>) {
        let mut by_scope: BTreeMap<Scope, Vec<Arc<str>>> = BTreeMap::new();
        for item in &plan.items {
            by_scope.entry(item.scope.clone()).or_default().push(item.id.clone());
        }
        let mut now: BTreeMap<Arc<str>, Tags> = BTreeMap::new();
        for (scope, ids) in by_scope {
            let Some(inspector) = self.operator.inspector(&scope.account) else { continue };
            for ids in ids.chunks(MAX_BATCH) {
                // What cannot be seen is not unchanged.
                let Ok(seen) = inspector.states(&scope, ids).await else { continue };
                now.extend(seen.into_iter().map(|s| (s.id, s.tags)));
            }
        }
        let then = |id: &str| self.fleet.rows.iter().find(|r| *r.instance.id == *id);
        let same = |item: &PlanItem| match (then(&item.id), now.get(&item.id)) {
            (Some(row), Some(tags)) => ours(&row.instance.tags) == ours(tags),
            _ => false,
        };
        let (items, changed) = plan.items.iter().cloned().partition(same);
        (Plan { items, ..plan.clone() }, changed)
    }

    fn refused(&self, item: &PlanItem, text: &str) -> Outcome {
        Outcome {
            id: item.id.clone(),
            scope: item.scope.clone(),
            kind: OutcomeKind::Refused,
            text: text.to_owned(),
            state: None,
            request_ids: Vec::new(),
            at: self.scene.ctx.now,
        }
    }
}

/// The tags that a decision rests on.
fn ours(tags: &Tags) -> [Option<&str>; 5] {
    [EXPIRES_TAG, BY_TAG, REASON_TAG, REMINDED_TAG, EXEMPT_TAG].map(|key| tags.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_was_taken_away_is_a_change_and_a_name_is_none() {
        let with = |pairs: &[(&str, &str)]| Tags::from_raw(pairs.iter().copied());
        let marked = with(&[(EXPIRES_TAG, "2026-11-21T00:00:00Z"), (BY_TAG, "a"), ("Name", "x")]);
        let renamed = with(&[(EXPIRES_TAG, "2026-11-21T00:00:00Z"), (BY_TAG, "a"), ("Name", "y")]);
        assert_eq!(ours(&marked), ours(&renamed));
        assert_ne!(ours(&marked), ours(&with(&[(BY_TAG, "a"), ("Name", "x")])));
        let exempt =
            with(&[(EXPIRES_TAG, "2026-11-21T00:00:00Z"), (BY_TAG, "a"), (EXEMPT_TAG, "true")]);
        assert_ne!(ours(&marked), ours(&exempt));
    }
}
