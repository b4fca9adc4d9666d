//! Training runs and their checkpoints, recognised by keys alone; what a retention policy would
//! drop, and what nothing may drop.
//!
//! What is not recognised stays untouched: a run needs two steps, and more than half of its objects
//! have to look like weights or markers.

mod content;
mod delta;
mod fold;
mod judge;
mod metric;
mod never;
mod pattern;
mod picks;
mod plan;
mod policy;
mod table;
#[cfg(test)]
mod tests;
mod whole;

pub use delta::DELTA_SAVINGS;
#[cfg(test)]
pub use fold::FoundRuns;
pub use fold::RunFold;
#[cfg(test)]
pub use never::Reason;
pub use picks::Picks;
#[cfg(test)]
pub use plan::Blocked;
pub use plan::{RunPlan, Terms, left_by_policy, plan};
pub use policy::Policy;
pub use whole::WholeFold;
