//! Writing a tape, on a thread of its own: whoever says something never waits for the disk.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::entry::Entry;
use super::reader::is_whole_tape;
use crate::files;

/// Entries that may wait; a disk that is slower loses entries, counted, instead of stopping burntop.
const WAITING: usize = 1_024;
/// A member is closed after this many bytes before compression,
const MEMBER_BYTES: usize = 1 << 20;
/// or after this long: what a crash can cost.
const MEMBER_AGE: Duration = Duration::from_secs(5);
/// How long the end waits for what is still to be written.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Why a recording cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file is there and no tape, or its end is torn: what came after would not be read.
    #[error("{} is no whole tape of burntop's; it stays as it is: name a new file", .0.display())]
    NoTape(PathBuf),
    /// The system's reason.
    #[error("cannot write {}: {}", path.display(), files::explain(source))]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Records to a file until it is dropped. Clones record to the same tape.
#[derive(Clone, Debug)]
pub struct Recorder {
    inner: Arc<Inner>,
    path: PathBuf,
}

#[derive(Debug)]
struct Inner {
    entries: Option<SyncSender<Entry>>,
    thread: Option<JoinHandle<()>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Entries that could not be recorded.
    lost: AtomicU64,
    end: Mutex<End>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct End {
    is_over: bool,
    error: Option<String>,
}

/// How a recording goes, for as long as anybody wants to know; keeps nothing open.
#[derive(Clone, Debug)]
pub struct Recording {
    path: PathBuf,
    state: Arc<State>,
}

impl Recording {
    /// What is not on the tape, and why: one sentence. `None` as long as everything is.
    pub fn trouble(&self) -> Option<String> {
        let end = self.state.end.lock().unwrap_or_else(PoisonError::into_inner);
        self.describe(&end)
    }

    /// Like [`Recording::trouble`], after a short wait for everything to be written.
    pub fn outcome(&self) -> Option<String> {
        let end = self.state.end.lock().unwrap_or_else(PoisonError::into_inner);
        let (end, _) = self
            .state
            .ended
            .wait_timeout_while(end, END_WITHIN, |end| !end.is_over)
            .unwrap_or_else(PoisonError::into_inner);
        self.describe(&end)
    }

    fn describe(&self, end: &End) -> Option<String> {
        let (path, lost) = (self.path.display(), self.state.lost.load(Ordering::Relaxed));
        match &end.error {
            Some(why) => Some(format!("the recording {path} ended early: {why}")),
            None if lost > 0 => {
                Some(format!("the recording {path} lacks {lost} entries: its disk is too slow"))
            }
            None => None,
        }
    }
}

impl Recorder {
    /// Opens `path` for appending; it is created for its owner alone, because a tape holds tags and
    /// names. What is there must be a tape: nothing else is written to, nor is a link followed.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let failed = |source| RecordError::Open { path: path.to_owned(), source };
        // Before it is opened for writing: nothing of a file that is none of ours is touched.
        match files::own(path) {
            Ok(there) => {
                if !is_whole_tape(there).map_err(failed)? {
                    return Err(RecordError::NoTape(path.to_owned()));
                }
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(failed(e)),
        }
        let file = files::append(path).map_err(failed)?;
        Self::to(path, file).map_err(failed)
    }

    /// Records to an open file; `path` names it.
    pub(super) fn to(path: &Path, file: impl Write + Send + 'static) -> io::Result<Self> {
        let (entries, queue) = sync_channel(WAITING);
        let state = Arc::new(State::default());
        let (told, path) = (Arc::clone(&state), path.to_owned());
        let thread = thread::Builder::new().name("tape".into()).spawn({
            let path = path.clone();
            move || {
                let written = write(file, &queue);
                let mut end = told.end.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = written {
                    tracing::warn!(path = %path.display(), %error, "the recording ended");
                    end.error = Some(files::explain(&error));
                }
                end.is_over = true;
                told.ended.notify_all();
            }
        })?;
        let (entries, thread) = (Some(entries), Some(thread));
        Ok(Self { inner: Arc::new(Inner { entries, thread, state }), path })
    }

    /// How it goes.
    pub fn recording(&self) -> Recording {
        Recording { path: self.path.clone(), state: Arc::clone(&self.inner.state) }
    }

    /// Records an entry; never waits.
    pub fn record(&self, entry: Entry) {
        let Some(entries) = &self.inner.entries else { return };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = entries.try_send(entry)
        {
            self.inner.state.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Entries that could not be recorded.
    #[cfg(test)]
    pub fn lost(&self) -> u64 {
        self.inner.state.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Inner {
    /// Writes what waits, then ends.
    fn drop(&mut self) {
        self.entries = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the writer has nothing left to tell.
            let _ = thread.join();
        }
    }
}

fn write(mut file: impl Write, queue: &Receiver<Entry>) -> io::Result<()> {
    let mut member = Vec::with_capacity(MEMBER_BYTES * 2);
    let mut began = Instant::now();
    loop {
        match queue.recv_timeout(MEMBER_AGE.saturating_sub(began.elapsed())) {
            Ok(entry) => {
                if member.is_empty() {
                    began = Instant::now();
                }
                serde_json::to_writer(&mut member, &entry)?;
                member.push(b'\n');
                if member.len() >= MEMBER_BYTES {
                    close(&mut file, &mut member)?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                close(&mut file, &mut member)?;
                began = Instant::now();
            }
            Err(RecvTimeoutError::Disconnected) => return close(&mut file, &mut member),
        }
    }
}

/// Writes the lines as one member, in one call: a member is there or it is not.
fn close(file: &mut impl Write, lines: &mut Vec<u8>) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut gzip = GzEncoder::new(Vec::with_capacity(lines.len() / 6), Compression::fast());
    gzip.write_all(lines)?;
    file.write_all(&gzip.finish()?)?;
    lines.clear();
    Ok(())
}
