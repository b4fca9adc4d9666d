//! Guards of storage about who acts, by whose approval, on which facts.

use super::shared::{self, CLOCK_SLACK};
use super::{FACTS_VALID_FOR, FindingSink, StorageGuard, StorageScene};
use crate::act::plan::storage::{Matter, STORAGE_PLAN_SCHEMA, StorageVerb};
use crate::analyze::idle::Exemption;
use crate::domain::storage::StorageLook;
use crate::view::reasons;

pub(super) fn armed(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let why_not = scene.rules.account(&scene.item.scope.account).why_not();
    let is_pinned = scene.look.tags().is_some_and(|tags| scene.rules.is_pinned(tags));
    shared::armed(why_not, is_pinned, out);
}

pub(super) fn identity(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    shared::identity(scene.caller, &scene.item.scope.account, out);
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

pub(super) fn plan_age(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    let plan = scene.plan;
    let schemas = (&*plan.schema, STORAGE_PLAN_SCHEMA);
    shared::plan_age(schemas, plan.created_at, plan.expires_at, scene.now, out);
}

pub(super) fn facts(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
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

pub(super) fn exempt(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
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
    if let Some(by) = Exemption::of(tags, scene.now).by() {
        out.block(reasons::refusal(by), "tags");
    }
}

pub(super) fn production(scene: &StorageScene<'_>, out: &mut FindingSink<'_, StorageGuard>) {
    if !scene.is_production() {
        return;
    }
    if scene.plan.verb == StorageVerb::DeleteVolume {
        out.block("production: burntop deletes no volume of it", "config, tags");
    } else {
        out.warn("production: a justification is needed", "config, tags");
    }
}
