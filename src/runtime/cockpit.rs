//! `burntop`: the screen. Paints what the last run left, then starts everything else.

use std::io::{IsTerminal, stdin};
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::{Event, KeyEventKind};
use jiff::{SignedDuration, Timestamp};
use ratatui::Frame;
use tokio::sync::mpsc;

use super::{Backend, Request};
use crate::analyze::idle::Preset;
use crate::app::{
    AccountInfo, App, AppInit, Appearance, ColorDepth, Effect, Intervals, Keymap, Level, LogEntry,
    Mode, Msg, Notice, ThemeName,
};
use crate::bus;
use crate::bus::planning::Planner;
use crate::cache::{decode, read_summaries_sync};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::{session, views};
use crate::config::{ColorChoice, Env};
use crate::fleet::Fleet;
use crate::fleet::gpu::GpuFleet;
use crate::term::{self, Cockpit, Order, detect};
use crate::ui;
use crate::whatif::PlanRequest;

/// Messages that may wait for the screen; a source that is faster waits.
const MESSAGES: usize = 256;
/// Rows copied as JSON at most: more does not fit into a terminal's clipboard.
const COPIED_ROWS: usize = 200;

/// Runs the cockpit until it ends.
pub fn run(invocation: Invocation, env: &Env) -> Result<Exit, CliError> {
    if !stdin().is_terminal() {
        return Err(CliError::Usage(
            "standard input is not a terminal; use `burntop idle` for a report without a screen"
                .into(),
        ));
    }
    let clock = invocation.options.clock();
    let (keymap, conflicts) = Keymap::with_overrides(&invocation.config.keys);
    let mut app = App::new(init(&invocation, env, keymap, clock()));
    let notes = invocation
        .notices
        .iter()
        .map(ToString::to_string)
        .chain(conflicts.iter().map(ToString::to_string));
    for message in notes {
        app.update(Msg::Log(LogEntry {
            at: clock(),
            level: Level::Warn,
            source: None,
            scope: None,
            message,
            fix: String::new(),
        }));
    }
    let options = term::Options {
        crash_dir: invocation.paths.as_ref().map(|p| p.state_dir.clone()),
        size_hint: detect::size_hint(|name| env.get(name).map(str::to_owned)),
        moves_lines: detect::moves_lines(|name| env.get(name).map(str::to_owned)),
    };
    let in_tmux = env.get("TMUX").is_some();
    let (messages, inbox) = mpsc::channel(MESSAGES);
    let (requests, inlet) = mpsc::unbounded_channel();
    let answers = messages.clone();
    let backend = Backend::new(invocation, messages, inlet);
    let fixed = clock.clone();
    let mut screen = Screen {
        app,
        backend: Some(backend),
        requests: requests.clone(),
        viewport: Vec::new(),
        clock: fixed,
        started: Instant::now(),
    };
    let mut planner = LazyPlanner::default();
    let ended = term::run(
        &mut screen,
        inbox,
        |effect| perform(effect, &requests, &answers, &mut planner, in_tmux),
        &options,
    )
    .map_err(|e| CliError::Failed { exit: Exit::Unreadable, message: e.to_string() })?;
    // The backend writes the last picture while the shell has its prompt back already; a signal
    // does not wait for it.
    if ended == term::Exit::Quit {
        let (done, closed) = std::sync::mpsc::sync_channel(1);
        if requests.send(Request::Close(done)).is_ok() {
            let _ = closed.recv_timeout(session::CLOSE_WITHIN);
        }
        return Ok(Exit::Ok);
    }
    Err(CliError::Ended(ended.code() as u8))
}

/// State that the app starts with: configuration, environment, and the picture of the last run.
fn init(invocation: &Invocation, env: &Env, keymap: Keymap, now: Timestamp) -> AppInit {
    let config = &invocation.config;
    let demo = invocation.options.demo.is_some();
    let mut presets: Vec<(String, String)> = Preset::ALL
        .iter()
        .map(|preset| (preset.name().to_owned(), preset.policy().source.clone()))
        .collect();
    presets.extend(
        config.custom_presets.keys().map(|name| (name.clone(), "your configuration".to_owned())),
    );
    let (fleet, gpus) = first_pictures(invocation);
    AppInit {
        fleet: fleet.map(Arc::new),
        gpus: gpus.map(Arc::new),
        storage: None,
        mode: if invocation.options.tape.is_some() {
            Mode::Replay
        } else if demo {
            Mode::Demo
        } else if invocation.options.offline {
            Mode::Offline
        } else {
            Mode::Live
        },
        appearance: appearance(invocation, env),
        keymap,
        intervals: Intervals::default(),
        presets,
        preset: config.preset.clone(),
        views: config.views.iter().map(|(name, view)| views::to_screen(name, view)).collect(),
        accounts: Vec::<AccountInfo>::new(),
        mouse: config.ui.mouse,
        size: (80, 24),
        now,
    }
}

/// The pictures of the fleet and of the GPUs that the last run with the same accounts, regions and
/// preset left.
fn first_pictures(invocation: &Invocation) -> (Option<Fleet>, Option<GpuFleet>) {
    let path = invocation.cache_file().ok().filter(|_| !invocation.options.no_cache);
    let Some(path) = path else { return (None, None) };
    let fleet_key = session::summary_key(invocation);
    let gpus_key = bus::first_gpus_key(&fleet_key);
    let [fleet, gpus] = read_summaries_sync(&path, [&fleet_key, &gpus_key]);
    (fleet.and_then(|bytes| decode(&bytes)), gpus.and_then(|bytes| bus::read_gpus(&bytes)))
}

fn appearance(invocation: &Invocation, env: &Env) -> Appearance {
    let ui = &invocation.config.ui;
    let get = |name: &str| env.get(name).map(str::to_owned);
    let depth = match ui.color {
        ColorChoice::Auto => detect::color_depth(get),
        // At least the sixteen that every terminal has, whatever NO_COLOR or TERM say.
        ColorChoice::Always => detect::color_depth(|name| match name {
            "NO_COLOR" => None,
            _ => get(name),
        })
        .max(ColorDepth::Ansi16),
        ColorChoice::Never => ColorDepth::None,
    };
    let symbols = session::symbols(invocation, env);
    let theme = ui.theme.as_deref().and_then(ThemeName::from_name);
    Appearance { theme: theme.unwrap_or(ThemeName::Dark), depth, symbols, braille: ui.braille }
}

/// The app on a terminal.
struct Screen {
    app: App,
    /// Started when the first picture is on its way.
    backend: Option<Backend>,
    requests: mpsc::UnboundedSender<Request>,
    /// Instances on screen, as the backend knows them: their metrics are fetched first.
    viewport: Vec<Arc<str>>,
    clock: bus::Clock,
    /// Start of the program, for the uptime: unlike `clock` it can neither be set nor stand still.
    started: Instant,
}

impl Screen {
    fn tell(&mut self, msg: Msg) -> Vec<Effect> {
        // A fixed clock stays fixed on the screen as well.
        let now = (self.clock)();
        self.app.set_uptime(self.started.elapsed());
        let mut effects = self.app.update(Msg::Now(now));
        effects.extend(self.app.update(msg));
        effects
    }

    /// Tells the backend which instances are on screen, when they are others than before.
    fn tell_viewport(&mut self) {
        let Some(fleet) = self.app.shown() else { return };
        let (table, lines) = (self.app.table(), usize::from(self.app.size().1));
        let visible = table.order().iter().skip(table.top()).take(lines);
        let mut ids =
            visible.filter_map(|i| fleet.rows.get(*i as usize)).map(|row| &row.instance.id);
        if ids.clone().eq(&self.viewport) {
            return;
        }
        self.viewport = ids.by_ref().cloned().collect();
        // The receiver lives as long as the backend.
        let _ = self.requests.send(Request::Viewport(self.viewport.clone()));
    }
}

impl Cockpit for Screen {
    type Msg = Msg;
    type Effect = Effect;

    fn on_event(&mut self, event: Event, _: Timestamp) -> Vec<Effect> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.tell(Msg::Key(key)),
            Event::Mouse(mouse) => self.tell(Msg::Mouse(mouse)),
            Event::Resize(columns, rows) => self.tell(Msg::Resize(columns, rows)),
            Event::Paste(text) => self.tell(Msg::Paste(text)),
            _ => Vec::new(),
        }
    }

    fn on_msg(&mut self, msg: Msg, _: Timestamp) -> Vec<Effect> {
        self.tell(msg)
    }

    fn on_tick(&mut self, _: Timestamp) -> Vec<Effect> {
        self.app.update(Msg::Now((self.clock)()))
    }

    /// The app lives by the clock of the run, which may be that of a tape, or stand still; the loop
    /// by the system's.
    fn next_deadline(&self, now: Timestamp) -> Option<Timestamp> {
        let wait = self.app.next_deadline()?.duration_since((self.clock)());
        now.checked_add(wait.max(SignedDuration::ZERO)).ok()
    }

    fn is_dirty(&self) -> bool {
        self.app.is_dirty()
    }

    fn draw(&mut self, frame: &mut Frame) {
        ui::draw(frame, &mut self.app);
    }

    fn drawn(&mut self) {
        self.app.set_uptime(self.started.elapsed());
        self.app.mark_drawn();
        if let Some(backend) = self.backend.take() {
            backend.start();
        }
        self.tell_viewport();
    }

    fn wants_mouse(&self) -> bool {
        self.app.mouse()
    }
}

/// Does what needs the terminal at once; hands the rest to the backend, which never makes the
/// screen wait.
fn perform(
    effect: Effect,
    backend: &mpsc::UnboundedSender<Request>,
    answers: &mpsc::Sender<Msg>,
    planner: &mut LazyPlanner,
    in_tmux: bool,
) -> Option<Order> {
    match effect {
        Effect::Quit => return Some(Order::Quit),
        Effect::Suspend => return Some(Order::Suspend),
        Effect::Redraw => return Some(Order::Redraw),
        // The loop asks the app after each turn.
        Effect::SetMouse(_) => {}
        Effect::Copy(text) => return copy(&text, answers, in_tmux),
        Effect::CopyRows(picture) => {
            return copy(&picture.json_lines(COPIED_ROWS), answers, in_tmux);
        }
        // Whoever values scenarios has threads of its own.
        Effect::Plan(request) => planner.ask(request, answers),
        // The receiver lives as long as the backend; without it there is nothing to be done.
        other => drop(backend.send(Request::Do(Box::new(other)))),
    }
    None
}

/// Whoever values scenarios, started when the first is asked for.
#[derive(Default)]
struct LazyPlanner(Option<Planner>);

impl LazyPlanner {
    fn ask(&mut self, request: PlanRequest, answers: &mpsc::Sender<Msg>) {
        let planner = self.0.get_or_insert_with(|| {
            let answers = answers.clone();
            // Waits where the screen is behind; the screen may be gone already.
            Planner::start(move |answer| drop(answers.blocking_send(Msg::Planned(answer))))
        });
        if !planner.ask(request) {
            let text = "nothing can be valued: the system gives no threads";
            let _ = answers.try_send(Msg::Notice(Notice::new(Level::Error, text)));
        }
    }
}

/// The bytes that copy `text`; a word on the screen where it is too long for a terminal.
fn copy(text: &str, answers: &mpsc::Sender<Msg>, in_tmux: bool) -> Option<Order> {
    match term::osc52(text, in_tmux) {
        Ok(bytes) => Some(Order::Write(bytes)),
        Err(error) => {
            // A full queue means that the screen is about to change anyway.
            let _ = answers.try_send(Msg::Notice(Notice::new(Level::Warn, error.to_string())));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture;

    #[test]
    fn a_clock_that_is_behind_or_stands_still_wakes_nobody() {
        let (requests, _inlet) = mpsc::unbounded_channel();
        let tape = fixture::now();
        let screen = Screen {
            app: fixture::app_with(fixture::fleet(), (80, 24)),
            backend: None,
            requests,
            viewport: Vec::new(),
            clock: Arc::new(move || tape),
            started: Instant::now(),
        };
        let on_tape = screen.app.next_deadline().unwrap().duration_since(tape);
        assert!(on_tape.is_positive());
        let now = tape + SignedDuration::from_hours(24 * 30);
        assert_eq!(screen.next_deadline(now).unwrap().duration_since(now), on_tape);
    }
}
