//! Input of the guards of instances.

use crate::act::plan::stakes::Stakes;
use crate::act::plan::verb::Verb;
use crate::domain::Instance;

use super::GuardInput;

/// Input of the guards, with what several of them derive from it.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// Input of the guards.
    pub input: &'a GuardInput<'a>,
    /// Instance as it is now; `None` when it is gone or could not be read. The guard of the state
    /// blocks then, and those that need the instance find nothing.
    pub found: Option<&'a Instance>,
    /// What the action destroys, leaves behind and saves.
    pub stakes: &'a Stakes,
}

impl Scene<'_> {
    /// True for a termination.
    pub fn terminates(&self) -> bool {
        matches!(self.input.plan.verb, Verb::Terminate { .. })
    }

    /// True when the plan, the account or the tags of this moment make it production.
    pub fn is_production(&self) -> bool {
        let item = self.input.item;
        let now = |i: &Instance| self.input.rules.is_production(&item.scope.account, &i.tags);
        item.production
            || self.input.rules.account(&item.scope.account).production
            || self.found.is_some_and(now)
    }
}
