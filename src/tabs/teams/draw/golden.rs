//! Golden files of the Teams tab.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::fixture::press;
use crate::app::{App, ColorDepth};
use crate::tabs::bill::state::fixture::answer;
use crate::tabs::storage::state::fixture::init;
use crate::tabs::teams::state::fixture::{app, go, on_teams, without_a_bill};
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;

/// The screens, each by the keys that lead to it, answered one after the other.
const SCREENS: [(&str, &[&str]); 10] = [
    ("teams", &[]),
    ("tags", &["o"]),
    ("budgets", &["o", "o"]),
    ("units", &["o", "o", "o"]),
    ("quotas", &["O", "O"]),
    ("people", &["O", "<enter>"]),
    ("team", &["<enter>"]),
    ("budget", &["o", "o", "<enter>"]),
    ("tag", &["o", "<enter>"]),
    ("about", &["i"]),
];

const SMALL: (u16, u16) = (80, 24);

#[test]
fn every_screen_small_and_large() {
    for size in [SMALL, (200, 50)] {
        for (name, keys) in SCREENS {
            let mut app = app(size);
            go(&mut app, keys);
            insta::assert_snapshot!(format!("{name}@{}x{}", size.0, size.1), golden(&mut app));
        }
    }
}

#[test]
fn without_colour_the_words_tell_the_same() {
    let mut plain = init((120, 40));
    plain.appearance.depth = ColorDepth::None;
    let mut plain = on_teams(plain);
    let mut coloured = app((120, 40));
    for (name, keys) in SCREENS {
        go(&mut plain, &["<esc>", "<esc>", ":teams<enter>"]);
        go(&mut coloured, &["<esc>", "<esc>", ":teams<enter>"]);
        go(&mut plain, keys);
        go(&mut coloured, keys);
        assert_eq!(screen(&mut plain), screen(&mut coloured), "{name}");
    }
}

#[test]
fn what_stands_there_without_a_bill() {
    for size in [SMALL, (200, 50)] {
        let name = |what| format!("{what}@{}x{}", size.0, size.1);
        let mut app = App::new(init(size));
        let effects = press(&mut app, "6");
        insta::assert_snapshot!(name("reading"), golden(&mut app));
        answer(&mut app, &effects, &[]);
        insta::assert_snapshot!(name("nothing"), golden(&mut app));
        let mut app = without_a_bill(init(size));
        insta::assert_snapshot!(name("live"), golden(&mut app));
        let effects = press(&mut app, ":teams budgets<enter>");
        answer(&mut app, &effects, &[]);
        insta::assert_snapshot!(name("no_bill"), golden(&mut app));
    }
}

#[test]
fn ascii_means_ascii() {
    for (name, keys) in SCREENS {
        let mut init = init((160, 40));
        init.appearance.symbols = Symbols::Ascii;
        let mut app = on_teams(init);
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
            for width in (0..=44).step_by(4).chain((45..=160).step_by(19)) {
                terminal.resize(Rect::new(0, 0, width, height)).unwrap();
                let mut frame = terminal.get_frame();
                draw(&mut frame, &mut app);
                assert_eq!(app.size(), (width, height), "{name}");
            }
        }
    }
}
