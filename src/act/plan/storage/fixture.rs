//! Plans, looks and scenes for tests: a row that passes every guard, of which a test spoils one
//! thing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::guard::{StorageGuard, StorageScene, check};
use super::item::{StorageItem, StoragePlan};
use super::verb::{Step, StorageVerb};
use super::{CheckedStorage, LifecycleChange, StorageDraft, draft_lifecycle, draft_volumes};
use crate::act::plan::{AccountRules, Answer, Caps, Confirmed, Preflighted, Rules};
use crate::domain::sample;
use crate::domain::storage::{
    BucketLook, Expiration, Lifecycle, LifecycleFilter, LifecycleRule, LifecycleSeen, MinimumSize,
    Snapshot, StorageLook, Transition, Versioning, Volume, VolumeKind, VolumeLook, When,
};
use crate::domain::{Caller, Known, Scope, Tags};

pub const ACCOUNT: &str = "123456789012";
pub const ARN: &str = "arn:aws:iam::123456789012:user/kim";
pub const VOLUME: &str = "vol-0aaaaaaaaaaaaaaa1";
pub const BUCKET: &str = "ml-artifacts";

pub fn now() -> Timestamp {
    "2026-02-03T04:05:06Z".parse().unwrap()
}

pub fn ago(minutes: i64) -> Timestamp {
    now() - SignedDuration::from_mins(minutes)
}

pub fn scope() -> Scope {
    Scope::new(ACCOUNT, "us-east-1")
}

pub fn rules() -> Rules {
    let armed = AccountRules { armed: true, ..AccountRules::default() };
    Rules { accounts: [(ACCOUNT.into(), armed)].into(), ..Rules::default() }
}

/// An unattached gp2 volume of 1,000 GiB, made forty days ago.
pub fn volume() -> Volume {
    Volume {
        scope: scope(),
        id: VOLUME.into(),
        kind: VolumeKind::Gp2,
        size_gib: 1_000,
        iops: Some(3_000),
        created_at: Some(ago(40 * 24 * 60)),
        encrypted: true,
        tags: Tags::from_raw([("Name", "scratch")]),
        ..sample::volume()
    }
}

/// A completed snapshot of [`volume`], begun after the plan.
pub fn snapshot() -> Snapshot {
    Snapshot {
        scope: scope(),
        volume: VOLUME.into(),
        volume_gib: 1_000,
        started_at: Some(ago(5)),
        ..sample::snapshot()
    }
}

pub fn rule(id: &str) -> LifecycleRule {
    LifecycleRule {
        id: id.into(),
        enabled: true,
        filter: LifecycleFilter {
            prefix: Some("experiments/".into()),
            ..LifecycleFilter::default()
        },
        transitions: vec![Transition { when: When::Days(30), class: "STANDARD_IA".into() }],
        ..LifecycleRule::default()
    }
}

/// A rule that deletes.
pub fn expiring(id: &str) -> LifecycleRule {
    LifecycleRule {
        transitions: Vec::new(),
        expiration: Some(Expiration { when: Some(When::Days(90)), expired_delete_marker: None }),
        ..rule(id)
    }
}

/// What the bucket has: a rule of somebody else.
pub fn before() -> Lifecycle {
    Lifecycle { rules: vec![rule("theirs")], minimum_size: Some(MinimumSize::Varies) }
}

/// What it is to have.
pub fn after() -> Lifecycle {
    let mut all = before();
    all.rules.push(rule("burntop/0123456789ab/1"));
    all
}

pub fn draft() -> StorageDraft<'static> {
    StorageDraft { justification: "", valid_for: SignedDuration::from_hours(24), now: ago(10) }
}

pub fn plan(verb: StorageVerb) -> StoragePlan {
    match verb {
        StorageVerb::PutLifecycle => bucket_plan(Some(&before()), after()),
        verb => draft_volumes(&[Arc::new(volume())], verb, &rules(), &draft()).unwrap(),
    }
}

pub fn bucket_plan(before: Option<&Lifecycle>, after: Lifecycle) -> StoragePlan {
    let change = LifecycleChange {
        scope: &scope(),
        bucket: &BUCKET.into(),
        tags: &Tags::default(),
        before,
        after: &after,
        usd_per_month: None,
    };
    draft_lifecycle(&change, &rules(), &draft())
}

pub fn look(verb: StorageVerb) -> StorageLook {
    match verb {
        StorageVerb::PutLifecycle => StorageLook::Bucket(BucketLook {
            name: BUCKET.into(),
            taken_at: now(),
            lifecycle: Ok(LifecycleSeen { lifecycle: Some(before()), ..LifecycleSeen::default() }),
            versioning: Ok(Versioning::Off),
            locked: Ok(false),
            replicates: Ok(false),
            tags: Ok(Tags::default()),
        }),
        _ => StorageLook::Volume(VolumeLook {
            id: VOLUME.into(),
            taken_at: now(),
            volume: Ok(Some(Arc::new(volume()))),
            modification: Ok(None),
            snapshots: Ok(Vec::new()),
            recently_attached: Ok(false),
        }),
    }
}

/// Everything that the guards look at, all of it good.
pub struct StorageGuardFixture {
    pub plan: StoragePlan,
    pub look: StorageLook,
    pub step: Option<Step>,
    pub caller: Known<Caller>,
    pub permitted: Known<()>,
    pub executor: &'static str,
    pub rules: Rules,
    pub now: Timestamp,
}

impl StorageGuardFixture {
    pub fn of(verb: StorageVerb) -> Self {
        Self {
            plan: plan(verb),
            look: look(verb),
            step: None,
            caller: Ok(Caller { account: ACCOUNT.into(), arn: ARN.into() }),
            permitted: Ok(()),
            executor: "live",
            rules: rules(),
            now: now(),
        }
    }

    pub fn check(&self) -> CheckedStorage {
        let item = Arc::new(self.plan.items[0].clone());
        self.check_item(&item)
    }

    pub fn check_item(&self, item: &Arc<StorageItem>) -> CheckedStorage {
        check(&StorageScene {
            plan: &self.plan,
            item,
            step: self.step,
            caller: &self.caller,
            look: &self.look,
            permitted: &self.permitted,
            executor: self.executor,
            rules: &self.rules,
            now: self.now,
        })
    }

    /// The guards that block.
    pub fn blocks(&self) -> Vec<StorageGuard> {
        let row = self.check();
        let blocks =
            row.findings.iter().filter(|f| f.severity == crate::act::plan::Severity::Block);
        blocks.map(|f| f.guard).collect()
    }

    pub fn volume(&mut self, change: impl FnOnce(&mut VolumeLook)) -> &mut Self {
        let StorageLook::Volume(look) = &mut self.look else { panic!("no volume") };
        change(look);
        self
    }

    pub fn bucket(&mut self, change: impl FnOnce(&mut BucketLook)) -> &mut Self {
        let StorageLook::Bucket(look) = &mut self.look else { panic!("no bucket") };
        change(look);
        self
    }

    pub fn item(&mut self, change: impl FnOnce(&mut StorageItem)) -> &mut Self {
        change(&mut self.plan.items[0]);
        self
    }

    /// The plan, checked.
    pub fn preflighted(&self) -> Preflighted<super::Storage> {
        let callers: BTreeMap<Arc<str>, Arc<str>> = [(ACCOUNT.into(), ARN.into())].into();
        let plan = Arc::new(self.plan.clone());
        Preflighted::of_storage(plan, vec![self.check()], self.now, callers, &Caps::default())
    }

    /// The plan, checked and confirmed now by a person who types what is asked.
    pub fn confirmed(&self) -> Confirmed<super::Storage> {
        let checked = self.preflighted();
        let typed = checked.challenge().typed.first().cloned().unwrap_or_default();
        let justification = "because".to_owned();
        checked.confirm(&Answer { typed, justification }, self.now).unwrap()
    }
}
