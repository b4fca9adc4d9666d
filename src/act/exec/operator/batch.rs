//! Which rows go into one call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::act::plan::{ActApi, CheckedRow, MAX_BATCH};
use crate::domain::Scope;

/// Members of Auto Scaling groups that are looked at together. Each is a call of its own, and where
/// one of them hangs for a minute, the look at those after it would be as old.
const MEMBERS_AT_ONCE: usize = 1;

/// Rows that are looked at together: of one scope, zone and API, by their place in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// API that their calls go through.
    pub via: ActApi,
    /// Places of the rows in the plan.
    pub rows: Vec<usize>,
}

impl Batch {
    /// What goes into one call. Auto Scaling takes one instance per call: each gets its intent and
    /// its answer, so that a decrement is never repeated for a doubt about another member.
    pub fn calls(&self, rows: Vec<usize>) -> Vec<Vec<usize>> {
        match self.via {
            ActApi::Ec2 if rows.is_empty() => Vec::new(),
            ActApi::Ec2 => vec![rows],
            ActApi::AutoScaling { .. } => rows.into_iter().map(|row| vec![row]).collect(),
        }
    }
}

/// Groups rows: by scope, and there by zone and API. A protected member makes the call fail for
/// its whole zone while those of other zones terminate, so zones are never mixed.
pub(super) fn batches(rows: &[CheckedRow]) -> BTreeMap<Scope, Vec<Batch>> {
    let mut groups: BTreeMap<(&Scope, &Arc<str>, &ActApi), Vec<usize>> = BTreeMap::new();
    for (n, row) in rows.iter().enumerate() {
        groups.entry((&row.item.scope, &row.az, &row.via)).or_default().push(n);
    }
    let mut out: BTreeMap<Scope, Vec<Batch>> = BTreeMap::new();
    for ((scope, _, via), rows) in groups {
        let most = match via {
            ActApi::Ec2 => MAX_BATCH,
            ActApi::AutoScaling { .. } => MEMBERS_AT_ONCE,
        };
        let batches = out.entry(scope.clone()).or_default();
        let parts = rows.chunks(most);
        batches.extend(parts.map(|rows| Batch { via: via.clone(), rows: rows.to_vec() }));
    }
    out
}
