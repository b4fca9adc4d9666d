//! Where a demand is from.

/// Where a demand is to be read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemandFrom {
    /// What burntop saw running, as the cache holds it.
    History,
    /// A CSV file or a bill, by its path as typed.
    File(String),
}
