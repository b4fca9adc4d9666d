//! What jobs cost and what failed ones took.
//!
//! | file | holds |
//! |---|---|
//! | `price` | share of a node that an attempt holds, and its dollars |
//! | `lost` | how much of an attempt came to nothing |
//! | `costed` | attempts with their costs: numbered, parts side by side as one, no hour twice |
//! | `tax` | sums by key, goodput |

mod costed;
mod lost;
mod price;
mod tax;
#[cfg(test)]
mod tests;

pub use costed::{Costed, costed};
pub use lost::CancelledWeight;
pub use price::NodeType;
pub use tax::{Tax, TaxKey, TaxRow, TaxSums, tax};
