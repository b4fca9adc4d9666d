//! The demo: an invented fleet behind the same [`Provider`] as the real
//! one, so that everything above the trait can be tried without an account.
//!
//! The fleet is a pure function of (seed, size, clock). Nothing is stored: every instance, datapoint and price is computed when asked for, from hashes of what
//! it is about. Two sessions with one seed see one fleet; a day later it is one day older, its
//! closed hours unchanged, so that a cache of yesterday still fits.
//!
//! What is done to it (stop, start, terminate, tag) lives in a [`World`] beside it, for as long as
//! the process does: a demo begun anew has everything back.
//!
//! Some instances are planted ([`traps`]), and some GPUs (`gpu_cases`); `docs/demo.md` lists them.

pub mod bill;
mod calendar;
mod commitments;
mod controls;
mod facts;
mod gpus;
mod hash;
mod history;
mod inspector;
mod inventory;
pub mod jobs;
mod launches;
mod life;
mod log_groups;
mod metric_streams;
mod places;
mod prices;
mod profile;
mod provider;
pub mod reads;
mod recent;
mod resources;
pub mod storage;
mod telemetry;
mod traps;
mod vpcs;
mod workload;
mod world;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;

#[cfg(test)]
pub use self::commitments::planted_commitments;
pub use self::controls::{Controls, Lever};
#[cfg(test)]
pub use self::gpus::gpu_cases;
pub use self::gpus::gpu_sources;
use self::profile::Fleet;
use self::provider::DemoProvider;
#[cfg(test)]
pub use self::resources::planted_resources;
use self::storage::DemoStorage;
#[cfg(test)]
pub use self::traps::{Trap, traps};
pub use self::world::World;
use crate::source::{Inspector, Provider, StorageSource};

/// The seed of a demo that nobody seeded: a fleet that wastes about a sixth of what it burns.
pub const DEFAULT_SEED: u64 = 7;

/// Instances in a demo whose size nobody chose.
pub const DEFAULT_SIZE: usize = 280;

/// The largest demo; [`accounts`] cuts anything above to this.
pub const MAX_SIZE: usize = 10_000;

/// What the name of the bucket begins with that has something of everything: runs, copies, what is
/// cold and what is small. It is shown where no bucket is named.
pub const SHOWCASE_BUCKET: &str = "acme-ml-checkpoints-";

/// The clock that the demo lives by.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Who looks at a demo that nobody else was named for: the name of the session of a role.
pub const DEFAULT_PERSON: &str = "on-call";

/// The second person, who approves what [`DEFAULT_PERSON`] planned.
pub const SECOND_PERSON: &str = "reviewer";

/// The account and region where stopping is denied by a policy of the organization.
const DENIED: (&str, &str) = (places::ACCOUNTS[2].id, places::REGIONS[3].code);

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
    /// What was done to the fleet: shared by all who are to see it.
    pub world: Arc<World>,
    /// Who is looking and acting: the session name in the caller's ARN.
    pub person: Arc<str>,
    /// What of it is shown.
    pub part: Part,
}

/// Accounts and regions of a demo to show; an empty list means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Names or ids of accounts.
    pub accounts: Vec<String>,
    /// Region codes.
    pub regions: Vec<String>,
}

impl Part {
    fn has_account(&self, account: &places::Account) -> bool {
        let is_it = |name: &String| name == account.label || name == account.id;
        self.accounts.is_empty() || self.accounts.iter().any(is_it)
    }

    fn has_region(&self, code: &str) -> bool {
        self.regions.is_empty() || self.regions.iter().any(|r| r == code)
    }
}

/// Name and id of the accounts of every demo.
pub fn account_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    places::ACCOUNTS.iter().map(|a| (a.label, a.id))
}

/// Region codes of every demo.
pub fn region_codes() -> impl Iterator<Item = &'static str> {
    places::REGIONS.iter().map(|r| r.code)
}

impl DemoOptions {
    /// A demo without changes, seen by [`DEFAULT_PERSON`]; `size` is the number of instances, `None` the default.
    pub fn new(seed: u64, size: Option<usize>, clock: Clock) -> Self {
        let (world, person, part) = (Arc::default(), DEFAULT_PERSON.into(), Part::default());
        Self { seed, size, clock, world, person, part }
    }

    fn fleet(&self) -> Fleet {
        let size = self.size.unwrap_or(DEFAULT_SIZE).min(MAX_SIZE) as u32;
        Fleet::new(self.seed, size)
    }
}

/// An account of a demo, with everything that can be read and changed in it.
pub struct DemoAccount {
    /// 12-digit account id.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests pick accounts by it"))]
    pub id: Arc<str>,
    /// Inventory, metrics and prices, as the collector reads them.
    pub provider: Arc<dyn Provider>,
    /// Close inspection of single instances.
    pub inspector: Arc<dyn Inspector>,
    /// Buckets, volumes and snapshots.
    pub storage: Arc<dyn StorageSource>,
    /// Controls that change its instances; `act::exec::demo` builds its hands on them.
    pub controls: Arc<Controls>,
}

/// Accounts of a demo. Accounts from clones of one `options` share its changes.
pub fn accounts(options: &DemoOptions) -> Vec<DemoAccount> {
    let fleet = options.fleet();
    let (clock, world) = (&options.clock, &options.world);
    places::ACCOUNTS
        .iter()
        .filter(|account| options.part.has_account(account))
        .map(|account| {
            let provider = Arc::new(DemoProvider::new(account, fleet, options));
            DemoAccount {
                id: account.id.into(),
                inspector: provider.clone(),
                storage: Arc::new(DemoStorage::new(provider.clone())),
                provider,
                controls: Arc::new(Controls::new(account, fleet, clock.clone(), world.clone())),
            }
        })
        .collect()
}

/// The accounts of a demo, one provider each, for those who only read.
#[cfg(test)]
pub fn providers(options: &DemoOptions) -> Vec<Arc<dyn Provider>> {
    accounts(options).into_iter().map(|account| account.provider).collect()
}
