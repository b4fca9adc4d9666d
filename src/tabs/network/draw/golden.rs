//! Golden files of the Network tab.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::fixture::press;
use crate::app::{App, AppInit, ColorDepth};
use crate::tabs::bill::state::fixture::answer;
use crate::tabs::network::state::fixture::{app, go, on_network, without_a_bill};
use crate::tabs::storage::state::fixture::init;
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;

/// The screens, each by the keys that lead to it, answered one after the other.
const SCREENS: [(&str, &[&str]); 7] = [
    ("paths", &[]),
    ("fixes", &["o"]),
    ("path", &["<enter>"]),
    ("gateway", &["j", "<enter>"]),
    ("filtered", &["/fix=gateway_endpoint<enter>"]),
    ("calculator", &["n"]),
    ("about", &["i"]),
];

const SMALL: (u16, u16) = (80, 24);

fn looking(change: fn(&mut AppInit)) -> App {
    let mut init = init(SMALL);
    change(&mut init);
    on_network(init)
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
fn what_stands_there_without_a_bill() {
    for size in [SMALL, (200, 50)] {
        let mut app = App::new(init(size));
        let effects = press(&mut app, "5");
        insta::assert_snapshot!(format!("reading@{}x{}", size.0, size.1), golden(&mut app));
        answer(&mut app, &effects, &[]);
        insta::assert_snapshot!(format!("no_bill@{}x{}", size.0, size.1), golden(&mut app));
    }
    let mut first = app(SMALL);
    go(&mut first, &["["]);
    insta::assert_snapshot!("nothing_before@80x24", golden(&mut first));
}

/// The screens without a bill, each by the keys that lead to it.
const LIVE: [(&str, &str); 5] = [
    ("live", ""),
    ("live_path", "<enter>"),
    ("live_far", "jjj<enter>"),
    ("live_calculator", "n"),
    ("live_about", "i"),
];

#[test]
fn what_is_read_of_the_account_stands_there_without_a_bill() {
    for (size, symbols) in
        [(SMALL, Symbols::Unicode), ((200, 50), Symbols::Unicode), (SMALL, Symbols::Ascii)]
    {
        for (name, keys) in LIVE {
            let mut init = init(size);
            init.appearance.symbols = symbols;
            let mut app = without_a_bill(init);
            press(&mut app, keys);
            let text = golden(&mut app);
            if symbols == Symbols::Ascii {
                assert!(text.is_ascii(), "{name}:\n{text}");
                continue;
            }
            insta::assert_snapshot!(format!("{name}@{}x{}", size.0, size.1), text);
        }
    }
}

#[test]
fn what_is_behind_says_so() {
    let mut app = app(SMALL);
    press(&mut app, "[");
    let text = screen(&mut app);
    assert!(text.contains("Live  …"), "{text}");
}

#[test]
fn ascii_means_ascii() {
    for (name, keys) in SCREENS {
        let mut init = init((160, 40));
        init.appearance.symbols = Symbols::Ascii;
        let mut app = on_network(init);
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
