//! What a policy file says.

use jiff::SignedDuration;

use crate::view::Filter;

/// The longest grace, days. Evidence that reaches further back is hardly ever kept, and a mark
/// that ends later is taken for a mistake.
pub const MAX_GRACE_DAYS: i64 = 90;

/// A policy: rules, tried in order, the first that matches an instance decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Its name, which the marks carry: another policy's marks are left alone.
    pub name: String,
    /// The blast radius of one run; the stricter of these and of the configuration holds.
    pub caps: PolicyCaps,
    /// The rules.
    pub rules: Vec<Rule>,
}

/// Limits that a policy sets for itself; what is absent is the configuration's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PolicyCaps {
    /// Instances stopped by one run.
    pub max_instances: Option<u32>,
    /// Share of the fleet stopped by one run, percent.
    pub max_fleet_percent: Option<f64>,
    /// USD per hour of what one run stops.
    pub max_usd_per_hour: Option<f64>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name, unique in the file.
    pub name: String,
    /// Which instances it is for.
    pub filter: Filter,
    /// The filter as it was typed.
    pub filter_text: String,
    /// What happens at the end of the grace.
    pub action: RuleAction,
    /// From the mark to the stop; at least [`crate::act::plan::SHORTEST_GRACE`] and at most
    /// [`MAX_GRACE_DAYS`].
    pub grace: SignedDuration,
    /// How long before the end the owner is reminded, once; as long at least, and less than the
    /// grace.
    pub remind_before: Option<SignedDuration>,
    /// Why, for the tag and the audit log; may be empty.
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
    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Mark => "mark",
        }
    }
}
