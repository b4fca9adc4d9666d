//! View models: the field table, cells, filter, order, the pages' contents.
//!
//! Pure and shared by screen and reports, so that both always say the same. The time is passed in
//! through [`ViewContext`].

pub mod field;
mod field_table;
mod field_value;
pub mod filter;
pub mod format;
pub mod gpu;
pub mod idle;
pub mod overview;
pub mod savings;
mod search;
pub mod storage;
pub mod symbols;
pub mod table;
mod table_field;
mod value;
pub mod verdict;
pub mod whatif;

#[cfg(test)]
pub(crate) mod fixture;

pub use field::Field;
pub use field_value::owner_words;
pub use filter::{FieldRef, Filter};
pub use symbols::Symbols;
pub use table::Sort;
pub use table_field::{Align, FieldSpec, TableField};
pub use value::Value;

use jiff::Timestamp;

/// The tag of a marked instance: from when on it may be stopped, RFC 3339 UTC.
/// `act::plan`, which stands above this folder, writes it.
pub const EXPIRES_TAG: &str = "burntop:expires";

/// What rendering depends on besides the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewContext {
    /// The moment that ages and spans are measured to.
    pub now: Timestamp,
    /// Which characters may be used.
    pub symbols: Symbols,
}

#[cfg(test)]
mod tests;
