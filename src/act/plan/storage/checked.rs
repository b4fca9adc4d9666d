//! A plan about storage with the facts of this moment and what the guards said.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;

use super::guard::StorageGuard;
use super::item::{StorageItem, StoragePlan};
use super::undo::StorageUndo;
use super::verb::StorageVerb;
use crate::act::plan::caps::Breach;
use crate::act::plan::finding::blocks;
use crate::act::plan::{CapUse, Caps, Challenge, Finding, Kind, Preflighted};

/// The kind of plans about storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage;

/// A row of a plan about storage with the findings of the guards.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedStorage {
    /// Row as it was planned.
    pub item: Arc<StorageItem>,
    /// Findings of the guards, worst first.
    pub findings: Vec<Finding<StorageGuard>>,
    /// How to take the action back; `None` where it is not known yet.
    pub undo: Option<StorageUndo>,
    /// True when account, configuration or tags say production, now or when it was planned.
    pub production: bool,
}

impl CheckedStorage {
    /// True when a guard takes the row out of the plan.
    pub fn is_blocked(&self) -> bool {
        self.reason().is_some()
    }

    /// First finding that blocks the row; `None` for a row that passed.
    pub fn reason(&self) -> Option<&Finding<StorageGuard>> {
        blocks(&self.findings).next()
    }

    /// First finding that blocks the row whoever asks; `None` where none does.
    pub fn reason_for_anybody(&self) -> Option<&Finding<StorageGuard>> {
        blocks(&self.findings).find(|f| !f.guard.is_about_the_asker())
    }
}

impl Kind for Storage {
    type Plan = StoragePlan;
    type Row = CheckedStorage;

    fn is_blocked(row: &CheckedStorage) -> bool {
        row.is_blocked()
    }

    fn account(row: &CheckedStorage) -> &Arc<str> {
        &row.item.scope.account
    }

    fn justification(plan: &StoragePlan) -> &str {
        &plan.justification
    }

    /// The bucket's name is typed, whoever else agreed: a configuration is put as a whole.
    fn takes_approvals(plan: &StoragePlan) -> bool {
        plan.verb != StorageVerb::PutLifecycle
    }

    fn challenge(checked: &Preflighted<Self>) -> Challenge {
        let rows: Vec<&CheckedStorage> = checked.passed().collect();
        let typed = match checked.plan.verb {
            StorageVerb::DeleteVolume => {
                let ids: Vec<&Arc<str>> = rows.iter().map(|r| r.item.id()).collect();
                Challenge::count_or_id("delete", &ids)
            }
            StorageVerb::ModifyVolume => Vec::new(),
            // The bucket's name, whatever the configuration does: it is put as a whole.
            StorageVerb::PutLifecycle => rows.iter().map(|r| r.item.id().to_string()).collect(),
        };
        Challenge { typed, justification: rows.iter().any(|r| r.production) }
    }
}

impl Preflighted<Storage> {
    /// Puts the rows of a plan about storage together. One plan deletes or modifies no more volumes
    /// than `max_instances` allows to stop, and puts one configuration.
    pub fn of_storage(
        plan: Arc<StoragePlan>,
        rows: Vec<CheckedStorage>,
        checked_at: Timestamp,
        callers: BTreeMap<Arc<str>, Arc<str>>,
        caps: &Caps,
    ) -> Self {
        let left = rows.iter().filter(|r| r.reason_for_anybody().is_none()).count();
        let (breaches, uses) = plan.held_against(left, caps);
        let taken = AtomicBool::new(false);
        Self { plan, rows, checked_at, breaches, caps: uses, callers, taken }
    }
}

impl StoragePlan {
    /// Caps that `rows` rows of this plan break, and the use of each cap.
    pub fn held_against(&self, rows: usize, caps: &Caps) -> (Vec<Breach>, Vec<CapUse>) {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let max = match self.verb {
            StorageVerb::DeleteVolume | StorageVerb::ModifyVolume => caps.max_instances,
            StorageVerb::PutLifecycle => 1,
        };
        let breaches = if rows > max { vec![Breach::Rows { rows, max }] } else { Vec::new() };
        (breaches, vec![CapUse::of_rows("max_instances", rows, max)])
    }
}
