//! What a guard of instances is handed.

use crate::act::plan::stakes::Stakes;
use crate::act::plan::verb::Verb;
use crate::domain::Instance;

use super::GuardInput;

/// A row and the instance behind it.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// What was looked at.
    pub input: &'a GuardInput<'a>,
    /// The instance as it is now. Where it is not there, the guard of the state blocks, and those
    /// that need it say nothing.
    pub found: Option<&'a Instance>,
    /// What is at stake.
    pub stakes: &'a Stakes,
}

impl Scene<'_> {
    /// True for a termination.
    pub fn terminates(&self) -> bool {
        matches!(self.input.plan.verb, Verb::Terminate { .. })
    }

    /// True when the plan or the tags of this moment say production.
    pub fn is_production(&self) -> bool {
        let item = self.input.item;
        let now = |i: &Instance| self.input.rules.is_production(&item.scope.account, &i.tags);
        item.production
            || self.input.rules.account(&item.scope.account).production
            || self.found.is_some_and(now)
    }
}
