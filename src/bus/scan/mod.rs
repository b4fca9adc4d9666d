//! One pass over a list of objects: pieces of a [`Supply`] go to as many threads as may be, each
//! fills a [`Fold`] of its own, and in the end they are merged into one.
//!
//! Blocking; from async code it is called through `spawn_blocking`. Nothing grows with the list: a
//! thread holds one batch and its fold.

#[cfg(test)]
mod listing_tests;
mod progress;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio_util::sync::CancellationToken;

use crate::analyze::storage::Fold;
use crate::domain::{ErrorKind, SourceError};
use crate::source::objects::Supply;
pub use progress::{Far, Progress};

/// What to do about a piece that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// End with its error: half a list adds up to a wrong sum.
    #[default]
    Stop,
    /// Go on with the others; the result is labelled partial.
    GoOn,
}

/// How a list is read.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// Threads at most; 0 for one per processor, four at most (each has a fold of its own).
    pub threads: usize,
    /// What a broken piece means.
    pub on_error: OnError,
    /// Where progress is counted.
    pub progress: &'a Progress,
    /// Ends the pass; what was read so far comes back, labelled partial.
    pub stop: &'a CancellationToken,
}

/// What a pass came to.
#[derive(Debug)]
pub struct Done<F> {
    /// Everything that was read.
    pub fold: F,
    /// Rows read.
    pub rows: u64,
    /// `None` when all was read; otherwise why not, one sentence.
    pub partial: Option<String>,
    /// True when it was stopped from outside.
    pub cancelled: bool,
    /// Pieces that could not be read.
    pub errors: Vec<SourceError>,
}

/// Memory is per thread, and beyond this the disk is the limit.
const THREADS_AT_MOST: usize = 4;

/// Reads all of `supply` into folds that `make` makes.
///
/// # Errors
///
/// The first piece that failed, with [`OnError::Stop`]; or when no piece at all could be read.
pub fn run<F: Fold>(
    supply: &dyn Supply,
    pass: Pass<'_>,
    make: impl Fn() -> F + Sync,
) -> Result<Done<F>, SourceError> {
    pass.progress.of(supply.total_bytes());
    let threads = match pass.threads {
        0 => thread::available_parallelism().map_or(1, usize::from).min(THREADS_AT_MOST),
        n => n,
    };
    let state = PassState::new(pass);
    let folds: Vec<Option<F>> = thread::scope(|scope| {
        let workers: Vec<_> =
            (1..threads).map(|_| scope.spawn(|| state.work(supply, make()))).collect();
        let own = state.work(supply, make());
        // A thread that panicked has lost what it read; that is an error, not an end.
        std::iter::once(Some(own)).chain(workers.into_iter().map(|w| w.join().ok())).collect()
    });
    let mut errors = state.errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    if folds.iter().any(Option::is_none) {
        let fix = "this is a defect of burntop: report it with the manifest";
        errors.push(SourceError::new(ErrorKind::Malformed, "reading", "a reader gave up", fix));
    }
    let (rows, good) = (state.rows.into_inner(), state.good.into_inner());
    if !errors.is_empty() && (pass.on_error == OnError::Stop || (good == 0 && rows == 0)) {
        return Err(errors.swap_remove(0));
    }
    let cancelled = pass.stop.is_cancelled();
    let fold = folds.into_iter().flatten().reduce(|mut all, one| {
        all.merge(one);
        all
    });
    let partial = if cancelled {
        Some(format!("cancelled after {rows} rows"))
    } else {
        errors.first().map(|first| {
            let more = errors.len() - 1;
            let others = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            format!("not all could be read: {first}{others}")
        })
    };
    Ok(Done { fold: fold.unwrap_or_else(make), rows, partial, cancelled, errors })
}

/// State that the threads of a pass share.
struct PassState<'a> {
    pass: Pass<'a>,
    rows: AtomicU64,
    /// Pieces read to their end.
    good: AtomicU64,
    /// Set when there is no point in going on.
    over: AtomicBool,
    errors: Mutex<Vec<SourceError>>,
}

impl<'a> PassState<'a> {
    fn new(pass: Pass<'a>) -> Self {
        Self {
            pass,
            rows: AtomicU64::new(0),
            good: AtomicU64::new(0),
            over: AtomicBool::new(false),
            errors: Mutex::default(),
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.pass.stop.is_cancelled()
    }

    /// Takes pieces until there are none.
    fn work<F: Fold>(&self, supply: &dyn Supply, mut fold: F) -> F {
        while !self.is_over() {
            let Some(piece) = supply.next() else { break };
            let read = piece.and_then(|mut piece| {
                piece.read(&mut |batch, bytes| {
                    fold.take(batch);
                    let rows = batch.len() as u64;
                    self.rows.fetch_add(rows, Ordering::Relaxed);
                    self.pass.progress.add(rows, bytes);
                    if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
            });
            match read {
                Ok(()) => {
                    self.good.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
                    if self.pass.on_error == OnError::Stop {
                        self.over.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
        fold
    }
}
