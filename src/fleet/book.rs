//! What the fleet is priced and sized with.

use std::collections::HashMap;
use std::sync::Arc;

use super::prices::PriceBook;
use crate::domain::{Holdings, TypeSpec};

/// Prices, types and commitments, as known at one moment. Analyses that ask "what if it were another
/// type" read the same book as the join did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// Prices.
    pub prices: PriceBook,
    /// Types by name.
    pub types: HashMap<Arc<str>, Arc<TypeSpec>>,
    /// Commitments held; `None` while none was read.
    pub holdings: Option<Holdings>,
}
