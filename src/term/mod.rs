//! Owning the terminal, and the loop that runs a cockpit on it.
//!
//! Three threads serve the loop: one reads keys ([`decode`]), one writes frames, one hears
//! signals. The loop itself never waits for the terminal: it sleeps until a key, a message, a
//! signal or the next deadline, handles everything that waits, and draws at most one frame.
//!
//! The terminal is asked nothing, ever: what it can do comes from the environment ([`detect`]),
//! its size from the kernel.

mod canvas;
mod changes;
mod crash;
pub mod decode;
pub mod detect;
mod encode;
mod guard;
mod input;
mod osc52;
mod pace;
mod run;
mod shift;
mod tty;
mod warden;
mod writer;

use std::io;
use std::path::PathBuf;

use crossterm::event::Event;
use jiff::Timestamp;
use ratatui::Frame;

pub use canvas::Canvas;
pub use osc52::osc52;
pub use run::run;

/// A program with a screen, as a state machine without a terminal.
///
/// The loop calls it from one thread and passes the time; none of its methods may block. Work outside itself is
/// returned as effects.
pub trait Cockpit {
    /// Message from background tasks.
    type Msg;
    /// Effect that it asks for.
    type Effect;

    /// Handles a key, a paste, a mouse report or a change of size. A burst of resizes arrives as one event with the
    /// final size. Returns the effects to perform.
    fn on_event(&mut self, event: Event, now: Timestamp) -> Vec<Self::Effect>;
    /// Handles a message from a background task. Returns the effects to perform.
    fn on_msg(&mut self, msg: Self::Msg, now: Timestamp) -> Vec<Self::Effect>;
    /// Handles the deadline that [`Cockpit::next_deadline`] returned. Returns the effects to perform.
    fn on_tick(&mut self, now: Timestamp) -> Vec<Self::Effect>;
    /// Time of the next call to [`Cockpit::on_tick`]; `None` for none. An idle cockpit wakes for nothing else.
    fn next_deadline(&self, now: Timestamp) -> Option<Timestamp>;
    /// True when the picture has changed since [`Cockpit::drawn`].
    fn is_dirty(&self) -> bool;
    /// Draws the whole picture. Called only when its bytes can be sent at once.
    fn draw(&mut self, frame: &mut Frame);
    /// Called after the drawn picture was handed to the writer.
    fn drawn(&mut self);
    /// True when mouse reports are wanted; checked after each turn of the loop.
    fn wants_mouse(&self) -> bool;
}

/// Action of the loop on behalf of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Ends the loop.
    Quit,
    /// Restores the terminal and stops the process, as Ctrl-Z does; ignored where no shell could resume it.
    Suspend,
    /// Sends bytes unchanged, ahead of the next frame ([`osc52()`]). They must not move the cursor or draw.
    Write(Vec<u8>),
    /// Clears the screen and paints all of it.
    Redraw,
}

/// How the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By [`Order::Quit`].
    Quit,
    /// By the signal with this number.
    Signal(i32),
    /// The terminal is gone. Nothing can be printed any more: `println!` would panic.
    TerminalGone,
}

impl Exit {
    /// The process's exit status: 0 after a quit, else 128 plus the signal's number as shells
    /// have it (SIGTERM 143, SIGINT 130, SIGHUP and a vanished terminal 129).
    pub fn code(self) -> i32 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => 128 + number,
            Self::TerminalGone => 128 + rustix::process::Signal::HUP.as_raw(),
        }
    }
}

/// Options of [`run()`].
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Directory of crash reports, created when needed; `None` writes none.
    pub crash_dir: Option<PathBuf>,
    /// Columns and rows to use when the terminal reports 0, see [`detect::size_hint`].
    pub size_hint: (Option<u16>, Option<u16>),
    /// True when the terminal moves lines within a region, see [`detect::moves_lines`].
    pub moves_lines: bool,
}

/// Why the loop could not start.
#[derive(Debug, thiserror::Error)]
pub enum TermError {
    /// There is no terminal to draw on.
    #[error(
        "standard output is not a terminal: {0}; use `--format table` for a report without a screen"
    )]
    NoTerminal(#[source] io::Error),
    /// The terminal's settings could not be changed.
    #[error("the terminal cannot be put into raw mode: {0}")]
    RawMode(#[source] io::Error),
    /// A thread, pipe or signal handler could not be created.
    #[error("the system refuses what the screen needs (threads, pipes, signal handlers): {0}")]
    System(#[source] io::Error),
}
