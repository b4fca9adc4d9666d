//! View models of jobs: the tables of attempts and of sums by key.

mod attempts;
mod sums;

pub use attempts::{JobField, JobRow, job_rows};
pub use sums::{TaxField, tax_rows};
