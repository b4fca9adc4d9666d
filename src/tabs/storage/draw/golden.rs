//! Golden files of the Storage tab.

use std::sync::Arc;

use jiff::SignedDuration;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::fixture::press;
use crate::app::{App, AppInit, ColorDepth, Msg};
use crate::domain::{ErrorKind, Reading, SourceError, SourceId, SourceState};
use crate::fleet::StorageFleet;
use crate::tabs::storage::picture::fixture::{fleet, fleet_of, huge, scope};
use crate::tabs::storage::state::fixture::{app, heard, init};
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;

/// The screens, each by the keys that lead to it.
const SCREENS: [(&str, &str); 11] = [
    ("buckets", "4"),
    ("explorer", "4/check<enter><enter>"),
    ("below", "4/check<enter><enter><enter>"),
    ("findings", "4oo"),
    ("ebs", "4ooo"),
    ("runs", "4oooo"),
    ("run", "4oooo<enter>"),
    ("copies", "4ooooo"),
    ("bucket", "4d"),
    ("tiers", "4/check<enter>t"),
    ("rules", "4L"),
];

const SMALL: (u16, u16) = (80, 24);

fn looking(change: fn(&mut AppInit)) -> App {
    let mut init = init(SMALL);
    change(&mut init);
    heard(init, fleet())
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
        let mut app = app(SMALL);
        app.update(Msg::Now(crate::view::fixture::now() + SignedDuration::from_hours(60)));
        app
    }),
    ("error", || {
        let error = SourceError::new(
            ErrorKind::Throttled,
            "s3:ListAllMyBuckets",
            "slow down",
            "It tries again by itself.",
        );
        let state = SourceState::Failed(Arc::new(error));
        let failed =
            Reading { source: SourceId::S3, scope: scope(), taken_at: None, coverage: 0.0, state };
        heard(init(SMALL), fleet_of(|f| f.readings[0] = failed))
    }),
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
    let nothing = || {
        let fleet = fleet_of(|f| {
            f.buckets.clear();
            f.ebs.clear();
            f.scans.clear();
        });
        heard(init(SMALL), fleet)
    };
    for (name, keys) in SCREENS {
        let mut app = nothing();
        press(&mut app, keys);
        insta::assert_snapshot!(format!("{name}@nothing"), golden(&mut app));
    }
    // Before anything was read the tab is not there.
    let mut unread = heard(init(SMALL), StorageFleet::default());
    press(&mut unread, "4");
    insta::assert_snapshot!("buckets@unread", golden(&mut unread));
}

#[test]
fn a_hundred_thousand_entries() {
    let mut app = heard(init((120, 40)), huge(100_000));
    press(&mut app, "4/check<enter><enter><enter>G");
    insta::assert_snapshot!("below@huge", golden(&mut app));
    press(&mut app, "/part-00042<enter>");
    insta::assert_snapshot!("below@huge_filtered", golden(&mut app));
}

#[test]
fn the_overview_speaks_of_storage() {
    let mut app = app((100, 40));
    insta::assert_snapshot!("overview@storage", golden(&mut app));
}

#[test]
fn ascii_means_ascii() {
    for (name, keys) in SCREENS {
        let mut init = init((160, 40));
        init.appearance.symbols = Symbols::Ascii;
        // Names are what they are.
        let mut app = heard(
            init,
            fleet_of(|f| {
                f.buckets.retain(|b| b.bucket.name.is_ascii());
            }),
        );
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
