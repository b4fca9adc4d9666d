//! The guard that looks at the re-measured last minutes.

use super::scene::Scene;
use super::{CLOCK_SLACK, FACTS_VALID_FOR};
use crate::act::plan::finding::FindingSink;
use crate::act::plan::recheck::{self, Activity};

pub(super) fn recheck(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "cloudwatch:GetMetricData";
    let input = scene.input;
    let recent = match input.recent {
        Err(e) => return out.unknown("what it did in the last minutes", e),
        Ok(recent) => recent,
    };
    if recent.id != input.item.id {
        out.block(format!("the measurement is of {}, not of it", recent.id), SOURCE);
    }
    let (from, _) = recheck::window(input.item, input.rules, input.now);
    let age = input.now.duration_since(recent.to);
    if recent.from > from || age > FACTS_VALID_FOR || age < -CLOCK_SLACK {
        let text = format!(
            "measured from {} to {}; needed is from {from} until now: check again",
            recent.from, recent.to
        );
        return out.block(text, SOURCE);
    }
    // A type that is not known is a block of its own, and here "missing".
    let spec = input.inspection.spec.as_ref().ok().and_then(Option::as_deref);
    match recheck::judge(recent, spec, input.now) {
        Activity::Quiet(text) => out.note(text, SOURCE),
        Activity::Busy(text) => out.block(format!("in use: {text}"), SOURCE),
        Activity::Missing(text) => out.block(format!("not known to be idle: {text}"), SOURCE),
        Activity::Malformed(text) => out.block(format!("makes no sense: {text}"), SOURCE),
    }
}
