//! What objects cost per month, and what deleting or moving them costs once.
//!
//! S3 bills an account's whole volume by steps, so no object has a price of its own. [`Rates`] makes
//! the steps linear for one volume: *blended*, every byte at its share of the whole, so that
//! children add up to their parent; or *marginal*, every byte at the last step, which is what
//! freeing it saves.
//!
//! A month is 730 h and a GB is a GiB, as everywhere in burntop.

mod fees;
mod month;
mod rates;

#[cfg(test)]
pub use fees::minimum_days;
pub use fees::{early_delete_days, early_delete_usd, requests_usd, retrieval_usd, transition_usd};
pub use month::{
    ARCHIVE_INDEX, ARCHIVE_NAME, has_archive_overhead, has_minimum_size, monthly, object_monthly,
};
pub use rates::{Rates, Volumes, storage_usd};

/// Days in a month of 730 h.
pub const DAYS_PER_MONTH: f64 = 730.0 / 24.0;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
