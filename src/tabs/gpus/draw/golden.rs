//! Golden files of the GPUs tab.

use std::sync::Arc;

use jiff::SignedDuration;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use crate::app::{App, AppInit, ColorDepth, Msg, ThemeName};
use crate::domain::{ErrorKind, Reading, Scope, SourceError, SourceId, SourceState};
use crate::fleet::gpu::GpuFleet;
use crate::tabs::gpus::picture::fixture::{gpus, hosts, many};
use crate::tabs::gpus::state::fixture::{app, go, heard, init};
use crate::ui::draw;
use crate::ui::golden::{golden, screen};
use crate::view::Symbols;

/// The screens, each by the keys that lead to it.
const SCREENS: [(&str, &str); 8] = [
    ("node", "2"),
    ("team", "2oj"),
    ("flat", "2:group flat<enter>j"),
    ("heat", "2m"),
    ("heat_node", "2m<enter><enter>"),
    ("distribution", "2D"),
    ("gpu", "2j<enter>"),
    ("missing", "2b"),
];

type Variant = (&'static str, fn() -> App);

const SMALL: (u16, u16) = (80, 24);

fn looking(change: fn(&mut AppInit)) -> App {
    let mut init = init(SMALL);
    change(&mut init);
    heard(init, gpus())
}

fn reading(source: SourceId, state: SourceState) -> Reading {
    let taken_at = Some(crate::view::fixture::now() - SignedDuration::from_secs(12));
    Reading { source, scope: Scope::new("-", "-"), state, coverage: 1.0, taken_at }
}

const VARIANTS: [Variant; 9] = [
    ("80x24", || app(SMALL)),
    ("200x50", || app((200, 50))),
    ("20x3", || app((20, 3))),
    ("no_colour", || looking(|i| i.appearance.depth = ColorDepth::None)),
    ("ascii", || looking(|i| i.appearance.symbols = Symbols::Ascii)),
    ("truecolour", || looking(|i| i.appearance.depth = ColorDepth::TrueColor)),
    ("stale", || {
        let mut app = app(SMALL);
        app.update(Msg::Now(crate::view::fixture::now() + SignedDuration::from_hours(3)));
        app
    }),
    ("error", || {
        let mut app = app(SMALL);
        let mut fleet = hosts();
        let error = SourceError::new(
            ErrorKind::Unavailable,
            "GET /api/v1/query",
            "no answer within 10 s",
            "Ask for less at once, or give it more time.",
        );
        fleet.readings.push(reading(SourceId::Exporter, SourceState::Live));
        fleet.readings.push(reading(SourceId::Prometheus, SourceState::Failed(Arc::new(error))));
        app.update(Msg::Fleet(Arc::new(fleet)));
        app
    }),
    ("huge", || {
        let mut init = init((200, 50));
        init.appearance.depth = ColorDepth::Ansi256;
        heard(init, many(2_000, 8, 20))
    }),
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
fn what_stands_there_before_there_is_telemetry() {
    let mut nothing = heard(init(SMALL), GpuFleet::default());
    go(&mut nothing, "2");
    insta::assert_snapshot!("empty@nothing", golden(&mut nothing));
    let blind = GpuFleet { rows: Vec::new(), ..gpus() };
    let mut unseen = heard(init(SMALL), blind);
    go(&mut unseen, "2");
    insta::assert_snapshot!("empty@blind", golden(&mut unseen));
    go(&mut unseen, "/x<esc>D");
    insta::assert_snapshot!("empty@distribution", golden(&mut unseen));
}

#[test]
fn all_stale_and_only_cloudwatch_are_said() {
    let changed = |change: fn(&mut crate::fleet::GpuRow)| {
        let mut fleet = gpus();
        for row in &mut fleet.rows {
            change(Arc::make_mut(row));
        }
        let mut app = heard(init(SMALL), fleet);
        go(&mut app, "2");
        app
    };
    let mut stale = changed(|row| {
        Arc::make_mut(&mut row.verdict).state = crate::domain::GpuState::Stale;
    });
    insta::assert_snapshot!("said@all_stale", golden(&mut stale));
    let mut cloud = changed(|row| {
        for told in &mut row.told {
            told.source = SourceId::CloudWatchGpu;
        }
    });
    insta::assert_snapshot!("said@only_cloudwatch", golden(&mut cloud));
}

#[test]
fn other_tabs_speak_of_gpus() {
    let mut overview = app((100, 30));
    insta::assert_snapshot!("overview@gpus", golden(&mut overview));
    go(&mut overview, "3/i-0b2part<enter><enter>");
    insta::assert_snapshot!("why@gpus", golden(&mut overview));
}

#[test]
fn the_trail_of_a_gpu_stands_where_there_is_room() {
    let mut fleet = gpus();
    for row in &mut fleet.rows {
        let now = row.verdict.activity.map_or(f32::NAN, |a| a.effective);
        Arc::make_mut(row).trail = [1.0, 0.5, f32::NAN, now].into_iter().collect();
    }
    for (width, has_room) in [(139, false), (140, true), (200, true)] {
        let mut app = heard(init((width, 24)), fleet.clone());
        go(&mut app, "2");
        let text = screen(&mut app);
        assert_eq!(text.contains("█▅ ▁"), has_room, "{width}:\n{text}");
    }
}

#[test]
fn light_and_braille() {
    let mut light = looking(|i| {
        i.appearance.depth = ColorDepth::Ansi256;
        i.appearance.theme = ThemeName::Light;
    });
    go(&mut light, "2m");
    insta::assert_snapshot!("heat@light", golden(&mut light));
    let mut init = init((100, 50));
    init.appearance.braille = true;
    let mut braille = heard(init, gpus());
    go(&mut braille, "2j<enter>");
    insta::assert_snapshot!("gpu@braille", golden(&mut braille));
}

#[test]
fn ascii_means_ascii() {
    for (name, keys) in SCREENS {
        let mut init = init((160, 40));
        init.appearance.symbols = Symbols::Ascii;
        let mut app = heard(init, gpus());
        go(&mut app, keys);
        let text = screen(&mut app);
        let foreign: String = text.chars().filter(|c| !c.is_ascii()).collect();
        assert_eq!(foreign, "", "{name}:\n{text}");
    }
}

#[test]
fn no_size_panics() {
    let mut terminal = Terminal::new(TestBackend::new(160, 40)).unwrap();
    for depth in [ColorDepth::None, ColorDepth::TrueColor] {
        for (name, keys) in SCREENS {
            let mut init = init((160, 40));
            init.appearance.depth = depth;
            let mut app = heard(init, gpus());
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
}
