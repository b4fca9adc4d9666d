//! A small cockpit to try the terminal part with, and the way to start it as a program of its
//! own: this test binary again, with one ignored test as its main function.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use burntop::parts::term::{self, Cockpit, Exit, Options, Order, detect};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use jiff::{SignedDuration, Timestamp};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Stylize;
use ratatui::text::Line;
use tokio::sync::mpsc;

use crate::pty::Pty;

const CHILD: &str = "BURNTOP_E2E_CHILD";
const ARGS: [&str; 5] = ["--ignored", "--exact", "demo::child", "--nocapture", "--test-threads=1"];
/// Messages in one flood.
pub const FLOOD: u32 = 10_000;

/// The demo on a terminal of its own, its first frame painted.
pub fn spawn(env: &[(&str, &str)], size: (u16, u16)) -> Pty {
    let demo = Pty::spawn(program(), &ARGS, &with_child(env), size);
    demo.wait_for("ready");
    demo
}

/// The demo started by a shell script, which finds its command line in `"$@"`.
pub fn spawn_by_shell(script: &str, env: &[(&str, &str)], size: (u16, u16)) -> Pty {
    let program = program();
    let mut args = vec!["-c", script, "sh", program.to_str().unwrap()];
    args.extend(ARGS);
    let demo = Pty::spawn("/bin/sh", &args, &with_child(env), size);
    demo.wait_for("ready");
    demo
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap()
}

fn with_child<'a>(env: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut all = vec![(CHILD, "1")];
    all.extend_from_slice(env);
    all
}

#[test]
#[ignore = "the program that the terminal tests start, no test by itself"]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let env = |name: &str| std::env::var(name).ok();
    let (sender, messages) = mpsc::channel(FLOOD as usize);
    let mut demo = Demo::default();
    let options = Options {
        crash_dir: env("CRASH_DIR").map(PathBuf::from),
        size_hint: detect::size_hint(env),
        moves_lines: detect::moves_lines(env),
    };
    let exit = term::run(
        &mut demo,
        messages,
        |effect| match effect {
            Effect::Order(order) => Some(order),
            Effect::Flood => {
                let sender = sender.clone();
                thread::spawn(move || (0..FLOOD).for_each(|_| sender.blocking_send(()).unwrap()));
                None
            }
            Effect::Note => {
                std::fs::write(PathBuf::from(env("CRASH_DIR").unwrap()).join("note"), "").unwrap();
                None
            }
            Effect::CrashInBackground => {
                let crash = thread::spawn(|| panic!("background \u{1b}[31mtrouble"));
                assert!(crash.join().is_err());
                None
            }
        },
        &options,
    )
    .unwrap();
    if exit != Exit::TerminalGone {
        println!("ended by {exit:?} after {} frames", demo.frames);
    }
    if env("SLOW_END").is_some() {
        thread::sleep(Duration::from_hours(1));
    }
    std::process::exit(exit.code());
}

/// What the screen is filled with after `w` was typed so often.
pub fn fill_letter(times: usize) -> char {
    char::from(b'a' + (times % 26) as u8)
}

enum Effect {
    Order(Order),
    Flood,
    CrashInBackground,
    /// Leaves a sign outside the terminal.
    Note,
}

/// What is to go wrong: in the next draw, at the next tick.
#[derive(PartialEq)]
enum Trouble {
    Panic,
    Hang,
}

#[derive(Default)]
struct Demo {
    dirty: bool,
    size: (u16, u16),
    last: String,
    keys: u32,
    messages: u32,
    ticks: u32,
    ticking: Option<Timestamp>,
    frames: u32,
    mouse: bool,
    trouble: Option<Trouble>,
    fill: usize,
}

impl Demo {
    fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.keys += 1;
        self.last = format!("{:?} {:?}", key.code, key.modifiers);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let order = match key.code {
            KeyCode::Char('q') => Order::Quit,
            KeyCode::Char('z') if control => Order::Suspend,
            KeyCode::Char('y') => Order::Write(term::osc52("i-0abc", false).unwrap()),
            KeyCode::Char('r') => Order::Redraw,
            KeyCode::Char('n') => return vec![Effect::Note],
            KeyCode::Char('f') => return vec![Effect::Flood],
            KeyCode::Char('b') => return vec![Effect::CrashInBackground],
            // The loop hangs at the next tick, after a frame for this key.
            KeyCode::Char('h') => {
                self.trouble = Some(Trouble::Hang);
                self.ticking = Some(Timestamp::now() + SignedDuration::from_millis(100));
                return Vec::new();
            }
            KeyCode::Char('m') => {
                self.mouse = !self.mouse;
                return Vec::new();
            }
            KeyCode::Char('p') => {
                self.trouble = Some(Trouble::Panic);
                return Vec::new();
            }
            KeyCode::Char('w') => {
                self.fill += 1;
                return Vec::new();
            }
            KeyCode::Char('t') => {
                self.ticking = Some(Timestamp::now());
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        vec![Effect::Order(order)]
    }
}

impl Cockpit for Demo {
    type Msg = ();
    type Effect = Effect;

    fn on_event(&mut self, event: Event, _: Timestamp) -> Vec<Effect> {
        self.dirty = true;
        match event {
            Event::Key(key) => return self.key(key),
            Event::Resize(columns, rows) => self.size = (columns, rows),
            Event::Paste(text) => self.last = format!("paste {text:?}"),
            Event::Mouse(mouse) if matches!(mouse.kind, MouseEventKind::Down(_)) => {
                self.last = format!("click {},{}", mouse.column, mouse.row);
            }
            _ => {}
        }
        Vec::new()
    }

    fn on_msg(&mut self, (): (), _: Timestamp) -> Vec<Effect> {
        self.dirty = true;
        self.messages += 1;
        Vec::new()
    }

    fn on_tick(&mut self, now: Timestamp) -> Vec<Effect> {
        if self.trouble == Some(Trouble::Hang) {
            loop {
                thread::park();
            }
        }
        self.dirty = true;
        self.ticks += 1;
        self.ticking = Some(now + SignedDuration::from_millis(60));
        Vec::new()
    }

    fn next_deadline(&self, _: Timestamp) -> Option<Timestamp> {
        self.ticking
    }

    fn is_dirty(&self) -> bool {
        self.dirty
    }

    fn draw(&mut self, frame: &mut Frame) {
        assert!(self.trouble != Some(Trouble::Panic), "draw \u{1b}[31mtrouble");
        self.frames += 1;
        let area = frame.area();
        let (columns, rows) = (area.width, area.height);
        let lines = [
            Line::from("ready").red().reversed(),
            Line::from(format!("pid {}", std::process::id())),
            Line::from(format!("told {:?} frame {columns}x{rows}", self.size)),
            Line::from(format!("keys {} last {}", self.keys, self.last)),
            Line::from(format!("messages {} ticks {}", self.messages, self.ticks)),
            Line::from(format!("frames {}", self.frames)),
        ];
        for (row, line) in (0..rows).zip(lines) {
            frame.render_widget(line, Rect { y: row, height: 1, ..area });
        }
        if self.fill > 0 {
            for row in 6..rows {
                let line = Line::from(fill_letter(self.fill).to_string().repeat(columns.into()));
                frame.render_widget(line, Rect { y: row, height: 1, ..area });
            }
        }
    }

    fn drawn(&mut self) {
        self.dirty = false;
    }

    fn wants_mouse(&self) -> bool {
        self.mouse
    }
}
