//! What a guard is handed, and how it answers.

use crate::act::plan::finding::{Finding, Guard, Severity};
use crate::act::plan::stakes::Stakes;
use crate::act::plan::verb::Verb;
use crate::domain::{Instance, SourceError};

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

/// Where a guard puts what it found.
pub(super) struct FindingSink<'a> {
    guard: Guard,
    out: &'a mut Vec<Finding>,
}

impl<'a> FindingSink<'a> {
    pub fn new(guard: Guard, out: &'a mut Vec<Finding>) -> Self {
        Self { guard, out }
    }

    fn say(&mut self, severity: Severity, text: impl Into<String>, source: &str) {
        self.out.push(Finding::new(self.guard, severity, text, source));
    }

    /// Takes the row out of the plan.
    pub fn block(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Block, text, source);
    }

    /// Asks for a second look.
    pub fn warn(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Warn, text, source);
    }

    /// Worth knowing.
    pub fn note(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Note, text, source);
    }

    /// Takes the row out of the plan because `what` could not be read.
    pub fn unknown(&mut self, what: &str, error: &SourceError) {
        self.block(unknown(what, error), &error.operation);
    }
}

/// `what` is not known, why, and what to do about it.
pub(super) fn unknown(what: &str, error: &SourceError) -> String {
    let fix = if error.fix.is_empty() { String::new() } else { format!("; {}", error.fix) };
    format!("{what} is not known: {}{fix}", error.message)
}
