//! Verdicts. Pure: series, types, policies and the time go in, conclusions with their evidence
//! come out.

pub mod gpu;
pub mod idle;
pub mod schedule;
pub mod storage;
