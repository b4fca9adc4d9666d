//! Runs, put together from the lines of the audit log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::act::exec::audit::{Body, IntentRow, Line, StorageIntentRow};
use crate::act::plan::storage::{Step, StorageUndo, StorageVerb};
use crate::act::plan::{Authority, Outcome, OutcomeKind, Undo, Verb};

/// One run, from the lines of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Id of the run.
    pub id: String,
    /// Id of the plan; empty where the log does not name it.
    pub plan: String,
    /// Action on instances; `None` for storage, and where no intent was written.
    pub verb: Option<Verb>,
    /// When its first line was written.
    pub at: Timestamp,
    /// ARNs of the callers, one in each account.
    pub by: BTreeSet<Arc<str>>,
    /// User and host that the run was started from.
    pub from: String,
    /// Name of the executor: `live`, `dry-run`, `demo`.
    pub executor: String,
    /// Justification, as typed; empty for none.
    pub justification: String,
    /// Who allowed the run; `None` where no intent was written.
    pub authority: Option<Authority>,
    /// Instances in intents, in the order of the log.
    pub rows: Vec<IntentRow>,
    /// Volumes and buckets in intents: action, step and row, once per call.
    pub storage: Vec<(StorageVerb, Step, StorageIntentRow)>,
    /// Volumes and buckets in intents without an outcome, by number of the intent.
    pub(super) storage_open: BTreeMap<u64, Arc<str>>,
    /// Last outcome of each instance, volume or bucket.
    pub outcomes: BTreeMap<Arc<str>, Outcome>,
    /// True when an outcome was reconciled at a later start.
    pub reconciled: bool,
    /// Numbers of its lines in the log.
    pub lines: Vec<u64>,
}

impl Run {
    fn new(id: &str, at: Timestamp) -> Self {
        Self {
            id: id.to_owned(),
            plan: String::new(),
            verb: None,
            at,
            by: BTreeSet::new(),
            from: String::new(),
            executor: String::new(),
            justification: String::new(),
            authority: None,
            rows: Vec::new(),
            storage: Vec::new(),
            storage_open: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            reconciled: false,
            lines: Vec::new(),
        }
    }

    /// Number of outcomes of a kind.
    pub fn count(&self, kind: OutcomeKind) -> usize {
        self.outcomes.values().filter(|o| o.kind == kind).count()
    }

    /// Number of rows with an intent and without an outcome.
    pub fn open(&self) -> usize {
        // A call that was repeated has an intent each time.
        let rows = self.rows.iter().filter(|r| !self.outcomes.contains_key(&r.item.id));
        let rows: BTreeSet<&Arc<str>> = rows.map(|r| &r.item.id).collect();
        rows.len() + self.storage_open.len()
    }

    /// Name of the action; `None` where no intent was written.
    pub fn what(&self) -> Option<&'static str> {
        let storage = self.storage.first().map(|(verb, ..)| verb.word());
        self.verb.as_ref().map(Verb::word).or(storage)
    }

    /// Commands that take back what was or may have been done, in the order of the log.
    pub fn way_back(&self) -> Vec<String> {
        // What is not known may have happened.
        let undone = |id: &Arc<str>| {
            let kind = self.outcomes.get(id).map(|o| o.kind);
            !matches!(kind, Some(OutcomeKind::Refused | OutcomeKind::Failed))
        };
        // A call that was repeated has its way back once.
        let is_last = |at: usize, row: &IntentRow| {
            !self.rows[at + 1..].iter().any(|later| later.item.id == row.item.id)
        };
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(at, row)| undone(&row.item.id) && is_last(*at, row));
        let mut out: Vec<String> =
            rows.filter_map(|(_, row)| row.undo.as_ref()).flat_map(Undo::commands).collect();
        let storage = self.storage.iter().map(|of| &of.2).filter(|row| undone(row.item.id()));
        let storage = storage.filter_map(|row| row.undo.as_ref());
        let mut storage: Vec<String> = storage.flat_map(StorageUndo::commands).collect();
        storage.dedup();
        out.extend(storage);
        out
    }

    /// All callers, in one line.
    pub fn who(&self) -> String {
        self.by.iter().map(|arn| &**arn).collect::<Vec<_>>().join(", ")
    }

    /// Number of instances, volumes and buckets, each once.
    pub fn size(&self) -> usize {
        let open = self.storage_open.values().filter(|id| self.outcomes.contains_key(*id));
        self.outcomes.len() + self.open() - open.count()
    }
}

/// The runs of a log, newest first.
pub fn runs(lines: &[Line]) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    let mut of = |id: &str, line: &Line, change: &mut dyn FnMut(&mut Run)| {
        let index = all.iter().position(|r| r.id == id).unwrap_or_else(|| {
            all.push(Run::new(id, line.at));
            all.len() - 1
        });
        if let Some(run) = all.get_mut(index) {
            run.lines.push(line.seq);
            change(run);
        }
    };
    for line in lines {
        match &line.body {
            Body::Intent {
                run,
                plan,
                verb,
                by,
                from,
                executor,
                authority,
                justification,
                rows,
                ..
            } => of(run, line, &mut |r| {
                r.plan.clone_from(plan);
                r.verb = Some(verb.clone());
                r.by.insert(by.clone());
                r.from.clone_from(from);
                r.executor.clone_from(executor);
                r.justification.clone_from(justification);
                r.authority = Some(authority.clone());
                r.rows.extend(rows.iter().cloned());
            }),
            Body::StorageIntent {
                run,
                plan,
                verb,
                step,
                by,
                from,
                executor,
                authority,
                justification,
                row,
                ..
            } => of(run, line, &mut |r| {
                r.plan.clone_from(plan);
                r.by.insert(by.clone());
                r.from.clone_from(from);
                r.executor.clone_from(executor);
                r.justification.clone_from(justification);
                r.authority = Some(authority.clone());
                r.storage.push((*verb, *step, row.clone()));
                r.storage_open.insert(line.seq, row.item.id().clone());
            }),
            Body::Outcome { run, intent, outcomes, reconciled } => of(run, line, &mut |r| {
                r.storage_open.remove(intent);
                r.reconciled |= reconciled;
                r.outcomes.extend(outcomes.iter().map(|o| (o.id.clone(), o.clone())));
            }),
            Body::Refused { run, plan, outcomes } => of(run, line, &mut |r| {
                r.plan.clone_from(plan);
                r.outcomes.extend(outcomes.iter().map(|o| (o.id.clone(), o.clone())));
            }),
            Body::Approved { .. } | Body::Recovered { .. } => {}
        }
    }
    all.reverse();
    all
}
