//! What commitments and spot cost, unit by unit: cash flows, marks, lock-in, the order in which
//! AWS applies plans, and the few rates that are known.

pub mod cash;
pub mod known_rates;
pub mod lock_in;
pub mod marks;
pub mod payback;
pub mod plans;
pub mod spot;

#[cfg(test)]
mod cash_tests;
#[cfg(test)]
mod plans_tests;
