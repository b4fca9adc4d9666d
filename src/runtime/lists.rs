//! Lists of objects for the cockpit: what one takes, said first; then made, with progress.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Running;
use crate::analyze::storage::checkpoints::RunFold;
use crate::analyze::storage::duplicates::{Duplicates, Limits};
use crate::analyze::storage::{Fold, ListInfo, TreeFold, TreeLimits};
use crate::app::{Level, ListHow, Listing, ListingState, LogEntry, Msg};
use crate::bus::scan::{self, OnError, Pass, Progress};
use crate::bus::{self, put_uploads};
use crate::cache::{Cache, ScanKey};
use crate::cli::inventories::{Finder, is_directory};
use crate::domain::storage::{BucketFacts, Confidence, Scan, ScanOrigin, StorageFacts};
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError, SourceId, is_due};
use crate::source::StorageSource;
use crate::source::inventory::Inventory;
use crate::source::ledger::{Ledger, usd_of_micro};
use crate::source::listing::{Lister, PAGE, estimate};
use crate::source::objects::Need;
use crate::source::storage::{ListPlace, ListWhat};
use crate::view::format;

/// Time between two reports of progress.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// A list that was offered, and the one that is being made.
#[derive(Default)]
pub(super) struct Lists {
    offered: Option<(Arc<str>, Offered)>,
    running: Option<CancellationToken>,
    /// Buckets of the demo whose inventories are read, or were.
    of_demo: BTreeSet<Arc<str>>,
    /// Ends these readings when it is dropped.
    ends: Vec<DropGuard>,
}

/// Where the objects would come from.
enum Offered {
    /// An inventory.
    Inventory(Box<Inventory>),
    /// A listing, page by page.
    Listing { source: Arc<dyn StorageSource>, region: Arc<str> },
}

/// Handles of the backend that a task needs to make a list.
struct Maker {
    bucket: Arc<str>,
    messages: mpsc::Sender<Msg>,
    bus: bus::Handle,
    cache: Cache,
    ledger: Option<Ledger>,
    stop: CancellationToken,
    now: Timestamp,
    /// 0 for as many as there are.
    threads: usize,
    /// Limits of the search for copies.
    limits: Limits,
    /// Pages of a listing at most; 0 for no limit.
    page_limit: u64,
    /// True where nobody asked for the list: its progress is not told.
    is_quiet: bool,
}

/// Everything that is found in one pass.
type All = (TreeFold, RunFold, Duplicates);

fn folds(info: &ListInfo, limits: Limits) -> All {
    let tree = TreeFold::new(info, TreeLimits::default());
    (tree, RunFold::new(info), Duplicates::new(info, limits))
}

impl Running {
    /// Carries out what the screen asks of a list of objects.
    pub(super) async fn list(&mut self, bucket: Arc<str>, how: ListHow) {
        match how {
            ListHow::Ask => {
                let state = match self.offer(&bucket).await {
                    Ok((state, offered)) => {
                        self.lists.offered = Some((bucket.clone(), offered));
                        state
                    }
                    Err(why) => ListingState::Failed(why),
                };
                self.send(Msg::Listing(Listing { bucket, state })).await;
            }
            ListHow::Go => self.make_list(bucket).await,
            ListHow::Cancel => {
                if let Some(stop) = self.lists.running.take() {
                    stop.cancel();
                }
            }
        }
    }

    /// The newest inventory where the bucket has one, else a listing.
    async fn offer(&self, bucket: &Arc<str>) -> Result<(ListingState, Offered), String> {
        if self.invocation.options.offline {
            return Err("nothing can be read with --offline".to_owned());
        }
        let found = self.storage.as_ref().and_then(|facts| facts.bucket(bucket));
        let facts = found.ok_or("no account that is read has it")?;
        let region = facts.bucket.scope.region.clone();
        let finder = Finder::of(&self.invocation, &self.cache);
        if let Ok(inventory) = finder.of_bucket(bucket).await {
            let rows = inventory.manifest.bytes().map_or(String::new(), |b| {
                format!(", {}", crate::tabs::storage::picture::words::size(b as f64))
            });
            let at = Timestamp::from_millisecond(inventory.manifest.created_ms).ok();
            let at = at.map_or(String::new(), |t| format!(" of {}", t.strftime("%Y-%m-%d %H:%M")));
            let says = format!(
                "Its inventory{at} is read piece by piece{rows}; the pieces leave S3 at what your \
                 network pays for them."
            );
            let state = ListingState::Offer { says, usd: Some(0.0) };
            return Ok((state, Offered::Inventory(Box::new(inventory))));
        }
        let owner = finder.owner(bucket).await.map_err(|error| error.to_string())?;
        let source = owner.source;
        let objects = facts.objects.as_ref().ok().and_then(|o| o.as_ref()?.last());
        let state = match objects {
            Some((_, objects)) => {
                let e = estimate(objects.max(0.0) as u64);
                let says = format!(
                    "It has no inventory that can be read. Listing about {} objects takes {} {}, \
                     one after the other: {}.",
                    format::grouped(e.objects as f64, 0),
                    format::grouped(e.pages as f64, 0),
                    format::noun(usize::try_from(e.pages).unwrap_or(usize::MAX), "page"),
                    from_to(e.seconds),
                );
                ListingState::Offer { says, usd: Some(usd_of_micro(e.micro_usd)) }
            }
            None => ListingState::Offer {
                says: "It has no inventory that can be read, and how many objects it has is not \
                       known: a page of 1,000 costs $0.000005 and takes 0.1 to 0.2 s."
                    .to_owned(),
                usd: None,
            },
        };
        Ok((state, Offered::Listing { source, region }))
    }

    async fn make_list(&mut self, bucket: Arc<str>) {
        let offered = self.lists.offered.take().filter(|(name, _)| *name == bucket);
        let Some((_, offered)) = offered else {
            let state = ListingState::Failed("ask again what it takes".to_owned());
            return self.send(Msg::Listing(Listing { bucket, state })).await;
        };
        if let Some(before) = self.lists.running.take() {
            before.cancel();
        }
        let stop = CancellationToken::new();
        self.lists.running = Some(stop.clone());
        let maker = Maker {
            bucket,
            messages: self.messages.clone(),
            bus: self.bus.clone(),
            cache: self.cache.clone(),
            ledger: Finder::of(&self.invocation, &self.cache).ledger,
            stop,
            now: self.now(),
            threads: 0,
            limits: Limits::default(),
            page_limit: self.invocation.config.storage.list_limit.div_ceil(PAGE),
            is_quiet: false,
        };
        tokio::spawn(async move {
            let made = match offered {
                Offered::Inventory(inventory) => maker.read(*inventory).await,
                Offered::Listing { source, region } => maker.walk(&*source, &region).await,
            };
            let state = match made {
                Ok((scan, digest)) => {
                    maker.keep(scan, digest).await;
                    ListingState::Done
                }
                Err(error) => ListingState::Failed(format!("{error} {}", error.fix)),
            };
            maker.tell(state).await;
        });
    }
}

impl Maker {
    async fn tell(&self, state: ListingState) {
        if self.is_quiet {
            return;
        }
        let listing = Listing { bucket: self.bucket.clone(), state };
        // The screen may be gone already; there is nobody left to tell.
        let _ = self.messages.send(Msg::Listing(listing)).await;
    }

    /// Keeps a whole scan in the cache; a partial one is shown and marked as such.
    async fn keep(&self, scan: Scan, digest: Arc<str>) {
        if scan.partial.is_none() {
            let key = ScanKey { bucket: self.bucket.clone(), digest };
            self.cache.put_scan(&key, &scan).await;
        }
        self.bus.scanned(Arc::new(scan)).await;
    }

    async fn read(&self, inventory: Inventory) -> Result<(Scan, Arc<str>), SourceError> {
        let manifest = inventory.manifest.clone();
        let info = ListInfo {
            bucket: self.bucket.clone(),
            listed_ms: manifest.created_ms,
            columns: manifest.schema.columns(),
        };
        let pieces = inventory.pieces(Need::ALL, b"");
        let progress = Arc::new(Progress::default());
        let over = Arc::new(AtomicBool::new(false));
        let (told, ended, stop, of) =
            (progress.clone(), over.clone(), self.stop.clone(), info.clone());
        let (threads, limits) = (self.threads, self.limits);
        let work = tokio::task::spawn_blocking(move || {
            let pass = Pass { threads, on_error: OnError::GoOn, progress: &told, stop: &stop };
            let done = scan::run(&pieces, pass, || folds(&of, limits));
            ended.store(true, Ordering::Relaxed);
            done
        });
        let start = Instant::now();
        while !over.load(Ordering::Relaxed) && !work.is_finished() {
            tokio::time::sleep(TELL_EVERY).await;
            let far = progress.far(start.elapsed());
            let seconds_left = far.eta_s.map(|s| s.ceil() as u64);
            self.tell(ListingState::Running { rows: far.rows, of: None, seconds_left }).await;
        }
        let done = work.await.map_err(|e| failed(&e.to_string()))??;
        let listed_at = Timestamp::from_millisecond(manifest.created_ms).unwrap_or(self.now);
        let origin = ScanOrigin::Inventory(inventory.place.label().into());
        let mut scan = self.scan(&info, origin, listed_at, done.rows, done.fold);
        scan.partial = done.partial;
        scan.notes.extend(inventory.notes.clone());
        Ok((scan, manifest.digest.as_str().into()))
    }

    async fn walk(
        &self,
        source: &dyn StorageSource,
        region: &Arc<str>,
    ) -> Result<(Scan, Arc<str>), SourceError> {
        let made = self.walk_as(source, region, ListWhat::Versions).await;
        match made {
            // Who may not see old versions may see the others.
            Err(error) if error.kind == ErrorKind::Denied => {
                let (mut scan, digest) = self.walk_as(source, region, ListWhat::Objects).await?;
                scan.notes.push(format!("old versions are not in it: {error}"));
                Ok((scan, digest))
            }
            made => made,
        }
    }

    async fn walk_as(
        &self,
        source: &dyn StorageSource,
        region: &Arc<str>,
        what: ListWhat,
    ) -> Result<(Scan, Arc<str>), SourceError> {
        let info = ListInfo {
            bucket: self.bucket.clone(),
            listed_ms: self.now.as_millisecond(),
            columns: what.columns(),
        };
        let mut fold = folds(&info, self.limits);
        let pages = Lister {
            source,
            ledger: self.ledger.as_ref(),
            cancel: &self.stop,
            now: Timestamp::now,
            page_limit: self.page_limit,
        };
        let at = ListPlace { region, bucket: &self.bucket, prefix: "" };
        let mut rows = 0;
        let mut told = Instant::now();
        let listed = pages
            .run(at, what, |batch| {
                rows += batch.len() as u64;
                fold.take(&batch);
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let state = ListingState::Running { rows, of: None, seconds_left: None };
                    let listing = Listing { bucket: self.bucket.clone(), state };
                    // A full queue means that the screen is about to change anyway.
                    let _ = self.messages.try_send(Msg::Listing(listing));
                }
                true
            })
            .await;
        if let Some(error) = listed.error.filter(|_| listed.rows == 0) {
            return Err(error);
        }
        let mut scan = self.scan(&info, ScanOrigin::Listing, self.now, listed.rows, fold);
        scan.partial = listed.partial;
        if !self.stop.is_cancelled() && !is_directory(&self.bucket) {
            match pages.uploads(at, true).await {
                Ok(uploads) => {
                    put_uploads(&self.cache, &self.bucket, self.now, &uploads).await;
                    self.bus.uploads(self.bucket.clone(), uploads).await;
                }
                Err(error) => {
                    scan.notes.push(format!("unfinished uploads are not known: {error}"));
                }
            }
        }
        Ok((scan, ScanKey::of_listing(&self.bucket).digest))
    }

    fn scan(
        &self,
        info: &ListInfo,
        origin: ScanOrigin,
        listed_at: Timestamp,
        rows: u64,
        (tree, runs, duplicates): All,
    ) -> Scan {
        let mut notes: Vec<String> = tree.note().into_iter().collect();
        let found = runs.finish();
        notes.extend(found.notes);
        let pairs = duplicates.finish(Confidence::D).pairs;
        Scan {
            bucket: info.bucket.clone(),
            origin,
            listed_at,
            scanned_at: self.now,
            rows,
            partial: None,
            notes,
            tree: Arc::new(tree.finish()),
            runs: Some(Arc::new(found.runs)),
            // Without ETags nothing was compared.
            duplicates: info.columns.etags.then(|| Arc::new(pairs)),
        }
    }
}

fn failed(why: &str) -> SourceError {
    SourceError::new(ErrorKind::Other, "reading the list", why, "Try again.")
}

/// How much the search for copies may hold in the background, where nobody waits for it: a third of
/// a GiB.
const IN_THE_BACKGROUND: Limits = Limits { objects: 3_000_000, dirs: 1_000_000, pairs: 1_000 };

/// Before the first background scan: the fleet comes first.
const AFTER_THE_START: Duration = Duration::from_secs(20);

/// Before the inventories of the demo are read: it costs little, and somebody looks at the first page.
const DEMO_AFTER_THE_START: Duration = Duration::from_secs(3);

/// Between two looks whether a background scan is due.
const LOOK_EVERY: Duration = Duration::from_hours(1);

/// An inventory is read again in the background after this time; S3 delivers it once a day.
const SCAN_EVERY: SignedDuration = SignedDuration::from_hours(24);

impl Running {
    /// Scans the inventories of the configuration in the background, where that is allowed: each at
    /// most daily, one after the other, on one thread. Ends with the returned guard.
    pub(super) fn scan_in_background(&self) -> DropGuard {
        let stop = CancellationToken::new();
        let config = &self.invocation.config.storage;
        let finder = Finder::of(&self.invocation, &self.cache);
        if config.background && !self.invocation.options.offline && !finder.configured.is_empty() {
            let clock = self.invocation.options.clock();
            let (messages, bus, cache) =
                (self.messages.clone(), self.bus.clone(), self.cache.clone());
            let ended = stop.clone();
            tokio::spawn(async move {
                let mut wait = AFTER_THE_START;
                loop {
                    tokio::select! {
                        () = ended.cancelled() => return,
                        () = tokio::time::sleep(wait) => wait = LOOK_EVERY,
                    }
                    for bucket in finder.configured.keys() {
                        let maker = Maker {
                            bucket: bucket.as_str().into(),
                            messages: messages.clone(),
                            bus: bus.clone(),
                            cache: cache.clone(),
                            ledger: finder.ledger.clone(),
                            stop: ended.clone(),
                            now: clock(),
                            threads: 1,
                            limits: IN_THE_BACKGROUND,
                            page_limit: 0,
                            is_quiet: true,
                        };
                        maker.read_if_due(&finder).await;
                    }
                }
            });
        }
        stop.drop_guard()
    }

    /// Reads the inventories that the demo's buckets deliver, each once a day and one after the other: its first page shows what
    /// lists tell beside what is estimated without them. Accounts that are real are read where that was asked for alone.
    pub(super) fn list_demo(&mut self, facts: &StorageFacts) {
        let options = &self.invocation.options;
        if options.demo.is_none() || options.offline {
            return;
        }
        let delivers = |bucket: &&Arc<BucketFacts>| {
            bucket.inventories.as_ref().is_ok_and(|all| all.iter().any(|one| one.enabled))
        };
        let names = facts.buckets.iter().filter(delivers).map(|bucket| bucket.bucket.name.clone());
        let new: Vec<Arc<str>> =
            names.filter(|name| self.lists.of_demo.insert(name.clone())).collect();
        if new.is_empty() {
            return;
        }
        let stop = CancellationToken::new();
        let finder = Finder::of(&self.invocation, &self.cache);
        let now = self.now();
        let makers: Vec<Maker> = new
            .into_iter()
            .map(|bucket| Maker {
                bucket,
                messages: self.messages.clone(),
                bus: self.bus.clone(),
                cache: self.cache.clone(),
                ledger: None,
                stop: stop.clone(),
                now,
                threads: 1,
                limits: IN_THE_BACKGROUND,
                page_limit: 0,
                is_quiet: true,
            })
            .collect();
        let ended = stop.clone();
        self.lists.ends.push(stop.drop_guard());
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => return,
                () = tokio::time::sleep(DEMO_AFTER_THE_START) => {}
            }
            for maker in makers {
                maker.read_if_due(&finder).await;
            }
        });
    }
}

impl Maker {
    /// Reads the inventory of a bucket that was not read within the day, or not all of it: that of the configuration, else the
    /// bucket's own.
    async fn read_if_due(&self, finder: &Finder) {
        let old = self.cache.newest_scan(&self.bucket).await;
        let complete = |scan: &Scan| scan.runs.is_some();
        let due =
            |scan: &Scan| is_due(Some(scan.scanned_at), SCAN_EVERY, self.now) || !complete(scan);
        if self.stop.is_cancelled() || old.as_ref().is_some_and(|scan| !due(scan)) {
            return;
        }
        let found = match finder.configured.get(&*self.bucket) {
            Some(named) => finder.open(named, Some(&self.bucket)).await,
            None => {
                let found = finder.of_bucket(&self.bucket).await;
                found.map_err(|errors| {
                    errors.into_iter().next().unwrap_or_else(|| failed("there is none"))
                })
            }
        };
        let made = match found {
            Ok(inventory) => self.read(inventory).await,
            Err(error) => Err(error),
        };
        match made {
            Ok(_) if self.stop.is_cancelled() => {}
            Ok((scan, digest)) => self.keep(scan, digest).await,
            Err(error) => self.log(&error).await,
        }
    }

    async fn log(&self, error: &SourceError) {
        let entry = LogEntry {
            at: self.now,
            level: Level::Warn,
            source: Some(SourceId::S3),
            scope: None,
            message: format!("the inventory of {}: {error}", clean(&self.bucket)),
            fix: error.fix.clone(),
        };
        // The screen may be gone already; there is nobody left to tell.
        let _ = self.messages.send(Msg::Log(entry)).await;
    }
}

/// A time from the shortest to the longest; one where both read the same.
fn from_to((shortest, longest): (u64, u64)) -> String {
    let [from, to] = [shortest, longest].map(|seconds| format::span(seconds as i64));
    if from == to { format!("about {from}") } else { format!("{from} to {to}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::cache::OpenOptions;
    use crate::cli::inventories::tests::delivered;
    use crate::source::memory::{Memory, now};

    /// A maker without a bus that reads anything.
    fn maker(cache: &Cache, hours: i64) -> (Maker, mpsc::Receiver<Msg>) {
        let (messages, told) = mpsc::channel(64);
        let (events, _) = mpsc::channel(1);
        let maker = Maker {
            bucket: "data".into(),
            messages,
            bus: bus::start(bus::tests::no_accounts(cache, Arc::new(now)), events),
            cache: cache.clone(),
            ledger: None,
            stop: CancellationToken::new(),
            now: now() + SignedDuration::from_hours(hours),
            threads: 1,
            limits: IN_THE_BACKGROUND,
            page_limit: 0,
            is_quiet: true,
        };
        (maker, told)
    }

    fn finder(memory: &Memory) -> Finder {
        let configured = BTreeMap::from([("data".to_owned(), "s3://inv/data/daily".to_owned())]);
        Finder { sources: vec![Arc::new(memory.clone())], ledger: None, configured }
    }

    #[tokio::test]
    async fn an_inventory_of_the_configuration_is_read_once_a_day() {
        let (memory, (cache, _)) = (delivered(), Cache::open(OpenOptions::in_memory(), now()));
        let finder = finder(&memory);
        let reads = || memory.reads.load(Ordering::Relaxed);
        maker(&cache, 0).0.read_if_due(&finder).await;
        let scan = cache.newest_scan("data").await.unwrap();
        assert_eq!((scan.rows, scan.partial.as_deref()), (2, None));
        assert!(scan.runs.is_some(), "all that a cockpit shows is in it");
        let first = reads();
        assert!(first > 0);
        maker(&cache, 5).0.read_if_due(&finder).await;
        assert_eq!(reads(), first, "not again within the day");
        maker(&cache, 25).0.read_if_due(&finder).await;
        assert!(reads() > first);
    }

    #[tokio::test]
    async fn what_fails_in_the_background_is_logged_and_nothing_is_kept() {
        let (mut memory, (cache, _)) = (delivered(), Cache::open(OpenOptions::in_memory(), now()));
        memory.deny("s3:GetObject");
        let (maker, mut told) = maker(&cache, 0);
        maker.read_if_due(&finder(&memory)).await;
        assert_eq!(cache.newest_scan("data").await, None);
        let Some(Msg::Log(entry)) = told.recv().await else { panic!("nothing was logged") };
        assert!(entry.message.contains("data") && entry.message.contains("access denied"));
    }

    #[tokio::test]
    async fn a_listing_ends_at_its_limit_and_does_without_old_versions() {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
        let mut memory = Memory::default();
        for i in 0..1_500 {
            memory.put("data", &format!("k{i:04}"), vec![0]);
        }
        memory.deny("s3:ListBucketVersions");
        let (mut maker, _told) = maker(&cache, 0);
        let region = "eu-west-1".into();
        let (scan, _) = maker.walk(&memory, &region).await.unwrap();
        assert_eq!((scan.rows, &scan.partial), (1_500, &None));
        assert!(scan.notes.iter().any(|n| n.contains("old versions")), "{:?}", scan.notes);
        maker.page_limit = 1;
        let (scan, _) = maker.walk(&memory, &region).await.unwrap();
        assert_eq!(scan.rows, 1_000);
        assert!(scan.partial.is_some_and(|why| why.contains("limit")));
    }
}
