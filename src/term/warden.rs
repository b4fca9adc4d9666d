//! The thread that hears signals, and the watchdog over a shutdown.
//!
//! Signals have their own thread because the loop may be the very thing that hangs. A signal that
//! ends the program is handed to the loop and, in the same moment, starts a clock: whoever has
//! not finished when it rings is not waited for.

use std::io;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::Signal as Os;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::mpsc;

use super::{Exit, guard};

/// How long an orderly shutdown may take after a fatal signal or the loss of the terminal. With
/// the time that the restore may take, the process is gone in under a second.
const SHUTDOWN: Duration = Duration::from_millis(700);

/// Signal that is passed to the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGTSTP: stop, as `kill -TSTP` or a shell's job control asks.
    Suspend,
    /// SIGCONT: the terminal must be claimed again, whichever process had it meanwhile.
    Continue,
    /// SIGWINCH: the size of the terminal changed.
    Resize,
    /// A signal that ends the program.
    End(Exit),
}

/// Starts listening for signals, for the rest of the process: once a handler is set, the default (to end) is gone, so
/// that signals must be answered even after the loop has ended. Err when a handler or the thread cannot be created.
///
/// Listening to SIGHUP overrides a parent that ignored it (`nohup`): without its terminal a cockpit has nothing left to
/// do.
pub(super) fn start() -> io::Result<mpsc::UnboundedReceiver<Signal>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let streams = {
        let _inside = runtime.enter();
        Streams::listen()?
    };
    let (signals, receiver) = mpsc::unbounded_channel();
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || hear(&runtime, streams, &signals))?;
    Ok(receiver)
}

struct Streams {
    terminate: Stream,
    hang_up: Stream,
    interrupt: Stream,
    quit: Stream,
    suspend: Stream,
    resume: Stream,
    resize: Stream,
}

impl Streams {
    fn listen() -> io::Result<Self> {
        let listen = |os: Os| signal(SignalKind::from_raw(os.as_raw()));
        Ok(Self {
            terminate: listen(Os::TERM)?,
            hang_up: listen(Os::HUP)?,
            interrupt: listen(Os::INT)?,
            quit: listen(Os::QUIT)?,
            suspend: listen(Os::TSTP)?,
            resume: listen(Os::CONT)?,
            resize: listen(Os::WINCH)?,
        })
    }
}

fn hear(runtime: &Runtime, mut streams: Streams, signals: &mpsc::UnboundedSender<Signal>) {
    runtime.block_on(async move {
        loop {
            let heard = tokio::select! {
                biased;
                _ = streams.terminate.recv() => end(Os::TERM),
                _ = streams.hang_up.recv() => end(Os::HUP),
                _ = streams.interrupt.recv() => end(Os::INT),
                _ = streams.quit.recv() => end(Os::QUIT),
                _ = streams.suspend.recv() => Signal::Suspend,
                _ = streams.resume.recv() => Signal::Continue,
                _ = streams.resize.recv() => Signal::Resize,
            };
            let nobody_listens = signals.send(heard).is_err();
            if let Signal::End(exit) = heard {
                if nobody_listens {
                    leave(exit);
                }
                arm(exit);
            }
        }
    });
}

fn end(os: Os) -> Signal {
    Signal::End(Exit::Signal(os.as_raw()))
}

/// Starts the time limit for the shutdown, once: when it ends, the process exits with the status of `exit`.
pub(super) fn arm(exit: Exit) {
    static ARMED: AtomicBool = AtomicBool::new(false);
    if ARMED.swap(true, Ordering::SeqCst) {
        return;
    }
    let clock = thread::Builder::new().name("watchdog".into()).spawn(move || {
        thread::sleep(SHUTDOWN);
        leave(exit);
    });
    if clock.is_err() {
        leave(exit);
    }
}

fn leave(exit: Exit) -> ! {
    guard::release();
    process::exit(exit.code());
}
