//! The bus: carries what the sources say through the cache and the verdicts into one immutable
//! [`Fleet`] after another.
//!
//! ```text
//!  Provider (AWS or demo)          one task per account, one per account × region
//!     │ inventory · types · prices · metrics (cascade, tail only, capped)
//!     ▼
//!  Update ──► World (one task) ──► join, at most every 120 ms ──► Event::Fleet
//!     │                                                            │
//!     └── cache (facts, series, ledger)                  cockpit, report, doctor
//! ```
//!
//! The GPUs have a picture of their own, made of sweeps of their telemetry: see the folder `live`.
//!
//! A scope that hangs, denies or throttles delays no other: each runs on its own, and the world
//! publishes whatever is there.

mod account;
mod ask;
mod backtest;
mod beside_jobs;
mod billed;
mod board;
mod burn;
mod context;
mod debounce;
mod facts;
mod gpus;
mod inventory;
mod jobs;
mod kept;
mod live;
mod metrics;
mod past;
mod pictures;
pub mod planning;
mod poll;
mod pricing;
mod readings;
mod rejudge;
mod requests;
mod savings;
pub mod scan;
mod scope;
mod starts;
mod storage;
pub mod tape;
#[cfg(test)]
pub(crate) mod tests;
mod types;
mod wake;
mod work;
mod world;

pub use backtest::{BacktestRequest, once_with_backtest};
pub use beside_jobs::ReadJobs;
pub use billed::{ReadBilled, ReadFailedRuns};
pub use burn::Meter;
pub use jobs::{JobsSettings, kept_readings, read_jobs};
pub use kept::{KeptFleet, kept_fleet};
pub use live::{first_gpus_key, read_gpus};
pub use past::{burnt, past};
pub use savings::SavingsSettings;
pub use storage::{Beside, StorageRead, StorageSettings, bucket_region, put_uploads, s3_prices};

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::analyze::gpu::GpuRules;
use crate::analyze::idle::Policy;
use crate::analyze::idle::backtest::{Backtest, Replay};
use crate::analyze::savings::SavingsRules;
use crate::cache::Cache;
pub use crate::domain::Regions;
use crate::domain::storage::{IncompleteUploads, Scan, StorageFacts};
use crate::domain::{
    BurnPast, ErrorKind, GpuHistory, GpuKey, OwnCost, PrivatePrices, Reading, SavingsFacts, Scope,
    SourceError, TagKeys,
};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Savings, StorageFleet};
use crate::source::ledger::{BilledApi, Ledger};
use crate::source::{GpuSource, Identity, Provider, StorageSource};
use tape::{Recorder, Tap, Tape};

/// Tells the time. Injected, so that tests and the demo can hold it still.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// One account to read.
#[derive(Clone)]
pub struct Account {
    /// How to ask it.
    pub provider: Arc<dyn Provider>,
    /// How to ask for its storage; `None` where that cannot be asked for.
    pub storage: Option<Arc<dyn StorageSource>>,
    /// Where to look.
    pub regions: Regions,
}

/// What the bus needs to know besides the accounts.
#[derive(Clone)]
pub struct Settings {
    /// Tag keys that mean team, project, environment, cost center.
    pub tag_keys: TagKeys,
    /// Nothing is asked of any source; the cache alone answers.
    pub offline: bool,
    /// Seconds between two readings of the inventory.
    pub inventory_every_s: u32,
    /// False where calls cost nothing (the demo): the ledger stays out of it.
    pub billed: bool,
    /// True where the caller meters what is burnt from run to run by a [`Meter`] of its own.
    pub meters: bool,
    /// Names the selection of accounts and regions, so that the summary which paints first is
    /// the one of this selection.
    pub summary_key: String,
    /// What of storage is read.
    pub storage: StorageSettings,
    /// What is read of commitments, the Spot market and resources that are no instances.
    pub savings: SavingsSettings,
    /// Discounts, private rates and Capacity Blocks, from the configuration.
    pub prices: Arc<PrivatePrices>,
    /// How what resources cost on the newest bill is read; `None` where there is none to read.
    pub bills: Option<ReadBilled>,
    /// How what is kept of jobs is read; `None` where nothing of them is shown beside the fleet.
    pub jobs: Option<ReadJobs>,
    /// Idle instances of each scope, those that waste most, whose launch is looked up where they are read once; 0 = none.
    pub ask_of: usize,
    /// How what failed runs took is read; `None` where that is not asked.
    pub failed_runs: Option<ReadFailedRuns>,
}

impl Settings {
    /// True where what is burnt is written down: not in the demo, offline, or where a tape plays.
    pub fn has_past(&self, has_tape: bool) -> bool {
        self.billed && !self.offline && !has_tape
    }
}

/// Event sent to the cockpit.
#[derive(Clone, Debug)]
pub enum Event {
    /// A new picture of the fleet.
    Fleet(Arc<Fleet>),
    /// A new picture of the GPUs.
    Gpus(Arc<GpuFleet>),
    /// What was read of storage; its picture follows.
    StorageFacts(Arc<StorageFacts>),
    /// A new picture of storage.
    Storage(Arc<StorageFleet>),
    /// What was read of commitments, the Spot market and resources; the picture of what could be
    /// saved follows.
    SavingsFacts(Arc<SavingsFacts>),
    /// A new picture of what could be saved.
    Savings(Arc<Savings>),
    /// What is known of the burn before now.
    BurnPast(Arc<BurnPast>),
    /// What burntop itself has spent today.
    OwnCost(OwnCost),
    /// A source failed, or works again (`error` is `None`).
    Source {
        /// When.
        at: Timestamp,
        /// Which source, where.
        reading: Reading,
        /// What went wrong.
        error: Option<Arc<SourceError>>,
    },
    /// The policy in force wants metrics that the cache does not hold; what fetching them costs.
    Missing {
        /// Metrics to request.
        metrics: u64,
        /// Micro-dollars for them.
        micro_usd: u64,
    },
    /// An account answered who we are.
    Account(Identity),
    /// No account could be asked for want of credentials.
    NoCredentials(Arc<SourceError>),
}

/// Handles the running bus gives out.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
}

/// Handles that all tasks of the bus share; never state.
struct Shared {
    settings: Settings,
    clock: Clock,
    cache: Cache,
    ledger: Ledger,
    policy: watch::Sender<Arc<Policy>>,
    refresh: watch::Sender<u64>,
    /// Grows with `refresh` when also what is billed and not due yet is to be read.
    force: watch::Sender<u64>,
    /// Grows when the inventory is to be read, and nothing that is billed.
    look: watch::Sender<u64>,
    viewport: Mutex<HashSet<Arc<str>>>,
    /// State shared by the tasks of GPUs.
    live: live::LiveState,
    /// What storage is read with.
    storage: storage::StorageState,
    /// Instances whose launch somebody wants to know.
    wanted: ask::Wanted,
    /// What reading commitments and the market shares.
    savings: savings::SavingsState,
    /// Records what the sources say.
    tap: Tap,
    /// Is played instead of asking anybody.
    tape: Option<Tape>,
    /// What the cache held of each scope at the start, until the scope takes it.
    remembered: Mutex<HashMap<Scope, facts::Remembered>>,
    /// When the bus started: the beat of all scopes and sweeps.
    started: tokio::time::Instant,
    /// Micro-dollars of the last full round of each scope.
    round_costs: Mutex<HashMap<Scope, u64>>,
    /// What rounds read beyond what verdicts need; empty in all runs but those that try verdicts on the past.
    history: OnceLock<backtest::History>,
    stop: CancellationToken,
}

impl Handle {
    /// Judges by another policy from now on; rows are judged again from the cache at once.
    pub fn set_policy(&self, policy: Arc<Policy>) {
        self.shared.policy.send_replace(policy);
    }

    /// Reads again now what can be read for nothing, and what is due; with `force` also what is
    /// billed and not due yet.
    pub fn refresh(&self, force: bool) {
        // Before the tasks wake, so that each sees both.
        if force || !self.shared.settings.billed {
            self.shared.force.send_modify(|n| *n += 1);
        }
        self.shared.refresh.send_modify(|n| *n += 1);
    }

    /// Reads the inventory now, after something was changed. Metrics keep their own rhythm: what
    /// is billed is not read because of it.
    pub fn look_again(&self) {
        self.shared.look.send_modify(|n| *n += 1);
    }

    /// What reading every metric again would cost now, micro-dollars: what the last full rounds
    /// cost. 0 where calls are free.
    pub fn refresh_cost_micro_usd(&self) -> u64 {
        let costs = self.shared.round_costs.lock().unwrap_or_else(PoisonError::into_inner);
        costs.values().sum()
    }

    /// Says which instances are on screen, so that their metrics are fetched first.
    pub fn set_viewport(&self, ids: impl IntoIterator<Item = Arc<str>>) {
        let mut viewport = self.shared.viewport.lock().unwrap_or_else(PoisonError::into_inner);
        *viewport = ids.into_iter().collect();
    }

    /// Replays `policy` over what the cache holds of the newest fleet, `days` days back. Asks nobody.
    pub async fn backtest(&self, policy: Policy, days: u32) -> Backtest {
        let fleet = self.shared.live.fleet();
        let replay = Replay::new(vec![policy], self.shared.now(), days);
        backtest::of_fleet(&self.shared, &fleet, replay).await
    }

    /// Says which hosts are looked at closely, by instance id or name of the node: their GPUs are
    /// read at the rate of each source's closer look. Empty for none.
    pub fn focus_gpus(&self, hosts: Vec<Arc<str>>) {
        self.shared.live.focus(hosts);
    }

    /// The past of a GPU: of the first source, best first, that has a memory and knows it; else what
    /// was seen of it since the start. Without traces when nobody knows anything.
    pub async fn gpu_history(&self, key: &GpuKey) -> GpuHistory {
        live::history(&self.shared, key).await
    }

    /// Looks up who launched an instance, where it idles, its tags name nobody and nobody looked before; the answer comes with
    /// a fleet.
    pub fn ask_about(&self, instance: Arc<str>) {
        self.shared.wanted.add(instance);
    }

    /// Begins to read all storage that was chosen, because a screen shows it.
    pub fn want_storage(&self) {
        self.shared.storage.want();
    }

    /// Takes the scan of a bucket or directory into the picture of storage.
    pub async fn scanned(&self, scan: Arc<Scan>) {
        self.shared.storage.scanned(scan).await;
    }

    /// Takes the uploads of a bucket that were begun and not completed into the picture of storage.
    pub async fn uploads(&self, bucket: Arc<str>, uploads: IncompleteUploads) {
        self.shared.storage.tell(storage::Input::Uploads { bucket, uploads }).await;
    }

    /// Ends all tasks.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }
}

impl Shared {
    /// Charges calls to the ledger before they are made; nothing where calls are free.
    async fn charge(&self, api: BilledApi, units: u64) -> Result<(), SourceError> {
        if !self.settings.billed || units == 0 {
            return Ok(());
        }
        let charged = self.ledger.charge(api, units, self.now()).await;
        charged.map_err(|refused| refused.error(api.name()))
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// What the last run left of `scope`; empty the second time.
    fn recall(&self, scope: &Scope) -> facts::Remembered {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.remove(scope).unwrap_or_default()
    }

    fn viewport(&self) -> HashSet<Arc<str>> {
        self.viewport.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What [`start`] and [`once`] run on.
pub struct Parts {
    /// The accounts.
    pub accounts: Vec<Account>,
    /// Settings.
    pub settings: Settings,
    /// The policy to judge by.
    pub policy: Arc<Policy>,
    /// The clock.
    pub clock: Clock,
    /// The cache.
    pub cache: Cache,
    /// The own-cost ledger.
    pub ledger: Ledger,
    /// Sources of GPU telemetry.
    pub gpu_sources: Vec<Arc<dyn GpuSource>>,
    /// What the judgement of GPUs goes by.
    pub gpu_rules: Arc<GpuRules>,
    /// Records what the sources answer; `None` without a recording.
    pub recorder: Option<Recorder>,
    /// Is played; accounts and sources are empty then.
    pub tape: Option<Tape>,
}

/// Events that may wait to be joined into pictures.
const EVENTS: usize = 64;

/// Starts the bus on the current runtime; it runs until [`Handle::stop`].
pub fn start(parts: Parts, events: mpsc::Sender<Event>) -> Handle {
    let (handle, accounts) = share(parts);
    let (raw, read) = mpsc::channel(EVENTS);
    tokio::spawn(pictures::run(handle.shared.clone(), read, events));
    let shared = handle.shared.clone();
    tokio::spawn(async move {
        run(shared, accounts, raw, false).await;
    });
    handle
}

/// Reads every account and every source of GPUs once and returns the fleet; for reports.
pub async fn once(parts: Parts) -> Outcome {
    let (handle, accounts) = share(parts);
    read_once(handle.shared, accounts).await
}

async fn read_once(shared: Arc<Shared>, accounts: Vec<Account>) -> Outcome {
    let (tx, mut rx) = mpsc::channel(EVENTS);
    let run = tokio::spawn(run(shared.clone(), accounts, tx, true));
    let settings = &shared.settings;
    let mut outcome = Outcome {
        savings_rules: settings.savings.rules.clone(),
        tag_keys: settings.tag_keys.clone(),
        ..Outcome::default()
    };
    let mut troubles = Vec::new();
    while let Some(event) = rx.recv().await {
        match event {
            Event::Fleet(fleet) => outcome.fleet = fleet,
            Event::Gpus(gpus) => outcome.gpus = gpus,
            Event::StorageFacts(facts) => outcome.storage = facts,
            Event::SavingsFacts(facts) => outcome.savings = facts,
            Event::BurnPast(past) => outcome.past = Some(past),
            Event::NoCredentials(error) => outcome.no_credentials = Some(error),
            // One account that answers is enough, whoever was first.
            Event::Account(_) => outcome.no_credentials = None,
            Event::Source { reading, error: Some(_), .. } => troubles.push(reading),
            _ => {}
        }
    }
    let _ = run.await;
    outcome.own_cost = shared.ledger.today(shared.now()).await;
    // A host or a GPU that failed, of a source that works: the screen logs it, a report has one
    // place for what is missing.
    let failed = |r: &Reading| matches!(r.state, crate::domain::SourceState::Failed(_));
    let known = |t: &Reading| {
        let mut all = outcome.fleet.readings.iter();
        all.any(|r| failed(r) && r.source == t.source && r.scope == t.scope)
    };
    troubles.retain(|trouble| !known(trouble));
    let (mut of_gpus, others) = troubles.into_iter().partition(|t: &Reading| t.source.is_gpu());
    outcome.parts = others;
    if !of_gpus.is_empty() {
        Arc::make_mut(&mut outcome.fleet).readings.append(&mut of_gpus);
    }
    outcome
}

/// What one round of reading brought.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The fleet as far as it could be read.
    pub fleet: Arc<Fleet>,
    /// The GPUs as far as they could be read.
    pub gpus: Arc<GpuFleet>,
    /// Storage as far as it could be read; [`Self::storage_picture`] joins it.
    pub storage: Arc<StorageFacts>,
    /// Commitments, the Spot market and resources as far as they could be read;
    /// [`Self::savings_picture`] says what could be saved.
    pub savings: Arc<SavingsFacts>,
    /// What is known of the burn before now; `None` where there is no past.
    pub past: Option<Arc<BurnPast>>,
    /// What burntop itself cost today; `None` where the ledger does not answer.
    pub own_cost: Option<OwnCost>,
    /// What failed of sources that answered otherwise, GPUs aside: those stand in the fleet's readings.
    pub parts: Vec<Reading>,
    /// Set when no account could be asked for want of credentials.
    pub no_credentials: Option<Arc<SourceError>>,
    /// What savings are judged by.
    pub(crate) savings_rules: SavingsRules,
    /// Tag keys that mean team, project, environment, cost center.
    pub(crate) tag_keys: TagKeys,
}

fn share(parts: Parts) -> (Handle, Vec<Account>) {
    let shared = Arc::new(Shared {
        tap: Tap::new(parts.recorder, parts.clock.clone()),
        tape: parts.tape,
        clock: parts.clock,
        cache: parts.cache,
        ledger: parts.ledger,
        policy: watch::channel(parts.policy).0,
        refresh: watch::channel(0).0,
        force: watch::channel(0).0,
        look: watch::channel(0).0,
        viewport: Mutex::default(),
        live: live::LiveState::new(parts.gpu_sources, parts.gpu_rules),
        storage: storage::StorageState::new(parts.settings.storage.clone()),
        wanted: ask::Wanted::default(),
        savings: savings::SavingsState::default(),
        settings: parts.settings,
        remembered: Mutex::default(),
        started: tokio::time::Instant::now(),
        round_costs: Mutex::default(),
        history: OnceLock::new(),
        stop: CancellationToken::new(),
    });
    (Handle { shared }, parts.accounts)
}

async fn run(
    shared: Arc<Shared>,
    accounts: Vec<Account>,
    events: mpsc::Sender<Event>,
    only_once: bool,
) {
    let (updates, inbox) = mpsc::channel(256);
    let selection: Vec<_> = accounts
        .iter()
        .map(|account| (account.provider.label().to_owned(), account.regions.clone()))
        .collect();
    let policy = shared.policy.subscribe();
    let mut cached = facts::load(&shared, &selection).await;
    let remembered = std::mem::take(&mut cached.remembered);
    shared.tap.start(&cached);
    let mut tasks = tokio::task::JoinSet::new();
    let (unread, listed) = mpsc::channel(1);
    let inventories = relay(shared.clone(), listed);
    let over = CancellationToken::new();
    let channels = live::Channels {
        updates: updates.clone(),
        events: events.clone(),
        inventories,
        over: over.clone(),
    };
    let live = tokio::spawn(live::run(shared.clone(), channels, only_once));
    let (inputs, board) = storage::start(&shared, &selection, events.clone(), only_once).unzip();
    let known = savings::Known { selection: selection.clone(), scopes: cached.claims.clone() };
    let (savings, picture) =
        savings::start(&shared, &accounts, known, &updates, events.clone(), only_once).unzip();
    if !shared.settings.offline {
        *shared.remembered.lock().unwrap_or_else(PoisonError::into_inner) = remembered;
        for account in accounts {
            let channels = account::Channels {
                updates: updates.clone(),
                storage: inputs.clone(),
                savings: savings.clone(),
                unread: unread.clone(),
            };
            tasks.spawn(account::run(shared.clone(), account, channels, only_once));
        }
    }
    tasks.spawn(billed::run(shared.clone(), updates.clone(), only_once));
    tasks.spawn(beside_jobs::run(shared.clone(), updates.clone(), only_once));
    drop(unread);
    drop(inputs);
    drop(savings);
    let rejudge_first = cached.other_policy && (shared.settings.offline || !only_once);
    tasks.spawn(rejudge::on_policy_change(
        shared.clone(),
        policy,
        selection,
        updates.clone(),
        rejudge_first,
        only_once,
    ));
    // The world ends when the last task has dropped its sender.
    drop(updates);
    world::run(&shared, cached, inbox, &events, only_once).await;
    over.cancel();
    let _ = live.await;
    for board in board.into_iter().chain(picture) {
        let _ = board.await;
    }
    tasks.shutdown().await;
}

/// Hands on that every inventory was read, or could not be: when the last sender of `listed` is
/// gone, so is the one of the channel given back.
fn relay(shared: Arc<Shared>, mut listed: mpsc::Receiver<()>) -> mpsc::Receiver<()> {
    let (relay, inventories) = mpsc::channel(1);
    tokio::spawn(async move {
        while listed.recv().await.is_some() {}
        shared.savings.listed.cancel();
        drop(relay);
    });
    inventories
}

/// The longest any single call may take, whatever its own time-outs say.
const CALL_LIMIT: Duration = Duration::from_mins(1);

/// Runs a call under [`CALL_LIMIT`].
async fn guarded<T>(
    operation: &str,
    call: impl Future<Output = Result<T, SourceError>>,
) -> Result<T, SourceError> {
    tokio::time::timeout(CALL_LIMIT, call).await.unwrap_or_else(|_| {
        Err(SourceError::new(
            ErrorKind::Timeout,
            operation,
            "no answer within a minute",
            "check the network path to the endpoint; burntop goes on trying",
        ))
    })
}
