//! What tiering would save, judged by the daily sizes of a bucket alone.

use serde::{Deserialize, Serialize};

use crate::domain::storage::StorageClass;

/// Range of what a rule that moves old objects of a bucket to a colder class would save, made from its daily sizes: an
/// estimate, in no sum of savings. A list of its objects makes it exact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavingsEstimate {
    /// Age from which on objects would be moved, days.
    pub age_days: u32,
    /// Bytes of at least that age, at most. Certain: what is still there has been there on each day since.
    pub old_at_most: u64,
    /// Bytes of at least that age if nothing was replaced between two daily sizes and what shrank was old. No bound: who
    /// writes a bucket anew each day has none. `None` where the sizes do not reach back so far.
    pub old_if_kept: Option<u64>,
    /// Days between the oldest and the newest daily size, of the series that reaches furthest back.
    pub history_days: u32,
    /// Mean size of its objects, bytes; the price of the move counts objects of this size.
    pub mean_object_bytes: u64,
    /// Requests that read, per month, where the bucket has request metrics.
    pub reads_per_month: Option<f64>,
    /// Least that the move saves, USD per month, over a year with all fees: [`Self::old_if_kept`] with all known reads
    /// on what is moved. 0 where reads are not known.
    pub low_usd: f64,
    /// Most that the move saves, USD per month, over a year with all fees: [`Self::old_at_most`], never read.
    pub high_usd: f64,
    /// Class of `high_usd`, read within milliseconds and kept in several zones; `None` where no move pays.
    pub to: Option<StorageClass>,
    /// One-off price of the move of `high_usd`, USD.
    pub fees_usd: f64,
}
