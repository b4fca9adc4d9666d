//! Who acts, on whose word, on which facts.

use super::{CLOCK_SLACK, FACTS_VALID_FOR, FindingSink, StorageScene};
use crate::act::plan::storage::{Matter, STORAGE_PLAN_SCHEMA, StorageVerb};
use crate::analyze::idle::Exemption;
use crate::domain::storage::StorageLook;

pub(super) fn armed(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    if let Some(why) = scene.rules.account(&scene.item.scope.account).why_not() {
        out.block(why, "config");
    }
    if scene.look.tags().is_some_and(|tags| scene.rules.is_pinned(tags)) {
        out.block("its tags pin it read-only", "tags");
    }
}

pub(super) fn identity(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "sts:GetCallerIdentity";
    let wanted = &scene.item.scope.account;
    match scene.caller {
        Err(e) => out.unknown("who we are", e),
        Ok(caller) if caller.account != *wanted => {
            let text = format!("credentials of account {}, planned in {wanted}", caller.account);
            out.block(text, SOURCE);
        }
        Ok(caller) if caller.arn.is_empty() => out.block("the caller has no ARN", SOURCE),
        Ok(_) => {}
    }
    if scene.plan.items.iter().filter(|i| i.id() == scene.item.id()).count() != 1
        || !scene.plan.items.contains(scene.item)
    {
        out.block("the plan does not name it once, as it stands here", "plan");
    }
    let is_bucket = matches!(scene.item.matter, Matter::Bucket(_));
    if is_bucket != (scene.plan.verb == StorageVerb::PutLifecycle) {
        out.block(format!("{} is for something else", scene.plan.verb.word()), "plan");
    }
}

pub(super) fn plan_age(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    let (plan, now) = (scene.plan, scene.now);
    if plan.schema != STORAGE_PLAN_SCHEMA {
        let text = format!("a plan of schema {}; this is {STORAGE_PLAN_SCHEMA}", plan.schema);
        out.block(text, "plan");
    }
    if now < plan.created_at {
        out.block(format!("the plan is from the future ({})", plan.created_at), "plan");
    }
    if now >= plan.expires_at {
        out.block(format!("the plan expired at {}; make a new one", plan.expires_at), "plan");
    }
}

pub(super) fn facts(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    let about = match scene.look {
        StorageLook::Volume(look) => &look.id,
        StorageLook::Bucket(look) => &look.name,
    };
    let same_kind = matches!(
        (&scene.item.matter, scene.look),
        (Matter::Volume(_), StorageLook::Volume(_)) | (Matter::Bucket(_), StorageLook::Bucket(_))
    );
    if about != scene.item.id() || !same_kind {
        out.block(format!("the answer is about {about}"), "look");
    }
    let age = scene.now.duration_since(scene.look.taken_at());
    if age > FACTS_VALID_FOR || age < -CLOCK_SLACK {
        out.block("what is known of it is not of this moment: check again", "look");
    }
}

pub(super) fn exempt(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    let tags = match scene.look {
        StorageLook::Bucket(look) => match &look.tags {
            Ok(tags) => tags,
            Err(e) => return out.unknown("what its tags are", e),
        },
        // A volume that could not be read is said by its own guard.
        StorageLook::Volume(_) => match scene.look.tags() {
            Some(tags) => tags,
            None => return,
        },
    };
    if let Some(text) = Exemption::of(tags, scene.now).refusal() {
        out.block(text, "tags");
    }
}

pub(super) fn production(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    if !scene.is_production() {
        return;
    }
    if scene.plan.verb == StorageVerb::DeleteVolume {
        out.block("production: burntop deletes no volume of it", "config, tags");
    } else {
        out.warn("production: a justification is needed", "config, tags");
    }
}

pub(super) fn permission(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    if let Err(e) = scene.permitted {
        let fix = if e.fix.is_empty() { String::new() } else { format!("; {}", e.fix) };
        out.block(format!("{}: {}{fix}", e.operation, e.message), &e.operation);
    }
}

pub(super) fn executor(scene: &StorageScene<'_>, out: &mut FindingSink<'_>) {
    match scene.executor {
        "read-only" => out.block("the session is read-only here: nothing can be done", "config"),
        "dry-run" => out.note("a dry run: nothing is done", "config"),
        _ => {}
    }
}
