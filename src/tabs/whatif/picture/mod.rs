//! What the What-if tab shows: the inputs of a scenario, and models of its charts.

pub mod chart;
pub mod demand_gap;
pub mod input;
pub mod notes;
pub mod step;
pub mod unit;
pub mod words;

#[cfg(test)]
pub(crate) mod fixture;

pub use input::{Group, Input, Peaks, Row, Slider};
pub use unit::Unit;
