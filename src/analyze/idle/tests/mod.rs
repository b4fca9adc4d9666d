//! Tests of the verdicts.

mod boundaries;
mod cascade;
pub(in crate::analyze::idle) mod fixtures;
mod goes_on;
mod highest;
mod hours;
mod presets;
pub(in crate::analyze::idle) mod properties;
mod since;
mod stretch;
mod traps;
