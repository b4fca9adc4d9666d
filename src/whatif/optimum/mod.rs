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

pub use buy_now::{Outlook, Purchases, Terms, Worth, buy_now};
pub use ladder::{Ladder, Rung, RungBuy, ladder};
pub use outlook::{EngineOutlook, cautious_units};
pub use risk::{Saving, cautious};
pub use slots::portfolio;
pub use tiers::{
    Portfolio, PortfolioError, Tier, TierKind, TierUse, Units, blended_spot, term_hours,
};
pub use usage::Usage;
pub use whole_terms::{WholeTerms, whole_terms};
