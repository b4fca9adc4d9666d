//! The list of what burntop did: runs of the audit log as rows, and their report.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::audit::word_of;
use super::runs::Run;
use crate::act::plan::storage::StorageUndo;
use crate::act::plan::{LostVolume, Outcome, OutcomeKind, Undo};
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::actions::picture::{ActionCounts, ActionField, ActionRow, ActionTarget};
use crate::view::{ViewContext, format};

/// What the list of actions comes from: the newest part of the audit log.
#[derive(Clone, Debug)]
pub struct ActionsOf {
    /// Lines that were changed, cannot be read or are missing.
    pub damaged: usize,
    /// Bytes of older lines that were not read.
    pub left_out: u64,
    /// Path of the log.
    pub file: String,
}

/// The rows of these runs, in their order.
pub fn actions(runs: &[Run]) -> Arc<[Arc<ActionRow>]> {
    runs.iter().map(|run| Arc::new(row(run))).collect()
}

fn row(run: &Run) -> ActionRow {
    let targets = targets(run);
    let counts = ActionCounts {
        rows: run.size(),
        done: run.count(OutcomeKind::Done),
        refused: run.count(OutcomeKind::Refused),
        failed: run.count(OutcomeKind::Failed),
        unknown: run.count(OutcomeKind::Unknown),
        open: run.open(),
    };
    ActionRow {
        id: run.id.as_str().into(),
        at: run.at,
        what: run.what().unwrap_or_default().to_owned(),
        counts,
        by: run.who(),
        from: run.from.clone(),
        executor: run.executor.clone(),
        authority: run.authority.as_ref().map(word_of).unwrap_or_default(),
        why: run.justification.clone(),
        plan: run.plan.clone(),
        targets,
        back: run.way_back(),
        lines: run.lines.clone(),
    }
}

/// What a run acted on, each once: in the order of its intents, then what was refused before there was one.
fn targets(run: &Run) -> Vec<ActionTarget> {
    let mut seen: HashSet<Arc<str>> = HashSet::new();
    let mut out = Vec::new();
    for row in run.rows.iter().rev() {
        let item = &row.item;
        if seen.insert(item.id.clone()) {
            let lost = match &row.undo {
                Some(Undo::Launch { lost, .. }) => lost.iter().map(gone).collect(),
                _ => Vec::new(),
            };
            let scope = item.scope.to_string();
            out.push(target(run, &item.id, item.name.to_string(), scope, lost));
        }
    }
    out.reverse();
    let instances = out.len();
    for (_, _, row) in run.storage.iter().rev() {
        let item = &row.item;
        if seen.insert(item.id().clone()) {
            let lost = match &row.undo {
                Some(StorageUndo::Restore { snapshot, .. }) => {
                    vec![format!("its data are in the snapshot {snapshot}")]
                }
                _ => Vec::new(),
            };
            let scope = item.scope.to_string();
            out.push(target(run, item.id(), String::new(), scope, lost));
        }
    }
    if let Some(storage) = out.get_mut(instances..) {
        storage.reverse();
    }
    for outcome in run.outcomes.values() {
        if seen.insert(outcome.id.clone()) {
            let scope = outcome.scope.to_string();
            out.push(target(run, &outcome.id, String::new(), scope, Vec::new()));
        }
    }
    out
}

/// A volume that a termination deletes, in words.
fn gone(lost: &LostVolume) -> String {
    let like = match (lost.root, lost.size_gib) {
        (true, _) => "the way back has a root from the AMI",
        (false, Some(_)) => "the way back has an empty one like it",
        (false, None) => "its size is not known, and the way back has none like it",
    };
    format!("deleted with it: {}; {like}", lost.words())
}

fn target(
    run: &Run,
    id: &Arc<str>,
    name: String,
    scope: String,
    lost: Vec<String>,
) -> ActionTarget {
    let outcome: Option<&Outcome> = run.outcomes.get(id);
    let is_untouched =
        outcome.is_some_and(|o| matches!(o.kind, OutcomeKind::Refused | OutcomeKind::Failed));
    ActionTarget {
        id: id.clone(),
        name,
        scope,
        result: outcome.map_or("open", |o| o.kind.word()),
        text: outcome.map(|o| o.text.clone()).unwrap_or_default(),
        lost: if is_untouched { Vec::new() } else { lost },
    }
}

impl ListField for ActionField {
    type Of = ActionsOf;

    const VIEW: &'static str = "actions";

    const IDENTITY: &'static [Self] = &[Self::Run];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &ActionsOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &ActionsOf) -> String {
        format!(
            "the audit log of this machine, {}; an open row has an intent and no outcome yet",
            of.file
        )
    }

    fn more(row: &ActionRow, _: &ActionsOf) -> Vec<(&'static str, Json)> {
        let target = |of: &ActionTarget| json!({ "id": of.id, "name": of.name, "scope": of.scope, "result": of.result, "text": of.text, "lost": of.lost });
        let targets: Vec<Json> = row.targets.iter().map(target).collect();
        vec![
            ("targets", json!(targets)),
            ("authority", json!(row.authority)),
            ("undo", json!(row.back)),
            ("lines", json!(row.lines)),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let mut notes = Vec::new();
        if list.of.damaged > 0 {
            let places = format::counted(list.of.damaged, "place", "places");
            notes.push(format!(
                "! the log is damaged in {places}: `burntop audit verify` says where"
            ));
        }
        if list.of.left_out > 0 {
            let bytes = format::bytes(list.of.left_out as f64);
            notes.push(format!("{bytes} of older lines are not among them"));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::acting::audit::tests::log;
    use crate::report::acting::runs;

    #[test]
    fn a_run_is_a_row_with_each_of_its_results_and_its_way_back() {
        let rows = actions(&runs(&log()));
        let [refused, stopped] = &rows[..] else { panic!("{rows:?}") };
        let expected =
            ActionCounts { rows: 3, done: 1, failed: 1, open: 1, ..ActionCounts::default() };
        assert_eq!((&*stopped.what, stopped.counts), ("stop", expected));
        let results: Vec<(&str, &str)> =
            stopped.targets.iter().map(|of| (&*of.id, of.result)).collect();
        assert_eq!(results, [("i-1", "done"), ("i-2", "failed"), ("i-3", "open")]);
        assert_eq!((&*stopped.why, &*stopped.authority), ("INC-7", "the person at the screen"));
        assert_eq!(stopped.lines, [1, 2]);
        // What failed was not touched: nothing of it is taken back.
        assert_eq!(stopped.back.len(), 2, "{:?}", stopped.back);
        assert_eq!((refused.counts.refused, refused.back.len(), &*refused.what), (1, 0, ""));
        assert_eq!((&*refused.targets[0].id, refused.targets[0].result), ("i-9", "refused"));
    }

    #[test]
    fn a_call_that_was_repeated_is_one_target_with_one_way_back() {
        let mut log = log();
        let mut again = log[0].clone();
        again.seq = 4;
        log.push(again);
        let rows = actions(&runs(&log));
        let stopped = rows.iter().find(|row| &*row.id == "a").unwrap();
        assert_eq!((stopped.targets.len(), stopped.back.len()), (3, 2));
        assert_eq!((stopped.counts.open, stopped.counts.rows), (1, 3));
        assert_eq!(stopped.lines, [1, 2, 4]);
    }
}
