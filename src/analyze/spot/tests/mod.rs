//! Fits, prices, worth, lots and policies of small fleets.

mod fits;
mod fixture;
mod history;
mod laws;
mod lots;
mod money;
mod policies;
