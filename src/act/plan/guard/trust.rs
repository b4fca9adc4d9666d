//! Guards about who acts, by whose approval, on which evidence.

use jiff::{SignedDuration, Timestamp};

use super::scene::Scene;
use super::shared::{self, CLOCK_SLACK};
use crate::act::plan::PLAN_SCHEMA;
use crate::act::plan::finding::FindingSink;
use crate::act::plan::verb::Verb;
use crate::domain::VerdictKind;

pub(super) fn armed(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let rules = scene.input.rules;
    let why_not = rules.account(&scene.input.item.scope.account).why_not();
    shared::armed(why_not, scene.found.is_some_and(|i| rules.is_pinned(&i.tags)), out);
}

/// Pins alone: that nothing is armed is said of the session, once.
pub(super) fn pinned(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let rules = scene.input.rules;
    let account = rules.account(&scene.input.item.scope.account);
    let why_not = account.why_not().filter(|_| account.read_only);
    shared::armed(why_not, scene.found.is_some_and(|i| rules.is_pinned(&i.tags)), out);
}

pub(super) fn identity(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    shared::identity(scene.input.caller, &scene.input.item.scope.account, out);
    if !scene.input.plan.items.contains(scene.input.item) {
        out.block("the plan does not name it as it stands here", "plan");
    }
}

pub(super) fn plan_age(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let (plan, now) = (scene.input.plan, scene.input.now);
    shared::plan_age((&plan.schema, PLAN_SCHEMA), plan.created_at, plan.expires_at, now, out);
}

/// The verdicts that a verb may rest on; `None` for a verb that rests on none.
pub fn verdicts_for(verb: &Verb) -> Option<&'static [VerdictKind]> {
    use VerdictKind::{Idle, Partial, Underused};
    match verb {
        Verb::Stop | Verb::Terminate { .. } => Some(&[Idle]),
        Verb::Mark { .. } => Some(&[Idle, Partial, Underused]),
        Verb::Start | Verb::Remind | Verb::Unmark => None,
    }
}

pub(super) fn verdict(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let allowed = verdicts_for(&scene.input.plan.verb).unwrap_or_default();
    match scene.input.item.verdict {
        Some(kind) if allowed.contains(&kind) => {}
        Some(kind) => out.block(format!("its verdict is {}, not idle", kind.name()), "plan"),
        None => out.block("it has no verdict", "plan"),
    }
}

pub(super) fn evidence(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let (item, now) = (scene.input.item, scene.input.now);
    if item.evidence_sha256.trim().is_empty() {
        out.block("the plan holds no hash of the evidence", "plan");
    }
    let hours = scene.input.rules.max_evidence_hours;
    match item.judged_until.map(|t| (t, now.duration_since(t))) {
        None => out.block("it is not known until when its metrics were read", "plan"),
        Some((t, age)) if age < -CLOCK_SLACK => {
            out.block(format!("its evidence is from the future ({t})"), "plan");
        }
        Some((t, age)) if age > SignedDuration::from_hours(i64::from(hours)) => {
            let text = format!("its evidence ends at {t}, more than {hours} h ago; refresh");
            out.block(text, "plan");
        }
        Some(_) => {}
    }
    if item.idle_since.is_some_and(|since: Timestamp| since > now) {
        out.block("its idle stretch begins in the future", "plan");
    }
}

pub(super) fn production(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    if !scene.is_production() {
    } else if scene.input.plan.verb.is_destructive() {
        out.warn("production: a justification is needed", "config, tags");
    } else {
        out.note("production", "config, tags");
    }
}
