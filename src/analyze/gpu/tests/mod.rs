//! The judgement of GPUs against golden cases and laws.

mod doubts;
mod fixtures;
mod golden;
mod laws;
mod memory;
mod money;
