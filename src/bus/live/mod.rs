//! The GPUs, live: tasks per source of telemetry, and one that makes the picture.
//!
//! ```text
//!  GpuSource ──► sweeper (everything each 15–30 s; what is in focus more often)
//!     │            │ Sweep
//!     │            ▼
//!     │          picture (one task; the heavy part on a worker) ──► Event::Gpus
//!     │            │ hours of sources without a memory
//!     ▼            ▼
//!   fill ────► GpuHours ──► book of hours ──► cache, the picture, the idle verdicts
//! ```
//!
//! A source that hangs or fails delays no other. What sources say comes in at two points:
//! [`Sweep`]s at the picture, [`GpuHours`] at [`LiveState::learn`]; how they are doing goes to the world
//! like that of every source.

mod board;
mod book;
mod evidence;
mod fill;
mod history;
mod picture;
mod rollup;
mod summary;
mod sweeper;
#[cfg(test)]
mod tests;
mod trouble;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(super) use evidence::{Evidence, is_whole, needed};
pub(super) use history::history;
pub use summary::{first_gpus_key, read_gpus};

use super::tape::{Played, Tape};
use super::world::Update;
use super::{Event, Shared};
use crate::analyze::gpu::GpuRules;
use crate::analyze::jobs::KeptHolders;
use crate::cache::{Cache, GpuHours};
use crate::domain::{GpuHistory, GpuKey, IdleStarts, SourceId, Sweep};
use crate::fleet::Fleet;
use crate::source::{GpuHost, GpuSource};
use book::HourBook;

/// Which source: its kind, and which one of its kind.
pub(super) type Teller = (SourceId, Arc<str>);

/// A report waits this long for the instances before it asks the sources of GPUs without them.
const HOSTS_WITHIN: Duration = Duration::from_secs(10);

/// What the tasks of this folder share with the rest of the bus.
pub(super) struct LiveState {
    /// The sources, best first.
    pub sources: Vec<Arc<dyn GpuSource>>,
    /// What the judgement goes by.
    pub rules: Arc<GpuRules>,
    /// Hosts that are looked at closely.
    focus: watch::Sender<Arc<[Arc<str>]>>,
    /// The world's newest picture.
    fleet: watch::Sender<Arc<Fleet>>,
    /// Running instances with accelerators, made of it.
    hosts: watch::Sender<Arc<[GpuHost]>>,
    /// Who holds GPUs, by the sources of jobs; `None` until that was read.
    holders: watch::Sender<Option<Arc<KeptHolders>>>,
    /// Closed hours of GPUs.
    book: Mutex<Arc<HourBook>>,
    /// Sources that cannot be asked for hours.
    forgetful: Mutex<HashSet<Teller>>,
    /// Slices of hours asked for at once, of all sources together.
    slices: Semaphore,
    /// Grows when the hours that a source remembers have all been asked for.
    filled: watch::Sender<u64>,
    /// Cancelled when the book has what can be had at the start.
    ready: CancellationToken,
    /// The way to the picture, while it is made.
    inputs: Mutex<Option<mpsc::WeakSender<Input>>>,
}

/// What comes in for the picture.
pub(super) enum Input {
    /// A source has looked.
    Sweep(Sweep),
    /// Since when GPUs idle, as a tape begins with it.
    Starts(IdleStarts),
    /// A source could not look: the picture need not wait for it.
    Failed(Teller),
    /// Somebody wants to know when all before it was taken in.
    Taken(tokio::sync::oneshot::Sender<()>),
    /// Somebody wants to know what was seen of a GPU since the start.
    Track(GpuKey, tokio::sync::oneshot::Sender<GpuHistory>),
}

impl LiveState {
    /// The state over `sources`, best first.
    pub fn new(sources: Vec<Arc<dyn GpuSource>>, rules: Arc<GpuRules>) -> Self {
        Self {
            sources,
            rules,
            focus: watch::channel(Arc::default()).0,
            fleet: watch::channel(Arc::default()).0,
            hosts: watch::channel(Arc::default()).0,
            holders: watch::channel(None).0,
            book: Mutex::default(),
            forgetful: Mutex::default(),
            slices: Semaphore::new(2),
            filled: watch::channel(0).0,
            ready: CancellationToken::new(),
            inputs: Mutex::default(),
        }
    }

    /// Activity of a GPU since the start; empty where no picture is made.
    async fn track(&self, key: &GpuKey) -> GpuHistory {
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(inputs) = inputs.and_then(|weak| weak.upgrade()) else {
            return GpuHistory::default();
        };
        let (answer, answered) = tokio::sync::oneshot::channel();
        if inputs.send(Input::Track(key.clone(), answer)).await.is_err() {
            return GpuHistory::default();
        }
        drop(inputs);
        answered.await.unwrap_or_default()
    }

    /// Looks closely at `hosts` from now on.
    pub fn focus(&self, hosts: Vec<Arc<str>>) {
        self.focus.send_if_modified(|old| {
            let new = **old != *hosts;
            if new {
                *old = hosts.into();
            }
            new
        });
    }

    /// Takes over who holds GPUs by the sources of jobs; the next picture shows it.
    pub fn hold(&self, kept: &Arc<KeptHolders>) {
        self.holders.send_replace(Some(kept.clone()));
    }

    /// The world's newest picture.
    pub fn fleet(&self) -> Arc<Fleet> {
        self.fleet.borrow().clone()
    }

    /// Takes the world's newest picture over; the same rows again are no news.
    pub fn see(&self, fleet: &Arc<Fleet>) {
        self.fleet.send_if_modified(|old| {
            let new = old.version != fleet.version;
            if new {
                *old = fleet.clone();
            }
            new
        });
        self.hosts.send_if_modified(|old| {
            let hosts = hosts(fleet);
            let new = **old != *hosts;
            if new {
                *old = hosts;
            }
            new
        });
    }

    /// Takes over what the GPUs of a source did in a closed hour, for good.
    pub async fn learn(&self, cache: &Cache, hours: GpuHours) {
        let hours = Arc::new(hours);
        self.write(|book| book.add(&hours));
        cache.store_gpu_hours(hours).await;
    }

    /// The book as it is now.
    fn book(&self) -> Arc<HourBook> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write<T>(&self, change: impl FnOnce(&mut HourBook) -> T) -> T {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut book))
    }

    /// How often the hours of a source have been completed.
    pub fn filled(&self) -> u64 {
        *self.filled.borrow()
    }

    /// Waits until the book has what can be had at the start, `at_most` so long.
    pub async fn ready(&self, at_most: Duration) {
        let _ = tokio::time::timeout(at_most, self.ready.cancelled()).await;
    }

    fn is_forgetful(&self, teller: &Teller) -> bool {
        self.forgetful.lock().unwrap_or_else(PoisonError::into_inner).contains(teller)
    }

    fn cannot_remember(&self, teller: Teller) {
        self.forgetful.lock().unwrap_or_else(PoisonError::into_inner).insert(teller);
    }

    /// Time between two sweeps, by source.
    fn intervals(&self) -> HashMap<Teller, Duration> {
        self.sources.iter().map(|s| (teller(&**s), s.every())).collect()
    }
}

/// The name of a source.
fn teller(source: &dyn GpuSource) -> Teller {
    (source.source(), source.origin().clone())
}

/// Running instances with accelerators.
fn hosts(fleet: &Fleet) -> Arc<[GpuHost]> {
    let rows = fleet.rows.iter().filter(|row| row.instance.state.is_billed());
    rows.filter(|row| row.spec.as_ref().is_some_and(|spec| spec.accelerator.is_some()))
        .map(|row| GpuHost { instance: row.instance.clone(), spec: row.spec.clone() })
        .collect()
}

/// Where the tasks of this folder come from and go to.
pub(super) struct Channels {
    /// To the world.
    pub updates: mpsc::Sender<Update>,
    /// To whoever runs the bus.
    pub events: mpsc::Sender<Event>,
    /// Closed when every inventory was read or could not be.
    pub inventories: mpsc::Receiver<()>,
    /// Cancelled when the world has made its last picture.
    pub over: CancellationToken,
}

/// Runs everything about GPUs until the bus stops; with `only_once` until each source was read once
/// and the world has ended.
pub(super) async fn run(shared: Arc<Shared>, channels: Channels, only_once: bool) {
    let Channels { updates, events, mut inventories, over } = channels;
    let (inputs, inbox) = mpsc::channel(64);
    if shared.settings.offline {
        shared.live.ready.cancel();
        drop((updates, inputs));
        return summary::show_remembered(&shared, &events).await;
    }
    book::load(&shared).await;
    *shared.live.inputs.lock().unwrap_or_else(PoisonError::into_inner) = Some(inputs.downgrade());
    let mut tasks = JoinSet::new();
    let (looks, context) = (shared.clone(), updates.clone());
    tasks.spawn(async move {
        if let Some(tape) = &looks.tape {
            looks.live.ready.cancel();
            return play(&looks, tape, &context, &inputs).await;
        }
        if only_once && !looks.live.sources.is_empty() {
            let all_read = async {
                while inventories.recv().await.is_some() {}
                let (answer, shown) = tokio::sync::oneshot::channel();
                if context.send(Update::Seen(answer)).await.is_ok() {
                    let _ = shown.await;
                }
            };
            let _ = tokio::time::timeout(HOSTS_WITHIN, all_read).await;
        }
        let mut all = JoinSet::new();
        for source in looks.live.sources.clone() {
            let ctx = sweeper::Context {
                shared: looks.clone(),
                source,
                updates: context.clone(),
                inputs: inputs.clone(),
                only_once,
            };
            all.spawn(sweeper::run(ctx.clone()));
            all.spawn(fill::run(ctx));
        }
        drop((context, inputs));
        if !only_once {
            // The book is as good as the cache made it; what the sources know comes later.
            looks.live.ready.cancel();
        }
        while all.join_next().await.is_some() {}
        looks.live.ready.cancel();
    });
    drop(updates);
    picture::run(&shared, inbox, &events, &over, only_once).await;
    tasks.shutdown().await;
}

/// Takes in what a tape says, each when its time has come.
async fn play(
    shared: &Shared,
    tape: &Tape,
    updates: &mpsc::Sender<Update>,
    inputs: &mpsc::Sender<Input>,
) {
    let mut said = tape.play();
    while let Some(entry) = said.recv().await {
        let policy = shared.policy.borrow().clone();
        tape.clock().reached(entry.at);
        match Played::of(entry.said, &policy) {
            Played::World(update) => {
                let _ = updates.send(update).await;
            }
            Played::Sweep(sweep) => {
                let _ = inputs.send(Input::Sweep(sweep)).await;
                // The clock does not run ahead of the picture.
                let (answer, answered) = tokio::sync::oneshot::channel();
                if inputs.send(Input::Taken(answer)).await.is_ok() {
                    let _ = answered.await;
                }
            }
            Played::GpuStarts(starts) => {
                let _ = inputs.send(Input::Starts(starts)).await;
            }
            Played::Hours(hours) => shared.live.learn(&shared.cache, hours).await,
        }
    }
}
