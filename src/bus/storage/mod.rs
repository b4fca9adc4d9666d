//! Storage: buckets, their sizes, volumes and snapshots of each account, as one raw picture after
//! another.
//!
//! ```text
//!  StorageSource ──► buckets (one task per account; facts by bucket, sizes by region)
//!        │      └──► volumes (one task per account × region)
//!        │              │ Input                    │ Update (how the sources are doing)
//!        │              ▼                          ▼
//!      cache ◄────── board (one task) ──► Event::StorageFacts      the world, header
//! ```
//!
//! Each bucket and each fact of it fails for itself, and what fails keeps its last good value. What
//! the cache holds is published first, and what is young enough in it is not read again.

mod board;
mod buckets;
mod ebs;
mod keep;
mod pricing;
mod region;
mod scans;
mod sizes;
#[cfg(test)]
mod tests;
mod uploads;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, watch};

pub(super) use board::Input;
pub use pricing::{bucket_region, s3_prices};
pub use uploads::put_uploads;

use super::wake::Wake;
use super::{Event, Regions, Shared, context};
use crate::domain::Scope;
use crate::domain::storage::{Scan, StorageFacts};
use crate::source::StorageSource;

/// Whether a part of storage is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StorageRead {
    /// Never.
    #[default]
    Never,
    /// From the moment on when somebody wants it ([`super::Handle::want_storage`]).
    WhenWanted,
    /// From the start.
    Always,
}

/// What is read of instances beside storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// All: types, prices and metrics too.
    All,
    /// Once, which there are and their states: whose the volumes are.
    Inventory,
    /// Nothing.
    Nothing,
}

/// What of storage is read, and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageSettings {
    /// Buckets.
    pub buckets: StorageRead,
    /// Volumes and snapshots.
    pub ebs: StorageRead,
    /// What is read of instances beside it.
    pub beside: Beside,
    /// Names of buckets that are read; a `*` at the end matches any rest. Empty for all.
    pub include: Vec<String>,
    /// Names of buckets that are not, whatever `include` says.
    pub exclude: Vec<String>,
    /// Regions whose buckets are read; `None` for all, whatever regions the fleet is read in.
    pub regions: Option<Vec<Arc<str>>>,
    /// Region whose prices count where a bucket's own has none in the list.
    pub price_region: Option<Arc<str>>,
    /// Between two lists of buckets.
    pub list_every: SignedDuration,
    /// Time between two readings of how a bucket is set up.
    pub facts_every: SignedDuration,
    /// Time between two readings of the daily sizes.
    pub sizes_every: SignedDuration,
    /// Time between two readings of volumes and snapshots.
    pub ebs_every: SignedDuration,
}

impl Default for StorageSettings {
    /// Nothing is read; buckets hourly, their setup each six hours, sizes daily, volumes each
    /// quarter of an hour where they are.
    fn default() -> Self {
        Self {
            buckets: StorageRead::Never,
            ebs: StorageRead::Never,
            beside: Beside::All,
            include: Vec::new(),
            exclude: Vec::new(),
            regions: None,
            price_region: None,
            list_every: SignedDuration::from_hours(1),
            facts_every: SignedDuration::from_hours(6),
            sizes_every: SignedDuration::from_hours(24),
            ebs_every: SignedDuration::from_mins(15),
        }
    }
}

impl StorageSettings {
    /// True when anything is read.
    pub fn is_on(&self) -> bool {
        self.buckets != StorageRead::Never || self.ebs != StorageRead::Never
    }

    /// True when a bucket of that name is read.
    fn takes(&self, name: &str) -> bool {
        let like = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        (self.include.is_empty() || self.include.iter().any(like)) && !self.exclude.iter().any(like)
    }

    /// True when buckets of that region are read; one that nobody knows is shown as such.
    fn takes_region(&self, region: &str) -> bool {
        region == "-" || self.regions.as_ref().is_none_or(|all| all.iter().any(|r| **r == *region))
    }
}

/// What storage shares with the rest of the bus.
pub(super) struct StorageState {
    /// What is read.
    pub settings: StorageSettings,
    /// True from the moment on when somebody looks.
    wanted: watch::Sender<bool>,
    /// The way to the board, while there is one.
    inputs: Mutex<Option<mpsc::WeakSender<Input>>>,
    /// When the prices of a kind and region were asked for last: they are the same for all accounts.
    priced: Mutex<HashMap<(&'static str, Arc<str>), Timestamp>>,
}

impl StorageState {
    pub fn new(settings: StorageSettings) -> Self {
        Self {
            settings,
            wanted: watch::channel(false).0,
            inputs: Mutex::default(),
            priced: Mutex::default(),
        }
    }

    /// Somebody looks.
    pub fn want(&self) {
        self.wanted.send_replace(true);
    }

    /// Takes a scan over.
    pub async fn scanned(&self, scan: Arc<Scan>) {
        self.tell(Input::Scan(scan)).await;
    }

    /// Tells the board, while there is one.
    pub async fn tell(&self, input: Input) {
        let channel = self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(channel) = channel.and_then(|weak| weak.upgrade()) else { return };
        let _ = channel.send(input).await;
    }
}

/// Starts the board. Updates go to it by the returned channel, and it ends when all senders are dropped. `None` where
/// nothing of storage is read.
pub(super) fn start(
    shared: &Arc<Shared>,
    selection: &[(String, Regions)],
    events: mpsc::Sender<Event>,
    only_once: bool,
) -> Option<(mpsc::Sender<Input>, tokio::task::JoinHandle<()>)> {
    if !shared.storage.settings.is_on() {
        return None;
    }
    let (inputs, inbox) = mpsc::channel(64);
    *shared.storage.inputs.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(inputs.downgrade());
    let (shared, selection) = (shared.clone(), selection.to_vec());
    let board = tokio::spawn(async move {
        board::run(&shared, &selection, inbox, &events, only_once).await;
    });
    Some((inputs, board))
}

/// What the tasks of an account work with.
pub(super) type Context = context::Context<Arc<dyn StorageSource>, mpsc::Sender<Input>>;

impl Context {
    fn settings(&self) -> &StorageSettings {
        &self.shared.storage.settings
    }

    /// Waits for `time`, a refresh, somebody who looks, or the end; false when the bus stops.
    async fn wait(&self, wake: &mut Wake, time: Duration) -> bool {
        let mut wanted = self.shared.storage.wanted.subscribe();
        tokio::select! {
            going = wake.wait(time) => going,
            _ = wanted.changed() => true,
        }
    }

    /// Waits until a part is to be read; false when the bus stops before.
    async fn wanted(&self, read: StorageRead) -> bool {
        let mut wanted = self.shared.storage.wanted.subscribe();
        match read {
            StorageRead::Never => false,
            StorageRead::WhenWanted => tokio::select! {
                () = self.shared.stop.cancelled() => false,
                seen = wanted.wait_for(|w| *w) => seen.is_ok(),
            },
            StorageRead::Always if self.only_once => true,
            // The fleet comes first, unless somebody looks.
            StorageRead::Always => tokio::select! {
                () = self.shared.stop.cancelled() => false,
                seen = wanted.wait_for(|w| *w) => seen.is_ok(),
                () = tokio::time::sleep(AFTER_THE_FLEET) => true,
            },
        }
    }
}

/// In the background storage is read this long after the start: the fleet has come by then.
const AFTER_THE_FLEET: Duration = Duration::from_secs(3);

/// Reads the storage of an account; `regions` are those of its fleet. Runs until stopped; with
/// `only_once` until everything was read once.
pub(super) async fn run(ctx: Context, label: Arc<str>, regions: Vec<Arc<str>>) {
    let known = Input::Account { account: ctx.scope.account.clone(), label };
    let _ = ctx.inputs.send(known).await;
    let mut tasks = tokio::task::JoinSet::new();
    for region in &regions {
        tasks.spawn(ebs::run(ctx.clone(), Scope::new(ctx.scope.account.clone(), region.clone())));
    }
    tasks.spawn(buckets::run(ctx, regions));
    while tasks.join_next().await.is_some() {}
}

/// A call that waits to be made, one of many.
type Pending<'a, T> = futures_util::future::BoxFuture<'a, T>;

/// The raw pictures of the last run, for `--offline` and the start; also what a report falls back
/// to.
pub(super) type Picture = Arc<StorageFacts>;
