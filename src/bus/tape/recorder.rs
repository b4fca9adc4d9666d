//! Writing a tape, on a thread of its own: whoever says something never waits for the disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::entry::Entry;

/// Entries that may wait; a disk that is slower loses entries, counted, instead of stopping burntop.
const WAITING: usize = 1_024;
/// A member is closed after this many bytes before compression,
const MEMBER_BYTES: usize = 1 << 20;
/// or after this long: what a crash can cost.
const MEMBER_AGE: Duration = Duration::from_secs(5);

/// Records to a file until it is dropped. Clones record to the same tape.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    entries: Option<SyncSender<Entry>>,
    thread: Option<JoinHandle<()>>,
    lost: AtomicU64,
    broken: Arc<AtomicBool>,
}

impl Recorder {
    /// Opens `path` for appending; it is created readable by its owner alone, because a tape holds
    /// tags and names.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let (entries, queue) = sync_channel(WAITING);
        let broken = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&broken);
        let thread = thread::Builder::new().name("tape".into()).spawn(move || {
            if let Err(error) = write(file, &queue) {
                tracing::warn!(%error, "the recording ended");
                told.store(true, Ordering::Relaxed);
            }
        })?;
        let (entries, thread, lost) = (Some(entries), Some(thread), AtomicU64::new(0));
        Ok(Self(Arc::new(Inner { entries, thread, lost, broken })))
    }

    /// Records an entry; never waits.
    pub fn record(&self, entry: Entry) {
        let Some(entries) = &self.0.entries else { return };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = entries.try_send(entry)
        {
            self.0.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Entries that could not be recorded.
    pub fn lost(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// True when the file cannot be written any more.
    pub fn is_broken(&self) -> bool {
        self.0.broken.load(Ordering::Relaxed)
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

fn write(mut file: File, queue: &Receiver<Entry>) -> io::Result<()> {
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
fn close(file: &mut File, lines: &mut Vec<u8>) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut gzip = GzEncoder::new(Vec::with_capacity(lines.len() / 6), Compression::fast());
    gzip.write_all(lines)?;
    file.write_all(&gzip.finish()?)?;
    lines.clear();
    Ok(())
}
