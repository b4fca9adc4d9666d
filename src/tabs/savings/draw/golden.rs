//! Golden files of the lists of what could be saved.

use jiff::SignedDuration;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::fixture::press;
use crate::app::{App, AppInit, ColorDepth, Msg};
use crate::fleet::Savings;
use crate::tabs::savings::picture::fixture::{denied, savings, savings_of};
use crate::tabs::savings::state::fixture::{app, heard, init};
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;

/// The screens, each by the keys that lead to it.
const SCREENS: [(&str, &str); 13] = [
    ("commitments", "o"),
    ("rightsize", "oo"),
    ("spot", "ooo"),
    ("resources", "oooo"),
    ("models", "ooooo"),
    ("commitment", "oj<enter>"),
    ("proposal", "oo<enter>"),
    ("cannot", "ooG<enter>"),
    ("candidate", "ooo<enter>"),
    ("resource", "oooo<enter>"),
    ("model", "ooooo<enter>"),
    ("guide", ":guide<enter>jjj"),
    ("idle", "3"),
];

const SMALL: (u16, u16) = (80, 24);

fn looking(change: fn(&mut AppInit)) -> App {
    let mut init = init(SMALL);
    change(&mut init);
    heard(init, savings())
}

type Variant = (&'static str, fn() -> App);

const VARIANTS: [Variant; 8] = [
    ("80x24", || app(SMALL)),
    ("200x50", || app((200, 50))),
    ("120x40", || app((120, 40))),
    ("20x3", || app((20, 3))),
    ("no_colour", || looking(|i| i.appearance.depth = ColorDepth::None)),
    ("ascii", || looking(|i| i.appearance.symbols = Symbols::Ascii)),
    ("stale", || {
        let mut app = heard(init(SMALL), denied());
        app.update(Msg::Now(crate::view::fixture::now() + SignedDuration::from_hours(60)));
        app
    }),
    ("error", || heard(init(SMALL), denied())),
];

#[test]
fn every_screen_in_every_variant() {
    for (variant, make) in VARIANTS {
        for (name, keys) in SCREENS {
            let mut app = make();
            press(&mut app, keys);
            insta::assert_snapshot!(format!("{name}@{variant}"), golden(&mut app));
        }
    }
}

#[test]
fn what_stands_there_without_rows() {
    let nothing = |s: &mut Savings| {
        s.commitments.clear();
        s.proposals.clear();
        s.spot.clear();
        s.resources.clear();
        s.models.clear();
    };
    for (name, keys) in &SCREENS[..5] {
        let mut app = heard(init(SMALL), savings_of(nothing));
        press(&mut app, keys);
        insta::assert_snapshot!(format!("{name}@nothing"), golden(&mut app));
    }
    let unread = Savings { commitments: vec![], ..denied() };
    let mut app = heard(init(SMALL), unread);
    press(&mut app, "o");
    insta::assert_snapshot!("commitments@unread", golden(&mut app));
    // Before anything was worked out a command says so.
    let mut early =
        crate::app::fixture::app_with(crate::tabs::gpus::picture::fixture::hosts(), SMALL);
    press(&mut early, ":commitments<enter>");
    insta::assert_snapshot!("commitments@early", golden(&mut early));
}

#[test]
fn ascii_means_ascii() {
    for (name, keys) in SCREENS {
        let mut init = init((160, 40));
        init.appearance.symbols = Symbols::Ascii;
        // Names are what they are.
        let ascii = savings_of(|s| {
            for row in &mut s.commitments {
                let row = std::sync::Arc::make_mut(row);
                row.covers = row.covers.replace('×', "x").into();
            }
        });
        let mut app = heard(init, ascii);
        press(&mut app, keys);
        let text = screen(&mut app).replace('\u{fffd}', "?");
        let foreign: String = text.chars().filter(|c| !c.is_ascii()).collect();
        assert_eq!(foreign, "", "{name}:\n{text}");
    }
}

#[test]
fn no_size_panics() {
    let mut terminal = Terminal::new(TestBackend::new(160, 40)).unwrap();
    for (name, keys) in SCREENS {
        let mut app = app((160, 40));
        press(&mut app, keys);
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
