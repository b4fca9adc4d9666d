//! What a volume has to be before it is deleted or modified.

use jiff::SignedDuration;

use super::{FindingSink, StorageGuard, StorageScene};
use crate::act::plan::storage::parity;
use crate::act::plan::storage::{Step, StorageVerb, saves_usd_per_month, snapshot_of};
use crate::domain::storage::{ModificationState, StorageLook, Volume, VolumeKind, VolumeLook};
use crate::view::format;

const DESCRIBE: &str = "ec2:DescribeVolumes";

/// Least age of a volume that is deleted. Who made one this week means to attach it.
pub const MIN_AGE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Time after a modification before EC2 takes the next one (EC2 API reference, `ModifyVolume`: "you
/// must wait at least six hours").
pub const COOL_DOWN: SignedDuration = SignedDuration::from_hours(6);

fn look<'a>(scene: &'a StorageScene<'_>) -> Option<&'a VolumeLook> {
    match scene.look {
        StorageLook::Volume(look) => Some(look),
        StorageLook::Bucket(_) => None,
    }
}

/// The volume as it is now. Where it is not there, the guard of the state blocks.
fn found<'a>(scene: &'a StorageScene<'_>) -> Option<&'a Volume> {
    scene.look.volume()
}

pub(super) fn state(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let Some(look) = look(scene) else { return out.block("it is no volume", "look") };
    let Some(planned) = scene.item.volume() else { return out.block("it is no volume", "plan") };
    let volume = match &look.volume {
        Err(e) => return out.unknown("its state", e),
        Ok(None) => return out.block("EC2 knows no such volume (any more)", DESCRIBE),
        Ok(Some(volume)) => volume,
    };
    if volume.id != planned.id || volume.scope != scene.item.scope {
        out.block(format!("the answer is about {}", volume.id), DESCRIBE);
    }
    if volume.created_at.is_none() || volume.created_at != planned.created_at {
        out.block("it is not the volume that was planned: it was made at another time", DESCRIBE);
    }
    if volume.size_gib != planned.size_gib || volume.kind != planned.volume_type {
        let text = format!(
            "it is {} GiB of {} now, planned as {} GiB of {}",
            volume.size_gib,
            volume.kind.api(),
            planned.size_gib,
            planned.volume_type.api()
        );
        out.block(text, DESCRIBE);
    }
    match scene.plan.verb {
        StorageVerb::DeleteVolume => {
            if &*planned.state != "available" {
                out.block(format!("it was {} when it was planned", planned.state), "plan");
            }
            if let Some(attached) = volume.attachments.first() {
                let text = format!("it is attached to {} now", attached.instance);
                out.block(text, DESCRIBE);
            } else if &*volume.state != "available" {
                out.block(format!("it is {} now, not available", volume.state), DESCRIBE);
            }
        }
        StorageVerb::ModifyVolume | StorageVerb::PutLifecycle => {
            if !matches!(&*volume.state, "available" | "in-use") {
                out.block(format!("it is {} now", volume.state), DESCRIBE);
            }
        }
    }
}

pub(super) fn age(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let Some(volume) = found(scene) else { return };
    let days = MIN_AGE.as_hours() / 24;
    match volume.created_at {
        None => out.block("it is not known when it was made", DESCRIBE),
        Some(at) if scene.now.duration_since(at) < MIN_AGE => {
            out.block(format!("it was made at {at}, less than {days} days ago"), DESCRIBE);
        }
        Some(_) => {}
    }
}

pub(super) fn in_use(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    const SOURCE: &str = "cloudwatch:ListMetrics";
    let Some(look) = look(scene) else { return };
    match &look.recently_attached {
        Err(e) => out.unknown("when it was last attached", e),
        Ok(true) => out
            .block("CloudWatch has figures of it from the last two weeks: it was attached", SOURCE),
        Ok(false) => out.note("not attached in the last two weeks", SOURCE),
    }
}

/// In the preflight the snapshot need not be there: the executor makes it, and asks this again
/// before it deletes.
pub(super) fn snapshot(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    const SOURCE: &str = "ec2:DescribeSnapshots";
    let Some(look) = look(scene) else { return };
    if let Err(e) = &look.snapshots {
        return out.unknown("which snapshots it has", e);
    }
    let found = snapshot_of(scene.item, scene.look, scene.plan.created_at);
    match (scene.step, found) {
        (Some(Step::Delete), Some(s)) if &*s.state != "completed" => {
            out.block(format!("its snapshot {} is {}, not completed", s.id, s.state), SOURCE);
        }
        (Some(Step::Delete), None) => {
            out.block("no snapshot of it has been made since the plan", SOURCE);
        }
        (_, Some(s)) => out.note(format!("snapshot {} ({})", s.id, s.state), SOURCE),
        (_, None) => out.note(
            "a snapshot is made first, and has to complete; it costs $0.05/GiB-month of what is \
             written on it, at list price in us-east-1",
            SOURCE,
        ),
    }
}

pub(super) fn cool_down(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    const SOURCE: &str = "ec2:DescribeVolumesModifications";
    let (Some(look), Some(volume)) = (look(scene), found(scene)) else { return };
    if volume.kind != VolumeKind::Gp2 {
        out.block(format!("it is {}, not gp2", volume.kind.api()), DESCRIBE);
    }
    let last = match &look.modification {
        Err(e) => return out.unknown("when it was last modified", e),
        Ok(None) => return,
        Ok(Some(last)) => last,
    };
    if matches!(last.state, ModificationState::Modifying | ModificationState::Optimizing) {
        out.block("a modification is under way", SOURCE);
    }
    match last.started_at {
        None => out.block("it is not known when it was last modified", SOURCE),
        Some(at) if scene.now.duration_since(at) < COOL_DOWN => {
            let hours = COOL_DOWN.as_hours();
            out.block(format!("it was modified at {at}; EC2 wants {hours} h between"), SOURCE);
        }
        Some(_) => {}
    }
}

pub(super) fn parity(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let Some(planned) = scene.item.volume() else { return };
    let Some(target) = planned.target else {
        return out.block("the plan does not say what it is to become", "plan");
    };
    if !parity::holds(planned.size_gib, target) {
        let least = parity::as_gp3(planned.size_gib);
        let text = format!(
            "gp3 with {} IOPS and {} MiB/s is less than gp2 of {} GiB gives ({} and {}), or more \
             than there is",
            target.iops,
            target.throughput_mibps,
            planned.size_gib,
            least.iops,
            least.throughput_mibps
        );
        return out.block(text, "plan");
    }
    let shown = format!("gp3 with {} IOPS and {} MiB/s", target.iops, target.throughput_mibps);
    match saves_usd_per_month(planned.size_gib, target) {
        Some(usd) if usd > 0.0 => {
            let usd = format::usd(usd);
            out.note(format!("{shown}: {usd}/month less at list price"), "price list");
        }
        Some(usd) => {
            let usd = format::usd(-usd);
            out.warn(
                format!("{shown}: {usd}/month more at list price; smaller ones pay, not this"),
                "price list",
            );
        }
        None => out.warn(format!("{shown}: what it saves is not known"), "price list"),
    }
}
