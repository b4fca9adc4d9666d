//! Guards that the instance is still the one that was judged.

use jiff::SignedDuration;

use super::scene::Scene;
use super::{CLOCK_SLACK, FACTS_VALID_FOR};
use crate::act::plan::finding::FindingSink;
use crate::act::plan::verb::Verb;
use crate::analyze::idle::Exemption;
use crate::domain::InstanceState;
use crate::view::reasons;

const SOURCE: &str = "ec2:DescribeInstances";

pub(super) fn state(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let (item, inspection) = (scene.input.item, scene.input.inspection);
    let age = scene.input.now.duration_since(inspection.taken_at);
    if age > FACTS_VALID_FOR || age < -CLOCK_SLACK {
        let text = format!("it was looked at at {}, not now: check again", inspection.taken_at);
        out.block(text, SOURCE);
    }
    if inspection.id != item.id {
        out.block(format!("the answer is about {}, not about it", inspection.id), SOURCE);
    }
    let found = match &inspection.instance {
        Err(e) => return out.unknown("its state", e),
        Ok(None) => return out.block("it does not exist any more", SOURCE),
        Ok(Some(found)) => found,
    };
    if found.id != item.id || found.scope != item.scope {
        out.block(format!("the answer is about {} in {}", found.id, found.scope), SOURCE);
    }
    let wanted = match scene.input.plan.verb {
        Verb::Stop | Verb::Terminate { .. } | Verb::Mark { .. } => InstanceState::Running,
        Verb::Start => InstanceState::Stopped,
        Verb::Remind | Verb::Unmark => {
            use InstanceState::{ShuttingDown, Terminated, Unknown};
            if matches!(found.state, ShuttingDown | Terminated | Unknown) {
                out.block(format!("it is {}", found.state.word()), SOURCE);
            }
            return;
        }
    };
    if item.state != wanted {
        let text =
            format!("it was {} when it was planned, not {}", item.state.word(), wanted.word());
        out.block(text, "plan");
    }
    if found.state != wanted {
        out.block(format!("it is {} now, not {}", found.state.word(), wanted.word()), SOURCE);
    }
}

pub(super) fn life(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let item = scene.input.item;
    let Some(found) = scene.found else { return };
    if found.launched_at != item.launched_at {
        let text = format!(
            "it was launched anew at {}; the evidence is about its life from {} on",
            found.launched_at, item.launched_at
        );
        out.block(text, SOURCE);
    }
    if found.instance_type != item.instance_type {
        let text =
            format!("it is a {} now, planned as {}", found.instance_type, item.instance_type);
        out.block(text, SOURCE);
    }
    if item.idle_since.is_some_and(|since| since < found.launched_at) {
        out.block("its idle stretch began before its launch", "plan");
    }
}

pub(super) fn exempt(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let Some(found) = scene.found else { return };
    if let Some(by) = Exemption::of(&found.tags, scene.input.now).by() {
        out.block(reasons::refusal(by), "tags");
    }
}

/// Counts from the last launch: it is never earlier than the birth, so the younger age decides.
pub(super) fn age(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let Some(found) = scene.found else { return };
    let hours = scene.input.rules.min_age_hours;
    let age = scene.input.now.duration_since(found.launched_at);
    if age < SignedDuration::from_hours(i64::from(hours)) {
        let least = SignedDuration::from_hours(i64::from(hours));
        let from = found.launched_at.saturating_add(least).unwrap_or(found.launched_at);
        let (launched, from) = (found.launched_at, from.strftime("%Y-%m-%d %H:%M UTC"));
        let text = format!("launched at {launched}, less than {hours} h ago: wait until {from}");
        out.block(text, SOURCE);
    }
}
