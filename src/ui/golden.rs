//! Golden files of every screen. The text is what a reader sees; below it the attributes and
//! colours of each line, so that a change of looks is a change of the file.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::SignedDuration;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::draw;
use crate::app::fixture::{self, app, app_with, fleet, fleet_of, press, readings};
use crate::app::sheet::fixture as acting;
use crate::app::{App, ColorDepth, Level, LogEntry, Mode, Msg, Notice, ThemeName};
use crate::domain::NetUnknown;
use crate::domain::{ErrorKind, Scope, SourceId};
use crate::view::Symbols;

/// The screen as text, without blanks at the ends of lines.
pub(crate) fn screen(app: &mut App) -> String {
    let buffer = render(app);
    let mut out = String::new();
    for line in lines(&buffer) {
        let text: String = line.iter().map(|c| c.symbol()).collect();
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

fn render(app: &mut App) -> Buffer {
    let (width, height) = app.size();
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    terminal.backend().buffer().clone()
}

fn lines(buffer: &Buffer) -> impl Iterator<Item = Vec<&Cell>> {
    let width = usize::from(buffer.area.width).max(1);
    buffer.content.chunks(width).map(|cells| {
        // The second half of a wide character holds nothing of its own.
        let mut skip = 0;
        cells
            .iter()
            .filter(|c| {
                if skip > 0 {
                    skip -= 1;
                    return false;
                }
                skip = crate::app::content::columns(c.symbol()).saturating_sub(1);
                true
            })
            .collect()
    })
}

/// Text, then per line the runs of looks: first column, length, look.
pub(crate) fn golden(app: &mut App) -> String {
    let buffer = render(app);
    let mut out = screen(app);
    out.push_str("---\n");
    let width = usize::from(buffer.area.width).max(1);
    for (y, cells) in buffer.content.chunks(width).enumerate() {
        let mut runs: Vec<(usize, usize, String)> = Vec::new();
        for (x, cell) in cells.iter().enumerate() {
            let look = look(cell);
            match runs.last_mut() {
                Some((_, length, last)) if *last == look => *length += 1,
                _ => runs.push((x, 1, look)),
            }
        }
        runs.retain(|r| !r.2.is_empty());
        if !runs.is_empty() {
            let words: Vec<String> =
                runs.iter().map(|(x, length, look)| format!("{x}+{length} {look}")).collect();
            writeln!(out, "{y:3}: {}", words.join(", ")).unwrap();
        }
    }
    out
}

fn look(cell: &Cell) -> String {
    let mut words = Vec::new();
    if cell.fg != Color::Reset {
        words.push(cell.fg.to_string().to_lowercase());
    }
    if cell.bg != Color::Reset {
        words.push(format!("on {}", cell.bg).to_lowercase());
    }
    for (flag, word) in [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::UNDERLINED, "underlined"),
        (Modifier::REVERSED, "reversed"),
    ] {
        if cell.modifier.contains(flag) {
            words.push(word.into());
        }
    }
    words.join(" ")
}

/// The screens, each by the keys that lead to it.
const SCREENS: [(&str, &str); 14] = [
    ("overview", ""),
    ("idle", "3"),
    ("why", "3<enter>"),
    ("help", "?"),
    ("log", "!"),
    ("own_cost", "$"),
    ("command", "3:sort <tab>"),
    ("filter", "3/team=nlp"),
    ("filter_error", "3/team=nlp and gpu<lt>x"),
    ("sort", "3s"),
    ("columns", "3cj"),
    ("only_this", "3j."),
    ("presets", "3p"),
    ("marks", "3 j Vj"),
];

/// A way in which a screen can differ.
type Variant = (&'static str, fn() -> App);

const VARIANTS: [Variant; 9] = [
    ("80x24", || app((80, 24))),
    ("200x50", || app((200, 50))),
    ("20x3", || app((20, 3))),
    ("no_colour", || {
        let mut init = fixture::init(None, (80, 24));
        init.appearance.depth = ColorDepth::None;
        heard(App::new(init))
    }),
    ("ascii", || {
        let mut init = fixture::init(None, (80, 24));
        init.appearance.symbols = Symbols::Ascii;
        heard(App::new(init))
    }),
    ("stale", || {
        let mut app = app((80, 24));
        app.update(Msg::Now(fixture::now() + SignedDuration::from_hours(3)));
        app
    }),
    ("error", || {
        let failing = Some((SourceId::CloudWatch, ErrorKind::Denied));
        let mut app = app_with(fleet_of(9, 1, readings(0, failing)), (80, 24));
        app.update(Msg::Log(LogEntry {
            at: fixture::now(),
            level: Level::Error,
            source: Some(SourceId::CloudWatch),
            scope: Some(Scope::new(fixture::ACCOUNT, "eu-west-1")),
            message: "cloudwatch:GetMetricData was denied".into(),
            fix: "Allow cloudwatch:GetMetricData to this role.".into(),
        }));
        app
    }),
    ("empty", || app_with(fleet_of(0, 1, readings(0, None)), (80, 24))),
    ("huge", || app_with(fleet_of(10_000, 1, readings(0, None)), (200, 50))),
];

fn heard(mut app: App) -> App {
    app.update(Msg::Fleet(Arc::new(fleet())));
    app.update(Msg::OwnCost(fixture::own_cost()));
    app
}

/// Loads the series of a why page, as an executor would.
fn go(app: &mut App, keys: &str) {
    for effect in press(app, keys) {
        if let crate::app::Effect::LoadSeries { instance } = effect {
            app.update(Msg::Series { instance, series: Arc::new(fixture::series()) });
        }
    }
}

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

/// The Overview with all that could be saved, and how it looks where the net is not known.
#[test]
fn the_overview_with_savings_in_every_variant() {
    use crate::tabs::savings::picture::fixture::{at_list_price, savings};
    use crate::tabs::savings::state::fixture as saving;
    let looking = |change: fn(&mut crate::app::AppInit)| {
        let mut init = saving::init((80, 50));
        change(&mut init);
        saving::heard(init, savings())
    };
    let mut unread = savings();
    unread.waterfall.net_unknown =
        Some(NetUnknown::Fixture("Savings Plans of 1/us-east-1: denied"));
    at_list_price(&mut unread);
    let variants = vec![
        ("80x24", saving::app((80, 24))),
        ("80x50", saving::app((80, 50))),
        ("200x50", saving::app((200, 50))),
        ("20x3", saving::app((20, 3))),
        ("ascii", looking(|init| init.appearance.symbols = Symbols::Ascii)),
        ("no_colour", looking(|init| init.appearance.depth = ColorDepth::None)),
        ("net_unknown", saving::heard(saving::init((80, 50)), unread)),
    ];
    for (variant, mut app) in variants {
        insta::assert_snapshot!(format!("overview_savings@{variant}"), golden(&mut app));
    }
}

/// Each page of the action sheet, at each size and look. Built at 80×24, as nothing can be
/// confirmed where the dialog is not seen.
#[test]
fn the_action_sheet_in_every_variant() {
    let plain = || acting::app(46);
    let looking = |change: fn(&mut crate::app::AppInit)| {
        let mut init = fixture::init(None, (80, 24));
        change(&mut init);
        let mut app = App::new(init);
        app.update(Msg::Fleet(Arc::new(fleet_of(46, 1, readings(0, None)))));
        app.update(Msg::OwnCost(fixture::own_cost()));
        app.update(Msg::Rules(acting::armed()));
        app
    };
    for stage in acting::STAGES {
        let variants = vec![
            ("80x24", plain(), (80, 24)),
            ("200x50", plain(), (200, 50)),
            ("20x3", plain(), (20, 3)),
            ("no_colour", looking(|i| i.appearance.depth = ColorDepth::None), (80, 24)),
            ("ascii", looking(|i| i.appearance.symbols = Symbols::Ascii), (80, 24)),
        ];
        for (variant, app, (width, height)) in variants {
            let mut app = acting::at(stage, app);
            app.update(Msg::Resize(width, height));
            insta::assert_snapshot!(format!("act_{stage}@{variant}"), golden(&mut app));
            if variant == "ascii" {
                let text = screen(&mut app);
                let foreign: String = text.chars().filter(|c| !c.is_ascii()).collect();
                assert_eq!(foreign, "", "{stage}:\n{text}");
            }
        }
    }
}

#[test]
fn states_of_the_action_sheet() {
    // One row, with a name too long for any column.
    let mut one = acting::app(9);
    press(&mut one, "3/state=running<enter>sn");
    press(&mut one, "G");
    acting::press_checked(&mut one, "a");
    insta::assert_snapshot!("act@long_name", golden(&mut one));
    // Fifty at once, more than the caps allow.
    let mut many = acting::app(450);
    press(&mut many, "3/verdict=idle<enter>VGV");
    acting::press_checked(&mut many, "a<enter>");
    press(&mut many, "jjjjjjjjjjjj");
    insta::assert_snapshot!("act@fifty", golden(&mut many));
    // Nothing may be changed.
    let mut read_only = app_with(fleet_of(46, 1, readings(0, None)), (80, 24));
    press(&mut read_only, "3/verdict=idle<enter>VGV");
    for effect in press(&mut read_only, "a<enter>") {
        let crate::app::Effect::Preflight(plan) = effect else { continue };
        read_only.update(Msg::Preflighted(acting::checked_as(&plan, false)));
    }
    press(&mut read_only, "c");
    insta::assert_snapshot!("act@read_only", golden(&mut read_only));
    // A small window: the dialog leaves out what the page has said.
    let mut small = acting::at("typed", acting::app(46));
    small.update(Msg::Resize(60, 18));
    insta::assert_snapshot!("act@small", golden(&mut small));
    // Elsewhere while it runs, and asked to quit.
    let mut running = acting::at("running", acting::app(46));
    press(&mut running, "<esc>");
    insta::assert_snapshot!("act@running_elsewhere", golden(&mut running));
    press(&mut running, "q");
    insta::assert_snapshot!("act@quit_while_running", golden(&mut running));
    let mut failed = acting::at("running", acting::app(46));
    failed.update(Msg::Acted(Err("the audit log cannot be written: no space left".into())));
    insta::assert_snapshot!("act@failed", golden(&mut failed));
    // One account of three is armed, and production.
    let mut init = fixture::init(None, (100, 12));
    for id in ["210987654321", "310987654321"] {
        let id: Arc<str> = id.into();
        let (label, production, profile) = (id.clone(), true, None);
        let account = crate::app::AccountInfo { id, label, production, profile };
        init.accounts.push(account);
    }
    let mut some = heard(App::new(init));
    some.update(Msg::Rules(acting::armed()));
    insta::assert_snapshot!("frame@armed_in_part", golden(&mut some));
}

#[test]
fn the_footer_of_the_sheet_says_what_space_does_with_the_row() {
    let footer = |app: &mut App| screen(app).lines().last().unwrap_or_default().to_owned();
    let mut app = acting::at("review", acting::app(46));
    assert!(footer(&mut app).contains("space leave out   c go on"), "{}", footer(&mut app));
    acting::press_checked(&mut app, " ");
    assert!(footer(&mut app).contains("space take back in"), "{}", footer(&mut app));
    press(&mut app, "G");
    assert!(!footer(&mut app).contains("space"), "{}", footer(&mut app));
}

#[test]
fn first_screens() {
    let mut app = App::new(fixture::init(None, (80, 24)));
    insta::assert_snapshot!("first@nothing_yet", golden(&mut app));
    // Some scopes answered, none has a row yet; then one of them is refused for good.
    let mut some = readings(0, Some((SourceId::Ec2, ErrorKind::Denied)));
    for reading in some.iter_mut().filter(|r| r.source != SourceId::Prices) {
        reading.taken_at = None;
    }
    let mut waiting = some.clone();
    for reading in &mut waiting {
        reading.state = crate::domain::SourceState::Loading;
    }
    for (name, readings) in [("first@reading", waiting), ("first@denied", some)] {
        let mut asked = app_with(fleet_of(0, 1, readings), (80, 24));
        press(&mut asked, "3");
        insta::assert_snapshot!(name, golden(&mut asked));
    }
    let mut without_one = readings(0, Some((SourceId::Ec2, ErrorKind::Denied)));
    for reading in without_one.iter_mut().filter(|r| r.state != crate::domain::SourceState::Live) {
        reading.taken_at = None;
    }
    let mut partial = app_with(fleet_of(9, 1, without_one), (100, 24));
    insta::assert_snapshot!("first@a_region_unread", golden(&mut partial));
    app.update(Msg::NoCredentials {
        message: "No profile, no environment variables, no instance role answered.".into(),
    });
    insta::assert_snapshot!("first@no_credentials", golden(&mut app));
    let mut app = App::new(fixture::init(Some(fleet()), (80, 24)));
    insta::assert_snapshot!("first@from_cache", golden(&mut app));
    let mut summary = fleet_of(10_000, 1, readings(0, None));
    summary.rows.truncate(250);
    let mut app = App::new(fixture::init(Some(summary), (80, 24)));
    insta::assert_snapshot!("first@from_summary", golden(&mut app));
}

#[test]
fn states_of_the_frame() {
    let mut frozen = app((80, 24));
    press(&mut frozen, "3f");
    frozen.update(Msg::Now(fixture::now() + SignedDuration::from_mins(4)));
    insta::assert_snapshot!("frame@frozen", golden(&mut frozen));

    let mut init = fixture::init(None, (80, 24));
    init.mode = Mode::Demo;
    init.accounts[0].production = true;
    let mut production = heard(App::new(init));
    insta::assert_snapshot!("frame@demo_and_production", golden(&mut production));

    let mut asking = app((80, 24));
    asking.update(Msg::RefreshCost(Some(0.12)));
    press(&mut asking, "3r");
    insta::assert_snapshot!("frame@refresh_costs", golden(&mut asking));

    let mut lacking = app((80, 24));
    lacking.update(Msg::Preset { name: "mean-cpu".into(), missing_usd: Some(0.4) });
    let capped = crate::domain::OwnCost { micro_usd: 1_000_000, ..fixture::own_cost() };
    lacking.update(Msg::OwnCost(capped));
    insta::assert_snapshot!("frame@lacking_and_capped", golden(&mut lacking));

    let mut init = fixture::init(None, (100, 24));
    init.appearance.braille = true;
    let mut braille = heard(App::new(init));
    go(&mut braille, "3<enter>G");
    insta::assert_snapshot!("why@braille", golden(&mut braille));
}

#[test]
fn a_message_is_read_whole_and_hides_neither_keys_nor_a_box() {
    let mut app = app((80, 24));
    go(&mut app, "3");
    let before = screen(&mut app);
    let long = "the bill of 2026-07 cannot be read: its pages hold more than is taken; ".repeat(3);
    let notice = |text: &str| Msg::Notice(Notice::new(Level::Warn, text));
    for text in ["reading again", long.trim_end()] {
        app.update(notice(text));
        let shown = screen(&mut app);
        assert_eq!(shown.lines().last(), before.lines().last(), "the keys");
        let words: Vec<String> =
            shown.replace('─', " ").split_whitespace().map(str::to_owned).collect();
        assert!(words.join(" ").contains(text), "{shown}");
        // The table keeps its lines; what is long lies over the last ones.
        assert!(shown.lines().take(18).eq(before.lines().take(18)), "{shown}");
    }
    go(&mut app, "c");
    let but_the_rule = |text: String| -> Vec<String> {
        let lines = text.lines().enumerate().filter(|(y, _)| *y != 22);
        lines.map(|(_, line)| line.to_owned()).collect()
    };
    let asked = but_the_rule(screen(&mut app));
    app.update(notice(long.trim_end()));
    let shown = screen(&mut app);
    assert!(shown.contains("the bill of 2026-07"), "{shown}");
    assert_eq!(but_the_rule(shown), asked);
    // What the next key takes away can still be read.
    go(&mut app, "<esc>!G");
    let log = screen(&mut app);
    assert!(log.contains("Messages above the footer") && log.contains("reading again"), "{log}");
}

#[test]
fn themes_look_as_they_should() {
    for theme in ThemeName::ALL {
        let mut init = fixture::init(None, (80, 12));
        init.appearance.theme = theme;
        init.appearance.depth = ColorDepth::Ansi256;
        let mut app = heard(App::new(init));
        go(&mut app, "3");
        insta::assert_snapshot!(format!("theme@{}", theme.name()), golden(&mut app));
    }
}

#[test]
fn ascii_means_ascii_on_every_screen() {
    for (name, keys) in SCREENS {
        let mut init = fixture::init(None, (120, 40));
        init.appearance.symbols = Symbols::Ascii;
        let mut app = App::new(init);
        app.update(Msg::Fleet(Arc::new(fleet())));
        go(&mut app, keys);
        let text = screen(&mut app);
        let foreign: String = text.chars().filter(|c| !c.is_ascii()).collect();
        assert_eq!(foreign, "", "{name}:\n{text}");
    }
}

/// Every screen at every height to 40 and every width to 40, then each third width to 120: where
/// columns come and go, every case occurs below 40 already.
#[test]
fn no_size_panics() {
    let backend = TestBackend::new(120, 40);
    let mut terminal = Terminal::new(backend).unwrap();
    for (name, keys) in SCREENS {
        let mut app = app((120, 40));
        go(&mut app, keys);
        for height in 0..=40 {
            for width in (0..=40).chain((41..=120).step_by(3)) {
                let area = Rect::new(0, 0, width, height);
                terminal.resize(area).unwrap();
                let mut frame = terminal.get_frame();
                draw(&mut frame, &mut app);
                assert_eq!(app.size(), (width, height), "{name}");
            }
        }
    }
}

#[test]
fn no_size_panics_on_the_action_sheet() {
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    for stage in acting::STAGES {
        let mut app = acting::at(stage, acting::app(46));
        for height in 0..=40 {
            for width in [0, 19, 20, 35, 36, 49, 52, 71, 72, 80, 149, 150, 200] {
                terminal.resize(Rect::new(0, 0, width, height)).unwrap();
                let mut frame = terminal.get_frame();
                draw(&mut frame, &mut app);
                assert_eq!(app.size(), (width, height), "{stage}");
            }
        }
    }
}
