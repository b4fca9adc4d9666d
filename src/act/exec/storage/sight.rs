//! What a look at a volume or a bucket says about what was asked of it.

use jiff::Timestamp;

use crate::act::plan::storage::{Step, StorageItem, StoragePlan, lifecycle_hash, snapshot_of};
use crate::domain::storage::{ModificationState, StorageLook, VolumeKind};

/// What is seen, held against what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It is as it was to be.
    Reached(String),
    /// It is as it was before.
    Former,
    /// It is on the way.
    Moving(String),
    /// Something else became of it.
    Elsewhere(String),
    /// It could not be looked at.
    Unknown(String),
}

/// Judges what is seen of one step.
pub(super) fn sight(
    step: Step,
    item: &StorageItem,
    drafted: Timestamp,
    look: &StorageLook,
) -> Sight {
    match (step, look) {
        (Step::Snapshot, StorageLook::Volume(seen)) => match &seen.snapshots {
            Err(e) => Sight::Unknown(e.to_string()),
            Ok(all) => match snapshot_of(item, look, drafted) {
                Some(s) if &*s.state == "completed" => {
                    Sight::Reached(format!("snapshot {} completed", s.id))
                }
                Some(s) => Sight::Moving(format!("snapshot {} is {}", s.id, s.state)),
                None => {
                    let failed = all.iter().find(|s| {
                        s.started_at.is_some_and(|at| at >= drafted) && s.volume == *item.id()
                    });
                    failed.map_or(Sight::Former, |s| {
                        Sight::Elsewhere(format!("snapshot {} is {}", s.id, s.state))
                    })
                }
            },
        },
        (Step::Delete, StorageLook::Volume(seen)) => match &seen.volume {
            Err(e) => Sight::Unknown(e.to_string()),
            Ok(None) => Sight::Reached(match snapshot_of(item, look, drafted) {
                Some(s) => format!("deleted; snapshot {} holds what was on it", s.id),
                None => "deleted".to_owned(),
            }),
            Ok(Some(volume)) if &*volume.state == "deleting" => {
                Sight::Moving("it is deleting".to_owned())
            }
            Ok(Some(volume)) if &*volume.state == "available" => Sight::Former,
            Ok(Some(volume)) => Sight::Elsewhere(format!("it is {} now", volume.state)),
        },
        (Step::Modify, StorageLook::Volume(seen)) => modified(item, seen),
        (Step::Put, StorageLook::Bucket(seen)) => match (&seen.lifecycle, item.bucket()) {
            (Err(e), _) => Sight::Unknown(e.to_string()),
            (Ok(_), None) => Sight::Unknown("it is no bucket".to_owned()),
            (Ok(there), Some(planned)) => {
                let is = lifecycle_hash(there.lifecycle.as_ref());
                let wanted = (!planned.after.rules.is_empty()).then_some(&planned.after);
                if is == lifecycle_hash(wanted) {
                    Sight::Reached(format!("the configuration is as planned (SHA-256 {is})"))
                } else if is == planned.before_sha256 {
                    Sight::Former
                } else {
                    Sight::Elsewhere("it has a configuration of somebody else's now".to_owned())
                }
            }
        },
        _ => Sight::Unknown("something else was looked at".to_owned()),
    }
}

fn modified(item: &StorageItem, seen: &crate::domain::storage::VolumeLook) -> Sight {
    let volume = match &seen.volume {
        Err(e) => return Sight::Unknown(e.to_string()),
        Ok(None) => return Sight::Elsewhere("EC2 knows no such volume any more".to_owned()),
        Ok(Some(volume)) => volume,
    };
    let Some(target) = item.volume().and_then(|v| v.target) else {
        return Sight::Unknown("the plan does not say what it becomes".to_owned());
    };
    let last = match &seen.modification {
        Err(e) => return Sight::Unknown(e.to_string()),
        Ok(last) => last.as_ref(),
    };
    let ours = last.filter(|m| m.kind == VolumeKind::Gp3 && m.iops == Some(target.iops));
    match ours.map(|m| m.state) {
        Some(ModificationState::Optimizing) => Sight::Reached(
            "gp3; it performs and bills as such, and its data still move underneath (optimizing)"
                .to_owned(),
        ),
        Some(ModificationState::Modifying) => Sight::Moving("it is modifying".to_owned()),
        Some(ModificationState::Failed) => Sight::Elsewhere("the modification failed".to_owned()),
        _ if volume.kind == VolumeKind::Gp3
            && volume.iops.is_some_and(|n| n >= target.iops)
            && volume.throughput_mibps.is_none_or(|n| n >= target.throughput_mibps) =>
        {
            Sight::Reached(format!(
                "gp3 with {} IOPS and {} MiB/s",
                target.iops, target.throughput_mibps
            ))
        }
        _ if volume.kind == VolumeKind::Gp2 => Sight::Former,
        _ => Sight::Elsewhere(format!("it is {} now", volume.kind.api())),
    }
}

/// As [`sight`], of a row of a plan.
pub(super) fn of_plan(
    step: Step,
    item: &StorageItem,
    plan: &StoragePlan,
    look: &StorageLook,
) -> Sight {
    sight(step, item, plan.created_at, look)
}
