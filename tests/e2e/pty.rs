//! A program in a pseudo-terminal, with a terminal emulator (vt100) on the other side.
//!
//! Waiting is always for something to appear, with a generous limit; when it does not, the panic
//! shows the screen. No test should assert how long something took.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::LocalModes;

/// How long anything may take before the test fails. Slow machines are no failures.
pub const LIMIT: Duration = Duration::from_mins(1);

/// A running program and its terminal. Dropping it kills the program.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    shared: Arc<Shared>,
}

struct Shared {
    seen: Mutex<Seen>,
    changed: Condvar,
}

struct Seen {
    raw: Vec<u8>,
    /// How much of `raw` the emulator was shown.
    shown: usize,
    parser: vt100::Parser,
    /// Nothing is read while set, as behind a stalled connection.
    stalled: bool,
    /// The reader is to let go of the terminal.
    hang_up: bool,
    /// The reader has let go.
    ended: bool,
}

impl Seen {
    /// Shows what was read as a terminal does that knows synchronised updates: a frame as a whole,
    /// so that no test sees the half of one.
    fn take(&mut self, bytes: &[u8], over: bool) {
        const BEGIN: &[u8] = b"\x1b[?2026h";
        const END: &[u8] = b"\x1b[?2026l";
        self.raw.extend_from_slice(bytes);
        // A mark may have come in two pieces.
        let from = self.shown.saturating_sub(BEGIN.len());
        let last = |mark: &[u8]| self.raw[from..].windows(mark.len()).rposition(|w| w == mark);
        let upto = match (last(BEGIN), last(END)) {
            (Some(begin), end) if !over && end.is_none_or(|end| end < begin) => from + begin,
            _ => self.raw.len(),
        };
        if upto > self.shown {
            self.parser.process(&with_every_glyph(&self.raw[self.shown..upto]));
            self.shown = upto;
        }
    }
}

/// The emulator swallows U+FFFD, which moves what stands behind it; terminals show it, one column
/// wide.
fn with_every_glyph(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(3).position(|window| window == b"\xef\xbf\xbd") {
        out.extend_from_slice(&rest[..at]);
        out.push(b'?');
        rest = &rest[at + 3..];
    }
    out.extend_from_slice(rest);
    out
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        // A failed assertion must not make a second failure of the clean-up.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pty {
    /// Starts `program` on a terminal of `columns` × `rows`, as leader of its session, in an
    /// environment of `PATH`, `TERM=xterm-256color`, `LANG=C.UTF-8` and then `env`.
    pub fn spawn<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        args: &[A],
        env: &[(&str, &str)],
        (columns, rows): (u16, u16),
    ) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        for (name, value) in env {
            command.env(name, value);
        }
        command.cwd(std::env::current_dir().unwrap());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let shared = Arc::new(Shared {
            seen: Mutex::new(Seen {
                raw: Vec::new(),
                shown: 0,
                parser: vt100::Parser::new(
                    rows.try_into().unwrap(),
                    columns.try_into().unwrap(),
                    0,
                ),
                stalled: false,
                hang_up: false,
                ended: false,
            }),
            changed: Condvar::new(),
        });
        let output = pair.master.try_clone_reader().unwrap();
        let theirs = Arc::clone(&shared);
        thread::spawn(move || read_output(&theirs, output));
        let keys = pair.master.take_writer().unwrap();
        Self { master: Some(pair.master), keys: Some(keys), child, shared }
    }

    /// Types `keys`, as the bytes a terminal sends. A bare Esc must be sent alone and its effect
    /// waited for: with a key right behind it, it is Alt and that key, as in any terminal.
    pub fn send(&mut self, keys: &str) {
        let terminal = self.keys.as_mut().unwrap();
        terminal.write_all(keys.as_bytes()).unwrap();
        terminal.flush().unwrap();
    }

    /// The text on the screen, lines without trailing blanks.
    pub fn screen(&self) -> String {
        text(&self.shared.seen().parser)
    }

    /// Looks at the emulator: cells with their styles, cursor, modes.
    pub fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.shared.seen().parser.screen())
    }

    /// All bytes the program has written.
    pub fn raw(&self) -> Vec<u8> {
        self.shared.seen().raw.clone()
    }

    /// The present end of the output, for [`Pty::bytes_since`].
    pub fn mark(&self) -> usize {
        self.shared.seen().raw.len()
    }

    /// The bytes written since `mark`.
    pub fn bytes_since(&self, mark: usize) -> Vec<u8> {
        self.shared.seen().raw[mark..].to_vec()
    }

    /// Waits until `text` stands on the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?} on the screen"), |screen| {
            screen.contents().contains(text)
        });
    }

    /// Waits until the program has written `text` in one piece, since `mark`; for what does not
    /// stay on the screen.
    #[track_caller]
    pub fn wait_for_output(&self, mark: usize, text: &str) {
        let until = Instant::now() + LIMIT;
        let mut seen = self.shared.seen();
        while !seen.raw[mark..].windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
            let left = until.saturating_duration_since(Instant::now());
            let waiting = !left.is_zero() && !seen.ended;
            assert!(waiting, "waited in vain for {text:?} in the output\n{}", report(&seen));
            seen = self.shared.changed.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until the emulator is in a certain state; `what` names it for the failure.
    #[track_caller]
    pub fn wait_until(&self, what: &str, is: impl Fn(&vt100::Screen) -> bool) {
        assert!(
            self.comes_to(LIMIT, is),
            "waited in vain for {what}\n{}",
            report(&self.shared.seen())
        );
    }

    /// Waits `at_most` so long for the emulator to be in a certain state; whether it came to it.
    pub fn comes_to(&self, at_most: Duration, is: impl Fn(&vt100::Screen) -> bool) -> bool {
        let until = Instant::now() + at_most;
        let mut seen = self.shared.seen();
        while !is(seen.parser.screen()) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || seen.ended {
                return false;
            }
            seen = self.shared.changed.wait_timeout(seen, left).unwrap().0;
        }
        true
    }

    /// Waits until one line of the screen holds all of `words`.
    #[track_caller]
    pub fn wait_for_line(&self, words: &[&str]) {
        self.wait_until(&format!("a line with {words:?}"), |screen| {
            rows(screen).any(|line| words.iter().all(|word| line.contains(word)))
        });
    }

    /// Waits until `text` is gone from the screen.
    #[track_caller]
    pub fn wait_gone(&self, text: &str) {
        self.wait_until(&format!("no {text:?} on the screen"), |screen| {
            !screen.contents().contains(text)
        });
    }

    /// Waits until the program has been silent for `quiet`, to measure what one action costs.
    pub fn wait_until_quiet(&self, quiet: Duration) {
        let until = Instant::now() + LIMIT;
        let mut seen = self.shared.seen();
        loop {
            let before = seen.raw.len();
            let (now, timeout) = self.shared.changed.wait_timeout(seen, quiet).unwrap();
            seen = now;
            if seen.ended || (timeout.timed_out() && seen.raw.len() == before) {
                return;
            }
            assert!(Instant::now() < until, "the program is never silent\n{}", report(&seen));
        }
    }

    /// Changes the terminal's size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let mut seen = self.shared.seen();
        seen.parser.screen_mut().set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        self.master.as_ref().unwrap().resize(size(columns, rows)).unwrap();
    }

    /// Stops or resumes reading what the program writes. One read may be under way and still end.
    pub fn stall(&self, stalled: bool) {
        self.shared.seen().stalled = stalled;
        self.shared.changed.notify_all();
    }

    /// True while the terminal is in raw mode: neither lines nor echo.
    pub fn is_raw(&self) -> bool {
        let settings = self.master.as_ref().unwrap().get_termios().unwrap();
        let cooked = LocalModes::ICANON | LocalModes::ECHO;
        u64::from(settings.local_flags.bits()) & u64::from(cooked.bits()) == 0
    }

    /// Waits until the terminal is out of raw mode, which needs no output of the program.
    #[track_caller]
    pub fn wait_until_cooked(&self) {
        let until = Instant::now() + LIMIT;
        while self.is_raw() {
            assert!(Instant::now() < until, "still in raw mode\n{}", report(&self.shared.seen()));
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asserts that the terminal is as a shell wants it: main screen, visible cursor, no mouse
    /// reports, no bracketed paste, echo and lines.
    #[track_caller]
    pub fn assert_restored(&self) {
        let seen = self.shared.seen();
        let screen = seen.parser.screen();
        let mouse = screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
        let state =
            (screen.alternate_screen(), screen.hide_cursor(), screen.bracketed_paste(), mouse);
        assert_eq!(
            state,
            (false, false, false, false),
            "(alternate screen, hidden cursor, bracketed paste, mouse)\n{}",
            report(&seen)
        );
        drop(seen);
        assert!(!self.is_raw(), "still in raw mode");
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Closes the terminal under the program.
    #[track_caller]
    pub fn hang_up(&mut self) {
        self.shared.seen().hang_up = true;
        // The reader holds the terminal in a read; a byte from the program's side ends that.
        let name = self.master.as_ref().unwrap().tty_name().unwrap();
        let no_controlling_tty = OFlags::NOCTTY.bits().cast_signed();
        File::options()
            .write(true)
            .custom_flags(no_controlling_tty)
            .open(name)
            .and_then(|mut terminal| terminal.write_all(b"\0"))
            .unwrap();
        let until = Instant::now() + LIMIT;
        let mut seen = self.shared.seen();
        while !seen.ended {
            assert!(Instant::now() < until, "the reader does not let go");
            seen = self.shared.changed.wait_timeout(seen, LIMIT).unwrap().0;
        }
        drop(seen);
        self.keys = None;
        self.master = None;
    }

    /// Waits until the program has ended and all its output was read; its exit status.
    #[track_caller]
    pub fn wait_exit(&mut self) -> u32 {
        let until = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                Instant::now() < until,
                "the program does not end\n{}",
                report(&self.shared.seen())
            );
            thread::sleep(Duration::from_millis(5));
        };
        let seen = self.shared.seen();
        // What a grandchild still holds open is not waited for for ever.
        let _ = self.shared.changed.wait_timeout_while(seen, LIMIT, |seen| !seen.ended).unwrap();
        status.exit_code()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.shared.seen().stalled = false;
        self.shared.changed.notify_all();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_output(shared: &Shared, mut output: Box<dyn Read + Send>) {
    let mut buffer = [0_u8; 4_096];
    loop {
        let mut seen = shared.seen();
        while seen.stalled {
            seen = shared.changed.wait(seen).unwrap();
        }
        drop(seen);
        // Linux tells the end of a pseudo-terminal by EIO.
        let n = output.read(&mut buffer).unwrap_or(0);
        let mut seen = shared.seen();
        let over = n == 0 || seen.hang_up;
        seen.take(&buffer[..n], over);
        if over {
            drop(output);
            seen.ended = true;
            drop(seen);
            shared.changed.notify_all();
            return;
        }
        drop(seen);
        shared.changed.notify_all();
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn rows(screen: &vt100::Screen) -> impl Iterator<Item = String> {
    screen.rows(0, screen.size().1.get()).map(|line| line.trim_end().to_owned())
}

fn text(parser: &vt100::Parser) -> String {
    let lines: Vec<String> = rows(parser.screen()).collect();
    lines.join("\n").trim_end().to_owned()
}

fn report(seen: &Seen) -> String {
    let tail = &seen.raw[seen.raw.len().saturating_sub(600)..];
    format!(
        "---- screen ----\n{}\n---- last of {} bytes ----\n{}\n----",
        text(&seen.parser),
        seen.raw.len(),
        tail.escape_ascii()
    )
}
