//! Cost of copies.

use crate::domain::storage::{GIB, PrefixPair, Tier};

/// Cost of the copies of a pair, USD per month: their bytes in the tier of the copy, at the price of the last
/// GiB in that tier (`marginal`, USD per GiB-month of 730 h), which deleting them saves. `None` where a price
/// is not known.
pub fn usd_per_month(pair: &PrefixPair, marginal: &dyn Fn(Tier) -> Option<f64>) -> Option<f64> {
    pair.tiers.iter().map(|(tier, bytes)| Some(*bytes as f64 / GIB * marginal(*tier)?)).sum()
}
