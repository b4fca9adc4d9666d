//! The operator against a cloud in memory that does what the real one does at its worst.

mod claims;
mod cloud;
mod doubts;
mod flow;
mod looks;
mod reconciling;
