//! View models: the field table, cells, filter, order, the pages' contents.
//!
//! Pure and shared by screen and reports, so that both always say the same. The time is passed in
//! through [`ViewContext`].

pub(crate) mod alike;
pub(crate) mod complete;
pub mod filter;
pub mod format;
pub mod reasons;
mod role;
pub mod room;
mod rows;
mod search;
pub mod symbols;
pub mod table;
pub(crate) mod table_field;
pub(crate) mod value;
pub mod verdict;

#[cfg(test)]
pub(crate) mod fixture;

pub use filter::{FieldRef, Filter};
pub use role::Role;
pub use rows::Rows;
pub use symbols::Symbols;
pub use table::Sort;
pub use table_field::{Align, FieldSpec, FieldTable, Origin, TableField};
pub use value::Value;

use jiff::Timestamp;

/// Tag of an instance that burntop marked: time from which on it may be stopped, RFC 3339 UTC. `act::plan`,
/// which stands above this folder, writes it.
pub const EXPIRES_TAG: &str = "burntop:expires";

/// Inputs of formatting besides the data: time and symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewContext {
    /// Time that ages and spans are measured to.
    pub now: Timestamp,
    /// Characters that may be used.
    pub symbols: Symbols,
    /// Terminal columns that text reports are fitted to; `None` = as wide as they are.
    pub width: Option<u16>,
}

#[cfg(test)]
mod tests;
