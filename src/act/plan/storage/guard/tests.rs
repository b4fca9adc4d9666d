//! The guards of storage, one thing spoilt at a time.

use std::sync::Arc;

use jiff::SignedDuration;

use super::table::TABLE;
use super::*;
use crate::act::plan::storage::fixture::{
    self, StorageGuardFixture, after, ago, before, expiring, now, snapshot, volume,
};
use crate::act::plan::storage::{Gp3, Step, StorageVerb};
use crate::act::plan::{AccountRules, Approval, ConfirmError, Rules};
use crate::domain::storage::{
    Attachment, LifecycleSeen, ModificationState, Versioning, VolumeKind, VolumeModification,
};
use crate::domain::{ErrorKind, SourceError, Tags};
use StorageGuard::*;
use StorageVerb::{DeleteVolume, ModifyVolume, PutLifecycle};

fn error<T>() -> Known<T> {
    Err(Arc::new(SourceError::new(ErrorKind::Denied, "x:Y", "no", "")))
}

#[test]
fn every_guard_has_its_row_in_the_order_of_all() {
    let rows: Vec<StorageGuard> = TABLE.iter().map(|r| r.guard).collect();
    let all: Vec<StorageGuard> = StorageGuard::ALL.iter().map(|g| g.0).collect();
    assert_eq!(rows, all);
    assert!(TABLE.iter().all(|r| !r.verbs.is_empty()));
}

#[test]
fn the_documentation_explains_every_guard() {
    let docs = include_str!("../../../../../docs/acting.md");
    for (_, name, _) in StorageGuard::ALL {
        let rows = docs.lines().filter(|l| l.starts_with(&format!("| `{name}` |"))).count();
        assert_eq!(rows, 1, "docs/acting.md has {rows} rows for {name}");
    }
}

#[test]
fn the_good_row_passes_every_verb() {
    for verb in StorageVerb::ALL {
        assert_eq!(StorageGuardFixture::of(verb).blocks(), [], "{verb:?}");
    }
}

/// One thing is spoilt, and this guard says no.
fn spoilt(
    verb: StorageVerb,
    guard: StorageGuard,
    what: &str,
    spoil: impl FnOnce(&mut StorageGuardFixture),
) {
    let mut fixture = StorageGuardFixture::of(verb);
    spoil(&mut fixture);
    assert!(fixture.blocks().contains(&guard), "{verb:?}, {what}: {:?}", fixture.check().findings);
}

#[test]
fn whoever_asks_has_to_be_who_was_named_and_armed() {
    for verb in StorageVerb::ALL {
        spoilt(verb, StorageArmed, "not armed", |s| s.rules = Rules::default());
        spoilt(verb, StorageArmed, "pinned", |s| {
            let pinned = AccountRules { armed: true, read_only: true, ..AccountRules::default() };
            s.rules.accounts.insert(fixture::ACCOUNT.into(), pinned);
        });
        spoilt(verb, StorageIdentity, "unknown", |s| s.caller = error());
        spoilt(verb, StorageIdentity, "another account", |s| {
            s.caller = Ok(Caller { account: "9".into(), arn: "arn:x".into() });
        });
        spoilt(verb, StorageIdentity, "another verb", |s| {
            s.plan.verb = if verb == PutLifecycle { DeleteVolume } else { PutLifecycle };
        });
        spoilt(verb, StoragePlanAge, "expired", |s| s.plan.expires_at = now());
        spoilt(verb, StoragePlanAge, "from the future", |s| s.plan.created_at = ago(-1));
        spoilt(verb, StoragePlanAge, "schema", |s| s.plan.schema = "x".into());
        spoilt(verb, StorageFacts, "old", |s| s.now = ago(-6));
        spoilt(verb, StoragePermission, "denied", |s| s.permitted = error());
        spoilt(verb, StorageExecutor, "read-only", |s| s.executor = "read-only");
    }
    let mut fixture = StorageGuardFixture::of(DeleteVolume);
    let stranger =
        Arc::new(StorageItem { price_basis: "x".into(), ..fixture.plan.items[0].clone() });
    assert!(fixture.check_item(&stranger).is_blocked());
    fixture.plan.items.push(fixture.plan.items[0].clone());
    assert_eq!(fixture.blocks(), [StorageIdentity], "twice");
}

fn tagged(fixture: &mut StorageGuardFixture, key: &str, value: &str) {
    let tags = Tags::from_raw([(key, value)]);
    match &mut fixture.look {
        StorageLook::Volume(look) => {
            look.volume = Ok(Some(Arc::new(Volume { tags, ..volume() })));
        }
        StorageLook::Bucket(look) => look.tags = Ok(tags),
    }
}

use crate::domain::storage::Volume;

#[test]
fn tags_exempt_pin_and_name_owners() {
    for verb in StorageVerb::ALL {
        for (key, value, guard) in [
            ("burntop:exempt", "true", StorageExempt),
            ("burntop:exempt", "soon", StorageExempt),
            ("aws:cloudformation:stack-name", "s", StorageOwner),
        ] {
            spoilt(verb, guard, key, |s| tagged(s, key, value));
        }
        spoilt(verb, StorageArmed, "pinned by tag", |s| {
            s.rules.read_only_tags = vec![("hands".into(), "off".into())];
            tagged(s, "hands", "off");
        });
    }
    for key in [
        "kubernetes.io/created-for/pvc/name",
        "kubernetes.io/cluster/prod-1",
        "ebs.csi.aws.com/cluster",
        "aws:autoscaling:groupName",
        "aws:ec2launchtemplate:id",
    ] {
        spoilt(DeleteVolume, StorageOwner, key, |s| tagged(s, key, "x"));
    }
    for (key, value) in [("Managed-By", "Terraform"), ("terraform", "true"), ("iac", "opentofu")] {
        spoilt(PutLifecycle, StorageOwner, key, |s| tagged(s, key, value));
    }
    let mut fine = StorageGuardFixture::of(PutLifecycle);
    tagged(&mut fine, "managed-by", "team-a");
    assert_eq!(fine.blocks(), []);
    spoilt(PutLifecycle, StorageOwner, "a rule of Terraform's", |s| {
        let mut there = before();
        there.rules[0].id = "tf-s3-lifecycle-20260101".into();
        s.bucket(|b| {
            b.lifecycle = Ok(LifecycleSeen { lifecycle: Some(there), ..LifecycleSeen::default() });
        });
    });
    spoilt(PutLifecycle, StorageExempt, "tags not known", |s| {
        s.bucket(|b| b.tags = error());
    });
}

#[test]
fn production_is_never_deleted_and_asks_why_elsewhere() {
    spoilt(DeleteVolume, StorageProduction, "by tag", |s| tagged(s, "env", "prod"));
    spoilt(DeleteVolume, StorageProduction, "by plan", |s| {
        s.item(|i| i.production = true);
    });
    for verb in [ModifyVolume, PutLifecycle] {
        let mut fixture = StorageGuardFixture::of(verb);
        tagged(&mut fixture, "env", "prod");
        let row = fixture.check();
        assert!(!row.is_blocked() && row.production, "{:?}", row.findings);
    }
}

#[test]
fn only_the_volume_that_was_planned_and_only_unattached() {
    type Spoil = fn(&mut Volume);
    let cases: [(&str, Spoil); 7] = [
        ("attached", |v| {
            v.attachments.push(Attachment {
                instance: "i-1".into(),
                device: "/dev/xvdf".into(),
                attached_at: None,
                delete_on_termination: false,
            });
        }),
        ("in use", |v| v.state = "in-use".into()),
        ("deleting", |v| v.state = "deleting".into()),
        ("made at another time", |v| v.created_at = Some(ago(20 * 24 * 60))),
        ("no date", |v| v.created_at = None),
        ("another size", |v| v.size_gib = 1_001),
        ("another id", |v| v.id = "vol-2".into()),
    ];
    for (what, spoil) in cases {
        spoilt(DeleteVolume, VolumeState, what, |s| {
            let mut volume = volume();
            spoil(&mut volume);
            s.volume(|l| l.volume = Ok(Some(Arc::new(volume))));
        });
    }
    for verb in [DeleteVolume, ModifyVolume] {
        spoilt(verb, VolumeState, "gone", |s| {
            s.volume(|l| l.volume = Ok(None));
        });
        spoilt(verb, VolumeState, "not known", |s| {
            s.volume(|l| l.volume = error());
        });
        spoilt(verb, StorageFacts, "another was asked about", |s| {
            s.volume(|l| l.id = "vol-2".into());
        });
    }
    spoilt(DeleteVolume, VolumeState, "attached when planned", |s| {
        s.item(|i| {
            let crate::act::plan::storage::Matter::Volume(v) = &mut i.matter else { panic!() };
            v.state = "in-use".into();
        });
    });
    // A volume in use may become gp3.
    let mut fixture = StorageGuardFixture::of(ModifyVolume);
    fixture
        .volume(|l| l.volume = Ok(Some(Arc::new(Volume { state: "in-use".into(), ..volume() }))));
    assert_eq!(fixture.blocks(), []);
}

#[test]
fn young_or_lately_attached_volumes_stay() {
    spoilt(DeleteVolume, VolumeAge, "a day old", |s| {
        let made = Some(ago(24 * 60));
        s.volume(|l| l.volume = Ok(Some(Arc::new(Volume { created_at: made, ..volume() }))));
    });
    spoilt(DeleteVolume, VolumeUse, "attached lately", |s| {
        s.volume(|l| l.recently_attached = Ok(true));
    });
    spoilt(DeleteVolume, VolumeUse, "not known", |s| {
        s.volume(|l| l.recently_attached = error());
    });
}

#[test]
fn a_volume_is_deleted_when_a_snapshot_of_it_has_completed_and_not_before() {
    type Spoil = fn(&mut crate::domain::storage::Snapshot);
    let cases: [(&str, Spoil); 6] = [
        ("pending", |s| s.state = "pending".into()),
        ("failed", |s| s.state = "error".into()),
        ("of another volume", |s| s.volume = "vol-2".into()),
        ("of another size", |s| s.volume_gib = 999),
        ("from before the plan", |s| s.started_at = Some(ago(11))),
        ("of nobody knows when", |s| s.started_at = None),
    ];
    let at_the_end = |change: &dyn Fn(&mut crate::domain::storage::Snapshot)| {
        let mut fixture = StorageGuardFixture::of(DeleteVolume);
        fixture.step = Some(Step::Delete);
        let mut one = snapshot();
        change(&mut one);
        fixture.volume(|l| l.snapshots = Ok(vec![one]));
        fixture
    };
    let good = at_the_end(&|_| {});
    assert_eq!(good.blocks(), []);
    assert!(good.check().undo.is_some());
    for (what, spoil) in cases {
        let fixture = at_the_end(&spoil);
        assert_eq!(fixture.blocks(), [VolumeSnapshot], "{what}");
        // The preflight lets it pass: the executor makes one.
        assert_eq!(StorageGuardFixture { step: None, ..fixture }.blocks(), [], "{what}");
    }
    let mut none = at_the_end(&|_| {});
    none.volume(|l| l.snapshots = Ok(vec![]));
    assert_eq!(none.blocks(), [VolumeSnapshot]);
    spoilt(DeleteVolume, VolumeSnapshot, "not known", |s| {
        s.volume(|l| l.snapshots = error());
    });
}

#[test]
fn gp2_alone_is_modified_six_hours_apart_and_never_made_slower() {
    let last = |state, hours: i64| {
        Ok(Some(VolumeModification {
            state,
            kind: VolumeKind::Gp2,
            iops: None,
            throughput_mibps: None,
            started_at: Some(now() - SignedDuration::from_hours(hours)),
        }))
    };
    for (state, hours, blocked) in [
        (ModificationState::Completed, 5, true),
        (ModificationState::Completed, 6, false),
        (ModificationState::Failed, 7, false),
        (ModificationState::Optimizing, 9, true),
        (ModificationState::Modifying, 9, true),
    ] {
        let mut fixture = StorageGuardFixture::of(ModifyVolume);
        fixture.volume(|l| l.modification = last(state, hours));
        assert_eq!(fixture.blocks().contains(&VolumeCoolDown), blocked, "{state:?} {hours}");
    }
    spoilt(ModifyVolume, VolumeCoolDown, "not known", |s| {
        s.volume(|l| l.modification = error());
    });
    let target = |iops, throughput_mibps| {
        move |i: &mut StorageItem| {
            let crate::act::plan::storage::Matter::Volume(v) = &mut i.matter else { panic!() };
            v.target = Some(Gp3 { iops, throughput_mibps });
        }
    };
    for (iops, mibps) in [(2_999, 250), (3_000, 125), (17_000, 250)] {
        spoilt(ModifyVolume, VolumeParity, "slower, or too much", |s| {
            s.item(target(iops, mibps));
        });
    }
}

#[test]
fn a_configuration_stands_on_what_the_bucket_has() {
    let there = |lifecycle, unknown_parts| {
        Ok(LifecycleSeen { lifecycle, document: String::new(), unknown_parts })
    };
    for (what, seen) in [
        ("one rule more", there(Some(after()), vec![])),
        ("none", there(None, vec![])),
        ("a part nobody knows", there(Some(before()), vec!["NewThing".into()])),
        ("not known", error()),
    ] {
        spoilt(PutLifecycle, LifecycleUnchanged, what, |s| {
            s.bucket(|b| b.lifecycle = seen);
        });
    }
    spoilt(PutLifecycle, LifecycleUnchanged, "a hash of something else", |s| {
        s.item(|i| {
            let crate::act::plan::storage::Matter::Bucket(b) = &mut i.matter else { panic!() };
            b.before = None;
        });
    });
    spoilt(PutLifecycle, LifecycleFit, "versioning not known", |s| {
        s.bucket(|b| b.versioning = error());
    });
    for locked_or_copied in [true, false] {
        spoilt(PutLifecycle, BucketKind, "not known", |s| {
            s.bucket(
                |b| if locked_or_copied { b.locked = error() } else { b.replicates = error() },
            );
        });
    }
}

#[test]
fn what_deletes_for_good_is_blocked_and_cannot_be_ordered() {
    let mut all = before();
    all.rules.push(expiring("burntop/0123456789ab/1"));
    for (versioning, may) in
        [(Versioning::Off, false), (Versioning::Suspended, false), (Versioning::Enabled, true)]
    {
        let mut fixture = StorageGuardFixture::of(PutLifecycle);
        fixture.plan = fixture::bucket_plan(Some(&before()), all.clone());
        fixture.bucket(|b| b.versioning = Ok(Versioning::Enabled));
        // Confirmed while it was versioned; what the last look says decides.
        let confirmed = fixture.confirmed();
        let ticket = confirmed.redeem(now()).unwrap();
        fixture.bucket(|b| b.versioning = Ok(versioning));
        assert_eq!(fixture.blocks().contains(&LifecycleFit), !may, "{versioning:?}");
        let order = ticket.order(fixture::BUCKET, Step::Put, &fixture.look);
        assert_eq!(order.is_some(), may, "{versioning:?}");
    }
}

#[test]
fn an_approval_stands_in_for_a_person_and_never_for_the_typed_bucket() {
    for verb in StorageVerb::ALL {
        let fixture = StorageGuardFixture::of(verb);
        let approval = Approval {
            sha256: fixture.plan.hash(),
            approver: [(fixture::ACCOUNT.into(), "arn:aws:iam::123456789012:user/ben".into())]
                .into(),
            approved_at: ago(5),
            expires_at: ago(-30),
            signature: None,
        };
        let took = fixture.preflighted().confirm_by(&approval, &fixture.plan.hash(), now());
        if verb == PutLifecycle {
            assert_eq!(took.err(), Some(ConfirmError::TypedOnly));
        } else {
            assert!(took.is_ok(), "{verb:?}");
        }
    }
}

#[test]
fn an_order_to_delete_needs_a_completed_snapshot_and_no_attachment() {
    let fixture = StorageGuardFixture::of(DeleteVolume);
    let confirmed = fixture.confirmed();
    let ticket = confirmed.redeem(now()).unwrap();
    let mut later = StorageGuardFixture::of(DeleteVolume);
    let order = |at: &StorageGuardFixture, step| ticket.order(fixture::VOLUME, step, &at.look);
    assert!(order(&later, Step::Snapshot).is_some());
    assert!(order(&later, Step::Delete).is_none(), "no snapshot");
    assert!(order(&later, Step::Modify).is_none() && order(&later, Step::Put).is_none());
    later.volume(|l| l.snapshots = Ok(vec![snapshot()]));
    assert!(order(&later, Step::Delete).is_some());
    assert!(ticket.order("vol-9", Step::Delete, &later.look).is_none(), "not in the plan");
    later.volume(|l| {
        let mut one = snapshot();
        one.state = "pending".into();
        l.snapshots = Ok(vec![one]);
    });
    assert!(order(&later, Step::Delete).is_none(), "pending");
    later.volume(|l| {
        l.snapshots = Ok(vec![snapshot()]);
        let mut one = volume();
        one.state = "in-use".into();
        l.volume = Ok(Some(Arc::new(one)));
    });
    assert!(order(&later, Step::Delete).is_none() && order(&later, Step::Snapshot).is_none());
}

#[test]
fn what_is_typed_is_the_count_the_id_or_the_bucket() {
    use crate::act::plan::{Answer, Caps, ConfirmError, Preflighted};
    let preflighted = |verb| {
        let fixture = StorageGuardFixture::of(verb);
        let callers = [(fixture::ACCOUNT.into(), fixture::ARN.into())].into();
        let plan = Arc::new(fixture.plan.clone());
        Preflighted::of_storage(plan, vec![fixture.check()], now(), callers, &Caps::default())
    };
    assert_eq!(preflighted(DeleteVolume).challenge().typed, ["delete 1", fixture::VOLUME]);
    assert!(preflighted(ModifyVolume).challenge().typed.is_empty());
    let checked = preflighted(PutLifecycle);
    assert_eq!(checked.challenge().typed, [fixture::BUCKET]);
    let says = |typed: &str| {
        let answer = Answer { typed: typed.into(), justification: String::new() };
        checked.confirm(&answer, now()).map(drop)
    };
    assert_eq!(says("ml"), Err(ConfirmError::Typed(fixture::BUCKET.into())));
    assert_eq!(says(fixture::BUCKET), Ok(()));
    assert_eq!(says(fixture::BUCKET), Err(ConfirmError::Taken));
}

#[test]
fn an_undo_plan_goes_the_same_way_back() {
    let plan = fixture::plan(PutLifecycle);
    let back = plan.reversed(&fixture::draft()).unwrap();
    let mut fixture = StorageGuardFixture::of(PutLifecycle);
    fixture.plan = back.clone();
    assert!(fixture.blocks().contains(&LifecycleUnchanged), "before the plan ran");
    fixture.bucket(|b| {
        b.lifecycle = Ok(LifecycleSeen { lifecycle: Some(after()), ..LifecycleSeen::default() });
    });
    assert_eq!(fixture.blocks(), []);
    let confirmed = fixture.confirmed();
    let ticket = confirmed.redeem(now()).unwrap();
    let order = ticket.order(fixture::BUCKET, Step::Put, &fixture.look).unwrap();
    let crate::act::plan::storage::Deed::Put { fit, .. } = order.deed() else { panic!() };
    assert_eq!(fit.lifecycle(), &before());
    // Of a bucket that had none, the last rule goes with the configuration.
    let first = fixture::bucket_plan(
        None,
        crate::domain::storage::Lifecycle {
            rules: vec![fixture::rule("burntop/0123456789ab/1")],
            minimum_size: None,
        },
    );
    let put = first.items[0].bucket().unwrap().after.clone();
    fixture.plan = first.reversed(&fixture::draft()).unwrap();
    fixture.bucket(|b| {
        b.lifecycle = Ok(LifecycleSeen { lifecycle: Some(put), ..LifecycleSeen::default() });
    });
    let confirmed = fixture.confirmed();
    let ticket = confirmed.redeem(now()).unwrap();
    let order = ticket.order(fixture::BUCKET, Step::Put, &fixture.look).unwrap();
    assert!(matches!(order.deed(), crate::act::plan::storage::Deed::Clear { .. }));
    assert!(fixture::plan(DeleteVolume).reversed(&fixture::draft()).is_none());
}
