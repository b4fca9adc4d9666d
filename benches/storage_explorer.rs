//! From a key to the frame in the explorer, in a directory of 100,000 entries:
//! `cargo bench --bench storage_explorer`.
//!
//! `step` and `page` move the cursor, `sort` makes another order, `filter` types a letter, `enter`
//! goes in and comes back: the rows are made anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use burntop::parts::analyze::storage::{PictureInput, picture};
use burntop::parts::app::{
    App, AppInit, Appearance, ColorDepth, Intervals, Key, Keymap, Mode, Msg, ThemeName,
};
use burntop::parts::domain::TagKeys;
use burntop::parts::domain::storage::{
    NodeKind, ObjectFlags, PrefixTree, Scan, ScanOrigin, StorageFacts, Sums, Tier, TreeBuilder,
};
use burntop::parts::ui;
use burntop::parts::view::Symbols;
use divan::Bencher;
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const ENTRIES: u64 = 100_000;
const SIZE: (u16, u16) = (200, 50);

fn main() {
    divan::main();
}

fn now() -> Timestamp {
    Timestamp::constant(1_795_000_000, 0)
}

/// One object of a size, tier and age that vary from entry to entry.
fn entry(i: u64) -> Sums {
    let mut sums = Sums::default();
    let tier = [Tier::Standard, Tier::StandardIa, Tier::Glacier][(i % 3) as usize];
    let listed = now().as_millisecond();
    let age = (i % 900) as i64 * 86_400_000;
    let size = (1 + i * 7_919 % 1_000) << 16;
    sums.count(size, listed - age, tier, ObjectFlags(0), listed);
    sums
}

fn scan() -> Scan {
    let mut root = Sums::default();
    let each: Vec<Sums> = (0..ENTRIES).map(entry).collect();
    each.iter().for_each(|s| root.add(s));
    let mut builder = TreeBuilder::new(&root);
    let flat = builder.child(PrefixTree::ROOT, b"flat/", NodeKind::Prefix, &root);
    let flat = flat.unwrap_or(PrefixTree::ROOT);
    for (i, sums) in each.iter().enumerate() {
        let name = format!("part-{i:06}.tar");
        builder.child(flat, name.as_bytes(), NodeKind::Object, sums);
    }
    Scan {
        bucket: "bench".into(),
        origin: ScanOrigin::Listing,
        listed_at: now(),
        scanned_at: now(),
        rows: ENTRIES,
        partial: None,
        notes: Vec::new(),
        tree: Arc::new(builder.finish()),
        runs: None,
        duplicates: None,
    }
}

/// A cockpit that stands in the directory, and its terminal.
fn cockpit() -> (App, Terminal<TestBackend>) {
    let facts = StorageFacts {
        made_at: now(),
        accounts: BTreeMap::new(),
        scans: vec![Arc::new(scan())],
        ..StorageFacts::default()
    };
    let tag_keys = TagKeys::default();
    let fleet = picture(&PictureInput {
        version: 1,
        now: now(),
        facts: &facts,
        instances: &[],
        tag_keys: &tag_keys,
        billed: None,
        before: None,
    });
    let mut app = App::new(AppInit {
        fleet: None,
        gpus: None,
        storage: None,
        mode: Mode::Live,
        appearance: Appearance {
            theme: ThemeName::Dark,
            depth: ColorDepth::TrueColor,
            symbols: Symbols::Unicode,
            braille: false,
        },
        keymap: Keymap::default(),
        intervals: Intervals::default(),
        presets: Vec::new(),
        preset: "cautious".into(),
        views: Vec::new(),
        accounts: Vec::new(),
        mouse: false,
        size: SIZE,
        now: now(),
    });
    app.update(Msg::Storage(Arc::new(fleet)));
    let mut terminal = match Terminal::new(TestBackend::new(SIZE.0, SIZE.1)) {
        Ok(terminal) => terminal,
        Err(never) => match never {},
    };
    for key in ["4", "enter", "enter"] {
        frame(&mut app, &mut terminal, key);
    }
    assert_eq!(app.storage_rows_on_screen() as u64, ENTRIES);
    (app, terminal)
}

/// One key and the frame after it.
fn frame(app: &mut App, terminal: &mut Terminal<TestBackend>, key: &str) {
    if let Ok(key) = Key::parse(key) {
        app.update(Msg::Key(key.event()));
    }
    let _ = terminal.draw(|frame| ui::draw(frame, app));
    app.mark_drawn();
}

fn each(bencher: Bencher<'_, '_>, keys: &[&str]) {
    let (mut app, mut terminal) = cockpit();
    let mut next = keys.iter().cycle();
    bencher.bench_local(|| {
        if let Some(key) = next.next() {
            frame(&mut app, &mut terminal, key);
        }
    });
}

#[divan::bench]
fn step(bencher: Bencher<'_, '_>) {
    each(bencher, &["j", "j", "k"]);
}

#[divan::bench]
fn page(bencher: Bencher<'_, '_>) {
    each(bencher, &["pgdn", "pgdn", "pgup", "G", "g"]);
}

#[divan::bench]
fn sort(bencher: Bencher<'_, '_>) {
    let (mut app, mut terminal) = cockpit();
    let mut next = ["z", "a", "c", "n"].iter().cycle();
    bencher.bench_local(|| {
        frame(&mut app, &mut terminal, "s");
        if let Some(key) = next.next() {
            frame(&mut app, &mut terminal, key);
        }
    });
}

#[divan::bench]
fn filter(bencher: Bencher<'_, '_>) {
    let (mut app, mut terminal) = cockpit();
    frame(&mut app, &mut terminal, "/");
    let mut next = ["4", "2", "backspace", "backspace"].iter().cycle();
    bencher.bench_local(|| {
        if let Some(key) = next.next() {
            frame(&mut app, &mut terminal, key);
        }
    });
}

#[divan::bench]
fn enter(bencher: Bencher<'_, '_>) {
    each(bencher, &["esc", "enter"]);
}
