//! The terminal device: its descriptors, its line discipline, its size.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{self, OptionalActions, QueueSelector, Termios};

/// The size taken where nothing tells one, the classic terminal.
const DEFAULT_SIZE: (u16, u16) = (80, 24);
/// The largest size believed, in cells. More is a broken or hostile report, and a screen buffer
/// for 65,535 × 65,535 cells would end the program.
const MAX_SIZE: (u16, u16) = (2_000, 1_000);
/// How often a write that waits for the terminal looks whether it was called off.
const CALL_OFF_CHECK: Duration = Duration::from_millis(100);

/// The terminal that the program was started on.
#[derive(Debug)]
pub(super) struct Tty {
    /// Keys come from here: standard input, or the terminal itself where that is redirected.
    input: OwnedFd,
    /// Frames go here: the device behind standard output, opened anew and without blocking.
    output: OwnedFd,
    /// Held for each single write, so that a restore from another thread never lands inside one.
    writing: Mutex<()>,
    /// Frames are called off: a restore is under way or done.
    called_off: AtomicBool,
    /// A frame was left unfinished, perhaps inside a control sequence.
    torn: AtomicBool,
}

impl Tty {
    /// Opens the terminal. Err when standard output is no terminal, or no input can be opened.
    pub(super) fn open() -> io::Result<Self> {
        let stdout = rustix::stdio::stdout();
        if !termios::isatty(stdout) {
            return Err(Errno::NOTTY.into());
        }
        // The device behind standard output, by its own name: on macOS `poll` does not work on
        // /dev/tty, which remains for where the name cannot be had.
        let name = termios::ttyname(stdout, Vec::new());
        let name = name.as_deref().unwrap_or(c"/dev/tty");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let stdin = rustix::stdio::stdin();
        let input = if termios::isatty(stdin) {
            stdin.try_clone_to_owned()?
        } else {
            rustix::fs::open(name, flags, Mode::empty())?
        };
        // A descriptor of our own may be non-blocking. Setting that on standard output itself
        // would set it for the shell and everybody else who shares the open file. Where the
        // device cannot be opened (another user's tty after su), writes block, and only the
        // watchdog bounds them.
        let output = rustix::fs::open(name, flags | OFlags::NONBLOCK, Mode::empty())
            .map_or_else(|_| stdout.try_clone_to_owned(), Ok)?;
        Ok(Self {
            input,
            output,
            writing: Mutex::new(()),
            called_off: AtomicBool::new(false),
            torn: AtomicBool::new(false),
        })
    }

    /// Descriptor to read keys from.
    pub(super) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// Present line settings. Err when the terminal does not answer.
    pub(super) fn settings(&self) -> io::Result<Termios> {
        Ok(termios::tcgetattr(&self.input)?)
    }

    /// Sets raw mode on top of `settings`: no echo, no line editing, no signals from keys. Err when the terminal
    /// refuses.
    pub(super) fn set_raw(&self, settings: &Termios) -> io::Result<()> {
        let mut raw = settings.clone();
        raw.make_raw();
        self.set(&raw)
    }

    /// Sets line settings at once, without waiting for pending output. Err when the terminal refuses.
    pub(super) fn set(&self, settings: &Termios) -> io::Result<()> {
        loop {
            match termios::tcsetattr(&self.input, OptionalActions::Now, settings) {
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }

    /// Size in cells, columns first. When the terminal reports 0 (a serial line, a bare container), `hint` (`$COLUMNS`,
    /// `$LINES`) is used, else 80 × 24.
    pub(super) fn size(&self, hint: (Option<u16>, Option<u16>)) -> (u16, u16) {
        let told = termios::tcgetwinsize(&self.output).map_or((0, 0), |s| (s.ws_col, s.ws_row));
        believable(told, hint)
    }

    /// Writes a whole frame, waiting as long as the terminal takes. Err when the terminal is gone, and with
    /// [`io::ErrorKind::Interrupted`] once [`Tty::call_off`] was called.
    pub(super) fn write_frame(&self, frame: &[u8]) -> io::Result<()> {
        let mut rest = frame;
        while !rest.is_empty() {
            let written = {
                let _held = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
                if self.called_off.load(Ordering::SeqCst) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let written = rustix::io::write(&self.output, rest);
                if let Ok(n) = written {
                    self.torn.store(n < rest.len(), Ordering::SeqCst);
                }
                written
            };
            match written {
                Ok(n) => rest = &rest[n..],
                Err(Errno::AGAIN) => {
                    self.wait_writable(CALL_OFF_CHECK)?;
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Cancels the frame being written and all later ones, until [`Tty::call_on`].
    pub(super) fn call_off(&self) {
        self.called_off.store(true, Ordering::SeqCst);
    }

    /// Allows frames again after [`Tty::call_off`].
    pub(super) fn call_on(&self) {
        self.called_off.store(false, Ordering::SeqCst);
        self.torn.store(false, Ordering::SeqCst);
    }

    /// Cancels frames and writes the bytes that restore the terminal, waiting at most `patience`. Output that the
    /// terminal does not take within that time is discarded, so that the restore itself gets through.
    pub(super) fn write_last(&self, bytes: &[u8], patience: Duration) {
        self.call_off();
        let until = Instant::now() + patience;
        let _held = loop {
            match self.writing.try_lock() {
                Ok(held) => break Some(held),
                Err(TryLockError::Poisoned(held)) => break Some(held.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => break None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        // CAN ends a control sequence that a torn frame left open.
        let mut all = if self.torn.swap(false, Ordering::SeqCst) { vec![0x18] } else { Vec::new() };
        all.extend_from_slice(bytes);
        if !self.try_write(&all, until) {
            let _ = termios::tcflush(&self.output, QueueSelector::OFlush);
            self.try_write(&all, Instant::now() + CALL_OFF_CHECK);
        }
    }

    fn try_write(&self, bytes: &[u8], until: Instant) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            // Asked first, because the fallback descriptor would block.
            match self.wait_writable(left) {
                Ok(true) => {}
                Ok(false) | Err(_) => return false,
            }
            match rustix::io::write(&self.output, rest) {
                Ok(n) => rest = &rest[n..],
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return false,
            }
        }
        true
    }

    fn wait_writable(&self, at_most: Duration) -> io::Result<bool> {
        let timeout = timespec(at_most);
        let mut fds = [PollFd::new(&self.output, PollFlags::OUT)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => Ok(false),
            Ok(_) if fds[0].revents().intersects(GONE) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(_) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

/// Flags of `poll` for a terminal that is gone.
pub(super) const GONE: PollFlags = PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::NVAL);

/// `duration` as `poll` takes it.
pub(super) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

fn believable(told: (u16, u16), hint: (Option<u16>, Option<u16>)) -> (u16, u16) {
    let side = |told: u16, hint: Option<u16>, default: u16, max: u16| {
        if told > 0 { told } else { hint.unwrap_or(default) }.min(max)
    };
    (
        side(told.0, hint.0, DEFAULT_SIZE.0, MAX_SIZE.0),
        side(told.1, hint.1, DEFAULT_SIZE.1, MAX_SIZE.1),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_else_hinted_else_classic() {
        let cases = [
            ((200, 50), (None, None), (200, 50)),
            ((200, 50), (Some(10), Some(10)), (200, 50)),
            ((0, 0), (Some(132), Some(43)), (132, 43)),
            ((0, 0), (None, None), (80, 24)),
            ((0, 30), (None, Some(99)), (80, 30)),
            ((1, 1), (None, None), (1, 1)),
            ((65_535, 65_535), (None, None), (2_000, 1_000)),
        ];
        for (told, hint, want) in cases {
            assert_eq!(believable(told, hint), want, "{told:?} {hint:?}");
        }
    }
}
