//! Guards about money: what it saves, and whether the capacity can be had again.

use super::scene::Scene;
use crate::act::plan::finding::FindingSink;
use crate::act::plan::verb::Verb;
use crate::view::format::usd_per_hour;

/// Types that are hard to get: prefix of the name, and why. A family that AWS sells by Capacity
/// Blocks for ML is one that it rations itself (P4d, P5, P6, Trn: EC2 User Guide, "Capacity Blocks
/// for ML"); the P family before it and Gaudi exist in few zones. Of G6e and G7e only the sizes
/// with four and eight GPUs fill most of a host, and so does the largest G5.
const SCARCE: &[(&str, &str)] = &[
    ("p2.", "old P instances exist in few zones"),
    ("p3", "old P instances exist in few zones"),
    ("p4", "P instances are rationed"),
    ("p5", "P instances are rationed"),
    ("p6", "P instances are rationed"),
    ("trn", "Trainium is rationed"),
    ("inf2.48xlarge", "the largest Inferentia exists in few zones"),
    ("dl1.", "Gaudi exists in few zones"),
    ("dl2q.", "this accelerator exists in few zones"),
    ("g5.48xlarge", "a whole host"),
    ("g6e.24xlarge", "half a host"),
    ("g6e.48xlarge", "a whole host"),
    ("g7e.24xlarge", "half a host"),
    ("g7e.48xlarge", "a whole host"),
];

pub(super) fn capacity(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let kind = &scene.input.item.instance_type;
    let Some((_, why)) = SCARCE.iter().find(|(prefix, _)| kind.starts_with(prefix)) else { return };
    let text = match scene.input.plan.verb {
        Verb::Start => format!("{kind} may not be had now ({why})"),
        _ => format!("{kind} may not be had again ({why})"),
    };
    out.warn(text, "burntop's table");
}

pub(super) fn saving(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let note = &scene.stakes.saving_note;
    let source = "plan, ec2:DescribeInstances";
    match scene.stakes.saves_usd_per_hour {
        // Somebody who acts to save should know that nothing is saved.
        Some(usd) if usd <= 0.0 => out.warn(format!("saves $0: {note}"), source),
        Some(usd) if scene.stakes.net_usd_per_hour.is_some_and(|net| net < 0.005) => {
            out.warn(format!("saves {} gross and nothing net: {note}", usd_per_hour(usd)), source);
        }
        Some(usd) => out.note(format!("saves {}: {note}", usd_per_hour(usd)), source),
        None => out.note(format!("what it saves is not known: {note}"), source),
    }
}
