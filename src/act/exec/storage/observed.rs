//! Compares the observed state of a volume or a bucket with the goal of a step.

use jiff::Timestamp;

use crate::act::plan::storage::{Step, StorageItem, StoragePlan, lifecycle_hash, snapshot_of};
use crate::domain::storage::{ModificationState, StorageLook, VolumeKind};

/// Observed state of a volume or bucket compared with the goal of a step. The texts name what was observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ObservedState {
    /// In the state that the step leads to.
    Reached(String),
    /// In the state that was planned: no call has had an effect yet.
    Former,
    /// On the way to the goal.
    Moving(String),
    /// In a state that the step does not lead to.
    Elsewhere(String),
    /// The state could not be read.
    Unknown(String),
}

/// Compares the volume or bucket in `look` with the goal of `step`. `drafted` is when the plan was
/// made: older snapshots do not count.
pub(super) fn observe(
    step: Step,
    item: &StorageItem,
    drafted: Timestamp,
    look: &StorageLook,
) -> ObservedState {
    match (step, look) {
        (Step::Snapshot, StorageLook::Volume(seen)) => match &seen.snapshots {
            Err(e) => ObservedState::Unknown(e.to_string()),
            Ok(all) => match snapshot_of(item, look, drafted) {
                Some(s) if &*s.state == "completed" => {
                    ObservedState::Reached(format!("snapshot {} completed", s.id))
                }
                Some(s) => ObservedState::Moving(format!("snapshot {} is {}", s.id, s.state)),
                None => {
                    let failed = all.iter().find(|s| {
                        s.started_at.is_some_and(|at| at >= drafted) && s.volume == *item.id()
                    });
                    failed.map_or(ObservedState::Former, |s| {
                        ObservedState::Elsewhere(format!("snapshot {} is {}", s.id, s.state))
                    })
                }
            },
        },
        (Step::Delete, StorageLook::Volume(seen)) => match &seen.volume {
            Err(e) => ObservedState::Unknown(e.to_string()),
            Ok(None) => ObservedState::Reached(match snapshot_of(item, look, drafted) {
                Some(s) => format!("deleted; snapshot {} holds what was on it", s.id),
                None => "deleted".to_owned(),
            }),
            Ok(Some(volume)) if &*volume.state == "deleting" => {
                ObservedState::Moving("it is deleting".to_owned())
            }
            Ok(Some(volume)) if &*volume.state == "available" => ObservedState::Former,
            Ok(Some(volume)) => ObservedState::Elsewhere(format!("it is {} now", volume.state)),
        },
        (Step::Modify, StorageLook::Volume(seen)) => modified(item, seen),
        (Step::Put, StorageLook::Bucket(seen)) => match (&seen.lifecycle, item.bucket()) {
            (Err(e), _) => ObservedState::Unknown(e.to_string()),
            (Ok(_), None) => ObservedState::Unknown("it is no bucket".to_owned()),
            (Ok(there), Some(planned)) => {
                let is = lifecycle_hash(there.lifecycle.as_ref());
                let wanted = (!planned.after.rules.is_empty()).then_some(&planned.after);
                if is == lifecycle_hash(wanted) {
                    ObservedState::Reached(format!(
                        "the configuration is as planned (SHA-256 {is})"
                    ))
                } else if is == planned.before_sha256 {
                    ObservedState::Former
                } else {
                    ObservedState::Elsewhere(
                        "it has a configuration of somebody else's now".to_owned(),
                    )
                }
            }
        },
        _ => ObservedState::Unknown("something else was looked at".to_owned()),
    }
}

fn modified(item: &StorageItem, seen: &crate::domain::storage::VolumeLook) -> ObservedState {
    let volume = match &seen.volume {
        Err(e) => return ObservedState::Unknown(e.to_string()),
        Ok(None) => {
            return ObservedState::Elsewhere("EC2 knows no such volume any more".to_owned());
        }
        Ok(Some(volume)) => volume,
    };
    let Some(target) = item.volume().and_then(|v| v.target) else {
        return ObservedState::Unknown("the plan does not say what it becomes".to_owned());
    };
    let last = match &seen.modification {
        Err(e) => return ObservedState::Unknown(e.to_string()),
        Ok(last) => last.as_ref(),
    };
    let ours = last.filter(|m| m.kind == VolumeKind::Gp3 && m.iops == Some(target.iops));
    match ours.map(|m| m.state) {
        Some(ModificationState::Optimizing) => ObservedState::Reached(
            "gp3; it performs and bills as such, and its data still move underneath (optimizing)"
                .to_owned(),
        ),
        Some(ModificationState::Modifying) => ObservedState::Moving("it is modifying".to_owned()),
        Some(ModificationState::Failed) => {
            ObservedState::Elsewhere("the modification failed".to_owned())
        }
        _ if volume.kind == VolumeKind::Gp3
            && volume.iops.is_some_and(|n| n >= target.iops)
            && volume.throughput_mibps.is_none_or(|n| n >= target.throughput_mibps) =>
        {
            ObservedState::Reached(format!(
                "gp3 with {} IOPS and {} MiB/s",
                target.iops, target.throughput_mibps
            ))
        }
        _ if volume.kind == VolumeKind::Gp2 => ObservedState::Former,
        _ => ObservedState::Elsewhere(format!("it is {} now", volume.kind.api())),
    }
}

/// Like [`observe`], with the date of `plan`.
pub(super) fn of_plan(
    step: Step,
    item: &StorageItem,
    plan: &StoragePlan,
    look: &StorageLook,
) -> ObservedState {
    observe(step, item, plan.created_at, look)
}
