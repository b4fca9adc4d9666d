//! Alerts for when nobody looks: rules over the rows of the reports, what became of each thing that they found, and the
//! messages about it. Pure: who reads, sends and keeps the state is `cli/watch/` and `send/`.

pub mod body;
pub mod file;
pub mod matches;
pub mod message;
pub mod metrics;
pub mod own_cost;
pub mod row;
pub mod rules;
pub mod silence;
pub mod sink;
pub mod source_state;
pub mod state;
pub mod view;
mod words;

/// The commented rules that `burntop watch init` writes, and that the demo watches by.
pub const TEMPLATE: &str = include_str!("../../assets/rules.example.toml");
