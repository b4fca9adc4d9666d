//! Taking the terminal and giving it back, whatever ends the program.
//!
//! What must be undone lies in one global place, because those who have to undo it (a panic hook,
//! the watchdog of a hung shutdown) share nothing else with the loop. Giving back is idempotent:
//! whoever comes first does it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::termios::Termios;

use super::tty::Tty;

/// How long giving the terminal back may wait for it to take the bytes.
const PATIENCE: Duration = Duration::from_millis(150);

/// Alternate screen, default style, bracketed paste. The cursor is the frames' business. 1049
/// clears the alternate screen on entry.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[m\x1b[?2004h";
/// Press, release and wheel (1000) in the form without a size limit (1006). Never motion (1002,
/// 1003): over SSH each step would be a packet.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1000l";
/// Everything back, in the reverse order: end of a synchronised update and of a region of moving
/// lines that a crash may have left open, mouse off, paste as keys, default style, the main screen,
/// a visible cursor. Each is harmless where it was not on.
const LEAVE: &[u8] =
    b"\x1b[?2026l\x1b[r\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[m\x1b[?1049l\x1b[?25h";

static CLAIM: Mutex<Option<Claim>> = Mutex::new(None);

struct Claim {
    tty: Arc<Tty>,
    /// The line settings as the shell had them.
    saved: Termios,
}

fn claimed() -> MutexGuard<'static, Option<Claim>> {
    CLAIM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True while the terminal is claimed by burntop.
pub(super) fn is_claimed() -> bool {
    claimed().is_some()
}

/// Claims the terminal: raw mode at once. The returned bytes do the rest and must be sent ahead of the next frame, so
/// that the switch to the alternate screen and its first picture are one write. When claimed again (after a stop from
/// outside, where the shell has changed the settings), the settings saved first are kept. Err when the settings cannot
/// be read or set.
pub(super) fn claim(tty: &Arc<Tty>, mouse: bool) -> io::Result<Vec<u8>> {
    let mut claim = claimed();
    let saved = match claim.take() {
        Some(earlier) => earlier.saved,
        None => tty.settings()?,
    };
    tty.set_raw(&saved)?;
    tty.call_on();
    *claim = Some(Claim { tty: Arc::clone(tty), saved });
    let mut bytes = ENTER.to_vec();
    if mouse {
        bytes.extend_from_slice(MOUSE_ON);
    }
    Ok(bytes)
}

/// Control sequence that switches mouse reports on or off.
pub(super) fn mouse(on: bool) -> &'static [u8] {
    if on { MOUSE_ON } else { MOUSE_OFF }
}

/// Restores the terminal, at most once per claim, in bounded time, from any thread.
pub(super) fn release() {
    let Some(Claim { tty, saved }) = claimed().take() else { return };
    tty.write_last(LEAVE, PATIENCE);
    // A terminal that is gone cannot be set, and nobody is left to tell.
    let _ = tty.set(&saved);
}

/// Restores the terminal when dropped.
#[derive(Debug)]
pub(super) struct TerminalGuard;

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        release();
    }
}
