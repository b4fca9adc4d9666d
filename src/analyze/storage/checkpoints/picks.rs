//! Which keys belong to the steps of a plan that are dropped: for the second pass over a list, which
//! writes them down.

use super::pattern;
use super::plan::RunPlan;
use crate::domain::hash::FastMap;
use crate::domain::storage::{ObjectBatch, Run};

/// The dropped steps of several plans, to recognise their objects in a second pass. Keys are matched by the
/// same rules as when the runs were found, never by prefix alone: `model.ckpt-100` is a prefix of the files of
/// step 1000.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    by_parent: FastMap<Vec<u8>, Vec<Picked>>,
}

#[derive(Clone, Debug)]
struct Picked {
    family: crate::domain::storage::Family,
    step: u64,
    prefix: Vec<u8>,
    objects: u64,
}

impl Picks {
    /// The dropped steps of `plans`, where `plans[i]` is the plan of `runs[i]`.
    pub fn new(runs: &[Run], plans: &[RunPlan]) -> Self {
        let mut by_parent: FastMap<Vec<u8>, Vec<Picked>> = FastMap::default();
        for (run, plan) in runs.iter().zip(plans) {
            for step in run.steps.iter().filter(|s| plan.drop.binary_search(&s.step).is_ok()) {
                by_parent.entry(run.prefix.clone().into_bytes()).or_default().push(Picked {
                    family: run.family,
                    step: step.step,
                    prefix: step.prefix.clone().into_bytes(),
                    objects: step.objects,
                });
            }
        }
        for steps in by_parent.values_mut() {
            steps.sort_by_key(|p| p.step);
        }
        Self { by_parent }
    }

    /// Number of objects that the plans drop.
    pub fn objects(&self) -> u64 {
        self.by_parent.values().flatten().map(|p| p.objects).sum()
    }

    /// True when the row is a current object of a dropped step.
    pub fn picks(&self, batch: &ObjectBatch, row: usize) -> bool {
        batch.flags.get(row).is_some_and(|f| f.is_current()) && self.picks_key(batch.keys.get(row))
    }

    /// True when the key belongs to a dropped step.
    pub fn picks_key(&self, key: &[u8]) -> bool {
        let Some(found) = pattern::find(key) else { return false };
        let Some(steps) = self.by_parent.get(&key[..found.parent_end]) else { return false };
        let at = steps.partition_point(|p| p.step < found.step);
        steps[at..]
            .iter()
            .take_while(|p| p.step == found.step)
            .any(|p| found.pattern.may_be(p.family) && key.starts_with(&p.prefix))
    }
}
