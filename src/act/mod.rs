//! Changing things, safely: Plan → Preflighted → Confirmed → Executed → Verified.
//!
//! [`plan`] is pure: what is planned, which guards it passes, what a person has to say before it
//! may run. [`exec`] does it, and is the only place in burntop with calls that change anything.

pub mod exec;
pub mod plan;
