//! Lifecycle rules played on a list of objects, ahead of time: what moves, what is deleted, what it
//! costs once, and what each month costs with the rules and without.
//!
//! Objects are not kept: what happens to one depends on the rules that match it, its tier, its day
//! of creation and whether it is smaller than 128 KiB, so that a table of those is played instead.
//!
//! What a list cannot tell is never acted on, and counted apart: tags, the number of newer versions,
//! dates and sizes that cannot be.

mod compiled;
mod fold;
mod play;
mod result;
mod runs;

#[cfg(test)]
mod tests;

pub use fold::SimulationFold;
pub use result::{Counted, RuleEffect, Simulated};
pub use runs::{RunLoss, run_losses};

use crate::domain::storage::Versioning;

/// Assumptions about the bucket and the months ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    /// Versioning of the bucket; `None` = not known, simulated as off so that no deletion counts as reversible.
    pub versioning: Option<Versioning>,
    /// Months of 730 h to simulate, at most 120.
    pub months: u16,
    /// True when nothing is read: Intelligent-Tiering then moves what it receives to its cheaper tiers after 30
    /// and 90 days. False keeps it in Frequent Access.
    pub is_unread: bool,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self { versioning: None, months: 12, is_unread: true }
    }
}

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// The day whose midnight UTC a moment is rounded up to, days since 1970.
fn midnight_after(ms: i64) -> i64 {
    ms.div_euclid(DAY_MS) + i64::from(ms.rem_euclid(DAY_MS) != 0)
}
