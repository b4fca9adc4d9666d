//! What objects would cost in each storage class, month by month, with the fees of getting there.
//!
//! Moving is paid at once and saves later: the curve of what was saved goes through a valley before
//! it pays back. [`compare()`] draws that curve for every class, from the sizes and ages of the
//! objects and an assumption about how often they are read.
//!
//! The calendar: what S3 does after 30 or 90 days happens after 1 or 3 months here, and objects move
//! at the beginning of a month. A month's storage costs its price per GiB-month.

mod cohort;
mod compare;
mod curve;
mod steady;
mod waterfall;

pub use cohort::{Cohort, cohorts};
pub use compare::{Best, Comparison, compare};
pub use curve::{Curve, Target};
pub use steady::break_even_reads;
pub use waterfall::is_instant;

use super::price::Volumes;
use crate::domain::storage::S3Prices;

/// Days of S3's rules that count as one month here.
pub const RULE_DAYS_PER_MONTH: f64 = 30.0;

/// Assumption about how often objects are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    /// Reads per month of each byte that is read at all, spread evenly: two a month are 15 days apart.
    pub reads_per_month: f64,
    /// Share of bytes and objects that are read at all, 0–1.
    pub share_read: f64,
    /// GET requests per month for all objects; `None` = one per object and read.
    pub gets_per_month: Option<f64>,
}

impl Access {
    /// No reads.
    pub const NONE: Self = Self { reads_per_month: 0.0, share_read: 1.0, gets_per_month: None };

    /// Every byte is read `reads` times a month.
    pub fn every(reads: f64) -> Self {
        Self { reads_per_month: reads.max(0.0), ..Self::NONE }
    }

    /// Mean reads per byte and month.
    pub fn mean_reads(&self) -> f64 {
        self.reads_per_month * self.share_read
    }
}

/// Inputs of a comparison.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Objects, by cohort.
    pub cohorts: &'a [Cohort],
    /// Prices of the region.
    pub prices: &'a S3Prices,
    /// Volumes billed to the account in the region without these objects, which decide the price steps they
    /// fall into.
    pub others: &'a Volumes,
    /// How often objects are read.
    pub access: Access,
    /// True to move objects smaller than 128 KiB too, which S3 by default does not.
    pub moves_small: bool,
    /// Months to look ahead, at least 1.
    pub months: u16,
}

#[cfg(test)]
mod brute;
#[cfg(test)]
mod tests;
