//! Volumes of stopped instances: they go where the instance is idle, and stay where it is not.

use std::sync::Arc;

use proptest::prelude::*;

use super::fixture::{World, read_storage, verdict};
use super::tables::volume_of;
use crate::domain::storage::FindingKind;
use crate::domain::{HOURS_PER_MONTH, ResourceKind, VerdictKind};
use crate::fleet::StorageFleet;
use crate::fleet::savings::{Step, StepKind, StepNote, Waterfall};
use crate::fleet::storage::{StorageTotals, VolumeRow};

/// A stopped instance: its verdict (`None` without a row), what its volume costs a month, and what
/// gp3 would save of it.
type Boxed = (Option<VerdictKind>, f64, Option<f64>);

fn id(i: usize) -> String {
    format!("i-{i}")
}

fn world(boxes: &[Boxed]) -> World {
    let mut w = World::new(&[]);
    let mut volumes: Vec<Arc<VolumeRow>> = Vec::new();
    for (i, (kind, month, gp3)) in boxes.iter().enumerate() {
        if let Some(kind) = kind {
            let idle = *kind == VerdictKind::Idle;
            w.resource(&id(i), ResourceKind::StoppedInstance, month / HOURS_PER_MONTH, idle);
            Arc::make_mut(w.resources.last_mut().unwrap()).verdict = Some(Arc::new(verdict(*kind)));
        }
        let mut volume = volume_of(&id(i), *month, &[*month]);
        if let Some(usd) = gp3 {
            let mut other = (*volume.findings[0]).clone();
            (other.kind, other.usd_per_month) = (FindingKind::Gp2, Some(*usd));
            volume.findings.push(Arc::new(other));
        }
        volumes.push(Arc::new(volume));
    }
    let rows = volumes.iter().map(|v| &**v);
    let totals = StorageTotals::of(std::iter::empty(), rows, std::iter::empty());
    w.storage = Some(StorageFleet { volumes, totals, ..read_storage() });
    w
}

fn storage(found: &Waterfall) -> &Step {
    found.steps.iter().find(|s| s.kind == StepKind::Storage).unwrap()
}

#[test]
fn what_is_stopped_for_the_night_keeps_its_volumes() {
    let of = |kind| world(&[(kind, 73.0, None)]).waterfall();
    let idle = of(Some(VerdictKind::Idle));
    assert!((storage(&idle).saves() - 0.1).abs() < 1e-9);
    assert_eq!((storage(&idle).items, storage(&idle).unknown), (1, 0));

    for kind in [VerdictKind::TooNew, VerdictKind::Exempt] {
        let found = of(Some(kind));
        assert!((found.before - 0.1).abs() < 1e-9, "it is on the bill");
        assert_eq!((found.saves(), found.naive), (0.0, 0.0), "{kind:?}");
        let step = storage(&found);
        assert_eq!((step.items, step.unknown), (0, 0), "{kind:?}");
        assert_eq!(step.notes.last(), Some(&StepNote::VolumesOfNotIdle(1)));
    }
    // Since when it is stopped is not known, or the inventory does not have it.
    for kind in [Some(VerdictKind::Unknown), None] {
        let found = of(kind);
        assert_eq!((found.saves(), found.naive), (0.0, 0.0), "{kind:?}");
        assert_eq!((storage(&found).items, storage(&found).unknown), (0, 1), "{kind:?}");
        assert_eq!(storage(&found).notes.last(), Some(&StepNote::VolumesOfUnknown(1)));
    }
}

#[test]
fn what_stays_is_counted_where_storage_left_it_out_already() {
    use VerdictKind::{Idle, TooNew, Unknown};
    for (kind, unknown, notes) in [(TooNew, 0, 1), (Unknown, 1, 1), (Idle, 0, 0)] {
        let mut w = world(&[(Some(kind), 73.0, None)]);
        let volume = Arc::make_mut(&mut w.storage.as_mut().unwrap().volumes[0]);
        (volume.findings, volume.savings) = (Vec::new(), None);
        let found = w.waterfall();
        let step = storage(&found);
        let stays = |n: &&StepNote| {
            matches!(n, StepNote::VolumesOfNotIdle(1) | StepNote::VolumesOfUnknown(1))
        };
        let said = step.notes.iter().filter(stays).count();
        assert_eq!((step.saves(), step.unknown, said), (0.0, unknown, notes), "{kind:?}");
    }
}

#[test]
fn a_volume_that_stays_may_still_become_gp3() {
    let found = world(&[(Some(VerdictKind::TooNew), 73.0, Some(14.6))]).waterfall();
    assert!((found.saves() - 0.02).abs() < 1e-9, "{found:?}");
    assert_eq!(storage(&found).items, 1);
}

#[test]
fn a_volume_of_several_stays_with_any_of_them() {
    use VerdictKind::{Exempt, Idle, Unknown};
    for (kinds, saves, unknown) in [
        ([Idle, Idle], 0.1, 0),
        ([Idle, Exempt], 0.0, 0),
        ([Unknown, Exempt], 0.0, 0),
        ([Idle, Unknown], 0.0, 1),
    ] {
        let mut w = world(&[(Some(kinds[0]), 73.0, None), (Some(kinds[1]), 0.0, None)]);
        let fleet = w.storage.as_mut().unwrap();
        let second = fleet.volumes.pop().unwrap();
        Arc::make_mut(&mut fleet.volumes[0]).holders.extend(second.holders.iter().cloned());
        let found = w.waterfall();
        assert!((storage(&found).saves() - saves).abs() < 1e-9, "{kinds:?}");
        assert_eq!(storage(&found).unknown, unknown, "{kinds:?}");
    }
}

proptest! {
    /// The steps close and none is negative; storage saves what idle instances have, and of the
    /// others what is found of them besides.
    #[test]
    fn only_volumes_of_idle_instances_go(
        boxes in prop::collection::vec(
            (
                prop_oneof![
                    Just(None),
                    Just(Some(VerdictKind::Idle)),
                    Just(Some(VerdictKind::TooNew)),
                    Just(Some(VerdictKind::Exempt)),
                    Just(Some(VerdictKind::Unknown)),
                ],
                0.5f64..500.0,
                prop::option::of(0.1f64..600.0),
            ),
            0..12,
        ),
    ) {
        let found = world(&boxes).waterfall();
        let expected: f64 = boxes
            .iter()
            .map(|(kind, month, gp3)| match kind {
                Some(VerdictKind::Idle) => *month,
                _ => gp3.unwrap_or(0.0).min(*month),
            })
            .sum();
        prop_assert!((storage(&found).saves() * HOURS_PER_MONTH - expected).abs() < 1e-6);
        let sum: f64 = found.steps.iter().map(Step::saves).sum();
        prop_assert!((sum - (found.before - found.after())).abs() < 1e-9);
        prop_assert!(found.steps.iter().all(|s| s.saves() >= 0.0), "{:?}", found.steps);
        prop_assert!(found.after() >= 0.0);
    }
}
