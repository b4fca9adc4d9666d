//! Policies: idle instances are marked, their owners reminded, the marks taken away when work is
//! seen again, and what stayed idle for the whole grace is stopped.
//!
//! A policy keeps no state of its own. Everything it knows of the past stands in the tags of the
//! instance, so that two runs, on two machines, decide the same, and an owner can read and change
//! what is known. A mark that a policy made says when it was made ([`mark::Mark::made_at`]): the grace
//! of the rule *and* the end that the tag promises must both have passed, whichever is later.
//!
//! Nothing here acts: [`decide()`] says what should happen and why, [`plans()`] turns that into
//! [`super::Plan`]s, which pass the same guards as any other.

mod caps;
mod decide;
mod file;
mod mark;
mod matches;
mod parse;
mod plans;
mod words;

#[cfg(test)]
mod tests;

pub use caps::stricter;
pub use decide::{Decision, DecisionKind, Scene, decide};
#[cfg(test)]
pub use file::RuleAction;
pub use file::{Policy, Rule};
pub use mark::is_like_a_policys;
pub use matches::{RuleMatches, caps_at_worst, chosen, matched, matches};
pub use parse::parse;
pub use plans::{Planned, plans};

/// The commented file that `burntop policy init` writes.
pub const TEMPLATE: &str = include_str!("../../../../assets/policy.example.toml");
