//! The stage of a trial: virtual time, processes that can be killed at any step, and the loop that
//! polls them. Nothing here knows a real clock, and the same seed plays the same trial.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use jiff::Timestamp;

use super::cloud::{Cloud, Request};
use super::counts::Counts;
use super::disk::DiskState;
use super::faults::{Bug, Fuse, Rates};
use super::judge::Log;
use super::observations::Observations;
use crate::act::exec::pace::{Stage, on_stage};
use crate::act::plan::Plan;

/// Milliseconds since 1970.
pub type Ms = i64;

pub const SECOND: Ms = 1_000;
pub const MINUTE: Ms = 60 * SECOND;
pub const HOUR: Ms = 60 * MINUTE;

/// A trial that lasts longer than this (virtual time) does not end.
const PATIENCE: Ms = 24 * HOUR;

pub fn stamp(at: Ms) -> Timestamp {
    Timestamp::from_millisecond(at).unwrap()
}

/// A process of burntop.
#[derive(Default)]
pub struct Process {
    pub alive: bool,
    /// When it is killed; `None` for one that is left alone.
    pub fuse: Option<Fuse>,
    /// The runs that it announced on the disk.
    pub runs: Vec<String>,
    /// What it was confirmed to do.
    pub plan: Option<Arc<Plan>>,
    /// The rows that were confirmed.
    pub confirmed: BTreeSet<Arc<str>>,
    pub observations: Observations,
}

/// Something that happens by itself.
pub enum Event {
    /// A request reaches the service, whether or not its sender still lives.
    Arrive(Box<Request>),
    /// Somebody else does something.
    Somebody(Deed),
}

/// What others do to an instance while burntop runs.
#[derive(Clone, Debug)]
pub struct Deed {
    pub index: usize,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Protect,
    Exempt,
    Relaunch,
    ChangeType,
    Terminate,
    Stop,
    LoseTelemetry,
}

impl What {
    /// What hurts most between a look and a call.
    pub const AT_WORST: [Self; 8] = [
        Self::Protect,
        Self::Protect,
        Self::Protect,
        Self::Exempt,
        Self::Relaunch,
        Self::ChangeType,
        Self::Terminate,
        Self::Stop,
    ];
}

pub struct World {
    pub now: Ms,
    seq: u64,
    timers: BTreeMap<(Ms, u64), Waker>,
    pub events: BTreeMap<(Ms, u64), Event>,
    pub rng: fastrand::Rng,
    pub rates: Rates,
    pub bug: Option<Bug>,
    pub disk: DiskState,
    pub cloud: Cloud,
    pub processes: Vec<Process>,
    pub counts: Counts,
    /// What happened, for the report of a failure.
    pub trace: Vec<String>,
    /// What must not have happened.
    pub violations: Vec<String>,
    pub log: Log,
    /// Nothing may be written at all.
    pub read_only: bool,
    /// The cap of the run.
    pub max_instances: u32,
}

/// The world, shared by everything in it.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<World>>);

impl World {
    pub fn new(seed: u64, start: Ms, rates: Rates, bug: Option<Bug>) -> Self {
        Self {
            now: start,
            seq: 0,
            timers: BTreeMap::new(),
            events: BTreeMap::new(),
            rng: fastrand::Rng::with_seed(seed),
            rates,
            bug,
            disk: DiskState::default(),
            cloud: Cloud::default(),
            processes: Vec::new(),
            counts: Counts::default(),
            trace: Vec::new(),
            violations: Vec::new(),
            log: Log::default(),
            read_only: false,
            max_instances: u32::MAX,
        }
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    pub fn note(&mut self, text: impl FnOnce() -> String) {
        if self.trace.len() < 4_000 {
            let line = format!("{} {}", stamp(self.now), text());
            self.trace.push(line);
        }
    }

    pub fn violation(&mut self, rule: &str, text: impl AsRef<str>) {
        let line = format!("({rule}) {}", text.as_ref());
        self.note(|| format!("VIOLATION {line}"));
        self.violations.push(line);
    }

    pub fn at(&mut self, when: Ms, event: Event) {
        let key = (when.max(self.now), self.next_seq());
        self.events.insert(key, event);
    }

    /// True with a probability of `p`, and never where faults are off.
    pub fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && self.rng.f64() < p
    }

    /// One step of a process. False when it is dead, or dies here.
    pub fn step(&mut self, process: usize, place: &'static str) -> bool {
        let p = &mut self.processes[process];
        if !p.alive {
            return false;
        }
        let left = match &mut p.fuse {
            None => return true,
            Some(Fuse::At(at, _)) if *at != place => return true,
            Some(Fuse::Steps(left) | Fuse::At(_, left)) => left,
        };
        if *left > 0 {
            *left -= 1;
            return true;
        }
        p.alive = false;
        self.counts.kills += 1;
        *self.counts.kill_places.entry(place).or_default() += 1;
        self.note(|| format!("process {process} killed at: {place}"));
        if self.rng.u8(0..4) == 0 {
            self.lose_power();
        }
        false
    }

    /// Takes every process with it, and what the disk had not written.
    fn lose_power(&mut self) {
        self.note(|| "power lost".to_owned());
        self.counts.hit("power lost");
        for p in &mut self.processes {
            p.alive = false;
        }
        self.disk.lose_power(&mut self.rng);
    }

    fn advance(&mut self) -> bool {
        let timer = self.timers.first_key_value().map(|(k, _)| *k);
        let event = self.events.first_key_value().map(|(k, _)| *k);
        let next = match (timer, event) {
            (None, None) => return false,
            (Some(t), None) => t,
            (None, Some(e)) => e,
            (Some(t), Some(e)) => t.min(e),
        };
        self.now = self.now.max(next.0);
        super::cloud::apply_due_turns(self);
        if event == Some(next) {
            match self.events.remove(&next) {
                Some(Event::Arrive(request)) => super::cloud::arrive(self, &request),
                Some(Event::Somebody(deed)) => super::cloud::somebody(self, &deed),
                None => {}
            }
        } else if let Some(waker) = self.timers.remove(&next) {
            waker.wake();
        }
        true
    }

    /// Lets time pass while nobody runs.
    pub fn pass(&mut self, time: Ms) {
        let until = self.now + time;
        while let Some((key, _)) = self.events.first_key_value()
            && key.0 <= until
        {
            self.advance();
        }
        self.now = until;
        super::cloud::apply_due_turns(self);
    }
}

impl Shared {
    pub fn new(world: World) -> Self {
        Self(Arc::new(Mutex::new(world)))
    }

    pub fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// A new process.
    pub fn spawn(&self, fuse: Option<Fuse>) -> usize {
        let mut world = self.lock();
        world.processes.push(Process { alive: true, fuse, ..Process::default() });
        world.processes.len() - 1
    }

    pub fn nap(&self, time: Ms) -> Nap {
        let until = self.lock().now + time.max(0);
        Nap { world: self.clone(), until, key: None }
    }

    /// A step of a process in async code: one that dies here never comes back.
    pub async fn step(&self, process: usize, place: &'static str) {
        if !self.lock().step(process, place) {
            std::future::pending::<()>().await;
        }
    }

    pub fn clock(&self) -> Arc<dyn Fn() -> Timestamp + Send + Sync> {
        let world = self.clone();
        Arc::new(move || stamp(world.lock().now))
    }

    /// Plays processes until each has ended or is dead.
    pub fn play(&self, tasks: Vec<Task<'_>>) {
        on_stage(Rc::new(self.clone()), || self.play_all(tasks));
    }

    fn play_all(&self, mut tasks: Vec<Task<'_>>) {
        let deadline = self.lock().now + PATIENCE;
        loop {
            tasks.retain(|t| self.lock().processes[t.process].alive && !t.done);
            if tasks.is_empty() {
                return;
            }
            let ready: Vec<usize> =
                (0..tasks.len()).filter(|&i| tasks[i].flag.0.load(Ordering::Relaxed)).collect();
            if !ready.is_empty() {
                let pick = self.lock().rng.usize(0..ready.len());
                tasks[ready[pick]].poll();
                continue;
            }
            let mut world = self.lock();
            let moved = world.advance();
            if !moved || world.now > deadline {
                world.violation("live", "a process neither ends nor waits for anything");
                return;
            }
        }
    }
}

impl Stage for Shared {
    fn now(&self) -> Duration {
        Duration::from_millis(self.lock().now.unsigned_abs())
    }

    fn until(&self, at: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let until = at.as_millis() as Ms;
        Box::pin(Nap { world: self.clone(), until, key: None })
    }
}

/// A process as the loop sees it.
pub struct Task<'a> {
    process: usize,
    future: Pin<Box<dyn Future<Output = ()> + 'a>>,
    flag: Arc<Flag>,
    done: bool,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<'a> Task<'a> {
    pub fn new(process: usize, future: impl Future<Output = ()> + 'a) -> Self {
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        Self { process, future: Box::pin(future), flag, done: false }
    }

    fn poll(&mut self) {
        self.flag.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(self.flag.clone());
        self.done = self.future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    }
}

/// A rest in virtual time.
pub struct Nap {
    world: Shared,
    until: Ms,
    key: Option<(Ms, u64)>,
}

impl Future for Nap {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let shared = self.world.clone();
        let mut world = shared.lock();
        if let Some(key) = self.key.take() {
            world.timers.remove(&key);
        }
        if world.now >= self.until {
            return Poll::Ready(());
        }
        let key = (self.until, world.next_seq());
        world.timers.insert(key, cx.waker().clone());
        self.key = Some(key);
        Poll::Pending
    }
}

impl Drop for Nap {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.world.lock().timers.remove(&key);
        }
    }
}
