//! Fits, prices, worth, lots and policies of small fleets.

mod fits;
mod fixture;
mod gangs;
mod groups;
mod history;
mod laws;
mod lots;
mod money;
mod policies;
