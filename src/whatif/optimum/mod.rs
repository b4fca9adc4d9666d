//! What would have been, or would be, best to buy.

pub mod buy_now;
pub mod ladder;
pub mod outlook;
pub mod risk;
pub mod slots;
#[cfg(test)]
pub(crate) mod tests;
pub mod tiers;
pub mod usage;
pub mod whole_terms;

pub use ladder::{Rung, ladder};
pub use outlook::{EngineOutlook, cautious_units};
pub use slots::portfolio;
pub use tiers::{Tier, TierKind, Units, blended_spot, term_hours};
pub use usage::Usage;
pub use whole_terms::{WholeTerms, whole_terms};
