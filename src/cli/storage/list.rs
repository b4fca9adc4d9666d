//! Where the objects of a subcommand come from: [`ListArgs`] made into a pass over an inventory or
//! a directory, or into a scan that the cache still has.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::args::ListArgs;
use super::listing::{SourceOr, Walk, uploads_note};
use super::{CliError, Ctx, Exit};
use crate::analyze::storage::{Fold, ListInfo, TreeFold, TreeLimits};
use crate::bus;
use crate::bus::scan::{self, Far, OnError, Pass, Progress};
use crate::cache::{Cache, ScanKey};
use crate::cli::athena::Engine;
use crate::cli::interrupt::Interrupt;
use crate::cli::inventories::{Finder, is_directory};
use crate::cli::session::{self, terminal_width};
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::storage::{Scan, ScanOrigin};
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};
use crate::source::demo::SHOWCASE_BUCKET;
use crate::source::inventory::{Inventory, s3_uri};
use crate::source::listing_pages::{Order, Pages};
use crate::source::localdir::LocalDir;
use crate::source::objects::{Need, Supply};
use crate::source::{ListWhat, StorageSource};
use crate::view::format;
use crate::view::room::columns;

/// How often the line with the progress is drawn anew.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// Result of a pass over a list of objects.
pub(super) struct Listed<F> {
    /// Columns and time of the list.
    pub info: ListInfo,
    /// Source of the list.
    pub origin: ScanOrigin,
    /// Time at which the list was made.
    pub listed_at: Timestamp,
    /// Time at which it was read.
    pub scanned_at: Timestamp,
    /// Number of rows read.
    pub rows: u64,
    /// Why the list is incomplete; `None` where all of it was read.
    pub partial: Option<String>,
    /// Notes of the readers, one sentence each.
    pub notes: Vec<String>,
    /// Key of the list in the cache; `None` for a part of a list.
    pub key: Option<ScanKey>,
    /// The merged fold over all rows.
    pub fold: F,
}

/// Reads the whole list once into folds that `make` makes: one, or a tuple of them.
///
/// Where one piece is broken the others are read, and the result says that it is partial. After
/// ctrl-C nothing is said about half an inventory: it is an error with exit code 3. Half a listing
/// was paid for, and is shown as such.
pub(super) fn fold<F: Fold>(
    args: &ListArgs,
    ctx: &Ctx<'_>,
    need: Need,
    make: impl Fn(&ListInfo) -> F + Sync,
) -> Result<Listed<F>, CliError> {
    let session = ListSession::open(ctx)?;
    let listed = Opened::open(args, &session).and_then(|opened| opened.read(&session, need, make));
    session.close();
    listed
}

/// The scan of a list: what the cache holds of it, or a pass. `--prefix` narrows nothing here but a
/// listing, which is billed: a scan is of the whole list, and the subcommand goes to the prefix in
/// its tree.
pub(super) fn scan(args: &ListArgs, ctx: &Ctx<'_>) -> Result<Scan, CliError> {
    let session = ListSession::open(ctx)?;
    let scan = scan_with(args, &session);
    session.close();
    scan
}

fn scan_with(args: &ListArgs, session: &ListSession<'_>) -> Result<Scan, CliError> {
    if args.list {
        let tree = |info: &_| TreeFold::new(info, TreeLimits::default());
        let listed = Opened::open(args, session)?.read(session, Need::default(), tree)?;
        return Ok(session.kept(listed));
    }
    let whole = ListArgs { prefix: None, ..args.clone() };
    if let Some(scan) = session.offline(&whole) {
        return Ok(scan);
    }
    let opened = match Opened::open(&whole, session) {
        Ok(opened) => opened,
        // What was found out before is better than nothing.
        Err(error) => return session.remembered(&whole, error),
    };
    let stored = opened.key().and_then(|key| session.runtime.block_on(session.cache.scan(&key)));
    if let Some(scan) = stored {
        return Ok(scan);
    }
    let tree = |info: &_| TreeFold::new(info, TreeLimits::default());
    let listed = opened.read(session, Need::default(), tree)?;
    Ok(session.kept(listed))
}

/// Remembers what a pass found, beside what others found in the same list.
pub(super) fn keep(ctx: &Ctx<'_>, key: &ScanKey, scan: Scan) -> Result<(), CliError> {
    let runtime = runtime()?;
    let (cache, _) = session::open_cache(ctx.invocation);
    runtime.block_on(async {
        keep_in(&cache, key, scan).await;
        session::close_aloud(cache).await;
    });
    Ok(())
}

async fn keep_in(cache: &Cache, key: &ScanKey, mut scan: Scan) {
    let old = cache.scan(key).await.filter(|old| old.listed_at == scan.listed_at);
    if let Some(old) = old {
        scan.runs = scan.runs.or(old.runs);
        scan.duplicates = scan.duplicates.or(old.duplicates);
    }
    cache.put_scan(key, &scan).await;
}

/// Runtime, cache and invocation with which a list is found and read.
struct ListSession<'a> {
    ctx: &'a Ctx<'a>,
    runtime: tokio::runtime::Runtime,
    cache: Cache,
}

impl<'a> ListSession<'a> {
    fn open(ctx: &'a Ctx<'a>) -> Result<Self, CliError> {
        Ok(Self { ctx, runtime: runtime()?, cache: session::open_cache_aloud(ctx.invocation) })
    }

    fn close(self) {
        self.runtime.block_on(session::close_aloud(self.cache));
    }

    fn is_offline(&self) -> bool {
        self.ctx.invocation.options.offline
    }

    /// Scan from the cache with `--offline`; an inventory on this machine is read.
    fn offline(&self, args: &ListArgs) -> Option<Scan> {
        if !self.is_offline() || args.inventory.is_some() {
            return None;
        }
        let dir = args.dir.as_ref().map(|dir| dir.display().to_string());
        let name = dir.as_deref().or(args.bucket.as_deref())?;
        self.runtime.block_on(self.cache.newest_scan(name))
    }

    /// The newest scan of a bucket whose inventory could not be had; else why not.
    fn remembered(&self, args: &ListArgs, error: CliError) -> Result<Scan, CliError> {
        let (Some(bucket), None) = (&args.bucket, &args.inventory) else { return Err(error) };
        let stored = self.runtime.block_on(self.cache.newest_scan(bucket));
        let Some(scan) = stored else { return Err(error) };
        tell(format_args!(
            "{error}\nshown is what was read of it before, as of {}",
            scan.listed_at
        ));
        Ok(scan)
    }

    /// The scan of a pass, remembered where all was read: after what is partial the next run may
    /// read all.
    fn kept(&self, listed: Listed<TreeFold>) -> Scan {
        let key = listed.key.clone();
        let scan = listed.into_scan();
        if let Some(key) = key {
            self.runtime.block_on(keep_in(&self.cache, &key, scan.clone()));
        }
        scan
    }
}

/// The code of a command whose list was read so far; says why where a part is missing.
pub(super) fn exit(partial: Option<&str>) -> Exit {
    let Some(why) = partial else { return Exit::Ok };
    tell(format_args!("this is not of the whole list: {why}"));
    Exit::Partial
}

impl Listed<TreeFold> {
    /// The scan of it.
    pub(super) fn into_scan(mut self) -> Scan {
        self.notes.extend(self.fold.note());
        Scan {
            bucket: self.info.bucket,
            origin: self.origin,
            listed_at: self.listed_at,
            scanned_at: self.scanned_at,
            rows: self.rows,
            partial: self.partial,
            notes: self.notes,
            tree: Arc::new(self.fold.finish()),
            runs: None,
            duplicates: None,
        }
    }
}

/// A list that was found, before it is read.
enum Opened {
    Inventory { inventory: Inventory, prefix: Vec<u8> },
    Dir { dir: Box<LocalDir>, path: Arc<str>, now: Timestamp, is_whole: bool },
    Walk { walk: Box<Walk>, prefix: String },
}

impl Opened {
    fn open(args: &ListArgs, session: &ListSession<'_>) -> Result<Self, CliError> {
        let ctx = session.ctx;
        if args.athena.engine == Engine::Athena {
            let text = "--engine athena adds up prefixes, for `explore`; this subcommand reads the \
                        list on this machine";
            return Err(CliError::Usage(text.into()));
        }
        let prefix = args.prefix.clone().unwrap_or_default();
        if let Some(path) = &args.dir {
            let now = ctx.invocation.options.now();
            let (prefix, is_whole) = (prefix.as_bytes(), prefix.is_empty());
            let dir =
                LocalDir::new(path, prefix, now.as_millisecond()).map_err(CliError::of_source)?;
            let path = path.display().to_string().into();
            return Ok(Self::Dir { dir: Box::new(dir), path, now, is_whole });
        }
        let finder = Finder::of(ctx.invocation, &session.cache);
        if let Some(named) = &args.inventory {
            if session.is_offline() && s3_uri(named).is_some() {
                let message = format!("{named} cannot be read with --offline");
                return Err(CliError::Failed { exit: Exit::Unreadable, message });
            }
            let opened = session.runtime.block_on(finder.open(named, args.bucket.as_deref()));
            let inventory = opened.map_err(CliError::of_source)?;
            return Ok(Self::Inventory { inventory, prefix: prefix.into_bytes() });
        }
        let bucket = match &args.bucket {
            Some(bucket) => Some(bucket.clone()),
            None => session.runtime.block_on(showcase(ctx)),
        };
        let Some(bucket) = bucket else {
            let text = "name a list of objects: --inventory, --bucket or --dir";
            return Err(CliError::Usage(text.into()));
        };
        if session.is_offline() {
            let bucket = clean(&bucket);
            let message = format!("the cache has no list of {bucket}, and --offline asks nobody");
            return Err(CliError::Failed { exit: Exit::Unreadable, message });
        }
        if args.list {
            let walk = session.runtime.block_on(Walk::offer(&bucket, finder, args, ctx));
            let walk = walk.map_err(|error| match error {
                SourceOr::Source(error) => CliError::of_source(error),
                SourceOr::Cli(error) => error,
            })?;
            return Ok(Self::Walk { walk: Box::new(walk), prefix });
        }
        match session.runtime.block_on(finder.of_bucket(&bucket)) {
            Ok(inventory) => Ok(Self::Inventory { inventory, prefix: prefix.into_bytes() }),
            Err(why) => Err(without_inventory(&bucket, why)),
        }
    }

    /// Key of the list in the cache; `None` for a part of a list, and for a directory, whose state has no name.
    fn key(&self) -> Option<ScanKey> {
        let key =
            |bucket: &str, digest: &str| ScanKey { bucket: bucket.into(), digest: digest.into() };
        match self {
            Self::Inventory { inventory, prefix } if prefix.is_empty() => {
                Some(key(&inventory.manifest.bucket, &inventory.manifest.digest))
            }
            Self::Walk { walk, prefix } if prefix.is_empty() => {
                Some(ScanKey::of_listing(&walk.bucket))
            }
            Self::Dir { path, is_whole: true, .. } => Some(key(path, "directory")),
            _ => None,
        }
    }

    fn read<F: Fold>(
        self,
        session: &ListSession<'_>,
        need: Need,
        make: impl Fn(&ListInfo) -> F + Sync,
    ) -> Result<Listed<F>, CliError> {
        let (scanned_at, key) = (session.ctx.invocation.options.now(), self.key());
        let stop = CancellationToken::new();
        let mut listed = match self {
            Self::Inventory { inventory, prefix } => {
                let manifest = &inventory.manifest;
                let info = ListInfo {
                    bucket: manifest.bucket.as_str().into(),
                    listed_ms: manifest.created_ms,
                    columns: manifest.schema.columns(),
                };
                let pieces = {
                    let _inside = session.runtime.enter();
                    inventory.pieces(need, &prefix)
                };
                let done = whole(pass(&pieces, session, &stop, || make(&info))?)?;
                let listed_at =
                    Timestamp::from_millisecond(manifest.created_ms).unwrap_or(scanned_at);
                Listed {
                    origin: ScanOrigin::Inventory(inventory.place.label().into()),
                    listed_at,
                    scanned_at,
                    rows: done.rows,
                    partial: done.partial,
                    notes: inventory.notes.clone(),
                    key,
                    fold: done.fold,
                    info,
                }
            }
            Self::Dir { dir, path, now, .. } => {
                let info = ListInfo {
                    bucket: path.clone(),
                    listed_ms: now.as_millisecond(),
                    columns: LocalDir::COLUMNS,
                };
                let done = whole(pass(&*dir, session, &stop, || make(&info))?)?;
                Listed {
                    origin: ScanOrigin::Directory(path),
                    listed_at: now,
                    scanned_at,
                    rows: done.rows,
                    partial: done.partial.or_else(|| dir.partial()),
                    notes: dir.notes(),
                    key,
                    fold: done.fold,
                    info,
                }
            }
            Self::Walk { walk, prefix } => {
                let listing = walked(*walk, &prefix, session, &stop, make)?;
                Listed { key, scanned_at, listed_at: scanned_at, ..listing }
            }
        };
        if listed.partial.is_some() {
            listed.key = None;
        }
        Ok(listed)
    }
}

/// Lists a bucket, and its uploads.
fn walked<F: Fold>(
    walk: Walk,
    prefix: &str,
    session: &ListSession<'_>,
    stop: &CancellationToken,
    make: impl Fn(&ListInfo) -> F + Sync,
) -> Result<Listed<F>, CliError> {
    let now = session.ctx.invocation.options.now();
    let mut notes = Vec::new();
    let mut order = Order {
        source: walk.owner.source,
        ledger: walk.finder.ledger,
        cancel: stop.clone(),
        now: Timestamp::now,
        page_limit: walk.page_limit,
        region: walk.owner.region,
        bucket: walk.bucket.as_str().into(),
        prefix: prefix.to_owned(),
        what: walk.what,
    };
    loop {
        let info = ListInfo {
            bucket: order.bucket.clone(),
            listed_ms: now.as_millisecond(),
            columns: order.what.columns(),
        };
        let pages = Pages::start(order.clone(), session.runtime.handle());
        let done = pass(&pages, session, stop, || make(&info))?;
        let listed = pages.listed();
        if let Some(error) = listed.error.clone().filter(|_| listed.rows == 0) {
            if order.what == ListWhat::Versions && error.kind == ErrorKind::Denied {
                notes.push(format!("old versions are not in it: {error}"));
                order.what = ListWhat::Objects;
                continue;
            }
            return Err(CliError::of_source(error));
        }
        if let Some(error) = &listed.error {
            tell(error.with_fix());
        }
        if prefix.is_empty() && !is_directory(&walk.bucket) && !stop.is_cancelled() {
            match session.runtime.block_on(order.uploads()) {
                Ok(uploads) => {
                    let put = bus::put_uploads(&session.cache, &walk.bucket, now, &uploads);
                    session.runtime.block_on(put);
                    notes.extend(uploads_note(&uploads));
                }
                Err(error) => notes.push(format!("unfinished uploads are not known: {error}")),
            }
        }
        return Ok(Listed {
            origin: ScanOrigin::Listing,
            listed_at: now,
            scanned_at: now,
            rows: done.rows,
            partial: done.partial.or(listed.partial),
            notes,
            key: None,
            fold: done.fold,
            info,
        });
    }
}

/// Why a bucket's inventory cannot be had, and what else can be done.
fn without_inventory(bucket: &str, why: Vec<SourceError>) -> CliError {
    let mut message = format!(
        "{} has no inventory that could be read, and the cache no list of it",
        clean(bucket)
    );
    for error in &why {
        message.push_str(&format!("\n{error}"));
    }
    message.push_str(
        "\nname an inventory with --inventory or in `[storage] inventories`; --list lists it object \
         by object and says first what that costs",
    );
    // With nothing in the way there is nothing to be read: the command asks for what is not there.
    let exit = if why.is_empty() { Exit::Usage } else { Exit::Unreadable };
    CliError::Failed { exit, message }
}

/// Half an inventory adds up to wrong sums.
fn whole<F>(done: scan::Done<F>) -> Result<scan::Done<F>, CliError> {
    if !done.cancelled {
        return Ok(done);
    }
    let message = format!("{}; nothing is shown of half a list", words(&done));
    Err(CliError::Failed { exit: Exit::Partial, message })
}

/// Reads a supply with a line of progress on a terminal, and ctrl-C.
fn pass<F: Fold>(
    supply: &dyn Supply,
    session: &ListSession<'_>,
    stop: &CancellationToken,
    make: impl Fn() -> F + Sync,
) -> Result<scan::Done<F>, CliError> {
    let progress = Progress::default();
    let runtime = session.runtime.enter();
    let interrupt = Interrupt::cancels(stop);
    drop(runtime);
    let over = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        if std::io::stderr().is_terminal() {
            scope.spawn(|| draw(&progress, &over));
        }
        let pass = Pass { threads: 0, on_error: OnError::GoOn, progress: &progress, stop };
        let done = scan::run(supply, pass, make);
        over.store(true, Ordering::Relaxed);
        done
    });
    drop(interrupt);
    let done = done.map_err(CliError::of_source)?;
    for error in &done.errors {
        tell(error.with_fix());
    }
    Ok(done)
}

fn words<F>(done: &scan::Done<F>) -> &str {
    done.partial.as_deref().unwrap_or("cancelled")
}

/// Draws one line of progress, until it is over; then wipes it.
fn draw(progress: &Progress, over: &AtomicBool) {
    let start = Instant::now();
    let mut err = std::io::stderr();
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(DRAW_EVERY);
        let width = terminal_width(&err, &Env::of_process()).map_or(80, usize::from);
        let line = progress_line(&progress.far(start.elapsed()), width);
        // A terminal that is gone has nobody to tell.
        let _ = write!(err, "\r\x1b[K{line}");
        let _ = err.flush();
    }
    let _ = write!(err, "\r\x1b[K");
}

/// How far a list is read, in less than `width` columns: a line that is wrapped is not wiped by the next one.
fn progress_line(far: &Far, width: usize) -> String {
    let share = far.total_bytes.map(|t| far.bytes as f64 * 100.0 / t as f64);
    let parts = [
        Some(format!("{} rows", format::count(far.rows as f64))),
        share.map(|p| format::percent(p.min(100.0), 0)),
        far.eta_s.map(|s| format!("{} left", format::span(s.ceil() as i64))),
        far.rows_per_s.map(|r| format!("{} rows/s", format::count(r))),
    ];
    let mut line = String::new();
    for part in parts.into_iter().flatten() {
        let longer = if line.is_empty() { part } else { format!("{line} · {part}") };
        if columns(&longer) < width {
            line = longer;
        }
    }
    line
}

/// The bucket that a demo shows when none is named; `None` outside of the demo.
async fn showcase(ctx: &Ctx<'_>) -> Option<String> {
    ctx.invocation.options.demo?;
    for source in sources(ctx) {
        let listed = source.buckets(&"-".into(), &[]).await.ok()?;
        let mut names = listed.buckets.iter().map(|bucket| &bucket.name);
        if let Some(name) = names.find(|name| name.starts_with(SHOWCASE_BUCKET)) {
            return Some(name.to_string());
        }
    }
    None
}

/// The storage of the accounts of this run.
pub(super) fn sources(ctx: &Ctx<'_>) -> Vec<Arc<dyn StorageSource>> {
    ctx.invocation.reaches().iter().filter_map(crate::cli::accounts::Reach::storage).collect()
}

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(CliError::Output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_progress_stays_on_one_line_of_the_terminal() {
        let far = Far {
            rows: 123_456_789,
            bytes: 5,
            total_bytes: Some(9),
            rows_per_s: Some(1_234_567.0),
            eta_s: Some(4_000.0),
        };
        assert_eq!(progress_line(&far, 40), "123,456,789 rows · 56% · 1h6m left");
        for width in 20..90 {
            assert!(columns(&progress_line(&far, width)) < width, "{width}");
        }
        assert!(progress_line(&far, 90).ends_with(" rows/s"));
    }
}
