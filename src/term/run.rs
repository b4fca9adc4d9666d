//! The loop of the cockpit: messages in, frames out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use jiff::Timestamp;
use rustix::process::{Signal as Os, getpgrp, getsid, kill_current_process_group};
use tokio::runtime::Builder;
use tokio::sync::mpsc;

use super::guard::{self, TerminalGuard};
use super::input::Input;
use super::pace::Pace;
use super::tty::Tty;
use super::warden::{self, Signal};
use super::writer::Writer;
use super::{Canvas, Cockpit, Exit, Options, Order, TermError, crash};

/// Events handled in one turn before a frame gets its chance. More than fit into a held key's
/// repeat or a burst of wheel reports between two frames.
const EVENTS_PER_TURN: usize = 256;
/// Messages handled in one turn, by number and by time, so that a key never waits behind a flood.
const MESSAGES_PER_TURN: usize = 1_024;
const MESSAGE_TIME: Duration = Duration::from_millis(8);
/// The least time between two ticks: a deadline that keeps lying in the past must not spin.
const TICK_INTERVAL: Duration = Duration::from_millis(50);
/// How long the last frame may take before a stop or the end gives up on it.
const DRAIN_WITHIN: Duration = Duration::from_millis(150);
/// Bytes that may wait ahead of a frame; beyond it older ones are dropped, whole.
const MAX_WAITING: usize = 256 * 1024;

/// Runs `cockpit` on the terminal until it quits, a signal ends it, or the terminal is gone.
///
/// Each effect goes to `perform`, which does it or starts it, and returns an [`Order`] where the loop has to act. It
/// runs on the loop's thread and must not block; it answers by a message with `try_send`. Messages come from any thread
/// or runtime.
///
/// Must be called outside an async context, and is meant for the main thread. The terminal is restored when this
/// returns, in every case. After [`Exit::Signal`] or [`Exit::TerminalGone`] the process has the rest of 700 ms to end
/// by itself, then it is ended; after [`Exit::Quit`] no such limit applies.
///
/// # Errors
/// There is no terminal, raw mode cannot be set, or a thread, pipe or signal handler cannot be created.
pub fn run<C: Cockpit>(
    cockpit: &mut C,
    mut messages: mpsc::Receiver<C::Msg>,
    perform: impl FnMut(C::Effect) -> Option<Order>,
    options: &Options,
) -> Result<Exit, TermError> {
    let tty = Arc::new(Tty::open().map_err(TermError::NoTerminal)?);
    crash::install(options.crash_dir.clone());
    let runtime = Builder::new_current_thread().enable_time().build().map_err(TermError::System)?;
    let mut signals = warden::start().map_err(TermError::System)?;

    // From here on every way out restores the terminal.
    let guard = TerminalGuard;
    let mouse = cockpit.wants_mouse();
    let waiting = guard::claim(&tty, mouse).map_err(TermError::RawMode)?;
    let writer = Writer::start(Arc::clone(&tty)).map_err(TermError::System)?;
    let (input, mut events) = Input::start(Arc::clone(&tty)).map_err(TermError::System)?;
    let (columns, rows) = tty.size(options.size_hint);

    let mut turns = Turns {
        cockpit,
        perform,
        size_hint: options.size_hint,
        canvas: Canvas::new(columns, rows).moving_lines(options.moves_lines),
        tty,
        writer,
        input,
        pace: Pace::default(),
        waiting,
        frame: Vec::new(),
        mouse,
        suspended: false,
        last_tick: None,
        exit: None,
    };
    turns.handle_resize((columns, rows));
    let exit = runtime.block_on(turns.run(&mut signals, &mut events, &mut messages));

    drop(events);
    let Turns { tty, input, writer, mut waiting, .. } = turns;
    drop(input);
    // A copy asked for just before the end still goes out.
    if writer.is_free() && !waiting.is_empty() {
        writer.send(&mut waiting);
    }
    writer.drain(DRAIN_WITHIN);
    // A hang-up comes as a signal first; whether somebody can still be told something is what the
    // terminal itself knows.
    let exit = if exit == Exit::Signal(Os::HUP.as_raw()) && tty.settings().is_err() {
        Exit::TerminalGone
    } else {
        exit
    };
    drop(guard);
    drop(writer);
    if exit != Exit::TerminalGone {
        crash::tell();
    }
    Ok(exit)
}

/// The loop's state.
struct Turns<'a, C: Cockpit, P> {
    cockpit: &'a mut C,
    perform: P,
    size_hint: (Option<u16>, Option<u16>),
    canvas: Canvas,
    tty: Arc<Tty>,
    writer: Writer,
    input: Input,
    pace: Pace,
    /// Bytes to send ahead of the next frame.
    waiting: Vec<u8>,
    /// The buffer that frames are collected in.
    frame: Vec<u8>,
    /// Mouse reports are on.
    mouse: bool,
    /// The terminal is the shell's; no frame until SIGCONT.
    suspended: bool,
    last_tick: Option<Instant>,
    exit: Option<Exit>,
}

impl<C: Cockpit, P: FnMut(C::Effect) -> Option<Order>> Turns<'_, C, P> {
    async fn run(
        &mut self,
        signals: &mut mpsc::UnboundedReceiver<Signal>,
        events: &mut mpsc::Receiver<Event>,
        messages: &mut mpsc::Receiver<C::Msg>,
    ) -> Exit {
        let mut messages_open = true;
        loop {
            self.paint_if_due();
            if let Some(exit) = self.exit {
                return exit;
            }
            let tick_at = self.tick_at();
            let wake_at = self.frame_at(Instant::now()).into_iter().chain(tick_at).min();
            let blocked = self.has_something_to_send() && !self.suspended && !self.writer.is_free();

            let mut event = None;
            let mut message = None;
            tokio::select! {
                biased;
                signal = signals.recv() => self.handle_signal(signal),
                got = events.recv() => match got {
                    Some(got) => event = Some(got),
                    None => self.exit = Some(Exit::TerminalGone),
                },
                () = self.writer.freed(), if blocked => {}
                got = messages.recv(), if messages_open => match got {
                    Some(got) => message = Some(got),
                    // Nobody is left to send any: the screen goes on without.
                    None => messages_open = false,
                },
                () = sleep_until(wake_at), if wake_at.is_some() => {}
            }
            while let Ok(signal) = signals.try_recv() {
                self.handle_signal(Some(signal));
            }
            self.handle_events(event, events);
            self.handle_messages(message, messages);
            if tick_at.is_some_and(|at| at <= Instant::now()) {
                self.tick();
            }
            if self.writer.is_gone() && !self.suspended {
                self.exit = Some(Exit::TerminalGone);
            }
        }
    }

    fn handle_signal(&mut self, signal: Option<Signal>) {
        match signal {
            // The warden lives as long as the process; if it is gone, so is everything.
            None => self.exit = Some(Exit::Quit),
            Some(Signal::End(exit)) => self.exit = Some(exit),
            Some(Signal::Suspend) => self.suspend(),
            Some(Signal::Continue) => self.resume(),
            Some(Signal::Resize) => {
                // Also at the size that it has already: between two looks the terminal may have
                // been another size, and what it showed is cut or moved.
                self.canvas.forget();
                self.handle_resize(self.tty.size(self.size_hint));
            }
        }
    }

    fn handle_resize(&mut self, (columns, rows): (u16, u16)) {
        self.canvas.resize(columns, rows);
        let effects = self.cockpit.on_event(Event::Resize(columns, rows), Timestamp::now());
        self.pace.want_for_input();
        self.perform(effects);
    }

    fn handle_events(&mut self, first: Option<Event>, rest: &mut mpsc::Receiver<Event>) {
        let now = Timestamp::now();
        let mut next = first;
        let mut handled = 0;
        while let Some(event) = next.take() {
            let effects = self.cockpit.on_event(event, now);
            self.perform(effects);
            handled += 1;
            if handled < EVENTS_PER_TURN && self.exit.is_none() && !self.suspended {
                next = rest.try_recv().ok();
            }
        }
        if handled > 0 && self.cockpit.is_dirty() {
            self.pace.want_for_input();
        }
    }

    fn handle_messages(&mut self, first: Option<C::Msg>, rest: &mut mpsc::Receiver<C::Msg>) {
        let now = Timestamp::now();
        let until = Instant::now() + MESSAGE_TIME;
        let mut next = first;
        let mut handled = 0;
        while let Some(message) = next.take() {
            let effects = self.cockpit.on_msg(message, now);
            self.perform(effects);
            handled += 1;
            if handled < MESSAGES_PER_TURN && self.exit.is_none() && Instant::now() < until {
                next = rest.try_recv().ok();
            }
        }
        if handled > 0 && self.cockpit.is_dirty() {
            self.pace.want_for_data();
        }
    }

    fn tick(&mut self) {
        self.last_tick = Some(Instant::now());
        let effects = self.cockpit.on_tick(Timestamp::now());
        self.perform(effects);
        if self.cockpit.is_dirty() {
            self.pace.want_for_data();
        }
    }

    fn perform(&mut self, effects: Vec<C::Effect>) {
        for effect in effects {
            match (self.perform)(effect) {
                None => {}
                Some(Order::Quit) => self.exit = Some(Exit::Quit),
                Some(Order::Suspend) => self.suspend(),
                Some(Order::Write(bytes)) => {
                    if self.waiting.len() + bytes.len() > MAX_WAITING {
                        self.waiting.clear();
                    }
                    self.waiting.extend_from_slice(&bytes);
                }
                Some(Order::Redraw) => {
                    self.canvas.forget();
                    self.pace.want_for_input();
                }
            }
        }
        let mouse = self.cockpit.wants_mouse();
        if mouse != self.mouse {
            self.mouse = mouse;
            self.waiting.extend_from_slice(guard::mouse(mouse));
        }
    }

    fn has_something_to_send(&self) -> bool {
        self.pace.wants() || !self.waiting.is_empty()
    }

    /// When the next frame may be drawn, if one is wanted and can be sent.
    fn frame_at(&self, now: Instant) -> Option<Instant> {
        if self.suspended || !self.writer.is_free() {
            return None;
        }
        if self.waiting.is_empty() { self.pace.due(now) } else { Some(now) }
    }

    fn paint_if_due(&mut self) {
        let now = Instant::now();
        if self.frame_at(now).is_none_or(|at| at > now) {
            return;
        }
        self.frame.clear();
        self.frame.append(&mut self.waiting);
        if self.pace.due(now).is_some_and(|at| at <= now) {
            let cockpit = &mut *self.cockpit;
            self.canvas.frame(|frame| cockpit.draw(frame), &mut self.frame);
            self.cockpit.drawn();
            self.pace.drawn(now);
        }
        if !self.frame.is_empty() {
            self.writer.send(&mut self.frame);
        }
    }

    fn tick_at(&self) -> Option<Instant> {
        let now = Timestamp::now();
        let deadline = self.cockpit.next_deadline(now)?;
        // A deadline in the past is due now.
        let wait = Duration::try_from(deadline.duration_since(now)).unwrap_or_default();
        let at = Instant::now().checked_add(wait)?;
        Some(self.last_tick.map_or(at, |last| at.max(last + TICK_INTERVAL)))
    }

    /// Gives the terminal back and stops the whole process group, as a shell expects of a job.
    fn suspend(&mut self) {
        if self.suspended || !can_be_resumed() {
            return;
        }
        self.input.pause();
        self.writer.drain(DRAIN_WITHIN);
        guard::release();
        self.suspended = true;
        // SIGSTOP and not SIGTSTP: that one is ours to hear. The group, so that a wrapper script
        // stops with us. SIGCONT brings us on.
        if kill_current_process_group(Os::STOP).is_err() {
            self.resume();
        }
    }

    /// Takes the terminal (again), after a stop of ours or of somebody else's making.
    fn resume(&mut self) {
        // A frame that was called off must be over before frames are allowed again.
        self.writer.drain(DRAIN_WITHIN);
        let Ok(enter) = guard::claim(&self.tty, self.mouse) else {
            self.exit = Some(Exit::TerminalGone);
            return;
        };
        self.waiting.splice(..0, enter);
        self.suspended = false;
        self.canvas.forget();
        self.input.resume();
        self.handle_resize(self.tty.size(self.size_hint));
    }
}

/// False where a stop would be for ever: in the process group of the session's leader there is no
/// shell with job control above us (`ssh -t host burntop`, a container's first process).
fn can_be_resumed() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
