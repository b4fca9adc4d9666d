//! Tests of the verdicts.

mod boundaries;
mod cascade;
mod fixtures;
mod goes_on;
mod highest;
mod hours;
mod presets;
mod properties;
mod since;
mod stretch;
mod traps;
