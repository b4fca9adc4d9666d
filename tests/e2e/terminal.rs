//! The terminal part against real terminals: painting, keys, and above all giving the terminal
//! back, whatever happens.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::demo::{self, FLOOD};
use crate::pty::{LIMIT, Pty};

const SIZE: (u16, u16) = (80, 24);

fn count(haystack: &[u8], needle: &[u8]) -> usize {
    haystack.windows(needle.len()).filter(|window| window == &needle).count()
}

fn report_in(dir: &Path) -> String {
    let mut reports = std::fs::read_dir(dir).unwrap();
    let path = reports.next().unwrap().unwrap().path();
    assert!(reports.next().is_none(), "one report");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_first_write_takes_the_screen_and_paints_it() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.wait_for("frame 80x24");
    assert!(demo.look(vt100::Screen::alternate_screen));
    assert!(demo.look(vt100::Screen::hide_cursor));
    assert!(demo.look(vt100::Screen::bracketed_paste));
    assert!(demo.is_raw());
    let raw = demo.raw();
    // Nothing is asked of the terminal: no cursor report, no device attributes, no modes.
    for query in [&b"\x1b[6n"[..], b"\x1b[c", b"\x1b[0c", b"\x1b[>c", b"\x1b[?u", b"$p", b"\x1b]1"]
    {
        assert_eq!(count(&raw, query), 0, "{}", query.escape_ascii());
    }
    // Motion is never reported, and without a wish no mouse at all.
    for mode in [&b"\x1b[?1000h"[..], b"\x1b[?1002h", b"\x1b[?1003h"] {
        assert_eq!(count(&raw, mode), 0, "{}", mode.escape_ascii());
    }
    demo.send("q");
    assert_eq!(demo.wait_exit(), 0);
    demo.assert_restored();
    demo.wait_for("ended by Quit");
}

#[test]
fn a_key_costs_one_synchronised_frame() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.wait_until_quiet(Duration::from_millis(200));
    let mark = demo.mark();
    demo.send("j");
    demo.wait_for("keys 1 last Char('j')");
    demo.wait_until_quiet(Duration::from_millis(200));
    let bytes = demo.bytes_since(mark);
    assert_eq!(count(&bytes, b"\x1b[?2026h"), 1);
    assert_eq!(count(&bytes, b"\x1b[?2026l"), 1);
    assert!(bytes.len() < 100, "{} bytes: {}", bytes.len(), bytes.escape_ascii());
}

#[test]
fn keys_arrive_as_keys() {
    let mut demo = demo::spawn(&[], SIZE);
    for (keys, seen) in [
        ("\x1b[A", "last Up KeyModifiers(0x0)"),
        ("\x1b[1;5D", "last Left KeyModifiers(CONTROL)"),
        ("ü", "last Char('ü')"),
        ("\x1b", "last Esc"),
        ("\x1b[200~q\x1b[201~", "last paste \"q\""),
    ] {
        demo.send(keys);
        demo.wait_for(seen);
    }
}

#[test]
fn keys_come_from_the_terminal_where_standard_input_is_something_else() {
    let mut demo = demo::spawn_by_shell("echo q | \"$@\"", &[], SIZE);
    demo.send("x");
    demo.wait_for("keys 1 last Char('x')");
    demo.send("q");
    assert_eq!(demo.wait_exit(), 0);
    demo.assert_restored();
}

#[test]
fn the_mouse_reports_clicks_only_while_wanted() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("m");
    demo.wait_until("mouse reports", |screen| {
        screen.mouse_protocol_mode() == vt100::MouseProtocolMode::PressRelease
            && screen.mouse_protocol_encoding() == vt100::MouseProtocolEncoding::Sgr
    });
    demo.send("\x1b[<0;200;7M");
    demo.wait_for("click 199,6");
    demo.send("m");
    demo.wait_until("no mouse reports", |screen| {
        screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
    });
    demo.send("m");
    demo.wait_for("keys 3");
    demo.send("q");
    demo.wait_exit();
    demo.assert_restored();
}

#[test]
fn a_copy_is_sent_as_it_is() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("y");
    demo.wait_for("keys 1");
    assert_eq!(count(&demo.raw(), b"\x1b]52;c;aS0wYWJj\x1b\\"), 1);
}

#[test]
fn a_copy_just_before_the_end_still_goes_out() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("yq");
    assert_eq!(demo.wait_exit(), 0);
    assert_eq!(count(&demo.raw(), b"\x1b]52;c;aS0wYWJj\x1b\\"), 1);
}

#[test]
fn a_resize_repaints_at_the_new_size() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.resize(100, 30);
    demo.wait_for("told (100, 30) frame 100x30");
    for (columns, rows) in [(40, 10), (41, 11), (42, 12), (60, 20)] {
        demo.resize(columns, rows);
    }
    demo.wait_for("told (60, 20) frame 60x20");
    demo.resize(1, 1);
    demo.send("x");
    demo.wait_until("one cell", |screen| screen.contents() == "r");
    demo.send("q");
    assert_eq!(demo.wait_exit(), 0);
}

#[test]
fn a_terminal_without_a_size_takes_it_from_the_environment() {
    let lines = "stty rows 0 cols 0; exec \"$@\"";
    let demo = demo::spawn_by_shell(lines, &[("COLUMNS", "70"), ("LINES", "20")], SIZE);
    demo.wait_for("frame 70x20");
    let demo = demo::spawn_by_shell(lines, &[], SIZE);
    demo.wait_for("frame 80x24");
}

#[test]
fn a_redraw_clears_and_paints_everything() {
    let mut demo = demo::spawn(&[], SIZE);
    let mark = demo.mark();
    demo.send("r");
    demo.wait_for("keys 1");
    let bytes = demo.bytes_since(mark);
    assert_eq!(count(&bytes, b"\x1b[2J"), 1);
    assert_eq!(count(&bytes, b"ready"), 1);
}

#[test]
fn no_color_keeps_reverse_video() {
    let demo = demo::spawn(&[("NO_COLOR", "1")], SIZE);
    assert!(demo.look(|screen| screen.cell(0, 0).unwrap().inverse()));
    assert_eq!(count(&demo.raw(), b"\x1b[7;31mready"), 1);
}

#[test]
fn fatal_signals_restore_the_terminal_and_tell_by_the_status() {
    for (signal, number) in
        [(Signal::TERM, 15), (Signal::HUP, 1), (Signal::INT, 2), (Signal::QUIT, 3)]
    {
        let mut demo = demo::spawn(&[], SIZE);
        demo.signal(signal);
        assert_eq!(demo.wait_exit(), 128 + number);
        demo.assert_restored();
        demo.wait_for(&format!("ended by Signal({number})"));
    }
}

#[test]
fn a_loop_that_hangs_is_ended_by_the_watchdog_with_the_terminal_restored() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("h");
    demo.wait_for("keys 1");
    demo.wait_until_quiet(Duration::from_millis(400));
    demo.signal(Signal::TERM);
    assert_eq!(demo.wait_exit(), 143);
    demo.assert_restored();
}

#[test]
fn a_shutdown_that_hangs_after_the_loop_is_ended_too() {
    let mut demo = demo::spawn(&[("SLOW_END", "1")], SIZE);
    demo.signal(Signal::TERM);
    assert_eq!(demo.wait_exit(), 143);
    demo.assert_restored();
    // After a quit there is no clock, but a signal is still heard.
    let mut demo = demo::spawn(&[("SLOW_END", "1")], SIZE);
    demo.send("q");
    demo.wait_for("ended by Quit");
    demo.signal(Signal::TERM);
    assert_eq!(demo.wait_exit(), 143);
}

#[test]
fn a_panic_in_a_draw_restores_the_terminal_and_leaves_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let mut demo = demo::spawn(&[("CRASH_DIR", state.to_str().unwrap())], (200, 24));
    demo.send("p");
    assert_eq!(demo.wait_exit(), 101);
    demo.assert_restored();
    let screen = demo.screen();
    // The emulator shows no U+FFFD, which stands for the ESC.
    assert!(screen.contains("burntop crashed: draw ?[31mtrouble at tests/e2e/demo.rs"), "{screen}");
    assert!(screen.contains(&format!("report: {}/crash-", state.display())), "{screen}");
    let report = report_in(&state);
    assert!(report.contains("panic: draw \u{fffd}[31mtrouble"), "{report}");
    assert!(report.contains("demo::Demo") && report.contains("term::run"), "{report}");
}

#[test]
fn a_panic_in_the_background_leaves_the_screen_alone_until_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo = demo::spawn(&[("CRASH_DIR", dir.path().to_str().unwrap())], (200, 24));
    demo.send("b");
    demo.wait_for("keys 1");
    demo.send("x");
    demo.wait_for("keys 2");
    assert!(demo.look(vt100::Screen::alternate_screen));
    assert!(!demo.screen().contains("trouble"));
    demo.send("q");
    assert_eq!(demo.wait_exit(), 0);
    demo.assert_restored();
    demo.wait_for("a background task crashed: background ?[31mtrouble");
    assert!(report_in(dir.path()).contains("panic: background"));
}

/// The way a shell with job control sees it.
const JOB: &str = r#"set -m
"$@"
echo "stopped with $?"
stty -a | grep -o -- '-\?icanon'
read line
echo "the shell read $line"
fg > /dev/null
echo "came back with $?""#;

fn stop_and_come_back(stop: impl FnOnce(&mut Pty)) {
    let mut demo = demo::spawn_by_shell(JOB, &[], SIZE);
    demo.send("m");
    demo.wait_for("keys 1");
    stop(&mut demo);
    // 128 + SIGSTOP.
    demo.wait_for(&format!("stopped with {}", 128 + Signal::STOP.as_raw()));
    assert!(!demo.look(vt100::Screen::alternate_screen));
    assert!(!demo.look(vt100::Screen::hide_cursor));
    demo.wait_for("icanon");
    // What is typed now is for the shell.
    demo.send("hello\r");
    demo.wait_for_output(0, "the shell read hello");
    demo.wait_until("the alternate screen again", vt100::Screen::alternate_screen);
    demo.wait_for("ready");
    assert!(demo.look(|screen| screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None));
    demo.send("x");
    demo.wait_for("last Char('x')");
    assert!(demo.is_raw());
    demo.send("q");
    demo.wait_exit();
    demo.wait_for("came back with 0");
    demo.assert_restored();
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_back() {
    stop_and_come_back(|demo| demo.send("\x1a"));
}

#[test]
fn sigtstp_does_the_same() {
    stop_and_come_back(|demo| signal_demo(demo, Signal::TSTP));
}

/// Signals the demo where a shell stands between: its own picture tells its number.
fn signal_demo(demo: &Pty, signal: Signal) {
    let screen = demo.screen();
    let pid = screen.lines().find_map(|line| line.strip_prefix("pid ")).unwrap().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
fn ctrl_z_without_a_shell_to_come_back_from_is_ignored() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("\x1ax");
    demo.wait_for("keys 2 last Char('x')");
    assert!(demo.look(vt100::Screen::alternate_screen));
}

#[test]
fn a_stop_from_outside_is_painted_over_when_it_ends() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.signal(Signal::STOP);
    let mark = demo.mark();
    demo.signal(Signal::CONT);
    demo.send("x");
    demo.wait_for("keys 1");
    demo.wait_until_quiet(Duration::from_millis(200));
    assert!(count(&demo.bytes_since(mark), b"\x1b[?1049h") >= 1);
    demo.send("q");
    assert_eq!(demo.wait_exit(), 0);
    demo.assert_restored();
}

#[test]
fn a_closed_terminal_ends_the_program_although_its_parent_ignores_sighup() {
    let mut demo = demo::spawn_by_shell("trap '' HUP; exec \"$@\"", &[], SIZE);
    demo.hang_up();
    assert_eq!(demo.wait_exit(), 129);
}

/// In a session of its own the program gets no SIGHUP at all; only the terminal tells.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_ends_the_program_without_any_signal() {
    let script = "trap '' HUP; setsid -w \"$@\" </dev/tty >/dev/tty 2>/dev/null";
    let mut demo = demo::spawn_by_shell(script, &[], SIZE);
    demo.hang_up();
    assert_eq!(demo.wait_exit(), 129);
}

#[test]
fn a_closed_terminal_ends_a_loop_that_hangs() {
    let mut demo = demo::spawn_by_shell("trap '' HUP; exec \"$@\"", &[], SIZE);
    demo.send("h");
    demo.wait_for("keys 1");
    demo.wait_until_quiet(Duration::from_millis(400));
    demo.hang_up();
    assert_eq!(demo.wait_exit(), 129);
}

/// A terminal so large that one frame is far more than the kernel's buffers hold.
const HUGE: (u16, u16) = (1_000, 400);

#[test]
fn keys_are_handled_while_the_terminal_takes_no_output() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo = demo::spawn(&[("CRASH_DIR", dir.path().to_str().unwrap())], HUGE);
    demo.wait_until_quiet(Duration::from_millis(200));
    let mark = demo.mark();
    demo.stall(true);
    let note = dir.path().join("note");
    for _ in 0..20 {
        demo.send("wn");
        let until = std::time::Instant::now() + LIMIT;
        while !note.exists() {
            assert!(std::time::Instant::now() < until, "the keys are not handled");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::fs::remove_file(&note).unwrap();
    }
    demo.stall(false);
    demo.wait_for("keys 40 last Char('n')");
    demo.wait_until_quiet(Duration::from_millis(200));
    // What could not be sent was not drawn, and the newest state is what stands there at last.
    let frames = count(&demo.bytes_since(mark), b"\x1b[?2026h");
    assert!(frames <= 4, "{frames} frames for 40 keys behind a stalled terminal");
    let line = demo::fill_letter(20).to_string().repeat(HUGE.0.into());
    let shown = demo.screen().lines().filter(|shown| *shown == line).count();
    assert_eq!(shown, usize::from(HUGE.1) - 6);
}

#[test]
fn a_stalled_terminal_does_not_hold_the_end() {
    let mut demo = demo::spawn(&[], HUGE);
    demo.wait_until_quiet(Duration::from_millis(200));
    demo.stall(true);
    demo.send("w");
    demo.send("w");
    demo.send("q");
    // The settings come back by themselves; the harness reads again only to collect the rest.
    demo.wait_until_cooked();
    demo.stall(false);
    assert_eq!(demo.wait_exit(), 0);
    demo.assert_restored();
}

#[test]
fn a_flood_of_messages_draws_few_frames() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("f");
    demo.wait_for(&format!("messages {FLOOD}"));
    demo.wait_until_quiet(Duration::from_millis(200));
    let frames = count(&demo.raw(), b"\x1b[?2026h");
    assert!(frames < 100, "{frames} frames for {FLOOD} messages");
}

#[test]
fn ticks_come_at_their_deadlines() {
    let mut demo = demo::spawn(&[], SIZE);
    demo.send("t");
    demo.wait_for("ticks 5");
}

/// Wake-ups while nothing is due, from the kernel's count of voluntary context switches of all
/// the program's threads.
#[cfg(target_os = "linux")]
#[test]
fn an_idle_program_does_not_wake_up() {
    let demo = demo::spawn(&[], SIZE);
    demo.wait_until_quiet(Duration::from_millis(300));
    let screen = demo.screen();
    let pid = screen.lines().find_map(|line| line.strip_prefix("pid ")).unwrap().to_owned();
    let switches = || -> u64 {
        std::fs::read_dir(format!("/proc/{pid}/task"))
            .unwrap()
            .map(|task| {
                let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
                let line = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
                line.unwrap().trim().parse::<u64>().unwrap()
            })
            .sum()
    };
    let before = switches();
    std::thread::sleep(Duration::from_secs(2));
    let woken = switches() - before;
    assert!(woken <= 2, "{woken} wake-ups in two idle seconds");
}
