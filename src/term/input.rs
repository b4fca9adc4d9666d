//! The thread that reads keys.
//!
//! It sleeps in `poll` without a time-out, so an idle cockpit wakes for nothing, and it never
//! reads from a terminal that has hung up without noticing (crossterm-rs/crossterm#793). It can
//! be paused, so that the keys typed while the program is stopped reach whom they are meant for.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::mpsc;

use super::decode::Decoder;
use super::tty::{GONE, Tty, timespec};
use super::warden;

/// Events that may wait for the loop. Behind them the terminal's own buffer holds the rest.
const WAITING_EVENTS: usize = 1_024;
/// How long a pause waits for the reader to stand still.
const PAUSE_PATIENCE: Duration = Duration::from_millis(100);

/// Handle of the thread that reads keys. Its channel ends when the terminal is gone.
#[derive(Debug)]
pub(super) struct Input {
    gate: Arc<Gate>,
    wake: PipeWriter,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    pause: bool,
    stop: bool,
    /// The reader stands at the gate.
    standing: bool,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands here while paused; false when it is time to end.
    fn pass(&self) -> bool {
        let mut state = self.state();
        while state.pause && !state.stop {
            state.standing = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.standing = false;
        !state.stop
    }
}

impl Input {
    /// Starts the thread and returns its channel of events. Err when a pipe or the thread cannot be created.
    pub(super) fn start(tty: Arc<Tty>) -> io::Result<(Self, mpsc::Receiver<Event>)> {
        let (events, receiver) = mpsc::channel(WAITING_EVENTS);
        let (woken, wake) = io::pipe()?;
        let gate = Arc::new(Gate::default());
        let theirs = Arc::clone(&gate);
        let thread = thread::Builder::new()
            .name("terminal-reader".into())
            .spawn(move || read_keys(&tty, &theirs, woken, &events))?;
        Ok((Self { gate, wake, thread: Some(thread) }, receiver))
    }

    /// Stops reading until [`Input::resume`].
    pub(super) fn pause(&mut self) {
        self.set(|state| state.pause = true);
        let state = self.gate.state();
        let _ = self.gate.changed.wait_timeout_while(state, PAUSE_PATIENCE, |s| !s.standing);
    }

    /// Continues reading after [`Input::pause`].
    pub(super) fn resume(&mut self) {
        self.set(|state| state.pause = false);
    }

    fn set(&mut self, change: impl FnOnce(&mut State)) {
        change(&mut self.gate.state());
        self.gate.changed.notify_all();
        // A reader that has ended needs no waking.
        let _ = self.wake.write_all(&[0]);
    }
}

impl Drop for Input {
    /// Ends the thread before the terminal goes back, so that it takes no key from the shell. The
    /// channel's receiver must have been dropped, or the thread may wait on it.
    fn drop(&mut self) {
        self.set(|state| state.stop = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read_keys(tty: &Tty, gate: &Gate, mut woken: PipeReader, events: &mpsc::Sender<Event>) {
    let mut decoder = Decoder::default();
    let mut ready = Vec::new();
    let mut buffer = [0_u8; 4_096];
    while gate.pass() {
        match wait(tty, &woken, decoder.patience()) {
            Ok(Woken::Patience) => decoder.give_up(&mut ready),
            Ok(Woken::Gate) => {
                let _ = woken.read(&mut buffer);
            }
            Ok(Woken::Key) => match rustix::io::read(tty.input(), &mut buffer) {
                Ok(0) => break,
                Ok(n) => decoder.push(&buffer[..n], &mut ready),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => break,
            },
            Err(_) => break,
        }
        for event in ready.drain(..) {
            if events.blocking_send(event).is_err() {
                // The loop has ended.
                return;
            }
        }
    }
    if !gate.state().stop {
        // Nobody is there to see a clean shutdown, and nothing may keep the process alive.
        warden::arm(super::Exit::TerminalGone);
    }
}

enum Woken {
    Key,
    Gate,
    Patience,
}

/// Waits for the terminal or the gate. A terminal that is gone and has nothing left to read is an
/// error.
fn wait(tty: &Tty, woken: &PipeReader, patience: Option<Duration>) -> io::Result<Woken> {
    let timeout = patience.map(timespec);
    let input = tty.input();
    loop {
        let mut fds = [PollFd::new(&input, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => return Ok(Woken::Patience),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let (terminal, gate) = (fds[0].revents(), fds[1].revents());
        if !gate.is_empty() {
            return Ok(Woken::Gate);
        }
        if terminal.contains(PollFlags::IN) {
            return Ok(Woken::Key);
        }
        if terminal.intersects(GONE) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
    }
}
