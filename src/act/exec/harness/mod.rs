//! A randomised fault harness for everything that acts: random fleets on a simulated cloud, a
//! simulated disk that drops what was not fsynced, and whatever can go wrong between them, with
//! invariants that are judged on the truth of the simulation and not on what burntop says.
//!
//! ```text
//! BURNTOP_TRIALS=20000 cargo test --lib act::exec::harness -- --nocapture
//! BURNTOP_TRIAL_SEED=17 cargo test --lib act::exec::harness::tests::one -- --nocapture
//! ```
//!
//! A trial is played in virtual time on one thread and is the same for the same seed.

mod cloud;
mod counts;
mod disk;
mod faults;
mod fleet;
mod judge;
mod observations;
mod ports;
mod tests;
mod trial;
mod world;
