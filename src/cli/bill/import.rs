//! `burntop bill import`: deliveries are found, brought here, read and kept, one period after the other.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::args::ImportArgs;
use super::beside;
use crate::cache::{Bills, BillsError, Cache};
use crate::cli::exit::{CliError, Exit};
use crate::cli::interrupt::Interrupt;
use crate::cli::inventories::Finder;
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::session::{can_import, terminal_width, with_cache};
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::bill::{Bill, BillNote};
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};
use crate::report::{BillImportReport, ImportRow};
use crate::source::bill::{BillFileError, ReadOptions, read};
use crate::source::bill_exports::{Delivery, ExportError, Store, find};
use crate::view::format;
use crate::view::room::columns;

/// Time between two lines of progress.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// Imports bills and prints what is kept now of each. Fails for arguments that do not fit, where nothing could be
/// imported, and where it was interrupted: what was imported until then is whole, and stays.
pub(super) fn run(
    args: &ImportArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let places = places(args, invocation)?;
    let mut tags = invocation.config.bill.kept_tags(&invocation.config.tag_keys);
    for tag in invocation.config.teams.kept_tags() {
        if tags.iter().all(|kept| !kept.eq_ignore_ascii_case(&tag)) {
            tags.push(tag);
        }
    }
    tags.sort();
    let tag_keys: Vec<Arc<str>> = tags.into_iter().map(Arc::from).collect();
    let bills = Bills::beside(&invocation.cache_file()?);
    let done = with_cache(invocation, async |cache| {
        let stop = CancellationToken::new();
        let interrupt = Interrupt::cancels(&stop);
        let mut import = Import {
            bills,
            tag_keys,
            now: invocation.options.now(),
            stop: stop.clone(),
            line: ProgressLine::new(),
            rows: vec![],
            failed: vec![],
        };
        // Dropped half way, downloads remove what they brought; what is being read is ended by the token.
        tokio::select! {
            () = import.all(&places, args.export.as_deref(), cache, invocation) => {}
            () = stop.cancelled() => {}
        }
        import.line.wipe();
        drop(interrupt);
        Ok((import.rows, import.failed, stop.is_cancelled()))
    });
    let (rows, failed, is_cancelled) = done?;
    if is_cancelled {
        let whole = format::plural(rows.len(), "period");
        let message = format!("cancelled; {whole} imported whole, nothing is kept of the others");
        return Err(CliError::Failed { exit: Exit::Partial, message });
    }
    print(&rows, &failed, invocation, env, out)
}

/// Prints what is kept now and what failed. Fails where nothing could be imported.
pub(super) fn print(
    rows: &[ImportRow],
    failed: &[SourceError],
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    if rows.is_empty() {
        let all: Vec<String> = failed.iter().map(SourceError::with_fix).collect();
        return Err(CliError::Failed { exit: Exit::Unreadable, message: all.join("\n") });
    }
    let report = BillImportReport { rows, failed };
    reports::print(&report, invocation, &reports::context(invocation, env), out)?;
    for error in failed {
        tell(error.with_fix());
    }
    Ok(if failed.is_empty() { Exit::Ok } else { Exit::Partial })
}

/// What is to be imported: what the arguments name, else the configuration.
fn places(args: &ImportArgs, invocation: &Invocation) -> Result<Vec<String>, CliError> {
    can_import(invocation, "bills")?;
    let places = match args.places.as_slice() {
        [] => invocation.config.bill.exports.clone(),
        named => named.to_vec(),
    };
    if places.is_empty() {
        let why = "name a file, a folder or `s3://bucket/prefix`, or set `exports` of `[bill]` in \
                   the configuration; `burntop doctor` says how an export is made";
        return Err(CliError::Usage(why.into()));
    }
    Ok(places)
}

/// An import under way.
struct Import {
    bills: Bills,
    tag_keys: Vec<Arc<str>>,
    now: Timestamp,
    stop: CancellationToken,
    line: ProgressLine,
    rows: Vec<ImportRow>,
    failed: Vec<SourceError>,
}

impl Import {
    async fn all(
        &mut self,
        places: &[String],
        export: Option<&str>,
        cache: &Cache,
        invocation: &Invocation,
    ) {
        let finder = Finder::of(invocation, cache);
        for place in places {
            let found = match finder.place(place).await {
                Ok(place) => {
                    let store = Store(place);
                    find(&store, export).await.map(|found| (store, found))
                }
                Err(error) => Err(ExportError::Unreadable(error)),
            };
            match found {
                Ok((store, found)) => {
                    self.failed.extend(found.failed.iter().map(ExportError::source_error));
                    for delivery in &found.deliveries {
                        let imported = self.import(&store, delivery).await;
                        self.line.wipe();
                        match imported {
                            Ok(rows) => self.rows.extend(rows),
                            Err(error) => self.failed.push(error),
                        }
                    }
                }
                Err(error) => self.failed.push(error.source_error()),
            }
        }
    }

    /// Imports a delivery, unless it is kept already.
    async fn import(
        &mut self,
        store: &Store,
        delivery: &Delivery,
    ) -> Result<Vec<ImportRow>, SourceError> {
        let digest = delivery.digest_with(&self.tag_keys);
        let row = |is_unchanged| move |head| ImportRow { head, is_unchanged };
        let (bills, export, known) = (self.bills.clone(), delivery.export.clone(), digest.clone());
        let kept = blocking(move || bills.delivered(&export, &known)).await?.map_err(unkept)?;
        if !kept.is_empty() {
            return Ok(kept.into_iter().map(row(true)).collect());
        }
        let name = match delivery.period {
            Some(period) => format!("{} {period}", delivery.export),
            None => delivery.export.to_string(),
        };
        let of = delivery.bytes();
        let line = &mut self.line;
        let brought =
            delivery.bring(store, &mut |bytes| line.far(&name, "fetched", bytes, of)).await;
        let brought = brought.map_err(|error| error.source_error())?;
        let options = ReadOptions {
            export: delivery.export.clone(),
            tag_keys: self.tag_keys.clone(),
            written_at: delivery.written_at,
            now: self.now,
            fixed_period: delivery.period,
        };
        let (stop, mut line) = (self.stop.clone(), self.line.clone());
        let (bills, older) = (self.bills.clone(), delivery.older_executions);
        let files = brought.files.clone();
        let read = blocking(move || {
            let mut told = |far: &crate::source::bill::Progress| {
                line.far(&name, "read", far.bytes, far.of_bytes);
                if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut read = read(&files, &options, &mut told)?;
            if older > 0 {
                let note = BillNote::OlderExecutions { executions: older };
                read.iter_mut().for_each(|bill| bill.head.notes.push(note.clone()));
            }
            // Nothing is kept of what was cancelled in its last moment.
            if stop.is_cancelled() {
                return Err(BillFileError::Cancelled);
            }
            Ok(bills.put(&read, &digest, beside).map(|()| read))
        });
        let kept: Vec<Bill> = match read.await? {
            Ok(kept) => kept.map_err(unkept)?,
            Err(error) => {
                let error = SourceError::from(error);
                let message = brought.in_words(store, delivery, &error.message);
                return Err(SourceError { message, ..error });
            }
        };
        Ok(kept.into_iter().map(|bill| bill.head).map(row(false)).collect())
    }
}

/// Runs what blocks on a thread of its own. Err when the thread died.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SourceError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        let fix = "report it with the command line and the format of the file";
        SourceError::new(ErrorKind::Other, "reading the bill", &error.to_string(), fix)
    })
}

/// The error for bills that cannot be kept.
pub(super) fn unkept(error: BillsError) -> SourceError {
    SourceError::new(ErrorKind::Other, "keeping the bill", &error.to_string(), "")
}

/// One line of progress on a terminal; nothing elsewhere.
#[derive(Clone)]
struct ProgressLine {
    /// Columns of the terminal; `None` where standard error is none.
    width: Option<usize>,
    drawn: Option<Instant>,
}

impl ProgressLine {
    fn new() -> Self {
        let err = std::io::stderr();
        let width = err.is_terminal().then(|| terminal_width(&err, &Env::of_process()));
        Self { width: width.flatten().map(usize::from), drawn: None }
    }

    /// Draws how far `name` is, at most some times a second.
    fn far(&mut self, name: &str, done: &str, bytes: u64, of: u64) {
        let Some(width) = self.width else { return };
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < DRAW_EVERY) {
            return;
        }
        self.drawn = Some(Instant::now());
        let percent = format::percent(bytes as f64 * 100.0 / of.max(1) as f64, 0);
        let line = format!("{}: {percent} {done}", clean(name));
        // A line that is wrapped is not wiped by the next one.
        if columns(&line) < width {
            draw(&line);
        }
    }

    fn wipe(&mut self) {
        if self.width.is_some() {
            draw("");
        }
    }
}

fn draw(line: &str) {
    let mut err = std::io::stderr();
    // A terminal that is gone has nobody to tell.
    let _ = write!(err, "\r\x1b[K{line}");
    let _ = err.flush();
}
