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
    pub run: String,
    pub intent: u64,
    pub at: Timestamp,
    pub step: Step,
    pub drafted: Timestamp,
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

/// What other runs have begun with the same volume or bucket.
pub(super) enum Others {
    /// Nobody.
    None,
    /// Somebody wrote an intent after our look, or a moment ago: what we saw need not be so.
    Later,
    /// These runs have an open intent; if one of them lives, it is theirs.
    Open(Vec<String>),
}

/// What others have begun with `id` of `scope`. `dead` are runs that are known to have ended.
pub(super) fn others(
    lines: &[Line],
    ours: &str,
    scope: &Scope,
    id: &str,
    looked: u64,
    now: Timestamp,
    dead: &BTreeSet<String>,
) -> Others {
    let about = |item: &StorageItem| item.scope == *scope && **item.id() == *id;
    let open = open(lines);
    let is_open = |seq: u64| open.iter().any(|o| o.intent == seq);
    for line in lines {
        let Body::StorageIntent { run, row, .. } = &line.body else { continue };
        if run == ours || !about(&row.item) {
            continue;
        }
        let young = now.duration_since(line.at) < ON_ITS_WAY && is_open(line.seq);
        if line.seq > looked || young {
            return Others::Later;
        }
    }
    let theirs = open.into_iter().filter(|o| o.run != ours && about(&o.item));
    let runs: Vec<String> = theirs.map(|o| o.run).filter(|run| !dead.contains(run)).collect();
    if runs.is_empty() { Others::None } else { Others::Open(runs) }
}
