//! Findings of guards, and the list of all guards.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::SourceError;
use crate::domain::error::with_fix;

/// Weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Information; the row stays in the plan.
    Note,
    /// The row stays, and a person should look at it twice.
    Warn,
    /// The row leaves the plan.
    Block,
}

/// An enum of guards, each with its name and what it looks at. Those named behind `asker` are about
/// who asks, not about what is acted on.
macro_rules! guards {
    (
        $(#[doc = $about:literal])+
        enum $guard:ident, asker $($asker:ident)|+;
        $($(#[doc = $doc:literal])+ $variant:ident $name:literal;)+
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $guard {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $guard {
            /// All guards with their names and what they look at.
            pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
                $((Self::$variant, $name, concat!($($doc),+)),)+
            ];

            /// True for what is said of who asks, not of what is acted on: somebody else may be
            /// able to.
            pub fn is_about_the_asker(self) -> bool {
                matches!(self, $(Self::$asker)|+)
            }

            /// Its name in JSON and in the documentation.
            pub fn name(self) -> &'static str {
                Self::ALL.iter().find(|g| g.0 == self).map_or("", |g| g.1)
            }
        }
    };
}
pub(super) use guards;

guards! {
    /// The guards, in the order in which they are asked. `docs/acting.md` explains each.
    enum Guard, asker Armed | Executor | Permission;
    /// The account may be changed at all: armed, and not pinned read-only.
    Armed "armed";
    /// The caller is in the account that the plan names.
    Identity "identity";
    /// The plan has not expired.
    PlanAge "plan_age";
    /// The verdict allows it: only an idle instance is stopped or terminated.
    Verdict "verdict";
    /// The evidence is young enough.
    Evidence "evidence";
    /// The instance exists and is in the state that it was in.
    State "state";
    /// It is in the same life: same launch, same type.
    Life "life";
    /// No tag exempts it.
    Exempt "exempt";
    /// It is old enough to be judged.
    Age "age";
    /// Nothing else manages it: EKS, ECS, Batch, EMR, Karpenter, HyperPod, CloudFormation.
    Owner "owner";
    /// No job has it by its scheduler.
    Jobs "jobs";
    /// Its Auto Scaling group agrees.
    Group "group";
    /// Its Spot request allows it and does not bring it back.
    Spot "spot";
    /// Termination protection is off.
    TerminationProtection "termination_protection";
    /// Stop protection is off.
    StopProtection "stop_protection";
    /// It can be stopped at all: not with an instance-store root.
    Stoppable "stoppable";
    /// What happens to the data of its instance store.
    InstanceStore "instance_store";
    /// Which volumes die and which stay and bill.
    Volumes "volumes";
    /// What happens to its public addresses.
    Addresses "addresses";
    /// No load balancer depends on it.
    TargetGroups "target_groups";
    /// The chance of getting its capacity back.
    Capacity "capacity";
    /// What it really saves.
    Saving "saving";
    /// The way back is known, as far as there is one.
    Undo "undo";
    /// Production wants a reason.
    Production "production";
    /// The caller may do it: a dry run of the call says so.
    Permission "permission";
    /// It did nothing in the last minutes, measured anew.
    Recheck "recheck";
    /// An executor that refuses or only pretends.
    Executor "executor";
}

/// What a guard found about one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding<G = Guard> {
    /// Guard that made it.
    pub guard: G,
    /// Whether the row stays.
    pub severity: Severity,
    /// One line of clean text.
    pub text: String,
    /// Where the fact comes from: the API operation, `plan`, `config`, `tags`.
    pub source: Arc<str>,
}

impl<G> Finding<G> {
    /// A finding; control characters are taken out of `text`.
    pub fn new(guard: G, severity: Severity, text: impl Into<String>, source: &str) -> Self {
        let text = crate::domain::text::clean(&text.into()).into_owned();
        Self { guard, severity, text, source: source.into() }
    }

    /// A finding that takes the row out of the plan.
    pub fn block(guard: G, text: impl Into<String>, source: &str) -> Self {
        Self::new(guard, Severity::Block, text, source)
    }
}

/// The findings that take a row out of the plan, in their order.
pub(super) fn blocks<G>(findings: &[Finding<G>]) -> impl Iterator<Item = &Finding<G>> {
    findings.iter().filter(|f| f.severity == Severity::Block)
}

/// Collects the findings of a guard about one row.
pub(super) struct FindingSink<'a, G = Guard> {
    guard: G,
    out: &'a mut Vec<Finding<G>>,
}

impl<'a, G: Copy> FindingSink<'a, G> {
    /// Collects into `out` what `guard` finds.
    pub fn new(guard: G, out: &'a mut Vec<Finding<G>>) -> Self {
        Self { guard, out }
    }

    fn say(&mut self, severity: Severity, text: impl Into<String>, source: &str) {
        self.out.push(Finding::new(self.guard, severity, text, source));
    }

    /// Takes the row out of the plan.
    pub fn block(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Block, text, source);
    }

    /// Adds a warning.
    pub fn warn(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Warn, text, source);
    }

    /// Adds a note.
    pub fn note(&mut self, text: impl Into<String>, source: &str) {
        self.say(Severity::Note, text, source);
    }

    /// Takes the row out of the plan because `what` could not be read.
    pub fn unknown(&mut self, what: &str, error: &SourceError) {
        self.block(unknown(what, error), &error.operation);
    }
}

/// That `what` is not known, why, and what to do about it.
pub(super) fn unknown(what: &str, error: &SourceError) -> String {
    format!("{what} is not known: {}", with_fix(&error.message, error.advice()))
}
