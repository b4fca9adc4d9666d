//! What a key, a page and a second at rest cost on the wire and in allocations, against
//! `benches/limits.toml`. Deterministic: bytes and counts, never time.

use std::sync::Arc;

use jiff::SignedDuration;
use ratatui::Terminal;

use crate::app::fixture::{self, app_with, fleet_of, press, readings};
use crate::app::{App, ColorDepth, Msg};
use crate::limits::limit;
use crate::term::Canvas;

/// An app on a terminal that moves lines, with the bytes that the loop would send.
struct Screen {
    app: App,
    canvas: Canvas,
    wire: Vec<u8>,
}

impl Screen {
    fn of(app: App, (columns, rows): (u16, u16)) -> Self {
        Self { app, canvas: Canvas::new(columns, rows).moving_lines(true), wire: Vec::new() }
    }

    /// The table of 10,000 instances at 200×50.
    fn huge(depth: ColorDepth) -> Self {
        let size = (200, 50);
        let mut init = fixture::init(None, size);
        init.appearance.depth = depth;
        let mut app = App::new(init);
        app.update(Msg::Fleet(Arc::new(fleet_of(10_000, 1, readings(0, None)))));
        app.update(Msg::OwnCost(fixture::own_cost()));
        let mut screen = Self::of(app, size);
        press(&mut screen.app, "3");
        screen.draw();
        screen
    }

    /// Draws when there is something to draw; returns the bytes it took.
    fn draw(&mut self) -> usize {
        self.wire.clear();
        if self.app.is_dirty() {
            let app = &mut self.app;
            self.canvas.frame(|frame| crate::ui::draw(frame, app), &mut self.wire);
            self.app.mark_drawn();
        }
        self.wire.len()
    }

    fn key(&mut self, key: &str) -> usize {
        press(&mut self.app, key);
        self.draw()
    }
}

#[test]
fn keys_and_pages_stay_within_their_budgets() {
    let [cursor, scroll, page] =
        ["key_cursor_bytes", "key_scroll_bytes", "key_page_bytes"].map(limit);
    for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::TrueColor]
    {
        let mut screen = Screen::huge(depth);
        for _ in 0..20 {
            let bytes = screen.key("j");
            assert!((1..=cursor).contains(&bytes), "j at {depth:?}: {bytes}");
        }
        // Past the end of the page the table scrolls with each key, and back up at its top.
        for key in [["j"; 60], ["k"; 60]].concat() {
            let bytes = screen.key(key);
            assert!((1..=scroll).contains(&bytes), "{key} at {depth:?}: {bytes}");
        }
        // Into the middle, where verdicts of several kinds meet.
        for keys in ["<pgdn>", "<pgdn>", "<ctrl-d>", "<pgup>", "G", "<pgup>", "<pgup>"] {
            let bytes = screen.key(keys);
            assert!((1..=page).contains(&bytes), "{keys} at {depth:?}: {bytes}");
        }
        // Every verdict in turn: the most changes of colour that a page can have.
        press(&mut screen.app, ":sort id<enter>");
        screen.draw();
        for _ in 0..10 {
            let bytes = screen.key("<pgdn>");
            assert!((1..=page).contains(&bytes), "mixed page at {depth:?}: {bytes}");
        }
    }
}

#[test]
fn a_second_at_rest_draws_and_allocates_nothing() {
    let mut screen = Screen::huge(ColorDepth::TrueColor);
    let mut now = fixture::now() + SignedDuration::from_secs(1);
    let info = allocation_counter::measure(|| {
        screen.app.update(Msg::Now(now));
    });
    assert!(info.count_total <= limit("idle_allocations") as u64, "{}", info.count_total);
    assert!(!screen.app.is_dirty());
    let page = limit("key_page_bytes");
    // Ten minutes at rest: some ages change, in all no more than a few cells.
    let mut bytes = 0;
    let mut frames = 0;
    for _ in 0..600 {
        now += SignedDuration::from_secs(1);
        screen.app.update(Msg::Now(now));
        let drawn = screen.draw();
        frames += usize::from(drawn > 0);
        bytes += drawn;
        // At worst the whole page grows old at once.
        assert!(drawn <= page, "{drawn} at {now}");
    }
    // 2 kB/s is the budget of an idle cockpit.
    assert!(bytes < 600 * 200, "{bytes} bytes in {frames} frames");
    assert!(frames <= 60, "{frames}");
}

#[test]
fn a_heat_map_of_16000_gpus_is_drawn_without_a_string_per_cell() {
    let mut init = crate::tabs::gpus::state::fixture::init((200, 50));
    init.appearance.depth = ColorDepth::TrueColor;
    let fleet = crate::tabs::gpus::picture::fixture::many(2_000, 8, 20);
    let mut app = crate::tabs::gpus::state::fixture::heard(init, fleet);
    press(&mut app, "2mg");
    let mut screen = Screen::of(app, (200, 50));
    screen.draw();
    let most = limit("key_heat_map_allocations") as u64;
    for key in ["l", "j", "l", "j"] {
        let mut bytes = 0;
        let info = allocation_counter::measure(|| bytes = screen.key(key));
        assert!((1..=2_000).contains(&bytes), "{key}: {bytes} bytes");
        assert!((1..=most).contains(&info.count_total), "{key}: {} allocations", info.count_total);
    }
}

#[test]
fn a_key_in_a_directory_of_100000_entries_allocates_by_what_is_visible() {
    let screen_of = |entries: u64| {
        let mut init = crate::tabs::storage::state::fixture::init((200, 50));
        init.appearance.depth = ColorDepth::TrueColor;
        let fleet = crate::tabs::storage::picture::fixture::huge(entries);
        let mut app = crate::tabs::storage::state::fixture::heard(init, fleet);
        press(&mut app, "4/check<enter><enter><enter>");
        let mut screen = Screen::of(app, (200, 50));
        screen.draw();
        assert_eq!(screen.app.storage_rows_on_screen() as u64, entries);
        screen
    };
    let (mut small, mut large) = (screen_of(200), screen_of(100_000));
    let (page, most) = (limit("key_page_bytes"), limit("key_list_allocations") as u64);
    for key in ["j", "<pgdn>", "j", "k", "<ctrl-d>", "<space>"] {
        let of = |screen: &mut Screen| {
            let mut bytes = 0;
            let info = allocation_counter::measure(|| bytes = screen.key(key));
            (bytes, info.count_total)
        };
        let ((_, few), (bytes, many)) = (of(&mut small), of(&mut large));
        assert!((1..=page).contains(&bytes), "{key}: {bytes} bytes");
        assert!(
            (1..=most).contains(&many) && many <= few + few / 4 + 50,
            "{key}: {few} and {many} allocations"
        );
    }
}

#[test]
fn a_key_in_a_list_of_10000_proposals_allocates_by_what_is_visible() {
    let screen_of = |rows: u32| {
        let mut init = crate::tabs::savings::state::fixture::init((200, 50));
        init.appearance.depth = ColorDepth::TrueColor;
        let savings = crate::tabs::savings::picture::fixture::huge(rows);
        let mut app = crate::tabs::savings::state::fixture::heard(init, savings);
        press(&mut app, "oo");
        let mut screen = Screen::of(app, (200, 50));
        screen.draw();
        assert_eq!(screen.app.savings_rows_on_screen() as u32, rows);
        screen
    };
    let (mut small, mut large) = (screen_of(200), screen_of(10_000));
    let (page, most) = (limit("key_page_bytes"), limit("key_list_allocations") as u64);
    for key in ["j", "<pgdn>", "j", "k", "<ctrl-d>", "<space>"] {
        let of = |screen: &mut Screen| {
            let mut bytes = 0;
            let info = allocation_counter::measure(|| bytes = screen.key(key));
            (bytes, info.count_total)
        };
        let ((_, few), (bytes, many)) = (of(&mut small), of(&mut large));
        assert!((1..=page).contains(&bytes), "{key}: {bytes} bytes");
        assert!(
            (1..=most).contains(&many) && many <= few + few / 4 + 50,
            "{key}: {few} and {many} allocations"
        );
    }
}

#[test]
fn a_slider_of_twenty_families_allocates_by_what_is_visible() {
    let screen_of = |families: usize, size: (u16, u16)| {
        let mut init = crate::tabs::whatif::state::fixture::init(size);
        init.appearance.depth = ColorDepth::TrueColor;
        let scenario = crate::tabs::whatif::picture::fixture::start_of(families);
        let mut app = crate::tabs::whatif::state::fixture::with(init, scenario);
        press(&mut app, "7");
        let mut screen = Screen::of(app, size);
        screen.draw();
        screen
    };
    let page = limit("key_page_bytes");
    let figures = ["key_slider_80x24_allocations", "key_slider_allocations"];
    for (size, figure) in [(80, 24), (200, 50)].into_iter().zip(figures) {
        let most = limit(figure) as u64;
        let (mut few, mut many) = (screen_of(3, size), screen_of(20, size));
        let mut highest = 0;
        for key in ["+", "+", ">", "-", "<lt>", "l", "o", "+"] {
            let of = |screen: &mut Screen| {
                let mut bytes = 0;
                let info = allocation_counter::measure(|| bytes = screen.key(key));
                (bytes, info.count_total)
            };
            let ((_, some), (bytes, all)) = (of(&mut few), of(&mut many));
            assert!((1..=page).contains(&bytes), "{key} at {size:?}: {bytes} bytes");
            // A change copies the scenario: a few strings for each family.
            let copied = if matches!(key, "l" | "o") { 0 } else { 17 * 24 };
            highest = all.saturating_sub(copied).max(highest);
            assert!(all <= most + copied, "{key} at {size:?}: {all} allocations");
            assert!(all <= some + some / 2 + copied, "{key} at {size:?}: {some} and {all}");
        }
        println!("{figure}: {highest}");
    }
}

#[test]
fn the_deadline_is_when_the_screen_changes() {
    let mut screen = Screen::huge(ColorDepth::Ansi16);
    for _ in 0..50 {
        let deadline = screen.app.next_deadline().unwrap();
        screen.app.update(Msg::Now(deadline - SignedDuration::from_millis(1)));
        assert!(!screen.app.is_dirty(), "{deadline}");
        screen.app.update(Msg::Now(deadline));
        assert!(screen.app.is_dirty(), "{deadline}");
        screen.draw();
        assert!(screen.app.next_deadline().unwrap() > deadline);
    }
}

#[test]
fn a_frame_allocates_by_what_is_visible_not_by_the_fleet() {
    let frame = |size: usize| {
        let mut app = app_with(fleet_of(size, 1, readings(0, None)), (200, 50));
        press(&mut app, "3j");
        let mut terminal = Terminal::new(ratatui::backend::TestBackend::new(200, 50)).unwrap();
        terminal.draw(|f| crate::ui::draw(f, &mut app)).unwrap();
        press(&mut app, "j");
        allocation_counter::measure(|| {
            terminal.draw(|f| crate::ui::draw(f, &mut app)).unwrap();
        })
        .count_total
    };
    let (some, many) = (frame(100), frame(10_000));
    // Other rows are in sight and numbers are longer; a hundred times the rows must not show.
    assert!(many <= some + some / 4, "{some} allocations with 100 rows, {many} with 10,000");
}
