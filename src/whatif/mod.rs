//! What-if: what commitments, spot and the other levers would cost, over many futures of demand.
//!
//! Pure: no clock, no I/O, no threads, no global randomness. Whoever calls decides on which threads
//! the work runs ([`Workers`]). The formulas stand in `docs/whatif.md`, each with its source.

pub mod answer;
pub mod backtest;
pub mod bill;
pub mod compare;
pub mod curve;
pub mod demand;
pub mod effective;
pub mod engine;
pub mod history;
pub mod judgement;
pub mod levers;
pub mod lists;
pub mod optimum;
pub mod request;
pub mod scenario;
pub mod search;
pub mod supply;
pub mod tiers;
pub mod tornado;
pub mod whole;

pub use answer::*;
pub use curve::LoadDuration;
pub use demand::{Demand, DemandOrigin, Family};
#[cfg(test)]
pub use engine::Precision;
pub use engine::{Engine, EngineError, FamilyPaths};
pub use levers::Levers;
pub use request::*;
pub use scenario::*;

/// Hours of a week. Futures are made of whole weeks, so that hours of the day and days of the week stay in
/// place.
pub const HOURS_PER_WEEK: usize = 168;

/// Weeks of a year as plans count them: 52 × 168 h = 8,736 h, of AWS's 8,760.
pub const WEEKS_PER_YEAR: f64 = 52.0;

/// Runs independent pieces of work, possibly in parallel.
pub trait Workers {
    /// Calls `work(0)`, …, `work(pieces - 1)` once each, in any order; returns when all are done.
    fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync));
}

/// [`Workers`] that runs the pieces one after the other on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneByOne;

impl Workers for OneByOne {
    fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..pieces).for_each(work);
    }
}
