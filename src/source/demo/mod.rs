//! The demo: an invented fleet behind the same [`Provider`] as the real
//! one, so that everything above the trait can be tried without an account.
//!
//! The fleet is a pure function of (seed, size, clock). Nothing is stored and nothing happens in
//! between: every instance, datapoint and price is computed when asked for, from hashes of what
//! it is about. Two sessions with one seed see one fleet; a day later it is one day older, its
//! closed hours unchanged, so that a cache of yesterday still fits.
//!
//! Some instances are planted ([`traps`]); `docs/demo.md` lists them.

mod hash;
mod inventory;
mod life;
mod places;
mod prices;
mod profile;
mod provider;
mod telemetry;
mod traps;
mod workload;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;

use self::profile::Fleet;
use self::provider::DemoProvider;
pub use self::traps::{Trap, traps};
use crate::source::Provider;

/// The seed of a demo that nobody seeded: a fleet that wastes about a sixth of what it burns.
pub const DEFAULT_SEED: u64 = 7;

/// Instances in a demo whose size nobody chose.
pub const DEFAULT_SIZE: usize = 280;

/// The largest demo; [`providers`] cuts anything above to this.
pub const MAX_SIZE: usize = 10_000;

/// The clock that the demo lives by.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a demo is made from.
#[derive(Clone)]
pub struct DemoOptions {
    /// The same seed gives the same fleet.
    pub seed: u64,
    /// Instances over all accounts and regions, up to [`MAX_SIZE`]; [`DEFAULT_SIZE`] if `None`.
    /// Up to 1,000 the fleet is mostly GPU nodes; above, mostly small boxes (0.8 GPUs each).
    pub size: Option<usize>,
    /// The clock; the fleet ages by it.
    pub clock: Clock,
}

/// The accounts of a demo, one provider each.
pub fn providers(options: &DemoOptions) -> Vec<Arc<dyn Provider>> {
    let size = options.size.unwrap_or(DEFAULT_SIZE).min(MAX_SIZE) as u32;
    let fleet = Fleet::new(options.seed, size);
    places::ACCOUNTS
        .iter()
        .map(|account| {
            let provider = DemoProvider::new(account, fleet, options.clock.clone());
            Arc::new(provider) as Arc<dyn Provider>
        })
        .collect()
}
