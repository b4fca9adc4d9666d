//! The guards of storage: what has to be true before anything is done to a volume or a bucket.
//!
//! Each guard is one row of `table::TABLE`. A fact that could not be read blocks wherever the guard
//! needs it.

mod bucket;
mod owner;
mod table;
mod trust;
mod volume;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::checked::CheckedStorage;
use super::item::{StorageItem, StoragePlan};
use super::order::snapshot_of;
use super::undo::StorageUndo;
use super::verb::{Step, StorageVerb};
use crate::act::plan::{Finding, Rules, Severity};
use crate::domain::storage::StorageLook;
use crate::domain::{Caller, Known, SourceError};

pub use owner::owner_of;

macro_rules! guards {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)+) => {
        /// The guards of storage, in the order in which they are asked. `docs/acting.md` explains
        /// each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum StorageGuard {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl StorageGuard {
            /// All guards with their names and what they look at.
            pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
                $((Self::$variant, $name, concat!($($doc),+)),)+
            ];
        }
    };
}

guards! {
    /// The account may be changed at all, and no tag pins it read-only.
    StorageArmed "storage_armed";
    /// The caller is in the account that the plan names, and the plan names the row.
    StorageIdentity "storage_identity";
    /// The plan has not expired.
    StoragePlanAge "storage_plan_age";
    /// The facts are of this moment, and about what was asked.
    StorageFacts "storage_facts";
    /// No tag exempts it.
    StorageExempt "storage_exempt";
    /// The volume is there, the one that was planned, and attached to nothing where it is to go.
    VolumeState "volume_state";
    /// The volume is old enough.
    VolumeAge "volume_age";
    /// The volume was not attached in the last two weeks.
    VolumeUse "volume_use";
    /// Nothing else manages it: Kubernetes, an Auto Scaling group, CloudFormation.
    StorageOwner "storage_owner";
    /// A snapshot holds what is deleted.
    VolumeSnapshot "volume_snapshot";
    /// The volume can be modified now: gp2, and six hours after the last time.
    VolumeCoolDown "volume_cool_down";
    /// As gp3 it is no slower, and cheaper.
    VolumeParity "volume_parity";
    /// The bucket has the configuration that the plan was made on.
    LifecycleUnchanged "lifecycle_unchanged";
    /// The configuration may be put: foreign rules stay, nothing deletes for good.
    LifecycleFit "lifecycle_fit";
    /// What the bucket is: locked, replicated, versioned.
    BucketKind "bucket_kind";
    /// Whether it is production.
    StorageProduction "storage_production";
    /// The call is permitted.
    StoragePermission "storage_permission";
    /// What would carry it out.
    StorageExecutor "storage_executor";
}

impl StorageGuard {
    /// True for what is said of who asks: somebody else may be able to.
    pub fn is_about_the_asker(self) -> bool {
        matches!(self, Self::StorageArmed | Self::StorageExecutor | Self::StoragePermission)
    }

    /// Its name in JSON and in the documentation.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|g| g.0 == self).map_or("", |g| g.1)
    }
}

/// Everything that the guards look at, for one row.
#[derive(Clone, Copy, Debug)]
pub struct StorageScene<'a> {
    /// The plan.
    pub plan: &'a StoragePlan,
    /// The row.
    pub item: &'a Arc<StorageItem>,
    /// The step that is next; `None` for the preflight, which looks at all of them.
    pub step: Option<Step>,
    /// The caller in the row's account, asked now.
    pub caller: &'a Known<Caller>,
    /// The volume or bucket, looked at now.
    pub look: &'a StorageLook,
    /// What the dry run of the call said; S3 has none, and then it is `Ok`.
    pub permitted: &'a Known<()>,
    /// Name of the executor.
    pub executor: &'static str,
    /// The rules.
    pub rules: &'a Rules,
    /// The present moment.
    pub now: Timestamp,
}

impl StorageScene<'_> {
    fn is_production(&self) -> bool {
        let account = &self.item.scope.account;
        self.item.production
            || self.rules.account(account).production
            || self.look.tags().is_some_and(|tags| self.rules.is_production(account, tags))
    }
}

/// How old a look may be when the guards are asked.
const FACTS_VALID_FOR: SignedDuration = SignedDuration::from_mins(5);

/// How far ahead of us the clock of somebody else may be.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(1);

/// Where a guard puts what it found.
struct FindingSink<'a> {
    guard: StorageGuard,
    out: &'a mut Vec<Finding<StorageGuard>>,
}

impl FindingSink<'_> {
    fn say(&mut self, severity: Severity, text: impl Into<String>, source: &str) {
        self.out.push(Finding::new(self.guard, severity, text, source));
    }

    fn block(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Block, text, source);
    }

    fn warn(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Warn, text, source);
    }

    fn note(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Note, text, source);
    }

    fn unknown(&mut self, what: &str, error: &SourceError) {
        let fix = if error.fix.is_empty() { String::new() } else { format!("; {}", error.fix) };
        self.block(format!("{what} is not known: {}{fix}", error.message), &error.operation);
    }
}

/// Asks every guard that the verb needs.
pub fn check(scene: &StorageScene<'_>) -> CheckedStorage {
    let mut findings = Vec::new();
    let verb = scene.plan.verb;
    for row in table::TABLE.iter().filter(|row| row.verbs.contains(&verb)) {
        (row.ask)(scene, &mut FindingSink { guard: row.guard, out: &mut findings });
    }
    // Stable: within a severity the order of the guards stays.
    findings.sort_by_key(|f| Reverse(f.severity));
    CheckedStorage {
        item: scene.item.clone(),
        findings,
        undo: way_back(scene),
        production: scene.is_production(),
    }
}

/// The way back, as far as it is known before the call. That of a configuration is a file, which
/// the executor writes.
fn way_back(scene: &StorageScene<'_>) -> Option<StorageUndo> {
    let scope = scene.item.scope.clone();
    let volume = scene.item.volume()?;
    match scene.plan.verb {
        StorageVerb::DeleteVolume => {
            let snapshot = snapshot_of(scene.item, scene.look, scene.plan.created_at)?;
            let tags = scene.look.tags().into_iter().flat_map(crate::domain::tags::Tags::iter);
            let own = tags.filter(|(key, _)| !key.starts_with("aws:"));
            Some(StorageUndo::Restore {
                scope,
                snapshot: snapshot.id.clone(),
                volume: Box::new(volume.clone()),
                tags: own.map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
            })
        }
        StorageVerb::ModifyVolume => Some(StorageUndo::Gp2 { scope, volume: volume.id.clone() }),
        StorageVerb::PutLifecycle => None,
    }
}
