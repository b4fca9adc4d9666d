//! Where a demand is from.

/// Source to read a demand from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemandFrom {
    /// Running instances recorded in the cache.
    History,
    /// A CSV file or a bill, by its path as typed.
    File(String),
}
