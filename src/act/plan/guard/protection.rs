//! Guards that respect protections, which burntop never switches off.

use super::scene::Scene;
use crate::act::plan::finding::{FindingSink, unknown};

const SOURCE: &str = "ec2:DescribeInstanceAttribute";
const NEVER: &str = "burntop never switches a protection off";

/// Held against a termination by Auto Scaling too, which would not heed it by itself.
pub(super) fn termination(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    match &scene.input.inspection.termination_protection {
        Ok(false) => {}
        Ok(true) if scene.terminates() => {
            out.block(format!("termination protection is on; {NEVER}"), SOURCE);
        }
        Ok(true) => out.note("termination protection is on; it does not hinder a stop", SOURCE),
        Err(e) if scene.terminates() => out.unknown("termination protection", e),
        Err(e) => out.note(unknown("termination protection", e), &e.operation),
    }
}

/// Blocks where stop protection is on or not known; it protects from termination as well (EC2 User Guide, "Enable stop
/// protection for your EC2 instances").
pub(super) fn stop(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    match &scene.input.inspection.stop_protection {
        Ok(false) => {}
        Ok(true) => out.block(format!("stop protection is on; {NEVER}"), SOURCE),
        Err(e) => out.unknown("stop protection", e),
    }
}

pub(super) fn stoppable(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    if scene.found.is_some_and(|i| !i.ebs_root) {
        let text = "its root device is instance store: it cannot be stopped, only terminated";
        out.block(text, "ec2:DescribeInstances");
    }
}
