//! Acting on storage: in memory with faults, and through the whole client stack on a server that
//! keeps what it is given.

mod s3;
mod storm;
mod world;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;
use crate::act::exec::audit::{Body, Journal};
use crate::act::plan::storage::fixture::{self, after, before};
use crate::act::plan::storage::{Deed, StorageVerb, lifecycle_hash};
use crate::act::plan::{OutcomeKind, Severity};
use crate::domain::ErrorKind;
use crate::domain::storage::{Versioning, VolumeKind};
use StorageVerb::{DeleteVolume, ModifyVolume, PutLifecycle};
use world::{Fault, World, play, within};

#[test]
fn a_volume_goes_after_its_snapshot_has_completed() {
    play(async {
        let world = World::new();
        let verified = world.run(DeleteVolume).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
        assert!(world.memory.volumes().is_empty());
        assert_eq!(world.memory.snapshots().len(), 1);
        let calls = world.calls();
        assert!(matches!(calls[0], Deed::Snapshot { .. }), "{calls:?}");
        assert!(matches!(calls[1], Deed::Delete { .. }), "{calls:?}");
        assert_eq!(calls.len(), 2);
        // An intent before each call, an outcome after it, and the chain holds.
        let kinds: Vec<&str> = world.kinds();
        assert_eq!(kinds, ["snapshot", "outcome", "delete", "outcome"]);
        assert!(world.journal.verify().unwrap().problems.is_empty());
        // The way back is in the log.
        let lines = world.journal.read().unwrap();
        let undo = lines.iter().find_map(|l| match &l.body {
            Body::StorageIntent { row, .. } => row.undo.clone(),
            _ => None,
        });
        let command = undo.unwrap().commands().join("\n");
        assert!(command.starts_with("aws ec2 create-volume --snapshot-id snap-"), "{command}");
        assert!(command.contains("--availability-zone us-east-1a --volume-type gp2"), "{command}");
        assert!(command.contains("scratch"), "{command}");
    });
}

#[test]
fn a_snapshot_that_does_not_complete_leaves_the_volume() {
    play(async {
        let mut world = World::new();
        world.snapshots_take(SignedDuration::from_hours(9));
        let verified = world.run(DeleteVolume).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Unknown);
        assert!(verified.outcomes[0].text.contains("was not deleted"), "{verified:#?}");
        assert_eq!((world.memory.volumes().len(), world.calls().len()), (1, 1));
        // The same plan, later: the snapshot is there by then and no second one is made.
        world.later(SignedDuration::from_hours(9));
        let verified = world.run(DeleteVolume).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
        assert_eq!(world.memory.snapshots().len(), 1);
    });
}

#[test]
fn a_volume_that_is_attached_meanwhile_stays() {
    play(async {
        let world = World::new();
        world.on_call(|world, call| {
            if matches!(call, Deed::Snapshot { .. }) {
                world.attach();
            }
            Fault::None
        });
        let verified = world.run(DeleteVolume).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Refused, "{verified:#?}");
        assert!(verified.outcomes[0].text.contains("attached to i-"), "{verified:#?}");
        assert!(verified.outcomes[0].text.contains("goes on billing"), "{verified:#?}");
        assert_eq!(world.memory.volumes().len(), 1);
    });
}

#[test]
fn gp2_becomes_gp3_and_optimizing_is_a_success() {
    play(async {
        let world = World::new();
        let verified = world.run(ModifyVolume).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
        assert!(verified.outcomes[0].text.contains("optimizing"));
        let volume = &world.memory.volumes()[0];
        assert_eq!(
            (volume.kind, volume.iops, volume.throughput_mibps),
            (VolumeKind::Gp3, Some(3_000), Some(250))
        );
    });
}

#[test]
fn rules_are_put_and_taken_back_by_the_undo_file() {
    play(async {
        let world = World::new();
        let verified = world.run(PutLifecycle).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
        assert_eq!(world.memory.lifecycle(fixture::BUCKET), Some(after()));
        let (backup, undo) = world.kept();
        assert!(backup.contains("theirs"), "{backup}");
        let back = crate::act::plan::storage::StoragePlanFile::parse(undo.as_bytes()).unwrap();
        let verified = world.run_plan(back.plan).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verified:#?}");
        assert_eq!(world.memory.lifecycle(fixture::BUCKET), Some(before()));
    });
}

#[test]
fn what_somebody_changed_between_look_and_put_is_left_alone() {
    play(async {
        let world = World::new();
        world.on_call(|world, _| {
            let mut theirs = before();
            theirs.rules.push(fixture::rule("new"));
            world.set_lifecycle(theirs);
            Fault::None
        });
        let verified = world.run(PutLifecycle).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Failed, "{verified:#?}");
        assert_eq!(world.memory.lifecycle(fixture::BUCKET).unwrap().rules.len(), 2);
        assert_eq!(world.memory.lifecycle(fixture::BUCKET).unwrap().rules[1].id, "new");
    });
}

#[test]
fn an_answer_that_is_lost_is_looked_for_and_not_asked_for_twice() {
    play(async {
        for verb in StorageVerb::ALL {
            let world = World::new();
            world.on_call(|_, _| Fault::After(ErrorKind::Timeout));
            let verified = world.run(verb).await;
            assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verb:?}: {verified:#?}");
            let steps = if verb == DeleteVolume { 2 } else { 1 };
            assert_eq!(world.calls().len(), steps, "{verb:?}");
        }
    });
}

#[test]
fn throttling_is_waited_out_and_a_denial_is_not_asked_again() {
    play(async {
        for verb in StorageVerb::ALL {
            let world = World::new();
            world.on_call(|world, _| match world.count.load(Ordering::SeqCst) {
                1 => Fault::Before(ErrorKind::Throttled),
                _ => Fault::None,
            });
            let verified = world.run(verb).await;
            assert_eq!(verified.outcomes[0].kind, OutcomeKind::Done, "{verb:?}: {verified:#?}");
            let world = World::new();
            world.on_call(|_, _| Fault::Before(ErrorKind::Denied));
            let verified = world.run(verb).await;
            assert_eq!(verified.outcomes[0].kind, OutcomeKind::Failed, "{verb:?}: {verified:#?}");
            assert_eq!(world.calls().len(), 1, "{verb:?}");
            assert!(world.untouched(), "{verb:?}");
        }
    });
}

#[test]
fn a_run_that_was_killed_after_the_intent_is_reconciled() {
    play(async {
        for (verb, acted, kind) in [
            (ModifyVolume, true, OutcomeKind::Done),
            (ModifyVolume, false, OutcomeKind::Failed),
            (PutLifecycle, true, OutcomeKind::Done),
            (PutLifecycle, false, OutcomeKind::Failed),
            (DeleteVolume, true, OutcomeKind::Done),
            (DeleteVolume, false, OutcomeKind::Failed),
        ] {
            let world = World::new();
            world.on_call(move |_, _| if acted { Fault::HangAfter } else { Fault::HangBefore });
            // The process dies while the call is under way.
            let killed = within(5, world.run(verb));
            assert!(killed.await.is_none());
            assert!(world.kinds().iter().all(|k| *k != "outcome"), "{:?}", world.kinds());
            world.later(SignedDuration::from_mins(5));
            let found = world.operator().reconcile().await.unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].kind, kind, "{verb:?} {acted}: {found:#?}");
            assert!(world.operator().reconcile().await.unwrap().is_empty(), "once");
            assert!(world.journal.verify().unwrap().problems.is_empty());
        }
    });
}

#[test]
fn what_another_run_is_at_is_left_to_it() {
    play(async {
        let world = World::new();
        world.on_call(|_, _| Fault::HangBefore);
        let first = within(5, world.run(ModifyVolume));
        assert!(first.await.is_none());
        world.on_call(|_, _| Fault::None);
        // The run is dead, and its call may still be on its way.
        let second = world.run(ModifyVolume).await;
        assert_eq!(second.outcomes[0].kind, OutcomeKind::Refused, "{second:#?}");
        assert!(second.outcomes[0].text.contains("another run"), "{second:#?}");
        world.later(SignedDuration::from_mins(2));
        let third = world.run(ModifyVolume).await;
        assert_eq!(third.outcomes[0].kind, OutcomeKind::Done, "{third:#?}");
    });
}

#[test]
fn what_was_reconciled_for_a_dead_run_may_still_be_on_its_way() {
    play(async {
        let world = World::new();
        world.on_call(|_, _| Fault::HangBefore);
        assert!(within(5, world.run(DeleteVolume)).await.is_none());
        world.on_call(|_, _| Fault::None);
        // Its intent has an outcome, and nobody can know yet whether its snapshot is being made.
        let reconciled = world.operator().reconcile().await.unwrap();
        assert_eq!(reconciled[0].kind, OutcomeKind::Unknown, "{reconciled:#?}");
        let second = world.run(DeleteVolume).await;
        assert_eq!(second.outcomes[0].kind, OutcomeKind::Refused, "{second:#?}");
        assert!(second.outcomes[0].text.contains("another run"), "{second:#?}");
        assert_eq!(world.calls().len(), 1);
        world.later(SignedDuration::from_mins(2));
        let third = world.run(DeleteVolume).await;
        assert_eq!(third.outcomes[0].kind, OutcomeKind::Done, "{third:#?}");
    });
}

#[test]
fn a_log_that_cannot_be_written_means_no_call() {
    play(async {
        for verb in StorageVerb::ALL {
            let world = World::with_broken_log();
            let checked = world.preflight(verb).await;
            let confirmed = world.confirm(&checked);
            assert!(world.operator().execute(&confirmed, &|_| {}).await.is_err());
            assert!(world.calls().is_empty(), "{verb:?}");
        }
    });
}

#[test]
fn without_a_place_for_the_undo_file_nothing_is_put() {
    play(async {
        let mut world = World::new();
        world.no_backups();
        let verified = world.run(PutLifecycle).await;
        assert_eq!(verified.outcomes[0].kind, OutcomeKind::Refused, "{verified:#?}");
        assert!(world.calls().is_empty());
    });
}

#[test]
fn a_read_only_session_and_a_dry_run_change_nothing() {
    play(async {
        for verb in StorageVerb::ALL {
            let mut world = World::new();
            world.executor = Arc::new(RefuseStorage);
            let checked = world.preflight(verb).await;
            assert!(checked.passed().next().is_none(), "{verb:?}");
            let mut world = World::new();
            world.executor = Arc::new(DryRunStorage::new(world.executor.clone()));
            let verified = world.run(verb).await;
            assert_eq!(verified.outcomes[0].kind, OutcomeKind::Refused, "{verified:#?}");
            assert!(world.calls().is_empty() && world.untouched());
            assert!(verified.outcomes[0].text.contains("dry run"), "{verified:#?}");
        }
    });
}

#[test]
fn the_read_only_executor_of_storage_holds_no_client() {
    assert_eq!(size_of::<RefuseStorage>(), 0);
}

#[test]
fn a_log_of_instances_alone_reads_as_before() {
    // A line as the versions before wrote it.
    let memory = crate::act::exec::audit::memory::MemoryDisk::default();
    let journal = Journal::new(Arc::new(memory));
    let at = fixture::now();
    let body = Body::Approved { what: "plan".into(), sha256: "ab".into(), approver: [].into() };
    journal.append(at, body).unwrap();
    let bytes = journal.bytes().unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains("storage"));
    assert!(journal.verify().unwrap().problems.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Whatever fails, whenever: every call has an intent before it, every intent an outcome in the
    /// end, `done` is what the storage shows, and a volume never goes without a completed snapshot.
    #[test]
    fn the_machine_of_states_holds(
        verb in prop_oneof![Just(DeleteVolume), Just(ModifyVolume), Just(PutLifecycle)],
        faults in prop::collection::vec(world::any_fault(), 0..6),
        snapshot_minutes in 0_i64..200,
        attach_at in prop::option::of(0_usize..4),
        steal_at in prop::option::of(0_usize..4),
        kill_after in prop::option::of(1_u64..4_000),
    ) {
        play(async {
            let mut world = World::new();
            world.snapshots_take(SignedDuration::from_mins(snapshot_minutes));
            world.on_call(move |world, _| {
                let n = world.count.load(Ordering::SeqCst) - 1;
                if attach_at == Some(n) {
                    world.attach();
                }
                if steal_at == Some(n) {
                    let mut theirs = before();
                    theirs.rules.push(fixture::rule("new"));
                    world.set_lifecycle(theirs);
                }
                faults.get(n).copied().unwrap_or(Fault::None)
            });
            let verified = within(kill_after.unwrap_or(1_000_000), world.run(verb)).await;
            world.later(SignedDuration::from_mins(500));
            world.operator().reconcile().await.unwrap();
            prop_assert!(world.journal.verify().unwrap().problems.is_empty());
            let kinds = world.kinds();
            let intents = kinds.iter().filter(|k| ["snapshot", "delete", "modify", "put"].contains(k));
            prop_assert!(world.calls().len() <= intents.clone().count());
            prop_assert!(intents.count() <= kinds.iter().filter(|k| **k == "outcome").count());
            let gone = world.memory.volumes().is_empty();
            let kept = world.memory.snapshots().iter().any(|s| &*s.state == "completed");
            prop_assert!(!gone || kept);
            // A configuration of somebody else's is never written over.
            if verb == PutLifecycle && world.stolen() {
                let now = world.memory.lifecycle(fixture::BUCKET).unwrap();
                prop_assert!(now.rules.iter().any(|r| r.id == "new"));
            }
            if let Some(outcome) = verified.and_then(|v| v.outcomes.into_iter().next()) {
                let done = match verb {
                    DeleteVolume => gone,
                    ModifyVolume => world.memory.volumes()[0].kind == VolumeKind::Gp3,
                    PutLifecycle => {
                        let there = world.memory.lifecycle(fixture::BUCKET);
                        lifecycle_hash(there.as_ref()) == lifecycle_hash(Some(&after()))
                    }
                };
                match outcome.kind {
                    OutcomeKind::Done => prop_assert!(done, "{outcome:?}"),
                    OutcomeKind::Refused => prop_assert!(!done, "{outcome:?}"),
                    OutcomeKind::Failed | OutcomeKind::Unknown => {}
                }
            }
            Ok(())
        })?;
    }
}

#[test]
fn a_preflight_says_everything_before_anything_is_confirmed() {
    play(async {
        let world = World::new();
        world.memory.add_bucket("gone-soon".into(), None, Versioning::Off, Default::default());
        let mut plan = fixture::plan(PutLifecycle);
        let crate::act::plan::storage::Matter::Bucket(b) = &mut plan.items[0].matter else {
            panic!()
        };
        b.name = "not-there".into();
        let checked = world.operator().preflight(Arc::new(plan)).await;
        let row = &checked.rows[0];
        assert!(row.is_blocked());
        assert!(row.findings.iter().filter(|f| f.severity == Severity::Block).count() > 1);
    });
}
