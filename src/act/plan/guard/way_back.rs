//! Guards about the way back of an action.

use super::GuardInput;
use super::scene::Scene;
use crate::act::plan::finding::FindingSink;
use crate::act::plan::undo::{LostVolume, Undo};
use crate::act::plan::verb::{BY_TAG, EXPIRES_TAG, REASON_TAG, REMINDED_TAG, Verb};
use crate::domain::Instance;

/// The way back from the plan's verb; `None` where it is not known.
pub(super) fn of(input: &GuardInput<'_>, found: Option<&Instance>) -> Option<Undo> {
    let (scope, id) = (input.item.scope.clone(), input.item.id.clone());
    let tags = |keys: &[&str]| {
        let former = |key: &&str| {
            let value = found.and_then(|i| i.tags.get(key)).map(str::to_owned);
            ((*key).to_owned(), value)
        };
        found.map(|_| keys.iter().map(former).collect())
    };
    Some(match input.plan.verb {
        Verb::Stop => Undo::Start { scope, id },
        Verb::Start => Undo::Stop { scope, id },
        Verb::Terminate { .. } => {
            let spec = input.inspection.launch.as_ref().ok()?;
            let volumes = input.inspection.volumes.as_ref().ok()?;
            // A new instance has a root volume of its own, in the place of the old one.
            let outlive = volumes.iter().filter(|v| !v.delete_on_termination && !v.root);
            let attach = outlive.map(|v| (v.id.clone(), v.device.clone())).collect();
            let dies = volumes.iter().filter(|v| v.delete_on_termination);
            let lost = dies.map(LostVolume::of).collect();
            Undo::Launch { scope, spec: Box::new(spec.clone()), attach, lost }
        }
        Verb::Mark { .. } | Verb::Unmark => {
            let tags = tags(&[EXPIRES_TAG, BY_TAG, REASON_TAG, REMINDED_TAG])?;
            Undo::Tags { scope, id, tags }
        }
        Verb::Remind => Undo::Tags { scope, id, tags: tags(&[REMINDED_TAG])? },
    })
}

pub(super) fn undo(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "ec2:DescribeInstances";
    match &scene.input.inspection.launch {
        Err(e) => out.unknown("what it takes to launch its like again", e),
        Ok(spec) if spec.image_id.as_deref().is_none_or(str::is_empty) => {
            out.warn("its AMI is not known: its like cannot be launched from the log", SOURCE);
        }
        Ok(_) => out.note("its like can be launched again; its own data are gone", SOURCE),
    }
}
