//! Commitments applied to what runs, hour by hour, in AWS's order.
//!
//! `docs/savings.md` has the rules with their sources. [`Applier`] is one hour of any usage,
//! [`Running`] the fleet of this moment for many questions, [`covers`] what it means for each
//! instance.

mod apply;
mod cover;
mod meter;
mod prepare;
mod running;
mod size;
#[cfg(test)]
pub(crate) mod tests;

pub use apply::{Applied, Applier, block_usd_per_hour, is_priced};
pub use cover::{Cover, CoveredBy, Net, covers, joint_saving};
pub use meter::Meter;
pub use prepare::was_in_force;
pub use running::{Running, blind_plans, uncertain_plans};
#[cfg(test)]
pub use size::factor as size_factor;
pub use size::{family, is_size_flexible};
