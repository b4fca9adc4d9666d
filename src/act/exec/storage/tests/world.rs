//! Storage in memory, and an executor on it that can be made to fail.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::act::exec::pace::{Instant, Stage, on_stage, timeout_at};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::act::exec::audit::{Body, Disk, FileDisk, Journal};
use crate::act::exec::storage::{
    Backups, MemoryStorage, StorageAccess, StorageExecutor, StorageOperator, StorageReceipt,
};
use crate::act::plan::storage::fixture;
use crate::act::plan::storage::{
    Deed, Storage, StorageItem, StorageOrder, StoragePlan, StorageVerb,
};
use crate::act::plan::{Answer, Confirmed, Preflighted, Verified};
use crate::domain::storage::{Attachment, Lifecycle, Versioning, Volume};
use crate::domain::{ErrorKind, Inspection, Instance, Known, Recent, Scope, SourceError, Tags};
use crate::source::Identity;
use crate::source::inspect::{Inspector, Seen};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// It fails and was not carried out.
    Before(ErrorKind),
    /// It is carried out and the answer is lost.
    After(ErrorKind),
    /// It is not carried out and never answers.
    HangBefore,
    /// It is carried out and never answers.
    HangAfter,
}

pub fn any_fault() -> impl Strategy<Value = Fault> {
    let kind = prop_oneof![
        Just(ErrorKind::Throttled),
        Just(ErrorKind::Timeout),
        Just(ErrorKind::Network),
        Just(ErrorKind::Denied),
        Just(ErrorKind::Refused),
        Just(ErrorKind::Other),
    ];
    let lost =
        prop_oneof![Just(ErrorKind::Timeout), Just(ErrorKind::Network), Just(ErrorKind::Other)];
    prop_oneof![
        3 => Just(Fault::None),
        3 => kind.prop_map(Fault::Before),
        2 => lost.prop_map(Fault::After),
        1 => Just(Fault::HangBefore),
        1 => Just(Fault::HangAfter),
    ]
}

type OnCall = Box<dyn Fn(&Inner, &Deed) -> Fault + Send + Sync>;

/// What the executor shares with the world.
pub struct Inner {
    pub memory: MemoryStorage,
    pub count: AtomicUsize,
    calls: Mutex<Vec<Deed>>,
    on_call: Mutex<OnCall>,
    stolen: AtomicUsize,
}

impl Inner {
    /// Somebody attaches the volume.
    pub fn attach(&self) {
        for volume in self.memory.volumes() {
            self.memory.add_volume(Volume {
                state: "in-use".into(),
                attachments: vec![Attachment {
                    instance: "i-0bbbbbbbbbbbbbbb1".into(),
                    device: "/dev/xvdf".into(),
                    attached_at: None,
                    delete_on_termination: false,
                }],
                ..volume
            });
        }
    }

    /// Somebody puts another configuration.
    pub fn set_lifecycle(&self, lifecycle: Lifecycle) {
        self.stolen.fetch_add(1, Ordering::SeqCst);
        let tags = Tags::default();
        self.memory.add_bucket(fixture::BUCKET.into(), Some(lifecycle), Versioning::Off, tags);
    }
}

struct FaultyExecutor(Arc<Inner>);

#[async_trait::async_trait]
impl StorageExecutor for FaultyExecutor {
    fn name(&self) -> &'static str {
        "live"
    }

    async fn permitted(&self, _: StorageVerb, _: &StorageItem) -> Result<(), SourceError> {
        Ok(())
    }

    async fn act(&self, order: &StorageOrder) -> Result<StorageReceipt, SourceError> {
        let inner = &self.0;
        inner.count.fetch_add(1, Ordering::SeqCst);
        inner.calls.lock().unwrap().push(order.deed().clone());
        let fault = inner.on_call.lock().unwrap()(inner, order.deed());
        let failed = |kind| SourceError::new(kind, "x:Call", "it failed", "");
        match fault {
            Fault::None => inner.memory.act(order).await,
            Fault::Before(kind) => Err(failed(kind)),
            Fault::After(kind) => {
                inner.memory.act(order).await?;
                Err(failed(kind))
            }
            Fault::HangBefore => std::future::pending().await,
            Fault::HangAfter => {
                inner.memory.act(order).await?;
                std::future::pending().await
            }
        }
    }
}

/// Who acts.
pub struct Who;

#[async_trait::async_trait]
impl Inspector for Who {
    async fn caller(&self) -> Result<Identity, SourceError> {
        Ok(Identity {
            account: fixture::ACCOUNT.into(),
            arn: fixture::ARN.into(),
            label: "test".into(),
        })
    }

    async fn inspect(&self, _: &Scope, _: &[Arc<str>]) -> Vec<Inspection> {
        Vec::new()
    }

    async fn recent(
        &self,
        _: &Scope,
        _: &[(Arc<Instance>, u32)],
        _: Timestamp,
        _: Timestamp,
    ) -> Vec<Known<Recent>> {
        Vec::new()
    }

    async fn states(&self, _: &Scope, _: &[Arc<str>]) -> Result<Vec<Seen>, SourceError> {
        Ok(Vec::new())
    }
}

/// One account with a volume and a bucket, a log on disk, and time that the test moves.
pub struct World {
    pub memory: MemoryStorage,
    inner: Arc<Inner>,
    pub executor: Arc<dyn StorageExecutor>,
    pub journal: Arc<Journal>,
    skipped: Arc<AtomicI64>,
    dir: TempDir,
    backups: bool,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let disk = FileDisk::new(dir.path().join("audit"));
        Self::on(Arc::new(disk), dir)
    }

    pub fn with_broken_log() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // A file stands where its directory should be.
        std::fs::write(dir.path().join("audit"), "x").unwrap();
        let disk = FileDisk::new(dir.path().join("audit"));
        Self::on(Arc::new(disk), dir)
    }

    fn on(disk: Arc<dyn Disk>, dir: TempDir) -> Self {
        let skipped = Arc::new(AtomicI64::new(0));
        let mut world = Self {
            memory: MemoryStorage::new(Arc::new(Who), clock(&skipped), SignedDuration::ZERO),
            inner: Arc::new(Inner {
                memory: MemoryStorage::new(Arc::new(Who), clock(&skipped), SignedDuration::ZERO),
                count: AtomicUsize::new(0),
                calls: Mutex::default(),
                on_call: Mutex::new(Box::new(|_, _| Fault::None)),
                stolen: AtomicUsize::new(0),
            }),
            executor: Arc::new(crate::act::exec::storage::RefuseStorage),
            journal: Arc::new(Journal::new(disk)),
            skipped,
            dir,
            backups: true,
        };
        world.snapshots_take(SignedDuration::from_mins(3));
        world
    }

    /// Anew, with snapshots that take so long.
    pub fn snapshots_take(&mut self, time: SignedDuration) {
        let memory = MemoryStorage::new(Arc::new(Who), clock(&self.skipped), time);
        memory.add_volume(fixture::volume());
        let tags = Tags::default();
        let before = Some(fixture::before());
        memory.add_bucket(fixture::BUCKET.into(), before, Versioning::Off, tags);
        self.memory = memory.clone();
        self.inner = Arc::new(Inner {
            memory,
            count: AtomicUsize::new(0),
            calls: Mutex::default(),
            on_call: Mutex::new(Box::new(|_, _| Fault::None)),
            stolen: AtomicUsize::new(0),
        });
        self.executor = Arc::new(FaultyExecutor(self.inner.clone()));
    }

    pub fn on_call(&self, act: impl Fn(&Inner, &Deed) -> Fault + Send + Sync + 'static) {
        *self.inner.on_call.lock().unwrap() = Box::new(act);
    }

    pub fn later(&self, time: SignedDuration) {
        self.skipped.fetch_add(time.as_secs(), Ordering::SeqCst);
    }

    pub fn no_backups(&mut self) {
        self.backups = false;
    }

    pub fn stolen(&self) -> bool {
        self.inner.stolen.load(Ordering::SeqCst) > 0
    }

    pub fn calls(&self) -> Vec<Deed> {
        self.inner.calls.lock().unwrap().clone()
    }

    pub fn untouched(&self) -> bool {
        self.memory.volumes() == [fixture::volume()]
            && self.memory.lifecycle(fixture::BUCKET) == Some(fixture::before())
    }

    /// The backup and the undo file.
    pub fn kept(&self) -> (String, String) {
        let read = |ending: &str| {
            let dir = std::fs::read_dir(self.dir.path().join("undo")).unwrap();
            let mut all = dir.map(|e| e.unwrap().path());
            let path = all.find(|p| p.to_string_lossy().ends_with(ending)).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        (read(".backup.xml"), read(".undo.json"))
    }

    /// Intents by their step, and outcomes, in the order of the log.
    pub fn kinds(&self) -> Vec<&'static str> {
        let lines = self.journal.read().unwrap();
        let kinds = lines.iter().map(|l| match &l.body {
            Body::StorageIntent { step, .. } => step.word(),
            Body::Outcome { .. } => "outcome",
            _ => "other",
        });
        kinds.collect()
    }

    pub fn operator(&self) -> StorageOperator {
        let clock = clock(&self.skipped);
        let mut operator = StorageOperator::new(fixture::rules(), self.journal.clone(), clock);
        if self.backups {
            operator = operator.with_backups(Backups::new(self.dir.path().join("undo")));
        }
        let inspector = Arc::new(self.memory.clone());
        operator.add(
            fixture::ACCOUNT.into(),
            StorageAccess { inspector, executor: self.executor.clone() },
        );
        operator
    }

    pub async fn preflight(&self, verb: StorageVerb) -> Preflighted<Storage> {
        self.operator().preflight(Arc::new(fixture::plan(verb))).await
    }

    pub fn confirm(&self, checked: &Preflighted<Storage>) -> Confirmed<Storage> {
        let typed = checked.challenge().typed.first().cloned().unwrap_or_default();
        let now = clock(&self.skipped)();
        checked.confirm(&Answer { typed, justification: String::new() }, now).unwrap()
    }

    pub async fn run(&self, verb: StorageVerb) -> Verified<StorageItem> {
        self.run_plan(fixture::plan(verb)).await
    }

    pub async fn run_plan(&self, plan: StoragePlan) -> Verified<StorageItem> {
        let operator = self.operator();
        let checked = operator.preflight(Arc::new(plan)).await;
        assert!(checked.passed().next().is_some(), "{:#?}", checked.rows);
        let confirmed = self.confirm(&checked);
        operator.execute(&confirmed, &|_| {}).await.unwrap()
    }
}

/// The present moment: the time that was played, and what was skipped besides, seconds.
pub fn clock(skipped: &Arc<AtomicI64>) -> Arc<dyn Fn() -> Timestamp + Send + Sync> {
    let skipped = skipped.clone();
    let time = TIME.with(Arc::clone);
    Arc::new(move || {
        let gone = SignedDuration::try_from(time.lock().unwrap().now).unwrap();
        fixture::now() + gone + SignedDuration::from_secs(skipped.load(Ordering::SeqCst))
    })
}

/// Time that goes on when everybody waits.
#[derive(Default)]
struct Time {
    now: Duration,
    waiting: Vec<(Duration, Waker)>,
}

thread_local! {
    static TIME: Arc<Mutex<Time>> = Arc::default();
}

struct Clock(Arc<Mutex<Time>>);

impl Stage for Clock {
    fn now(&self) -> Duration {
        self.0.lock().unwrap().now
    }

    fn until(&self, at: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let time = self.0.clone();
        Box::pin(std::future::poll_fn(move |cx| {
            let mut time = time.lock().unwrap();
            if time.now >= at {
                return Poll::Ready(());
            }
            time.waiting.push((at, cx.waker().clone()));
            Poll::Pending
        }))
    }
}

/// Plays a future to its end in time of its own: when everybody waits, time goes on to the next
/// moment that somebody waits for.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let time = TIME.with(Arc::clone);
    *time.lock().unwrap() = Time::default();
    on_stage(Rc::new(Clock(time.clone())), || {
        let mut future = std::pin::pin!(future);
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(out) = future.as_mut().poll(&mut cx) {
                return out;
            }
            let mut time = time.lock().unwrap();
            let now = time.now;
            let next = time.waiting.iter().map(|w| w.0).filter(|at| *at > now).min();
            time.now = next.expect("nobody waits for anything");
            let now = time.now;
            let (ready, waiting) =
                std::mem::take(&mut time.waiting).into_iter().partition(|w| w.0 <= now);
            time.waiting = waiting;
            drop(time);
            let ready: Vec<(Duration, Waker)> = ready;
            ready.into_iter().for_each(|w| w.1.wake());
        }
    })
}

/// What comes of a future within so many seconds; it is dropped after them.
pub async fn within<T>(seconds: u64, future: impl Future<Output = T>) -> Option<T> {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    timeout_at(deadline, future).await.ok()
}
