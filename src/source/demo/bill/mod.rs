//! The bill of the demo: what its fleet would have cost in three months, by the hour and to the cent.
//!
//! Everything is taken from what the other parts of the demo answer: instances and the hours in which they ran, Spot
//! prices of each hour, commitments, volumes, snapshots, sizes of buckets, resources. What no part of the demo knows
//! (transfer, logs, training jobs, tax) is in the tables of `services` and `closing`. `docs/demo.md` lists what is
//! planted.
//!
//! | file | holds |
//! |---|---|
//! | `ledger` | writes the lines of a month |
//! | `machines` | what bills by the instance-hour, and when it ran |
//! | `cover` | commitments and what they pay for, hour by hour |
//! | `compute` | lines of machines and commitments |
//! | `storage` | lines of volumes, snapshots and buckets |
//! | `hourly` | lines of gateways, load balancers and addresses |
//! | `services` | the other services: a table |
//! | `closing` | what is charged for the month: support, tax, credit, refund, marketplace |
//! | `seen` | live burn of the same instances, as if somebody had looked all the time |

mod closing;
mod compute;
mod cover;
mod hourly;
mod ledger;
mod machines;
mod seen;
mod services;
mod storage;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use jiff::Timestamp;

use self::cover::Held;
use self::ledger::Ledger;
use self::machines::Machine;
pub use self::seen::seen;
use self::storage::Disk;
use super::places::{ACCOUNTS, REGIONS, Region};
use super::profile::Fleet;
use super::provider::DemoProvider;
use super::storage::Stored;
use super::{DemoOptions, Part};
use crate::domain::Hour;
use crate::domain::bill::{Bill, Month, PeriodState};

/// Tags of what trains models in the demo, in the spellings of its accounts.
pub const TRAINING: [(&str, &str); 2] = [("environment", "research"), ("env", "research")];

/// Tags of what serves them.
pub const SERVING: [(&str, &str); 2] = [("environment", "prod"), ("env", "prod")];

/// Number of months.
const MONTHS: i32 = 3;

/// Hours of a day.
const DAY: i32 = 24;

/// What the demo's accounts are billed from.
struct Estate {
    fleet: Fleet,
    now: Timestamp,
    /// All hours that are billed.
    window: Range<i32>,
    /// One per account, in the order of [`ACCOUNTS`].
    providers: Vec<Arc<DemoProvider>>,
}

impl Estate {
    /// Of the newest `count` months: the fleet of the whole organization, without changes made by the user.
    fn new(options: &DemoOptions, count: i32) -> Self {
        let now = (options.clock)();
        let options = DemoOptions {
            clock: Arc::new(move || now),
            world: Arc::default(),
            part: Part::default(),
            ..options.clone()
        };
        let fleet = options.fleet();
        let midnight = Hour(Hour::containing(now).day() * DAY);
        let oldest = Month::at(midnight.plus(-1).start()).plus(1 - count);
        let provider = |account| Arc::new(DemoProvider::new(account, fleet, &options));
        let providers: Vec<_> = ACCOUNTS.iter().map(provider).collect();
        Self { fleet, now, window: Hour::containing(oldest.begin()).0..midnight.0, providers }
    }

    /// The end of what is billed.
    const fn midnight(&self) -> Hour {
        Hour(self.window.end)
    }

    /// All accounts with all regions.
    fn scopes(&self) -> impl Iterator<Item = (&Arc<DemoProvider>, &'static Region)> {
        self.providers.iter().flat_map(|p| REGIONS.iter().map(move |region| (p, region)))
    }
}

/// The demo's bill, oldest month first: two closed months, and the month of yesterday up to yesterday. It is that of the
/// whole organization, and of the fleet as it is without changes made by the user. A month that exceeds the limits of a
/// bill is left out.
pub fn bills(options: &DemoOptions) -> Vec<Bill> {
    months(options, MONTHS)
}

/// The newest `count` months of [`bills`], oldest first; each is made when it is asked for.
pub fn newest_months(options: &DemoOptions, count: i32) -> impl Iterator<Item = Bill> {
    let writer = Writer::new(options, count);
    writer.months().filter_map(move |month| writer.bill(month))
}

/// The newest month of [`bills`]; `None` where it exceeds the limits of a bill.
#[cfg(test)]
pub fn newest(options: &DemoOptions) -> Option<Bill> {
    months(options, 1).pop()
}

/// The newest `count` months.
fn months(options: &DemoOptions, count: i32) -> Vec<Bill> {
    let writer = &Writer::new(options, count);
    thread::scope(|threads| {
        let begun: Vec<_> =
            writer.months().map(|month| threads.spawn(move || writer.bill(month))).collect();
        begun.into_iter().filter_map(|bill| bill.join().ok().flatten()).collect()
    })
}

/// What the bills of some months are written from.
struct Writer {
    count: i32,
    midnight: Hour,
    newest: Month,
    estate: Estate,
    /// What lies in buckets, by day: account and bucket.
    buckets: Vec<Vec<(&'static str, Stored)>>,
    machines: Vec<Machine>,
    held: Vec<Held>,
    disks: Vec<Disk>,
}

impl Writer {
    fn new(options: &DemoOptions, count: i32) -> Self {
        let estate = Estate::new(options, count);
        let midnight = estate.midnight();
        // First: what lies in buckets takes more memory than all after it.
        let buckets = storage::buckets(&estate);
        let machines = machines::all(&estate);
        let held = cover::all(&estate, &machines);
        let disks = storage::disks(&estate);
        let newest = Month::at(midnight.plus(-1).start());
        Self { count, midnight, newest, estate, buckets, machines, held, disks }
    }

    /// The months, oldest first.
    fn months(&self) -> impl Iterator<Item = Month> + use<> {
        let newest = self.newest;
        (1 - self.count..=0).map(move |back| newest.plus(back))
    }

    /// The bill of one of them; `None` where it exceeds the limits of a bill.
    fn bill(&self, month: Month) -> Option<Bill> {
        let Self { estate, machines, .. } = self;
        let is_open = month == self.newest;
        let state = if is_open { PeriodState::Open } else { PeriodState::Closed };
        let mut ledger = Ledger::new(month, self.midnight);
        compute::write(&mut ledger, estate, machines, &self.held);
        storage::write(&mut ledger, estate, &self.disks, &self.buckets);
        hourly::write(&mut ledger, estate);
        services::write(&mut ledger, estate);
        closing::write(&mut ledger);
        ledger.finish(state, estate, machines)
    }
}
