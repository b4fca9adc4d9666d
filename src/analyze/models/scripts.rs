//! Scripts whose jobs use their GPUs little, by the attempts that are kept.

use super::{Found, TARGET};
use crate::analyze::rightsize::Traits;
use crate::analyze::savings::SavingsInput;
use crate::domain::jobs::ScriptUse;
use crate::fleet::savings::{ModelBecause, ModelWork, ModelWorkload, ModelsLeftOut, Replicas};

/// Scripts of low use; those that nobody measured or that have no price are counted.
pub(super) fn scripts(input: &SavingsInput<'_>, left_out: &mut ModelsLeftOut) -> Vec<Found> {
    let kept = input.fleet.book.failed_runs.as_deref();
    let all = kept.map_or(&[][..], |kept| &kept.scripts);
    all.iter().filter_map(|script| workload(input, script, left_out)).collect()
}

fn workload(
    input: &SavingsInput<'_>,
    script: &ScriptUse,
    left_out: &mut ModelsLeftOut,
) -> Option<Found> {
    let known = script.usage.zip(script.usd_per_hour.filter(|usd| *usd > 0.0));
    let Some((usage, usd_per_hour)) = known else {
        left_out.scripts += 1;
        return None;
    };
    let spec = script.instance_type.as_ref().and_then(|name| input.fleet.book.types.get(name));
    let workload = ModelWorkload {
        id: script.id.clone(),
        name: script.name.clone(),
        work: ModelWork::Script,
        because: ModelBecause::ScriptName,
        scope: None,
        team: script.team.clone(),
        instance_type: script.instance_type.clone(),
        instances: Vec::new(),
        replicas: Replicas::Unknown,
        usage,
        usd_per_hour,
        bound_by: None,
        capability: spec.and_then(|spec| Some(Traits::of(spec).gpu?.capability)),
        runtime: None,
        holding: None,
    };
    (usage < TARGET).then_some((workload, None))
}
