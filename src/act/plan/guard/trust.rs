//! Who acts, on whose word, on which evidence.

use jiff::{SignedDuration, Timestamp};

use super::CLOCK_SLACK;
use super::scene::{FindingSink, Scene};
use crate::act::plan::PLAN_SCHEMA;
use crate::act::plan::verb::Verb;
use crate::domain::VerdictKind;

pub(super) fn armed(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let input = scene.input;
    if let Some(why) = input.rules.account(&input.item.scope.account).why_not() {
        out.block(why, "config");
    }
    if scene.found.is_some_and(|i| input.rules.is_pinned(&i.tags)) {
        out.block("its tags pin it read-only", "tags");
    }
}

pub(super) fn identity(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "sts:GetCallerIdentity";
    let wanted = &scene.input.item.scope.account;
    match scene.input.caller {
        Err(e) => out.unknown("who we are", e),
        Ok(caller) if caller.account != *wanted => {
            let text = format!("credentials of account {}, planned in {wanted}", caller.account);
            out.block(text, SOURCE);
        }
        Ok(caller) if caller.arn.is_empty() => out.block("the caller has no ARN", SOURCE),
        Ok(_) => {}
    }
    if !scene.input.plan.items.contains(scene.input.item) {
        out.block("the plan does not name it as it stands here", "plan");
    }
}

pub(super) fn plan_age(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let (plan, now) = (scene.input.plan, scene.input.now);
    if plan.schema != PLAN_SCHEMA {
        out.block(format!("a plan of schema {}; this is {PLAN_SCHEMA}", plan.schema), "plan");
    }
    if now < plan.created_at {
        out.block(format!("the plan is from the future ({})", plan.created_at), "plan");
    }
    if now >= plan.expires_at {
        out.block(format!("the plan expired at {}; make a new one", plan.expires_at), "plan");
    }
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

pub(super) fn permission(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    if let Err(e) = scene.input.permitted {
        let fix = if e.fix.is_empty() { String::new() } else { format!("; {}", e.fix) };
        out.block(format!("{}: {}{fix}", e.operation, e.message), &e.operation);
    }
}

pub(super) fn executor(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    match scene.input.executor {
        "read-only" => out.block("the session is read-only here: nothing can be done", "config"),
        "dry-run" => out.note("a dry run: nothing is done", "config"),
        _ => {}
    }
}
