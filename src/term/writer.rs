//! The thread that writes frames, so that a slow terminal never stops the loop.
//!
//! It holds one frame. While that is on its way no other is drawn: ratatui draws the difference
//! to the last frame, so a frame that is drawn must be sent, and what piles up behind a slow link
//! would only be stale. The loop draws the newest state once the writer is free again.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::Notify;

use super::tty::Tty;

/// Handle of the thread that writes frames.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
    /// Tells the loop that the slot is free, or that the terminal is gone.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Slot {
    frame: Vec<u8>,
    busy: bool,
    stop: bool,
    gone: bool,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Starts the thread. Err when it cannot be created.
    pub(super) fn start(tty: Arc<Tty>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            slot: Mutex::default(),
            changed: Condvar::new(),
            freed: Notify::new(),
        });
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("terminal-writer".into())
            .spawn(move || write_frames(&theirs, &tty))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// True when a frame may be sent.
    pub(super) fn is_free(&self) -> bool {
        !self.shared.slot().busy
    }

    /// True once the terminal failed to take a frame: it is gone.
    pub(super) fn is_gone(&self) -> bool {
        self.shared.slot().gone
    }

    /// Completes when the writer becomes free or finds the terminal gone; at once if that
    /// happened since the last call.
    pub(super) async fn freed(&self) {
        self.shared.freed.notified().await;
    }

    /// Hands `frame` to the thread and leaves an empty buffer in its place, the last one used, so that a steady stream
    /// of frames allocates nothing. While the writer is busy, the frame stays with the caller.
    pub(super) fn send(&self, frame: &mut Vec<u8>) {
        let mut slot = self.shared.slot();
        if slot.busy {
            return;
        }
        std::mem::swap(&mut slot.frame, frame);
        slot.busy = true;
        drop(slot);
        frame.clear();
        self.shared.changed.notify_all();
    }

    /// Waits until the last frame is out, at most `patience`.
    pub(super) fn drain(&self, patience: Duration) {
        let slot = self.shared.slot();
        let _ = self.shared.changed.wait_timeout_while(slot, patience, |slot| slot.busy);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.slot().stop = true;
        self.shared.changed.notify_all();
        // Joined only where it is idle: a thread that the terminal holds in a write must not hold
        // the shutdown.
        if self.is_free()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn write_frames(shared: &Shared, tty: &Tty) {
    let mut frame = Vec::new();
    loop {
        let mut slot = shared.slot();
        while !slot.busy && !slot.stop {
            slot = shared.changed.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
        if !slot.busy {
            return;
        }
        std::mem::swap(&mut slot.frame, &mut frame);
        drop(slot);
        let result = tty.write_frame(&frame);
        frame.clear();
        let mut slot = shared.slot();
        slot.busy = false;
        // A frame that was called off says nothing about the terminal.
        slot.gone |= result.is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        std::mem::swap(&mut slot.frame, &mut frame);
        drop(slot);
        shared.changed.notify_all();
        shared.freed.notify_one();
    }
}
