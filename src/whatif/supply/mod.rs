//! What commitments and spot cost, unit by unit: cash flows, marks, lock-in, the order in which
//! AWS applies plans, the rules of buying and giving back, and the few rates that are known.

pub mod cash;
pub mod effective;
pub mod known_rates;
pub mod lock_in;
pub mod marks;
pub mod payback;
pub mod plans;
pub mod resale;
pub mod rules;
pub mod spot;
pub mod spot_commit;

#[cfg(test)]
mod cash_tests;
#[cfg(test)]
mod plans_tests;
