//! What a guard found.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Look twice.
    Warn,
    /// The row leaves the plan.
    Block,
}

macro_rules! guards {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)+) => {
        /// The guards, in the order in which they are asked. `docs/acting.md` explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Guard {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Guard {
            /// All guards with their names and what they look at.
            pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
                $((Self::$variant, $name, concat!($($doc),+)),)+
            ];
        }
    };
}

guards! {
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

impl Guard {
    /// True for what is said of who asks, not of the instance: somebody else may be able to.
    pub fn is_about_the_asker(self) -> bool {
        matches!(self, Self::Armed | Self::Executor | Self::Permission)
    }

    /// Its name in JSON and in the documentation.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|g| g.0 == self).map_or("", |g| g.1)
    }
}

/// What a guard found about one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding<G = Guard> {
    /// Which guard.
    pub guard: G,
    /// How much it weighs.
    pub severity: Severity,
    /// One line; clean text.
    pub text: String,
    /// Where the fact comes from: the API operation, `plan`, `config`, `tags`.
    pub source: Arc<str>,
}

impl<G> Finding<G> {
    /// A finding.
    pub fn new(guard: G, severity: Severity, text: impl Into<String>, source: &str) -> Self {
        let text = crate::domain::text::clean(&text.into()).into_owned();
        Self { guard, severity, text, source: source.into() }
    }

    /// One that takes the row out of the plan.
    pub fn block(guard: G, text: impl Into<String>, source: &str) -> Self {
        Self::new(guard, Severity::Block, text, source)
    }
}
