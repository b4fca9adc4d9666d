//! Playing a tape.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::clock::TapeClock;
use super::entry::Entry;
use super::reader::{TapeError, read};

/// Entries read ahead.
const AHEAD: usize = 32;

/// A tape that is to be played, and its clock.
#[derive(Clone, Debug)]
pub struct Tape {
    path: Arc<Path>,
    clock: Arc<TapeClock>,
}

impl PartialEq for Tape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.clock, &other.clock)
    }
}

impl Tape {
    /// Opens a tape. `speed`: seconds of the tape per second.
    pub fn open(path: PathBuf, speed: f64) -> Result<Self, TapeError> {
        let first = read(&path)?.next();
        let start = first.map(|entry| entry.at).unwrap_or_default();
        Ok(Self { path: path.into(), clock: Arc::new(TapeClock::new(start, speed)) })
    }

    /// The clock that everything runs by while the tape is played.
    pub fn clock(&self) -> Arc<TapeClock> {
        Arc::clone(&self.clock)
    }

    /// Plays without waiting: for a report, which shows the end.
    pub fn hurry(&self) {
        self.clock.hurry();
    }

    /// Hands over what was said, one by one, each when its time has come. The channel ends with the
    /// tape.
    pub fn play(&self) -> mpsc::Receiver<Entry> {
        let (said, receiver) = mpsc::channel(1);
        let (ahead, mut entries) = mpsc::channel::<Entry>(AHEAD);
        let path = Arc::clone(&self.path);
        // Reading and decoding is work, and waits for a disk.
        tokio::task::spawn_blocking(move || match read(&path) {
            Ok(tape) => {
                for entry in tape {
                    if ahead.blocking_send(entry).is_err() {
                        return;
                    }
                }
            }
            // It was there a moment ago.
            Err(error) => tracing::warn!(%error, "the tape ended"),
        });
        let clock = self.clock();
        tokio::spawn(async move {
            while let Some(entry) = entries.recv().await {
                let wait = clock.wait_for(entry.at);
                if !wait.is_zero() {
                    tokio::time::sleep(wait).await;
                }
                if said.send(entry).await.is_err() {
                    return;
                }
            }
        });
        receiver
    }
}
