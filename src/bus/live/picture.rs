//! The one task that makes the picture of the GPUs, and publishes it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::debounce::Debounce;
use super::super::facts::{kind, of_all_gpus};
use super::super::starts::{Seen, Starts};
use super::super::{Event, Shared};
use super::board::Board;
use super::book::{HourBook, KEEP_HOURS};
use super::rollup::Rollup;
use super::summary::Stored;
use super::{Input, Teller, summary, teller};
use crate::analyze::gpu::{GpuRules, Watch, WatchInput};
use crate::analyze::jobs::KeptHolders;
use crate::cache::GpuHours;
use crate::domain::{GpuHistory, GpuKey, GpuReason, GpuTrace, Hour, IdleStarts, Sweep};
use crate::fleet::Fleet;
use crate::fleet::gpu::{GpuFleet, GpuRow};

/// What idling has cost, and what is stale, follows from the time: the picture is made anew this
/// often when nothing else asks for it.
const AGAIN: Duration = Duration::from_mins(1);
/// A stored picture is at most this old while the GPUs are watched.
const SUMMARY_EVERY: Duration = Duration::from_mins(1);
/// The picture of the last run stays on screen for so long when a source does not answer.
const HOLD: Duration = Duration::from_secs(20);

/// State that the worker keeps from picture to picture.
#[derive(Default)]
struct Memory {
    watch: Watch,
    rollup: Rollup,
    starts: Starts,
    /// True when these are others than the cache holds.
    unsaved: bool,
}

impl Memory {
    /// State that the last run left.
    async fn from_cache(shared: &Shared) -> Box<Self> {
        let starts = Starts::from_cache(shared, kind::GPU_STARTS, &of_all_gpus()).await;
        Box::new(Self { starts, ..Self::default() })
    }

    /// The starts that the cache shall hold from now on, where these are others.
    fn unsaved(&mut self, now: Timestamp) -> Option<Starts> {
        let oldest = Hour::containing(now).plus(-KEEP_HOURS);
        std::mem::take(&mut self.unsaved).then(|| {
            // No hours are left that could lead back to one that ended before.
            self.starts.retain(|_, start| start.until >= oldest);
            self.starts.clone()
        })
    }
}

/// Input of one picture.
struct Job {
    memory: Box<Memory>,
    version: u64,
    now: Timestamp,
    sweeps: Vec<Arc<Sweep>>,
    intervals: Arc<HashMap<Teller, Duration>>,
    fleet: Arc<Fleet>,
    rules: Arc<GpuRules>,
    book: Arc<HourBook>,
    /// Who holds GPUs, by the sources of jobs; `None` until that was read.
    holders: Option<Arc<KeptHolders>>,
    /// True where sources of jobs are read beside the GPUs.
    has_jobs: bool,
    /// The picture on screen.
    shown: Option<Arc<GpuFleet>>,
    /// True when it is time to store it.
    store: bool,
}

/// Result of a job.
struct Made {
    memory: Box<Memory>,
    fleet: Arc<GpuFleet>,
    /// True when it looks different from what is on screen.
    news: bool,
    /// Hours that are over, seen by burntop itself.
    closed: Vec<GpuHours>,
    summary: Option<Stored>,
    /// Since when GPUs idle, where it is time to store it and others do than before.
    starts: Option<Starts>,
}

impl Job {
    fn run(mut self) -> Made {
        let (memory, rules) = (&mut *self.memory, self.rules.idleness());
        let mut fleet = memory.watch.picture(WatchInput {
            version: self.version,
            now: self.now,
            sweeps: &self.sweeps,
            intervals: &self.intervals,
            fleet: &self.fleet,
            rules: &self.rules,
            hours: &self.book.hours,
            starts: memory.starts.of(&rules),
        });
        match &self.holders {
            Some(holders) if !holders.is_empty() => fleet.rows = holders.named(&fleet, self.now),
            None if self.has_jobs => fleet.rows.iter_mut().for_each(jobs_unread),
            _ => {}
        }
        let fleet = Arc::new(fleet);
        let seen = fleet.rows.iter().map(|r| (&r.id, Seen::of_gpu(r, self.rules.idle_below)));
        memory.unsaved |= memory.starts.note(&rules, seen);
        for row in &fleet.rows {
            memory.rollup.see(row, &self.intervals);
        }
        let closed = memory.rollup.close(self.now, &self.intervals);
        let starts = if self.store { memory.unsaved(self.now) } else { None };
        let news = self.shown.is_none_or(|shown| !looks_the_same(&shown, &fleet));
        let summary = self.store.then(|| Stored::of(&fleet)).flatten();
        Made { memory: self.memory, fleet, news, closed, summary, starts }
    }
}

struct Picture<'a> {
    shared: &'a Shared,
    intervals: Arc<HashMap<Teller, Duration>>,
    board: Board,
    /// `None` while the worker has it.
    memory: Option<Box<Memory>>,
    /// Starts that a tape begins with, until the worker has them.
    played: IdleStarts,
    version: u64,
    shown: Option<Arc<GpuFleet>>,
    /// When the last picture was begun.
    made: Instant,
    stored: Option<Instant>,
    /// Sources that have not answered yet, while the picture of the last run is on screen.
    awaited: HashSet<Teller>,
    /// The day and hour in which old hours were last forgotten.
    tidied: Hour,
}

/// Runs until the bus stops; with `only_once` until all that comes in has come and the world has
/// ended.
pub(super) async fn run(
    shared: &Shared,
    mut inbox: mpsc::Receiver<Input>,
    events: &mpsc::Sender<Event>,
    over: &CancellationToken,
    only_once: bool,
) {
    let memory = Memory::from_cache(shared).await;
    if let Some(starts) = memory.starts.of(&shared.live.rules.idleness()) {
        shared.tap.gpu_starts(starts);
    }
    let mut picture = Picture::new(shared, memory);
    if only_once {
        while let Some(input) = inbox.recv().await {
            let news = picture.take(input);
            // What is played all at once is pictured step by step, as it was.
            if shared.tape.is_some() && news {
                let job = picture.job();
                let made = tokio::task::spawn_blocking(move || job.run()).await;
                picture.publish(made.ok(), events).await;
            }
        }
        over.cancelled().await;
        let job = picture.job();
        let made = tokio::task::spawn_blocking(move || job.run()).await;
        picture.publish(made.ok(), events).await;
        return;
    }
    if summary::is_remembered(shared).await {
        picture.awaited = shared.live.sources.iter().map(|s| teller(&**s)).collect();
    }
    // No `board::run`: a picture is made on a worker, is also due by time alone, and waits for the
    // sources that the picture of the last run is of.
    let mut nothing_yet = !picture.awaited.is_empty();
    let hold = Instant::now() + HOLD;
    let mut fleet = shared.live.fleet.subscribe();
    fleet.mark_changed();
    let mut running: Option<JoinHandle<Made>> = None;
    let mut debounce = Debounce::default();
    let mut open = true;
    loop {
        let begin = match (&running, picture.memory.is_some()) {
            (None, true) if !nothing_yet => {
                let again = picture.made + AGAIN;
                let at = debounce.due().map_or(again, |at| at.min(again));
                Some(if picture.awaited.is_empty() { at } else { hold })
            }
            _ => None,
        };
        let made = async {
            match &mut running {
                Some(made) => made.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => break,
            made = made => {
                running = None;
                picture.publish(made.ok(), events).await;
            }
            () = sleep_until(begin.unwrap_or(hold)), if begin.is_some() => {
                debounce.clear();
                picture.awaited.clear();
                let job = picture.job();
                running = Some(tokio::task::spawn_blocking(move || job.run()));
            }
            changed = fleet.changed() => {
                if changed.is_ok() {
                    debounce.start();
                }
            }
            input = inbox.recv(), if open => match input {
                Some(input) => {
                    // Until somebody has answered, what the last run saw stays, with its age.
                    nothing_yet &= !matches!(input, Input::Sweep(_));
                    if picture.take(input) {
                        debounce.start();
                    }
                }
                None => open = false,
            },
        }
    }
    // The worker may be at it still; what is on screen is what is kept.
    if let Some(stored) = picture.shown.as_deref().and_then(Stored::of) {
        stored.keep(shared).await;
    }
    let now = shared.now();
    if let Some(starts) = picture.memory.as_mut().and_then(|memory| memory.unsaved(now)) {
        picture.keep(&starts).await;
    }
}

impl<'a> Picture<'a> {
    fn new(shared: &'a Shared, memory: Box<Memory>) -> Self {
        Self {
            shared,
            intervals: Arc::new(shared.live.intervals()),
            board: Board::default(),
            memory: Some(memory),
            played: IdleStarts::new(),
            version: 0,
            shown: None,
            made: Instant::now(),
            stored: None,
            awaited: HashSet::new(),
            tidied: Hour::containing(shared.now()),
        }
    }

    /// Takes in what came; true when it is worth a picture.
    fn take(&mut self, input: Input) -> bool {
        match input {
            Input::Sweep(sweep) => {
                let was_awaited = self.awaited.remove(&(sweep.source, sweep.origin.clone()));
                self.board.take(sweep) || was_awaited
            }
            Input::Starts(starts) => {
                self.played = starts;
                false
            }
            Input::Failed(teller) => self.awaited.remove(&teller),
            Input::Taken(answer) => {
                let _ = answer.send(());
                false
            }
            Input::Track(key, answer) => {
                // Whoever asked may have gone on.
                let _ = answer.send(self.track(&key));
                false
            }
        }
    }

    /// Input of a picture of now.
    fn job(&mut self) -> Job {
        self.version += 1;
        self.made = Instant::now();
        let mut memory = self.memory.take().unwrap_or_default();
        let played = std::mem::take(&mut self.played);
        let seen = played.iter().map(|(id, start)| (id, Seen::Idle(start.clone())));
        memory.starts.note(&self.shared.live.rules.idleness(), seen);
        let store = self.stored.is_none_or(|at| at.elapsed() >= SUMMARY_EVERY);
        if store {
            self.stored = Some(self.made);
        }
        Job {
            memory,
            version: self.version,
            now: self.shared.now(),
            sweeps: self.board.sweeps(),
            intervals: self.intervals.clone(),
            fleet: self.shared.live.fleet.borrow().clone(),
            rules: self.shared.live.rules.clone(),
            book: self.shared.live.book(),
            holders: self.shared.live.holders.borrow().clone(),
            has_jobs: self.shared.settings.jobs.is_some(),
            shown: self.shown.clone(),
            store,
        }
    }

    /// Publishes what the worker made. One that died of a defect is followed by another, which has
    /// the sweeps and the hours, and has lost what was seen between.
    async fn publish(&mut self, made: Option<Made>, events: &mpsc::Sender<Event>) {
        let Some(made) = made else {
            tracing::error!("the picture of the GPUs ended in a defect of burntop");
            self.memory = Some(Memory::from_cache(self.shared).await);
            return;
        };
        self.memory = Some(made.memory);
        if made.news {
            self.shown = Some(made.fleet.clone());
            // The receiver may be gone; nobody is left to tell then.
            let _ = events.send(Event::Gpus(made.fleet)).await;
        }
        if let Some(stored) = made.summary {
            stored.keep(self.shared).await;
        }
        if let Some(starts) = made.starts {
            self.keep(&starts).await;
        }
        let live = &self.shared.live;
        for hours in made.closed {
            if live.is_forgetful(&(hours.source, hours.origin.clone())) {
                self.shared.tap.hours(&hours);
                live.learn(&self.shared.cache, hours).await;
            }
        }
        self.tidy();
    }

    /// Keeps since when GPUs idle.
    async fn keep(&self, starts: &Starts) {
        let cache = &self.shared.cache;
        cache.put(kind::GPU_STARTS, &of_all_gpus(), self.shared.now(), starts).await;
    }

    /// Once an hour, drops hours that nothing uses.
    fn tidy(&mut self) {
        let hour = Hour::containing(self.shared.now());
        if hour != self.tidied {
            self.tidied = hour;
            self.shared.live.write(|book| book.forget_before(hour.plus(-KEEP_HOURS)));
        }
    }

    /// Effective activity of a GPU over the last samples.
    fn track(&self, key: &GpuKey) -> GpuHistory {
        let row = self.shown.iter().flat_map(|f| &f.rows).find(|row| row.key == *key);
        let Some(row) = row.filter(|row| row.trail.iter().len() > 1) else {
            return GpuHistory::default();
        };
        let every = row
            .told
            .first()
            .and_then(|told| self.intervals.get(&(told.source, told.origin.clone())))
            .map_or(30, |every| every.as_secs().max(1));
        let span = SignedDuration::from_secs((row.trail.iter().len() as i64 - 1) * every as i64);
        let trace = GpuTrace { signal: None, values: row.trail.iter().collect() };
        GpuHistory {
            from: row.sample.taken_at.checked_sub(span).ok(),
            step_s: u32::try_from(every).unwrap_or(u32::MAX),
            traces: vec![trace],
        }
    }
}

/// A GPU that telemetry calls unallocated may be a job's: who holds it is not known before that is read.
fn jobs_unread(row: &mut Arc<GpuRow>) {
    if row.verdict.reason == GpuReason::Unallocated && row.sample.owner.is_nobody() {
        Arc::make_mut(&mut Arc::make_mut(row).verdict).reason = GpuReason::JobsUnread;
    }
}

/// True when two pictures differ in nothing but version and time of the join.
fn looks_the_same(a: &GpuFleet, b: &GpuFleet) -> bool {
    a.rows.len() == b.rows.len()
        && a.totals == b.totals
        && a.rows.iter().zip(&b.rows).all(|(a, b)| Arc::ptr_eq(a, b) || same_row(a, b))
        && a.blind == b.blind
}

fn same_row(a: &GpuRow, b: &GpuRow) -> bool {
    a.key == b.key
        && a.sample == b.sample
        && a.wasted_usd == b.wasted_usd
        && a.verdict == b.verdict
        && a.told == b.told
        && (a.usd_per_hour, a.waste_usd_per_hour) == (b.usd_per_hour, b.waste_usd_per_hour)
        && (&a.team, &a.model, a.equivalents) == (&b.team, &b.model, b.equivalents)
        && a.disagreement == b.disagreement
        && a.node == b.node
        && a.trail == b.trail
}
