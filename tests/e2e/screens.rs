//! The cockpit on terminals of all kinds: without colour, tiny, resized, gone, stopped; and where
//! there is no terminal at all. The fleet is the demo's.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::pty::Pty;
use crate::world::{demo, demo_by_shell};

const SIZE: (u16, u16) = (100, 30);
const SMALL: [&str; 2] = ["--demo-size", "30"];

fn small(env: &[(&str, &str)], size: (u16, u16)) -> (tempfile::TempDir, Pty) {
    let home = tempfile::tempdir().unwrap();
    let cockpit = demo(home.path(), &SMALL, env, size);
    (home, cockpit)
}

/// The parameters of all SGR sequences on the wire.
fn styles(raw: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(raw);
    let mut all = Vec::new();
    for part in text.split("\x1b[").skip(1) {
        let end = part.find(|c: char| c.is_ascii_alphabetic() || c == '~').unwrap_or(0);
        if part[end..].starts_with('m') {
            all.extend(part[..end].split([';', ':']).filter_map(|p| p.parse::<u16>().ok()));
        }
    }
    all
}

fn is_colour(style: u16) -> bool {
    matches!(style, 30..=38 | 40..=48 | 90..=97 | 100..=107)
}

#[test]
fn no_color_sends_no_colour_and_keeps_the_cursor_line() {
    for env in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (_home, mut cockpit) = small(&[env], SIZE);
        cockpit.send("3");
        cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
        cockpit.send("j");
        cockpit.wait_until_quiet(Duration::from_millis(300));
        let sent = styles(&cockpit.raw());
        assert!(!sent.iter().copied().any(is_colour), "{env:?}: {sent:?}");
        assert!(sent.contains(&7), "{env:?}: no reverse video");
        let reversed = cockpit.look(|screen| {
            (0..SIZE.1)
                .filter(|row| (0..SIZE.0).any(|c| screen.cell(*row, c).unwrap().inverse()))
                .count()
        });
        assert!(reversed >= 1, "{env:?}");
        cockpit.send("q");
        assert_eq!(cockpit.wait_exit(), 0);
        cockpit.assert_restored();
    }
    // Colours are there where nothing forbids them, so that the test above can fail.
    let (_home, mut cockpit) = small(&[], SIZE);
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    assert!(styles(&cockpit.raw()).into_iter().any(is_colour));
}

#[test]
fn a_dumb_terminal_gets_ascii() {
    let (_home, mut cockpit) = small(&[("TERM", "dumb"), ("LANG", "C")], SIZE);
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    let screen = cockpit.screen();
    assert!(screen.is_ascii(), "{screen}");
}

#[test]
fn the_list_opens_with_the_worst() {
    let (_home, mut cockpit) = small(&[], SIZE);
    cockpit.wait_for_line(&["burntop", "cw <10s"]);
    cockpit.send("3");
    cockpit.wait_for_line(&["▸", "eval-sweep", "5/8 idle"]);
}

#[test]
fn a_typo_in_the_configuration_is_in_the_log() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("c.toml");
    std::fs::write(&config, "[ui]\ntheem = \"mono\"\n").unwrap();
    let args = [&SMALL[..], &["--config", config.to_str().unwrap()]].concat();
    let mut cockpit = demo(home.path(), &args, &[], SIZE);
    cockpit.wait_for("DEMO");
    cockpit.send("!");
    cockpit.wait_for("theem");
    cockpit.wait_for("did you mean");
}

#[test]
fn tiny_terminals_and_storms_of_sizes() {
    let (_home, mut cockpit) = small(&[], (1, 1));
    cockpit.wait_until("a frame", vt100::Screen::alternate_screen);
    cockpit.resize(12, 2);
    cockpit.wait_for("12x2 < 20x3");
    cockpit.resize(20, 3);
    cockpit.wait_for("burn $");
    cockpit.send("3");
    let storm = (1..60_u16).map(|i| (i * 7 % 131 + 1, i * 5 % 47 + 1));
    for (columns, rows) in storm {
        cockpit.resize(columns, rows);
    }
    cockpit.resize(SIZE.0, SIZE.1);
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.wait_for("30 instances");
    for size in [(1, 1), (20, 3), (300, 100), (2, 50), (200, 1)] {
        cockpit.resize(size.0, size.1);
        cockpit.send("jk?");
        cockpit.send("?");
    }
    cockpit.resize(SIZE.0, SIZE.1);
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("q");
    assert_eq!(cockpit.wait_exit(), 0);
    cockpit.assert_restored();
}

#[test]
fn signals_end_it_with_their_number_and_the_terminal_restored() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let (_home, mut cockpit) = small(&[], SIZE);
        cockpit.wait_for("DEMO");
        cockpit.signal(signal);
        assert_eq!(cockpit.wait_exit(), status);
        cockpit.assert_restored();
    }
}

#[test]
fn a_terminal_that_goes_away_ends_it() {
    let home = tempfile::tempdir().unwrap();
    let script = "trap '' HUP; exec \"$@\"";
    let mut cockpit = demo_by_shell(script, home.path(), &SMALL, SIZE);
    cockpit.wait_for("DEMO");
    cockpit.hang_up();
    assert_eq!(cockpit.wait_exit(), 129);
}

#[test]
fn ctrl_z_stops_it_and_fg_brings_it_back() {
    let home = tempfile::tempdir().unwrap();
    let script = "set -m\n\"$@\"\necho \"stopped with $?\"\nread line\necho \"the shell read $line\"\n\
                  fg > /dev/null\necho \"came back with $?\"";
    let mut cockpit = demo_by_shell(script, home.path(), &SMALL, SIZE);
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("\x1a");
    cockpit.wait_for(&format!("stopped with {}", 128 + Signal::STOP.as_raw()));
    assert!(!cockpit.look(vt100::Screen::alternate_screen));
    cockpit.send("hello\r");
    cockpit.wait_for_output(0, "the shell read hello");
    cockpit.wait_until("the alternate screen again", vt100::Screen::alternate_screen);
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("/train\r");
    cockpit.wait_for("/ train");
    cockpit.send("q");
    cockpit.wait_exit();
    cockpit.wait_for("came back with 0");
    cockpit.assert_restored();
}

#[test]
fn ten_thousand_instances_start_and_answer_keys() {
    let home = tempfile::tempdir().unwrap();
    let mut cockpit = demo(home.path(), &["--demo-size", "10000"], &[], (150, 50));
    cockpit.send("3");
    cockpit.wait_for("10,000 instances");
    cockpit.send("/train-7b-old\r");
    cockpit.wait_for_line(&["train-7b-old", "p4d.24xlarge"]);
    cockpit.wait_for("of 10,000");
    cockpit.send("/\x15\r");
    cockpit.send("G");
    cockpit.wait_for("10,000 of 10,000");
    cockpit.send("q");
    assert_eq!(cockpit.wait_exit(), 0);
    cockpit.assert_restored();
}

#[test]
fn a_fixed_clock_paints_the_same_screen_twice() {
    let picture = |_: u8| {
        let home = tempfile::tempdir().unwrap();
        let args = [&SMALL[..], &["--now", "2026-06-10T12:00:00Z"]].concat();
        let mut cockpit = demo(home.path(), &args, &[], SIZE);
        cockpit.send("3");
        cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
        cockpit.wait_for_line(&["burntop", "ec2 <10s", "cw <10s", "prom <10s"]);
        cockpit.wait_gone("not judged yet");
        // What is read last.
        cockpit.wait_for("/h paid");
        cockpit.wait_until_quiet(Duration::from_millis(700));
        cockpit.screen().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let first = picture(1);
    assert!(first.len() > 15, "{first:#?}");
    assert_eq!(first, picture(2));
}

/// A list that is longer than the screen, everything judged, on a clock that stands.
fn long_list(env: &[(&str, &str)]) -> (tempfile::TempDir, Pty) {
    let home = tempfile::tempdir().unwrap();
    let args = ["--demo-size", "1000", "--now", "2026-06-10T12:00:00Z"];
    let mut cockpit = demo(home.path(), &args, env, (200, 50));
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.wait_gone("not judged yet");
    // What is read last.
    cockpit.wait_for("/h paid");
    cockpit.wait_until_quiet(Duration::from_millis(700));
    (home, cockpit)
}

/// How many bytes each of `keys` took.
fn costs(cockpit: &mut Pty, keys: &str) -> Vec<usize> {
    let cost = |key: char| {
        let mark = cockpit.mark();
        cockpit.send(&key.to_string());
        cockpit.wait_until_quiet(Duration::from_millis(60));
        cockpit.bytes_since(mark).len()
    };
    keys.chars().map(cost).collect()
}

/// What moves lines ends with this.
const WHOLE_SCREEN: &[u8] = b"\x1b[r";

#[test]
fn a_list_that_scrolls_by_a_line_is_moved_and_costs_little() {
    let (_home, mut cockpit) = long_list(&[]);
    costs(&mut cockpit, &"j".repeat(44));
    let mark = cockpit.mark();
    let mut scrolled = costs(&mut cockpit, &"j".repeat(9));
    let wire = cockpit.bytes_since(mark);
    assert!(wire.windows(3).any(|bytes| bytes == WHOLE_SCREEN), "{}", wire.escape_ascii());
    // News may have come with one or the other.
    scrolled.sort_unstable();
    assert!((1..=800).contains(&scrolled[4]), "{scrolled:?}");

    // What stands there now is what a screen that is painted anew shows. A busy machine may owe frames still.
    cockpit.wait_for("54 of 1,000");
    let moved = cockpit.screen();
    let mark = cockpit.mark();
    cockpit.send("\u{c}");
    cockpit.wait_for_output(mark, "\x1b[2J");
    cockpit.wait_until_quiet(Duration::from_millis(300));
    assert_eq!(cockpit.screen(), moved);
}

#[test]
fn a_terminal_that_nobody_knows_is_not_told_to_move_lines() {
    let (_home, mut cockpit) = long_list(&[("TERM", "vt100")]);
    let mark = cockpit.mark();
    costs(&mut cockpit, &"j".repeat(50));
    let wire = cockpit.bytes_since(mark);
    assert!(!wire.windows(3).any(|bytes| bytes == WHOLE_SCREEN), "{}", wire.escape_ascii());
}

#[test]
fn without_a_keyboard_it_says_what_to_run_instead() {
    let home = tempfile::tempdir().unwrap();
    let mut shell =
        demo_by_shell("\"$@\" < /dev/null; echo \"ended with $?\"", home.path(), &[], SIZE);
    shell.wait_for("standard input is not a terminal; use `burntop idle`");
    shell.wait_for("ended with 2");
    assert!(!shell.look(vt100::Screen::alternate_screen));
    shell.wait_exit();
}

#[test]
fn without_a_terminal_the_table_is_printed_once() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_burntop"))
        .args(["--demo", "--demo-size", "30"])
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.starts_with("  $/h") || table.contains("VERDICT"), "{table}");
    assert!(table.contains("train-7b-old") && !table.contains('\x1b'), "{table}");
    assert!(table.contains("30 of 30 instances"), "{table}");
}
