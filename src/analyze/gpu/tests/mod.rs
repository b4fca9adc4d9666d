//! The judgement of GPUs against golden cases and laws.

mod doubts;
pub(super) mod fixtures;
mod golden;
mod laws;
mod memory;
mod money;
