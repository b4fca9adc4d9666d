//! Whose call it is: what decides is the audit log, which one of two runs locks first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::act::exec::audit::{Body, Line};
use crate::act::plan::storage::{Step, StorageItem};
use crate::domain::Scope;

/// A call may still be on its way for this long after its intent.
pub(super) const ON_ITS_WAY: SignedDuration = SignedDuration::from_mins(1);

/// An intent about storage without an outcome.
pub(super) struct Open {
    /// Id of the run.
    pub run: String,
    /// `seq` of the intent.
    pub intent: u64,
    /// Time of the intent.
    pub at: Timestamp,
    /// The call that was to be made.
    pub step: Step,
    /// Time of the plan.
    pub drafted: Timestamp,
    /// Row of the plan, as it was drafted.
    pub item: Arc<StorageItem>,
}

/// The intents about storage of a log that have no outcome, oldest first.
pub(super) fn open(lines: &[Line]) -> Vec<Open> {
    let mut open: BTreeMap<u64, Open> = BTreeMap::new();
    for line in lines {
        match &line.body {
            Body::StorageIntent { run, step, drafted, row, .. } => {
                let one = Open {
                    run: run.clone(),
                    intent: line.seq,
                    at: line.at,
                    step: *step,
                    drafted: *drafted,
                    item: row.item.clone(),
                };
                open.insert(line.seq, one);
            }
            Body::Outcome { intent, .. } => drop(open.remove(intent)),
            _ => {}
        }
    }
    open.into_values().collect()
}

/// Whether other runs act on the same volume or bucket.
pub(super) enum Others {
    /// No other run does.
    None,
    /// Somebody wrote an intent or its outcome after our look, or an intent a moment ago: what we
    /// saw need not be so.
    Later,
    /// These runs have an open intent; if one of them lives, it is theirs.
    Open(Vec<String>),
}

/// What others have begun with `id` of `scope`. `looked` is the last line of the log before our
/// look, `dead` are runs that are known to have ended.
pub(super) fn others(
    lines: &[Line],
    ours: &str,
    scope: &Scope,
    id: &str,
    looked: u64,
    now: Timestamp,
    dead: &BTreeSet<String>,
) -> Others {
    // What became of each intent: `seq` of the outcome, and whether somebody else found it out.
    let mut ends: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
    for line in lines {
        if let Body::Outcome { intent, reconciled, .. } = &line.body {
            ends.insert(*intent, (line.seq, *reconciled));
        }
    }
    let mut open = Vec::new();
    for line in lines {
        let Body::StorageIntent { run, row, .. } = &line.body else { continue };
        if run == ours || row.item.scope != *scope || **row.item.id() != *id {
            continue;
        }
        let end = ends.get(&line.seq);
        let later = match end {
            // Its run saw it through: what we saw is what came of it, unless we looked before.
            Some((seq, false)) => *seq > looked,
            // It died, and who reconciled it could not know what was still on its way.
            Some((_, true)) | None => now.duration_since(line.at) < ON_ITS_WAY,
        };
        if line.seq > looked || later {
            return Others::Later;
        }
        if end.is_none() && !dead.contains(run) {
            open.push(run.clone());
        }
    }
    if open.is_empty() { Others::None } else { Others::Open(open) }
}
