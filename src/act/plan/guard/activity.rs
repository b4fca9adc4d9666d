//! The guard that looks at the re-measured last minutes.

use super::scene::Scene;
use super::{CLOCK_SLACK, FACTS_VALID_FOR};
use crate::act::plan::finding::FindingSink;
use crate::act::plan::recheck::{self, Activity, Silence};
use crate::view::format;

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
    tell(recheck::judge(recent, spec, input.now), SOURCE, out);
}

/// What the re-measurement will miss, as far as it is known before it. It asks CloudWatch: what only others heard nothing of it
/// may find all the same, which is a warning.
pub(super) fn foreseen(scene: &Scene<'_>, silence: Option<Silence>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "telemetry";
    let input = scene.input;
    let spec = input.inspection.spec.as_ref().ok().and_then(Option::as_deref);
    let measured = silence.filter(|silence| silence.is_measured).map(|silence| silence.since);
    if let Some(activity) = recheck::foresee(spec, measured, input.rules) {
        return tell(activity, SOURCE, out);
    }
    if let Some(Silence { since, .. }) = silence {
        // In minutes: the fleet is made anew where the words change.
        let lasted = format::span(input.now.duration_since(since).as_mins() * 60);
        let text = format!(
            "its GPUs have been silent for {lasted}: the check may find their last minutes missing"
        );
        out.warn(text, SOURCE);
    }
}

fn tell(activity: Activity, source: &str, out: &mut FindingSink<'_>) {
    match activity {
        Activity::Quiet(text) => out.note(text, source),
        Activity::Busy(text) => out.block(format!("in use: {text}"), source),
        Activity::Missing(text) => out.block(format!("not known to be idle: {text}"), source),
        Activity::Malformed(text) => out.block(format!("makes no sense: {text}"), source),
    }
}
