//! Golden files of the Jobs tab.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::fixture::press;
use crate::app::{App, AppInit, ColorDepth};
use crate::tabs::jobs::picture::JobsRead;
use crate::tabs::jobs::state::fixture::{answer, app, go, on_jobs};
use crate::tabs::storage::state::fixture::init;
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;

/// The screens, each by the keys that lead to it, answered one after the other.
const SCREENS: [(&str, &[&str]); 13] = [
    ("attempts", &[]),
    ("sums", &["o"]),
    ("keys", &["b"]),
    ("nodes", &[":jobs nodes<enter>"]),
    ("repeats", &[":jobs repeats<enter>"]),
    ("replays", &[":jobs replay<enter>"]),
    ("replay", &[":jobs replay<enter>", "<enter>"]),
    ("scaling", &[":jobs scaling<enter>"]),
    ("setting", &[":jobs scaling<enter>", "<enter>"]),
    ("zombies", &[":jobs zombies<enter>"]),
    ("running", &["<enter>"]),
    ("lost", &["/state=node_fault<enter>", "<enter>"]),
    ("zombie", &[":jobs zombies<enter>", "<enter>"]),
];

const SMALL: (u16, u16) = (80, 24);

fn looking(change: fn(&mut AppInit)) -> App {
    let mut init = init(SMALL);
    change(&mut init);
    on_jobs(init)
}

type Variant = (&'static str, fn() -> App);

const VARIANTS: [Variant; 4] = [
    ("80x24", || app(SMALL)),
    ("200x50", || app((200, 50))),
    ("no_colour", || looking(|i| i.appearance.depth = ColorDepth::None)),
    ("ascii", || looking(|i| i.appearance.symbols = Symbols::Ascii)),
];

#[test]
fn every_screen_in_every_variant() {
    for (variant, make) in VARIANTS {
        for (name, keys) in SCREENS {
            let mut app = make();
            go(&mut app, keys);
            insta::assert_snapshot!(format!("{name}@{variant}"), golden(&mut app));
        }
    }
}

#[test]
fn what_stands_there_without_jobs() {
    for size in [SMALL, (200, 50)] {
        let mut app = App::new(init(size));
        let effects = press(&mut app, "9");
        insta::assert_snapshot!(format!("reading@{}x{}", size.0, size.1), golden(&mut app));
        answer(&mut app, &effects, &JobsRead::default());
        insta::assert_snapshot!(format!("no_jobs@{}x{}", size.0, size.1), golden(&mut app));
    }
}

#[test]
fn ascii_means_ascii() {
    for (name, keys) in SCREENS {
        let mut init = init((160, 40));
        init.appearance.symbols = Symbols::Ascii;
        let mut app = on_jobs(init);
        go(&mut app, keys);
        let text = screen(&mut app);
        let foreign: String = text.chars().filter(|c| !c.is_ascii()).collect();
        assert_eq!(foreign, "", "{name}:\n{text}");
    }
}

#[test]
fn no_size_panics() {
    let mut terminal = Terminal::new(TestBackend::new(160, 40)).unwrap();
    for (name, keys) in SCREENS {
        let mut app = app((160, 40));
        go(&mut app, keys);
        for height in (0..=24).chain([32, 40]) {
            for width in (0..=44).step_by(2).chain((45..=160).step_by(13)) {
                terminal.resize(Rect::new(0, 0, width, height)).unwrap();
                let mut frame = terminal.get_frame();
                draw(&mut frame, &mut app);
                assert_eq!(app.size(), (width, height), "{name}");
            }
        }
    }
}
