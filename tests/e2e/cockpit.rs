//! The cockpit of the real program on the emulators' fleet: what the screens say and what the
//! keys do.

use std::time::{Duration, Instant};

use crate::emulators::emulators;
use crate::fault::{Fault, proxy};
use crate::pty::{LIMIT, Pty};
use crate::server::Server;
use crate::world::{DEAD, World, quit, refresh_at_a_price, warm_home};

/// Goes to the list and waits until the whole fleet is in it and judged.
fn list(cockpit: &mut Pty) {
    cockpit.send("3");
    cockpit.wait_for("16 instances");
    cockpit.wait_for_line(&["eval-sweep", "5/8 idle"]);
    cockpit.wait_for_line(&["europe-idle", "IDLE"]);
}

/// Narrows the list to one instance.
fn filter(cockpit: &mut Pty, text: &str) {
    cockpit.send(&format!("/\x15{text}\r"));
    cockpit.wait_for(&format!("/ {text}"));
}

/// The text that went to the terminal's clipboard last, from the bytes on the wire.
fn copied(cockpit: &Pty) -> String {
    let raw = cockpit.raw();
    let start = b"\x1b]52;c;";
    let at = raw.windows(start.len()).rposition(|w| w == start).expect("a copy was sent");
    let coded = raw[at + start.len()..].iter().take_while(|b| b.is_ascii_graphic() && **b != b'=');
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for byte in coded {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            other => panic!("{other} is no base64"),
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Waits until a proxy has seen more than `before` requests.
fn wait_for_requests(proxy: &Server, before: usize) {
    let until = Instant::now() + LIMIT;
    while proxy.requests() <= before {
        assert!(Instant::now() < until, "nothing was asked");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_first_start_shows_every_planted_case_with_its_verdict() {
    let home = tempfile::tempdir().unwrap();
    let mut cockpit = World::fine().cockpit(home.path());
    cockpit.wait_for("15 of 16 running");
    // Five eighths of $55.50 are idle.
    cockpit.wait_for_line(&["$34.69/h", "5/8 idle", "eval-sweep"]);
    list(&mut cockpit);
    for (name, verdict) in [
        ("train-7b-old", "IDLE"),
        ("eval-sweep", "5/8 idle"),
        ("quiet-host-busy-gpu", "busy"),
        ("one-core-of-96", "underused"),
        ("started-today", "too new"),
        ("agent-died", "UNKNOWN"),
        ("kept-warm", "exempt"),
        ("protected", "IDLE"),
        ("spot-idle", "IDLE"),
        ("evil", "busy"),
        ("weekly-batch", "busy"),
        ("forgotten-box", "IDLE"),
        ("half-asleep", "underused"),
        ("asg-member", "IDLE"),
        ("europe-idle", "IDLE"),
    ] {
        filter(&mut cockpit, name);
        cockpit.wait_for_line(&[name, verdict]);
    }
    // What a name tries to do to the terminal, it does not do: nothing but escape sequences of
    // burntop's own reaches it.
    cockpit.send("q");
    assert_eq!(cockpit.wait_exit(), 0);
    cockpit.assert_restored();
    let raw = String::from_utf8(cockpit.raw()).unwrap();
    assert!(!raw.contains('\u{9b}') && !raw.contains('\u{202e}'));
}

#[test]
fn the_why_page_shows_the_evidence() {
    let home = warm_home();
    let mut cockpit = World::fine().cockpit(home.path());
    list(&mut cockpit);
    filter(&mut cockpit, "train-7b-old");
    cockpit.wait_for("1 of 16");
    cockpit.send("\r");
    cockpit.wait_for("None of 8 GPUs did anything");
    cockpit.wait_for(&emulators().ids["train-7b-old"]);
    cockpit.wait_for("Evidence, preset cautious");
    cockpit.wait_for_line(&["GPU 7 max", "0%", "5%", "quiet", "⣀"]);
    cockpit.wait_for_line(&["CPU mean", "quiet"]);
    cockpit.wait_for("Net of commitments: the same; no reservation and no Savings Plan covers it.");
    cockpit.wait_for("$21.50/h = $15,695 per month of 730 h");
    cockpit.send("\x1b");
    cockpit.wait_for("1 of 16");
    filter(&mut cockpit, "eval-sweep");
    cockpit.send("\r");
    cockpit.wait_for("5 of 8 GPUs idle");
    cockpit.wait_for_line(&["GPU 2 max", "97%", "in use"]);
    cockpit.wait_for_line(&["GPU 3 max", "0%", "quiet"]);
    quit(cockpit);
}

#[test]
fn a_denied_region_is_explained_and_help_and_own_cost_are_one_key_away() {
    let home = tempfile::tempdir().unwrap();
    let world = World::with_ec2(|r| {
        if r.region == "us-east-1" && r.action == "DescribeInstances" {
            Fault::Deny
        } else {
            Fault::Pass
        }
    });
    let mut cockpit = world.cockpit(home.path());
    cockpit.wait_for("ec2 denied 1/2");
    cockpit.send("3");
    cockpit.wait_for_line(&["europe-idle", "IDLE"]);
    cockpit.send("!");
    cockpit.wait_for("Failing now");
    cockpit.wait_for_line(&["ec2 denied", "123456789012/us-east-1", "never read"]);
    cockpit.wait_for("allow ec2:DescribeInstances");
    cockpit.wait_for("`burntop iam-policy` prints the policy");
    cockpit.send("!");
    cockpit.wait_gone("Failing now");
    cockpit.send("$");
    cockpit.wait_for_line(&["cloudwatch:GetMetricData", "$0.0"]);
    cockpit.wait_for_line(&["daily cap", "$1.0000"]);
    cockpit.send("$");
    cockpit.wait_gone("daily cap");
    cockpit.send("?");
    cockpit.wait_for("On every page");
    cockpit.wait_for_line(&["!", "What failed, and what to do about it."]);
    cockpit.send("?");
    cockpit.wait_gone("On every page");
    quit(cockpit);
}

#[test]
fn another_preset_judges_again_from_the_cache_alone() {
    let home = warm_home();
    let world = World { cloudwatch: DEAD.into(), ..World::fine() };
    let mut cockpit = world.cockpit(home.path());
    list(&mut cockpit);
    cockpit.wait_for_line(&["weekly-batch", "busy"]);
    // The list of presets ends with the classic script's.
    cockpit.send("pG\r");
    cockpit.wait_for_line(&["weekly-batch", "IDLE"]);
    cockpit.wait_for("mean-cpu  worst first");
    cockpit.send(":preset cautious\r");
    cockpit.wait_for_line(&["weekly-batch", "busy"]);
    quit(cockpit);
}

#[test]
fn sort_marks_freeze_and_commands() {
    let home = warm_home();
    let mut cockpit = World::fine().cockpit(home.path());
    list(&mut cockpit);
    let first_row = |cockpit: &Pty| {
        let screen = cockpit.screen();
        let mut lines = screen.lines().skip_while(|l| !l.contains("VERDICT"));
        lines.nth(1).unwrap().to_owned()
    };
    cockpit.send("sa");
    cockpit.wait_for("by name, smallest first");
    assert!(first_row(&cockpit).contains("agent-died"), "{}", cockpit.screen());
    cockpit.send("sa");
    cockpit.wait_for("by name, largest first");
    assert!(first_row(&cockpit).contains("weekly-batch"), "{}", cockpit.screen());
    cockpit.send(":sort worst\r");
    cockpit.wait_for("worst first");
    // $55.50 of eval-sweep and $21.50 of train-7b-old.
    cockpit.send("g  ");
    cockpit.wait_for("2 selected $77.00/h");
    cockpit.send("u");
    cockpit.wait_gone("selected");
    cockpit.send("f");
    cockpit.wait_for("FROZEN");
    cockpit.send("f");
    cockpit.wait_gone("FROZEN");
    cockpit.send(":fitler x\r");
    cockpit.wait_for("unknown command `fitler`, did you mean `filter`?");
    cockpit.send("\x15filter team=nlp and $>20\r");
    cockpit.wait_for_line(&["/ team=nlp and $>20", "1 of 16"]);
    cockpit.send("/\x15gpu<\r");
    cockpit.wait_for("column");
    cockpit.send("\x03");
    // The filter in force is still the old one.
    cockpit.wait_gone("gpu<");
    cockpit.wait_for_line(&["/ team=nlp and $>20", "1 of 16"]);
    cockpit.send(":theme mono\r");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send(":quit\r");
    assert_eq!(cockpit.wait_exit(), 0);
    cockpit.assert_restored();
}

#[test]
fn an_export_writes_a_file_once_and_never_over_another() {
    let home = warm_home();
    let mut cockpit = World::fine().cockpit(home.path());
    list(&mut cockpit);
    let csv = home.path().join("out.csv");
    cockpit.send(&format!(":export csv {}\r", csv.display()));
    cockpit.wait_for("wrote ");
    let written = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(written.lines().count(), 17, "{written}");
    assert!(written.contains("train-7b-old") && written.contains("europe-idle"), "{written}");
    std::fs::write(&csv, "mine").unwrap();
    cockpit.send(&format!(":export csv {}\r", csv.display()));
    cockpit.wait_for("cannot write ");
    assert_eq!(std::fs::read_to_string(&csv).unwrap(), "mine");

    filter(&mut cockpit, "team=nlp");
    let json = home.path().join("out.json");
    cockpit.send(&format!(":export json {}\r", json.display()));
    cockpit.wait_for("wrote ");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let teams: Vec<_> =
        report["rows"].as_array().unwrap().iter().map(|row| row["team"].clone()).collect();
    assert!(!teams.is_empty() && teams.iter().all(|team| *team == "nlp"), "{report:#}");
    quit(cockpit);
}

#[test]
fn a_copy_reaches_the_terminal() {
    let home = warm_home();
    let mut cockpit = World::fine().cockpit(home.path());
    list(&mut cockpit);
    filter(&mut cockpit, "train-7b-old");
    cockpit.wait_for("1 of 16");
    let id = &emulators().ids["train-7b-old"];
    cockpit.send("y");
    cockpit.wait_for(&format!("sent {id} to the terminal's clipboard"));
    assert_eq!(copied(&cockpit), *id);
    cockpit.send("Y");
    cockpit.wait_for(&format!("sent {id} as JSON"));
    let row: serde_json::Value = serde_json::from_str(&copied(&cockpit)).unwrap();
    assert_eq!((&row["instance_id"], &row["verdict"]), (&id.as_str().into(), &"idle".into()));
    quit(cockpit);
}

#[test]
fn a_saved_view_is_there_at_the_next_start() {
    let home = warm_home();
    let world = World::fine();
    let mut cockpit = world.cockpit(home.path());
    list(&mut cockpit);
    filter(&mut cockpit, "team=data");
    cockpit.send("sawnight shift\r");
    cockpit.wait_for("saved view night shift");
    quit(cockpit);
    let mut cockpit = world.cockpit(home.path());
    list(&mut cockpit);
    cockpit.send(":view night shift\r");
    cockpit.wait_for("/ team=data");
    cockpit.wait_for("by name, smallest first");
    cockpit.wait_for("4 of 16");
    quit(cockpit);
}

#[test]
fn a_refresh_says_its_price_and_asks_again() {
    let home = tempfile::tempdir().unwrap();
    let proxy = proxy(&emulators().cloudwatch, |_| Fault::Pass);
    let world = World { cloudwatch: proxy.url.clone(), ..World::fine() };
    let mut cockpit = world.cockpit(home.path());
    list(&mut cockpit);
    refresh_at_a_price(&mut cockpit);
    cockpit.wait_for("costs about <$0.01");
    cockpit.send("\x1b");
    cockpit.wait_gone("enter refresh");
    refresh_at_a_price(&mut cockpit);
    let before = proxy.requests();
    cockpit.send("\r");
    wait_for_requests(&proxy, before);
    quit(cockpit);
}
