//! Detection against an inventory with known truth and against itself in another order; plans
//! against rules written a second time.

mod golden;
mod plans;
mod policy;
pub mod sample;
mod sums;
