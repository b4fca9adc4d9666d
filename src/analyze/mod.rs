//! Verdicts. Pure: series, types, policies and the time go in, conclusions with their evidence
//! come out.

pub mod bill;
pub mod commitments;
pub mod gpu;
pub mod idle;
pub mod jobs;
pub mod likely;
pub mod models;
pub mod network;
pub mod resources;
pub mod rightsize;
pub mod savings;
pub mod schedule;
mod shared_texts;
pub mod spot;
pub mod storage;
pub mod teams;
pub mod trend;
pub mod waterfall;
