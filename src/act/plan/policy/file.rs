//! Contents of a policy file.

use jiff::SignedDuration;

use crate::view::Filter;

/// Longest grace, days. Evidence that reaches further back is hardly ever kept, and a mark that
/// ends later is taken for a mistake.
pub const MAX_GRACE_DAYS: i64 = 90;

/// A policy: rules that are tried in order; the first that matches an instance decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Name, written into its marks; marks of other policies are left alone.
    pub name: String,
    /// Limits of one run; the stricter of these and the configuration's hold.
    pub caps: PolicyCaps,
    /// Rules, in their order.
    pub rules: Vec<Rule>,
}

/// Limits that a policy sets for itself; `None` leaves the one of the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PolicyCaps {
    /// Most instances that one run stops; `None` for no limit of the policy's own.
    pub max_instances: Option<u32>,
    /// Largest share of the fleet that one run stops, percent (0–100); `None` for no limit of the policy's own.
    pub max_fleet_percent: Option<f64>,
    /// Most USD per hour of the instances that one run stops; `None` for no limit of the policy's own.
    pub max_usd_per_hour: Option<f64>,
}

/// One rule of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Name, unique in the file.
    pub name: String,
    /// Filter that an instance must match.
    pub filter: Filter,
    /// The filter as it was typed.
    pub filter_text: String,
    /// Action at the end of the grace.
    pub action: RuleAction,
    /// Time from the mark to the stop; at least [`crate::act::plan::SHORTEST_GRACE`] and at most
    /// [`MAX_GRACE_DAYS`].
    pub grace: SignedDuration,
    /// Time before the end at which the owner is reminded, once: at least as long as the shortest
    /// grace, and less than `grace`. `None` for no reminder.
    pub remind_before: Option<SignedDuration>,
    /// Reason, for the tag and the audit log; may be empty.
    pub reason: String,
}

/// What a rule does with what stayed idle. There is no way to write "terminate".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// Stops it.
    Stop,
    /// Leaves it marked for a person to decide.
    Mark,
}

impl RuleAction {
    /// Name in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Mark => "mark",
        }
    }
}
