//! `burntop watch` as it is run by cron and by hand: what it says of the planted fleet, what it sends, and what a kill, a lost
//! state and a wrong file do to that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pty::LIMIT;

/// A fixed moment, so that two runs see the same fleet.
const NOW: &str = "2026-01-15T03:12:40Z";

fn burntop(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burntop"));
    command
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .stdin(Stdio::null());
    command
}

fn watch(home: &Path, args: &[&str]) -> Output {
    burntop(home, &[&["watch", "--demo", "--now", NOW], args].concat()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", String::from_utf8_lossy(&output.stdout), said(output))
    })
}

/// Rules whose only sink is a file, and where its messages come to lie.
fn rules(dir: &Path, more: &str) -> (String, PathBuf) {
    let (rules, sent) = (dir.join("rules.toml"), dir.join("alerts.jsonl"));
    let text = format!(
        "sinks_by_default = ['file']\n{more}\n[[rules]]\nname = 'idle'\n\
         when = 'idle verdict=idle and waste>$10/h'\nfor = '1d'\n\
         [[sinks]]\nname = 'file'\ntype = 'file'\npath = '{}'\n",
        sent.display()
    );
    std::fs::write(&rules, text).unwrap();
    (rules.to_str().unwrap().to_owned(), sent)
}

fn messages(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(messages: &[Value]) -> BTreeSet<String> {
    messages.iter().map(|message| message["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_demo_tells_its_planted_stories_at_the_first_look() {
    let home = tempfile::tempdir().unwrap();
    let output = watch(home.path(), &["--once", "--format", "json"]);
    let report = json(&output);
    assert_eq!(report["schema"], "burntop/watch/1");
    assert_eq!(report["deliveries"]["queued"], 0, "{}", said(&output));
    let rows = report["rows"].as_array().unwrap();
    let firing = |rule: &str| -> Vec<&Value> {
        rows.iter().filter(|row| row["rule"] == rule && row["state"] == "firing").collect()
    };
    let held = firing("gpus-held-idle");
    assert!(!held.is_empty(), "{report:#}");
    for row in held {
        assert!(row["usd_per_day"].as_f64().unwrap() > 24.0, "{row:#}");
        assert!(row["since"].as_str().unwrap() < NOW, "{row:#}");
        assert!(row["command"].as_str().unwrap().starts_with("burntop gpus --filter "), "{row:#}");
        assert!(!row["why"].as_array().unwrap().is_empty(), "{row:#}");
        assert_eq!(row["sent"], serde_json::json!(["terminal"]), "{row:#}");
    }
    // Of what is pending it is said what it is.
    let pending: Vec<&Value> = rows.iter().filter(|row| row["state"] == "pending").collect();
    assert!(!pending.is_empty(), "{report:#}");
    assert!(pending.iter().all(|row| row["what"].is_string()), "{pending:#?}");
    // Each instance with the waste that the list of instances has of it.
    let list = burntop(
        home.path(),
        &[
            "idle",
            "--demo",
            "--now",
            NOW,
            "--format",
            "json",
            "--filter",
            "verdict=idle and wasted>$200",
        ],
    );
    let list = json(&{ list }.output().unwrap());
    let idle = firing("idle-instances");
    assert!(idle.len() > 1, "{report:#}");
    for row in idle {
        let is_it = |of: &&Value| of["instance_id"] == row["key"];
        let of = list["rows"].as_array().unwrap().iter().find(is_it).unwrap();
        let (usd, waste) = (row["usd_per_day"].as_f64(), of["waste_usd_per_hour"].as_f64());
        assert!((usd.unwrap() - waste.unwrap() * 24.0).abs() < 1e-6, "{row:#}");
        assert_eq!(row["since"], of["idle_since"], "{row:#}");
    }
    // As text the messages come first, and the table below says the same.
    let output = watch(home.path(), &["--once", "--limit", "3"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        text.contains("alerts: ") && text.contains("`burntop watch --once` lists all"),
        "{text}"
    );
    assert!(text.contains("left out by --limit"), "{text}");
    // For a pipeline.
    let output = watch(home.path(), &["--once", "--fail-on", "findings", "--format", "csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

#[test]
fn jobs_units_and_teams_are_watched_as_their_commands_list_them() {
    let home = tempfile::tempdir().unwrap();
    let of = |name: &str, when: &str| {
        format!("[[rules]]\nname = '{name}'\nwhen = '{when}'\nrepeat = 'never'\n")
    };
    let more = [
        of("failed", "jobs state=failed and lost_usd>$1"),
        of("repeats", "repeats lost_usd>$1"),
        of("zombies", "zombies kind=no_job"),
        of("units", "units usd_per_unit>$0"),
        of("teams", "teams usd>$1"),
        of("week", "trend length=week and waste_share>1%"),
    ];
    let (rules, _) = rules(home.path(), &more.concat());
    let report = json(&watch(home.path(), &["--rules", &rules, "--once", "--format", "json"]));
    assert_eq!(report["unread"], serde_json::json!([]), "{report:#}");
    assert_eq!(report["in_part"], serde_json::json!([]));
    let rows = report["rows"].as_array().unwrap();
    let firing = |rule: &str| -> Vec<&Value> {
        rows.iter().filter(|row| row["rule"] == rule && row["state"] == "firing").collect()
    };
    let list = |words: &[&str], filter: &str| -> Vec<Value> {
        let more = ["--demo", "--now", NOW, "--format", "json", "--filter", filter];
        let output = burntop(home.path(), &[words, &more].concat()).output().unwrap();
        json(&output)["rows"].as_array().unwrap().clone()
    };
    // As many as the commands list, with their dollars; of jobs and repeats those of the last week.
    let dollars =
        |row: &Value, field: &str| row[field].as_f64().map_or(-1.0, |usd| (usd * 100.0).round());
    let all = |rows: &[Value], field: &str| {
        let mut all: Vec<f64> = rows.iter().map(|row| dollars(row, field)).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let told = |rule: &str| {
        let rows: Vec<Value> = firing(rule).into_iter().cloned().collect();
        assert!(!rows.is_empty(), "{rule}: {report:#}");
        all(&rows, "usd")
    };
    let failed = list(&["jobs"], "state=failed and lost_usd>$1 and ended_ago<=7d");
    assert_eq!(told("failed"), all(&failed, "usd"));
    assert_eq!(told("zombies"), all(&list(&["jobs", "zombies"], "kind=no_job"), "usd"));
    assert_eq!(told("units"), all(&list(&["units"], "usd_per_unit>$0"), "usd"));
    assert_eq!(told("teams"), all(&list(&["teams"], "usd>$1"), "usd"));
    assert!(!told("repeats").is_empty());
    // The week that is, and the one before it.
    let weeks = list(&["trend", "--by", "week"], "waste_share>1%");
    assert_eq!(told("week"), all(&weeks[weeks.len() - 2..], "burn_usd"));
    for row in firing("failed") {
        let command = row["command"].as_str().unwrap();
        assert!(command.starts_with("burntop jobs --filter "), "{row:#}");
        // Who ran it may be asked, and it ended when it failed.
        let is_of_job = |of: &&Value| command.contains(of["job_id"].as_str().unwrap());
        let mut tries = failed.iter().filter(is_of_job);
        let of = tries.find(|of| of["ended_at"] == row["since"]).unwrap();
        assert_eq!(row["ask"], of["user"], "{row:#}");
    }
}

#[test]
fn what_was_told_is_not_told_again_by_the_next_run_nor_after_the_state_is_lost() {
    let home = tempfile::tempdir().unwrap();
    let (rules, sent) = rules(home.path(), "");
    let state = home.path().join("state");
    let once = || {
        let args =
            ["--once", "--rules", &rules, "--state", state.to_str().unwrap(), "--format", "json"];
        watch(home.path(), &args)
    };
    let first = once();
    assert_eq!(json(&first)["deliveries"]["given_up"], 0, "{}", said(&first));
    let told = messages(&sent);
    assert!(!told.is_empty(), "{}", said(&first));
    assert!(told.iter().all(|message| message["kind"] == "firing"), "{told:#?}");
    once();
    assert_eq!(messages(&sent), told);
    // Nobody can use this state: it is set aside, and said.
    std::fs::write(state.join("state.json"), "{}").unwrap();
    let output = once();
    assert!(said(&output).contains("was set aside as"), "{}", said(&output));
    assert_eq!(messages(&sent), told);
    std::fs::remove_file(state.join("state.json")).unwrap();
    once();
    assert_eq!(messages(&sent), told);
    // The end of each is told once, in its own thread.
    let text = std::fs::read_to_string(&rules).unwrap().replace("waste>$10/h", "waste>$1000000/h");
    std::fs::write(&rules, text).unwrap();
    once();
    once();
    let all = messages(&sent);
    let ends = &all[told.len()..];
    assert_eq!(ends.len(), told.len());
    assert!(ends.iter().all(|message| message["kind"] == "resolved"), "{ends:#?}");
    let threads = |of: &[Value]| -> BTreeSet<String> {
        of.iter().map(|message| message["thread"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(threads(ends), threads(&told));
    assert_eq!(keys(&all).len(), all.len());
}

#[test]
fn a_watch_that_is_killed_goes_on_where_it_was() {
    let home = tempfile::tempdir().unwrap();
    let (rules, sent) = rules(home.path(), "summary_above = 1000");
    let state = home.path().join("state");
    let start = || {
        let args = [
            "watch",
            "--demo",
            "--now",
            NOW,
            "--rules",
            &rules,
            "--state",
            state.to_str().unwrap(),
        ];
        burntop(home.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut counts = Vec::new();
    for wanted in [1, 2, 3] {
        let mut child = start();
        let until = Instant::now() + LIMIT;
        while messages_whole(&sent) < wanted && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        counts.push(messages_whole(&sent));
    }
    assert!(counts[0] >= 1, "{counts:?}");
    // Now it is left alone.
    let args =
        ["--once", "--rules", &rules, "--state", state.to_str().unwrap(), "--format", "json"];
    let output = watch(home.path(), &args);
    let firing = json(&output)["rows"].as_array().unwrap().len();
    let text = std::fs::read_to_string(&sent).unwrap();
    // A kill in the middle of a line leaves a part of one; the message is sent again.
    let whole: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(keys(&whole).len(), firing, "each alert was told, by one key: {text}");
    assert!(
        whole.len() <= firing + 3,
        "a kill repeats one message at most: {} of {firing}",
        whole.len()
    );
}

fn messages_whole(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().matches('\n').count()
}

#[test]
fn rules_that_cannot_be_used_are_refused_with_their_lines() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("rules.toml");
    let check = |text: &str| {
        std::fs::write(&path, text).unwrap();
        watch(home.path(), &["check", "--rules", path.to_str().unwrap()])
    };
    let good = "sinks_by_default = ['out']\n[[rules]]\nname = 'r'\nwhen = 'gpus state=held_idle'\n\
                [[sinks]]\nname = 'out'\ntype = 'stdout'\n";
    let output = check(good);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("1 rule, 1 sink, 0 silences: can be used")
    );
    for (from, to, says) in [
        ("when = ", "wen = ", "rules.toml:4: "),
        ("state=held_idle", "state=held_idel", "rules.toml:4: "),
        ("name = 'r'", "name = 'r'\nfor = '2 hours'", "rules.toml:4: `rules[0].for`"),
        ("name = 'r'", "name = 'r'\nseverity = 'high'", "rules.toml:4: "),
        ("type = 'stdout'", "type = 'slack'", "rules.toml:5: "),
        (
            "type = 'stdout'",
            "type = 'webhook'\nurl = 'http://example.com'",
            "rules.toml:8: `sinks[0].url`",
        ),
        ("[[rules]]", "[[rule]]", "rules.toml:2: "),
    ] {
        let output = check(&good.replace(from, to));
        assert_eq!(output.status.code(), Some(2), "{to}: {}", said(&output));
        assert!(said(&output).contains(says), "{to}: {}", said(&output));
    }
    // A secret that is not there is said before the night.
    let text = good.replace("type = 'stdout'", "type = 'slack'\nurl_env = 'NOT_THERE'");
    let output = check(&text);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("out: the variable NOT_THERE"), "{}", said(&output));
    let missing = watch(home.path(), &["check", "--rules", "/nowhere/rules.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(said(&missing).contains("burntop watch init"), "{}", said(&missing));
}

#[test]
fn the_policy_lets_alerts_go_to_the_topics_of_the_rules() {
    let home = tempfile::tempdir().unwrap();
    let policy = || {
        let output = burntop(home.path(), &["iam-policy"]).output().unwrap();
        let statements = json(&output)["Statement"].as_array().unwrap().clone();
        let publishes = statements.into_iter().find(|of| of["Action"] == "sns:Publish");
        (publishes.map(|of| of["Resource"].clone()), said(&output))
    };
    assert_eq!(policy().0, None);
    let dir = home.path().join(".config/burntop");
    std::fs::create_dir_all(&dir).unwrap();
    let topic = "arn:aws:sns:eu-west-1:123456789012:alerts";
    let (path, _) = rules(&dir, "");
    let sink = format!("[[sinks]]\nname = 'sns'\ntype = 'sns'\ntopic = '{topic}'\n");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.clone() + &sink).unwrap();
    assert_eq!(policy(), (Some(serde_json::json!([topic])), String::new()));
    std::fs::write(&path, text + "[[sinks]]\nname = 1\n").unwrap();
    let (topics, said) = policy();
    assert_eq!(topics, None);
    assert!(said.contains("SNS topics of the rules are left out: "), "{said}");
}

#[test]
fn rules_are_written_once_and_a_test_message_says_what_it_is() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("rules.toml");
    let init = || watch(home.path(), &["init", path.to_str().unwrap()]);
    assert_eq!(init().status.code(), Some(0));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.clone() + "# mine\n").unwrap();
    assert_eq!(init().status.code(), Some(2), "a file that is there stays");
    assert!(std::fs::read_to_string(&path).unwrap().ends_with("# mine\n"));
    let test = |sink: &str| watch(home.path(), &["test", sink, "--rules", path.to_str().unwrap()]);
    let output = test("terminal");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .starts_with("test: burntop reaches the sink terminal\n")
    );
    let output = test("termnal");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("there are terminal"), "{}", said(&output));
    // The schema is one that editors take.
    let schema = json(&watch(home.path(), &["schema"]));
    assert_eq!(schema["properties"]["rules"]["items"]["properties"]["for"]["type"], "string");
}

#[test]
fn without_credentials_nothing_ends_and_the_sources_that_are_dark_are_told() {
    let home = tempfile::tempdir().unwrap();
    let sent = home.path().join("alerts.jsonl");
    let rules = home.path().join("rules.toml");
    let text = format!(
        "sinks_by_default = ['file']\n[[rules]]\nname = 'dark'\nwhen = 'sources state=failed'\n\
         [[rules]]\nname = 'idle'\nwhen = 'idle verdict=idle'\n\
         [[sinks]]\nname = 'file'\ntype = 'file'\npath = '{}'\n",
        sent.display()
    );
    std::fs::write(&rules, text).unwrap();
    let args = [
        "watch",
        "--once",
        "--rules",
        rules.to_str().unwrap(),
        "--format",
        "json",
        "--region",
        "eu-west-1",
    ];
    let output = burntop(home.path(), &args).output().unwrap();
    let report = json(&output);
    assert_eq!(report["unread"][0]["list"], "idle", "{report:#}");
    assert!(
        output.status.code() == Some(3) || output.status.code() == Some(4),
        "{}",
        said(&output)
    );
    assert!(said(&output).to_lowercase().contains("credential"), "{}", said(&output));
}
