//! The real binary on the command line: exit codes, directories, closed pipes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The binary in a home of its own, with nothing of the caller's environment but PATH.
fn burntop(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burntop"));
    command.args(args).env_clear().env("HOME", home);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

fn run(home: &Path, args: &[&str]) -> Output {
    burntop(home, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_and_version_are_fine_and_usage_errors_are_two() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["--help"][..], &["-h"], &["--version"], &["help", "idle"], &["idle", "--help"]] {
        let output = run(home.path(), args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{args:?}");
    }
    let version = text(&run(home.path(), &["--version"]).stdout);
    let (number, build) = version.trim_end().split_once(" (").unwrap();
    assert_eq!(number, concat!("burntop ", env!("CARGO_PKG_VERSION")));
    // The commit of a release is held against git's own answer by benches/gate.py.
    assert_eq!(build == "debug build)", cfg!(debug_assertions), "{version}");
    for (args, says) in [
        (&["--frobnicate"][..], "--frobnicate"),
        (&["idel"], "idle"),
        (&["--demo", "--demo-size", "0", "idle"], "from 1 to 10000"),
        (&["idle", "--demo-size", "5"], "--demo"),
        (&["idle", "--region", "us-east-1,all"], "--region"),
        (&["idle", "--preset"], "--preset"),
        (&["idle", "--fail-on", "rain"], "accepted: idle"),
        (&["idle", "--config", "/nowhere.toml"], "/nowhere.toml"),
        (&["man", "idel"], "did you mean `idle`"),
    ] {
        let output = run(home.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn directories_follow_xdg() {
    let home = tempfile::tempdir().unwrap();
    let at = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = burntop(home.path(), args);
        command.envs(variable);
        text(&command.output().unwrap().stdout).trim_end().to_owned()
    };
    let home_path = home.path().display();
    let config = &["config", "path"][..];
    assert_eq!(at(config, None), format!("{home_path}/.config/burntop/config.toml"));
    assert_eq!(at(config, Some(("XDG_CONFIG_HOME", "/x"))), "/x/burntop/config.toml");
    assert_eq!(at(config, Some(("BURNTOP_CONFIG", "/y/z.toml"))), "/y/z.toml");
    let cache = &["cache", "path"][..];
    assert_eq!(at(cache, None), format!("{home_path}/.cache/burntop/burntop.db"));
    assert_eq!(at(cache, Some(("XDG_CACHE_HOME", "/x"))), "/x/burntop/burntop.db");
    assert_eq!(at(cache, Some(("BURNTOP_CACHE_PATH", "/y/z.db"))), "/y/z.db");
    assert_eq!(
        at(&["cache", "path", "--demo"], None),
        format!("{home_path}/.cache/burntop/demo/burntop-demo.db")
    );
}

#[test]
fn a_configuration_is_made_checked_and_blamed() {
    let home = tempfile::tempdir().unwrap();
    let init = run(home.path(), &["config", "init"]);
    assert_eq!(init.status.code(), Some(0));
    let path = text(&init.stdout);
    let path = Path::new(path.trim_end());
    assert_eq!(run(home.path(), &["config", "check"]).status.code(), Some(0));
    assert_eq!(run(home.path(), &["config", "init"]).status.code(), Some(2));

    fs::write(path, "regoins = 'all'\n").unwrap();
    let warned = run(home.path(), &["config", "check"]);
    assert_eq!(warned.status.code(), Some(0));
    assert!(text(&warned.stdout).contains("config.toml:1: unknown key `regoins`"));

    fs::write(path, "[[accounts]]\nname = 'a'\nproduction = 'yes'\n").unwrap();
    let wrong = run(home.path(), &["config", "check"]);
    assert_eq!(wrong.status.code(), Some(2));
    let stderr = text(&wrong.stderr);
    assert!(stderr.contains("config.toml:3: `accounts[0].production`"), "{stderr}");
    assert!(stderr.contains("accepted: true or false"), "{stderr}");
    // Every command says so, but those that need no configuration.
    assert_eq!(run(home.path(), &["cache", "stats"]).status.code(), Some(2));
    assert_eq!(run(home.path(), &["completions", "bash"]).status.code(), Some(0));
    assert_eq!(run(home.path(), &["config", "schema"]).status.code(), Some(0));
}

#[test]
fn the_doctor_examines_a_broken_configuration_too() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("bad.toml");
    fs::write(&path, "profiles = 1").unwrap();
    let output =
        burntop(home.path(), &["doctor", "--json"]).env("BURNTOP_CONFIG", &path).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["schema"], "burntop/doctor/1");
    assert_eq!(report["checks"][0]["id"], "config");
    assert_eq!(report["checks"][0]["status"], "fail");
}

#[test]
fn the_doctor_finds_the_demo_well() {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["doctor", "--demo", "--format", "json", "--demo-size", "300"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let checks = report["checks"].as_array().unwrap();
    let of = |id: &str| checks.iter().filter(|c| c["id"] == id).count();
    assert_eq!((of("config"), of("cache"), of("own_cost")), (1, 1, 1), "{report:#}");
    assert_eq!((of("audit_log"), of("actions")), (1, 3), "{report:#}");
    assert_eq!((of("credentials"), of("permission/pricing:GetProducts")), (3, 3), "{report:#}");
    assert!(checks.iter().all(|c| c["status"] != "fail"), "{report:#}");
    assert_eq!(of("preflight"), 0, "nothing is asked of what nothing may be done in");

    let armed = ["doctor", "--demo", "--format", "json", "--demo-size", "300", "--allow-actions"];
    let output = run(home.path(), &armed);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().iter();
    let looked: Vec<_> = checks.filter(|c| c["id"] == "preflight").map(|c| &c["status"]).collect();
    assert_eq!(looked, ["ok", "ok", "ok"], "{report:#}");
}

#[test]
fn the_doctor_says_what_is_missing_without_credentials() {
    let home = tempfile::tempdir().unwrap();
    let output = burntop(home.path(), &["doctor", "--json", "--no-cache"])
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    let checks = report["checks"].as_array().unwrap();
    let credentials = checks.iter().find(|c| c["id"] == "credentials").unwrap();
    assert_eq!(credentials["status"], "fail", "{report:#}");
    assert_eq!(credentials["account"], "default", "{report:#}");
    assert!(!credentials["fix"].as_str().unwrap().is_empty(), "{report:#}");
}

#[test]
fn secrets_are_not_printed() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("c.toml");
    fs::write(
        &path,
        "[[accounts]]\nname = 'a'\nrole_arn = 'arn:aws:iam::123456789012:role/r'\n\
         external_id = 'hunter2'\n",
    )
    .unwrap();
    for args in [&["config", "print"][..], &["config", "check"], &["iam-policy"]] {
        let output = burntop(home.path(), args).env("BURNTOP_CONFIG", &path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(!all.contains("hunter2"), "{args:?}: {all}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["completions", "zsh"][..], &["man"], &["config", "schema"], &["config", "path"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output =
            burntop(home.path(), args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(text(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn commands_without_a_fleet_leave_no_files_behind() {
    let home = tempfile::tempdir().unwrap();
    for args in [
        &["config", "path"][..],
        &["config", "check"],
        &["config", "print"],
        &["cache", "path"],
        &["cache", "stats"],
        &["cache", "clear"],
        &["iam-policy"],
        &["man"],
        &["completions", "fish"],
    ] {
        assert_eq!(run(home.path(), args).status.code(), Some(0), "{args:?}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

/// A moment at which the demo is fixed, for the tests that act.
const NOW: &str = "2026-03-01T12:00:00Z";

/// The demo at [`NOW`], with what else is asked.
fn demo<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["--demo", "--now", NOW], args].concat()
}

/// Plans to stop the planted idle box `train-7b-old`; returns the plan's twelve digits.
fn planned(home: &Path, file: &str) -> String {
    let output = run(
        home,
        &demo(&[
            "plan",
            "idle",
            "--filter",
            "name=train-7b-old",
            "--format",
            "json",
            "--out",
            file,
        ]),
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report:#} {}", text(&output.stderr));
    assert_eq!(report["schema"], "burntop/preflight/1");
    assert_eq!(report["rows"].as_array().unwrap().len(), 1, "{report:#}");
    report["plan_sha256"].as_str().unwrap()[..12].to_owned()
}

fn approved(home: &Path, file: &str, digits: &str) {
    let output = run(home, &demo(&["approve", file, "--yes-i-reviewed", digits]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for part in ["train-7b-old", "p4d.24xlarge", "stop", "1 of a fleet of", digits] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_plan_is_drafted_approved_applied_and_written_down() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("plan.json");
    let file = path.to_str().unwrap();
    let digits = planned(home.path(), file);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let again = run(home.path(), &demo(&["plan", "idle", "--out", file]));
    assert_eq!(again.status.code(), Some(2), "a plan that is there stays");

    // Nobody has approved it.
    let apply = demo(&["apply", file, "--allow-actions", "--format", "json"]);
    let early = run(home.path(), &apply);
    assert_eq!(early.status.code(), Some(5), "{}", text(&early.stderr));
    assert!(text(&early.stderr).contains("nobody has approved it"), "{}", text(&early.stderr));
    // Without a terminal, and with the digits of another plan, nothing is approved.
    let before = fs::read(&path).unwrap();
    for args in [&["approve", file][..], &["approve", file, "--yes-i-reviewed", "000000000000"]] {
        let refused = run(home.path(), &demo(args));
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(text(&refused.stderr).contains(&digits), "{args:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    approved(home.path(), file, &digits);

    // Read-only, every row is refused.
    let read_only = run(home.path(), &demo(&["apply", file, "--format", "json"]));
    assert_eq!(read_only.status.code(), Some(5), "{}", text(&read_only.stderr));
    let report: serde_json::Value = serde_json::from_slice(&read_only.stdout).unwrap();
    assert_eq!(report["rows"][0]["outcome"], "refused", "{report:#}");
    // A dry run does nothing either.
    let dry = run(home.path(), &demo(&["apply", file, "--allow-actions", "--dry-run"]));
    assert_eq!(dry.status.code(), Some(0), "{}{}", text(&dry.stdout), text(&dry.stderr));
    let list = demo(&["audit", "list", "--format", "json"]);
    let none: serde_json::Value = serde_json::from_slice(&run(home.path(), &list).stdout).unwrap();
    assert_eq!(none["rows"], serde_json::json!([]));

    let done = run(home.path(), &apply);
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(0), "{report:#} {}", text(&done.stderr));
    assert_eq!(report["rows"][0]["outcome"], "done", "{report:#}");
    assert_eq!(report["rows"][0]["state"], "stopped", "{report:#}");
    assert!(text(&done.stderr).contains("written down, calling for i-"), "{}", text(&done.stderr));

    let runs: serde_json::Value = serde_json::from_slice(&run(home.path(), &list).stdout).unwrap();
    assert_eq!(runs["rows"].as_array().unwrap().len(), 1, "{runs:#}");
    assert_eq!((&runs["rows"][0]["done"], &runs["rows"][0]["open"]), (&1.into(), &0.into()));
    let name = runs["rows"][0]["run"].as_str().unwrap();
    assert_eq!(report["run"], name);
    let show = text(&run(home.path(), &demo(&["audit", "show", name])).stdout);
    assert!(show.contains("aws ec2 start-instances --instance-ids i-"), "{show}");
    assert!(show.contains("reviewer"), "on whose word: {show}");

    // The log stands apart from the real one, holds, and says so when it does not.
    let log = home.path().join(".local/state/burntop/demo/audit/audit.jsonl");
    assert!(!home.path().join(".local/state/burntop/audit").exists());
    let verify = demo(&["audit", "verify"]);
    assert_eq!(run(home.path(), &verify).status.code(), Some(0));
    let exported = run(home.path(), &demo(&["audit", "export"]));
    assert_eq!(exported.stdout, fs::read(&log).unwrap());
    let tampered = fs::read_to_string(&log).unwrap().replace("\"done\"", "\"failed\"");
    fs::write(&log, tampered).unwrap();
    let broken = run(home.path(), &verify);
    assert_eq!(broken.status.code(), Some(1), "{}", text(&broken.stdout));
    let refused = run(home.path(), &apply);
    assert_eq!(refused.status.code(), Some(5));
    assert!(
        text(&refused.stderr).contains("the audit log was changed"),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn a_plan_that_was_changed_after_its_approval_is_not_applied() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("plan.json");
    let file = path.to_str().unwrap();
    let digits = planned(home.path(), file);
    approved(home.path(), file, &digits);
    let good = fs::read_to_string(&path).unwrap();
    for (from, to, code, says) in [
        ("\"kind\": \"stop\"", "\"kind\": \"terminate\", \"decrement\": false", 5, "changed after"),
        ("train-7b-old", "train-7b-new", 5, "changed after"),
        ("burntop/plan/2", "burntop/plan/9", 2, "burntop/plan/9"),
        ("train-7b-old", "\\u001b[2J", 2, "control characters"),
        ("\"usd_per_hour\": ", "\"usd_per_hour\": -", 2, "usd_per_hour"),
        ("\"preset\"", "\"force\": true, \"preset\"", 2, "knows no such key"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        fs::write(&path, bad).unwrap();
        let output = run(home.path(), &demo(&["apply", file, "--allow-actions"]));
        assert_eq!(output.status.code(), Some(code), "{to}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{to}: {}", text(&output.stderr));
        assert!(!text(&output.stderr).contains('\u{1b}'), "{to}");
    }
    // Two days later neither plan nor approval holds.
    fs::write(&path, good).unwrap();
    let late = ["--demo", "--now", "2026-03-03T12:00:00Z", "apply", file, "--allow-actions"];
    let output = run(home.path(), &late);
    assert_eq!(output.status.code(), Some(5));
    assert!(text(&output.stderr).contains("expired"), "{}", text(&output.stderr));
}

#[test]
fn what_may_not_be_done_stays_out_of_the_plan() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("plan.json");
    let file = path.to_str().unwrap();
    // A busy box that is named, and an idle one with termination protection.
    let planned = run(
        home.path(),
        &demo(&[
            "plan",
            "idle",
            "--action",
            "terminate",
            "--allow-actions",
            "--format",
            "json",
            "--out",
            file,
            "--filter",
            "name=baseline-protected or name=pretrain-70b or name=train-7b-old",
        ]),
    );
    let report: serde_json::Value = serde_json::from_slice(&planned.stdout).unwrap();
    assert_eq!(planned.status.code(), Some(0), "{report:#} {}", text(&planned.stderr));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "a busy box is not even drafted: {report:#}");
    let protected = rows.iter().find(|r| r["name"] == "baseline-protected").unwrap();
    assert_eq!(protected["go"], false, "{protected:#}");
    let says = protected["findings"].to_string();
    assert!(says.contains("termination_protection"), "{says}");
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let items = kept["plan"]["items"].as_array().unwrap();
    let names: Vec<_> = items.iter().map(|i| &i["name"]).collect();
    assert_eq!(names, ["train-7b-old"], "{kept:#}");

    for (args, says) in [
        (&["plan", "start"][..], "--id or --filter"),
        (&["plan", "idle", "--decrement"], "--action terminate"),
        (&["plan", "idle", "--action", "mark"], "--expires 4d"),
        (&["plan", "idle", "--action", "mark", "--expires", "0d"], "--expires"),
        (&["plan", "idle", "--id", "i-nobody"], "there is no instance i-nobody"),
        (&["plan", "idle", "--offline"], "--offline"),
        (&["audit", "show", "nothing"], "there is no run nothing"),
    ] {
        let output = run(home.path(), &demo(args));
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
    // What is not there cannot be read, as little as a directory.
    for (path, says) in [("/nowhere.json", "there is no file"), ("/", "it is no regular file")] {
        let output = run(home.path(), &demo(&["apply", path]));
        assert_eq!(output.status.code(), Some(4), "{path}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{path}: {}", text(&output.stderr));
    }
}

#[test]
fn what_is_acted_on_is_chosen_by_what_a_filter_says() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("plan.json");
    let file = file.to_str().unwrap();
    let policy = home.path().join("p.toml");
    let policy = policy.to_str().unwrap();
    let rule = "name='p'\n[[rules]]\nname='r'\nfilter='dev'\naction='stop'\ngrace='4d'\n";
    fs::write(policy, rule).unwrap();
    // A search chooses nothing, wherever something is chosen; nor does a filter that nobody looks at.
    for (args, says) in [
        (&["plan", "idle", "--filter", "dev"][..], "`env=dev`"),
        (&["plan", "start", "--filter", "dev"], "`env=dev`"),
        (&["plan", "start", "--filter", ""], "it is empty"),
        (&["plan", "unmark", "--filter", "dev"], "`env=dev`"),
        (&["plan", "volumes", "--action", "delete", "--filter", "dev"], "`env=dev`"),
        (&["plan", "volumes", "--action", "delete", "--filter", "finding=gp2"], "storage ebs"),
        (&["policy", "run", policy], "p.toml:4:8: rule `r`: `filter`, column 1: `dev` alone"),
        (&["approve", policy], "`dev` alone"),
        (&["policy", "schedule", "--filter", "dev"], "`env=dev`"),
        (&["apply", file, "--filter", "env=dev"], "taken as a whole"),
        (&["approve", file, "--filter", "env=dev"], "taken as a whole"),
        (&["storage", "lifecycle", "apply", file, "--filter", "env=dev"], "taken as a whole"),
    ] {
        let output = run(home.path(), &demo(args));
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
    // Looking may search all the same.
    let looked = run(home.path(), &demo(&["idle", "--filter", "dev"]));
    assert!(looked.status.success(), "{}", text(&looked.stderr));
    // A filter over volumes chooses among them.
    let ids = |more: &[&str]| -> Vec<String> {
        let args = [&["plan", "volumes", "--action", "delete", "--format", "json"][..], more];
        let output = run(home.path(), &demo(&args.concat()));
        if output.stdout.is_empty() {
            return Vec::new();
        }
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["rows"].as_array().unwrap();
        rows.iter().map(|r| r["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = ids(&[]);
    assert!(all.len() > 1, "{all:?}");
    assert_eq!(ids(&["--filter", &format!("id={}", all[0])]), all[..1]);
    assert_eq!(ids(&["--filter", &format!("id!={}", all[0])]), all[1..]);
}

#[test]
fn a_plan_over_the_caps_is_said_when_it_is_drafted_and_never_approved() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("few.toml");
    fs::write(&config, "[actions]\nmax_instances = 1\n").unwrap();
    let few = ["--config", config.to_str().unwrap()];
    let file = home.path().join("plan.json");
    let path = file.to_str().unwrap();
    let two = "name=train-7b-old or name=h200-waiting";
    let plan = ["plan", "idle", "--filter", two, "--format", "json", "--out", path];
    // Nobody is armed here, and the cap holds all the same.
    let over = run(home.path(), &demo(&[&plan[..], &few].concat()));
    assert_eq!(over.status.code(), Some(5), "{}", text(&over.stderr));
    assert!(text(&over.stderr).contains("max_instances allows (1)"), "{}", text(&over.stderr));
    assert!(!file.exists(), "nobody is to approve it");
    let report: serde_json::Value = serde_json::from_slice(&over.stdout).unwrap();
    let cap = &report["caps"][0];
    assert_eq!((&cap["cap"], &cap["over"]), (&"max_instances".into(), &true.into()), "{cap}");
    assert_eq!((cap["value"].as_f64(), cap["limit"].as_f64()), (Some(2.0), Some(1.0)));
    let counted = report["environments"].as_array().unwrap();
    let sum: u64 = counted.iter().map(|e| e["count"].as_u64().unwrap()).sum();
    assert_eq!(sum, 2, "{counted:?}");
    // Drafted where more is allowed, it is refused where less is, with the numbers.
    let made = run(home.path(), &demo(&plan));
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let report: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    let digits = report["plan_sha256"].as_str().unwrap()[..12].to_owned();
    let approve = ["approve", path, "--yes-i-reviewed", &digits];
    let before = fs::read(&file).unwrap();
    let refused = run(home.path(), &demo(&[&approve[..], &few].concat()));
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stdout));
    assert!(text(&refused.stdout).contains("max_instances 2 of 1 OVER"));
    assert!(text(&refused.stderr).contains("nothing was approved"), "{}", text(&refused.stderr));
    assert_eq!(fs::read(&file).unwrap(), before);
    // Within the caps it is approved, and the counts are shown before that.
    let json = run(home.path(), &demo(&[&approve[..], &["--format", "json"]].concat()));
    assert_eq!(json.status.code(), Some(0), "{}", text(&json.stderr));
    let shown: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(shown["schema"], "burntop/approve/1");
    assert_eq!(shown["environments"].as_array().map(Vec::len), Some(counted.len()));
    assert_eq!(shown["caps"][0]["over"], false);
}

#[test]
fn a_clock_that_was_typed_acts_on_nothing_real() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("armed.toml");
    fs::write(&config, "[[accounts]]\nname = 'lab'\nallow_actions = true\n").unwrap();
    let armed = config.to_str().unwrap();
    for args in [
        &["--allow-actions", "idle"][..],
        &["--allow-actions", "policy", "run", "p.toml", "--apply"],
        &["--config", armed, "overview"],
        &["plan", "idle"],
        &["approve", "plan.json"],
        &["apply", "plan.json"],
        &["audit", "reconcile"],
    ] {
        let output = run(home.path(), &[&["--now", NOW][..], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("--now"), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_policy_marks_unmarks_and_stops_once_somebody_else_approved_it() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("p.toml");
    let file = path.to_str().unwrap();
    let at = |args: &[&str]| run(home.path(), &demo(args));
    assert_eq!(at(&["policy", "init", file]).status.code(), Some(0));
    let only = ["--filter", "name~marked or name=h200-waiting", "--format", "json"];
    let decided = |output: &Output| {
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["schema"], "burntop/policy/1");
        let rows = json["rows"].as_array().unwrap().clone();
        let of = |r: &serde_json::Value, key: &str| r[key].as_str().unwrap_or("-").to_owned();
        let mut rows: Vec<[String; 3]> =
            rows.iter().map(|r| [of(r, "name"), of(r, "decision"), of(r, "outcome")]).collect();
        rows.sort();
        rows
    };
    let expected = |outcomes: [&str; 4]| {
        let all = [
            ["h200-waiting", "mark"],
            ["marked-busy", "unmark"],
            ["marked-expired", "stop"],
            ["marked-waiting", "wait"],
        ];
        let rows = all.iter().zip(outcomes);
        rows.map(|(r, o)| [r[0].to_owned(), r[1].to_owned(), o.to_owned()]).collect::<Vec<_>>()
    };
    // Dry: nothing happens, and it ends well.
    let dry = at(&[&["policy", "run", file][..], &only].concat());
    assert_eq!(dry.status.code(), Some(0), "{}", text(&dry.stderr));
    assert_eq!(decided(&dry), expected(["-", "-", "-", "-"]));
    let log = at(&["audit", "list"]);
    assert!(text(&log.stdout).contains("nothing was done yet"));
    // Not approved: refused, all of it.
    let apply = [&["policy", "run", file, "--apply", "--allow-actions"][..], &only].concat();
    let early = at(&apply);
    assert_eq!(early.status.code(), Some(5));
    assert_eq!(decided(&early), expected(["refused", "refused", "refused", "-"]));
    assert!(text(&early.stdout).contains("nobody has approved"));
    // Approved: done, and written down.
    let shown = at(&["approve", file]);
    assert_eq!(shown.status.code(), Some(2), "without a terminal nothing is approved");
    let digits = text(&shown.stderr);
    let digits = digits.split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
    let approved = at(&["approve", file, "--valid-for", "30d", "--yes-i-reviewed", &digits]);
    assert_eq!(approved.status.code(), Some(0), "{}", text(&approved.stderr));
    let said = text(&approved.stdout);
    assert!(said.contains("development: stop what matches"), "{said}");
    assert!(said.contains("after a grace of 4 days, reminded 1 day before; matches "), "{said}");
    assert!(said.contains(" dev: ") && said.contains("max_instances "), "{said}");
    let done = at(&apply);
    assert_eq!(done.status.code(), Some(0), "{}\n{}", text(&done.stdout), text(&done.stderr));
    assert_eq!(decided(&done), expected(["done", "done", "done", "-"]));
    assert_eq!(at(&["audit", "verify"]).status.code(), Some(0));
    // Not armed: refused.
    let unarmed = at(&[&["policy", "run", file, "--apply"][..], &only].concat());
    assert_eq!(unarmed.status.code(), Some(5));
    // A byte more is another policy.
    let mut changed = fs::read_to_string(&path).unwrap();
    changed.push('\n');
    fs::write(&path, changed).unwrap();
    let other = at(&apply);
    assert_eq!(other.status.code(), Some(5));
    assert!(text(&other.stdout).contains("changed after it was approved"));
    // And one without a grace is none.
    fs::write(&path, "name='p'\n[[rules]]\nname='r'\nfilter=''\naction='stop'\n").unwrap();
    let wrong = at(&["policy", "run", file]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("p.toml:2:1: rule `r`: `grace` is missing"));
}

#[test]
fn off_hours_are_proposed_with_lines_to_copy() {
    let home = tempfile::tempdir().unwrap();
    let args = ["policy", "schedule", "--weeks", "1", "--snippet", "cron"];
    let table = run(home.path(), &demo(&args));
    assert_eq!(table.status.code(), Some(0), "{}", text(&table.stderr));
    let table = text(&table.stdout);
    assert!(table.contains("CRON_TZ=UTC") && table.contains("aws ec2 stop-instances"), "{table}");
    assert!(table.contains("the cron of Debian and Ubuntu ignores it"), "{table}");
    // A zone is printed as cron and EventBridge know it, with the next changes of its clocks.
    let berlin = run(home.path(), &demo(&[&args[..], &["--tz", "europe/BERLIN"]].concat()));
    let berlin = text(&berlin.stdout);
    for part in
        ["CRON_TZ=Europe/Berlin\n", "$(TZ=Europe/Berlin date", "clocks of Europe/Berlin go from"]
    {
        assert!(berlin.contains(part), "{part}: {berlin}");
    }
    // A week of evidence is none by itself.
    let json = run(home.path(), &demo(&["policy", "schedule", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["schema"], "burntop/schedule/1");
    assert!(json["rows"].as_array().unwrap().iter().all(|r| r["off"].is_null()));
    for zone in ["Nowhere/Land", "Etc/Unknown", "", "/etc/passwd", "Europe/Berlin\n"] {
        let wrong = run(home.path(), &demo(&["policy", "schedule", "--tz", zone]));
        assert_eq!(wrong.status.code(), Some(2), "{zone:?}");
    }
}

#[test]
fn lists_of_savings_speak_their_own_language_and_fail_as_they_should() {
    let home = tempfile::tempdir().unwrap();
    let now = "2026-03-14T15:09:26Z";
    let demo = |args: &[&str]| {
        let all = ["--demo", "--demo-size", "40", "--no-cache", "--now", now];
        run(home.path(), &[&all[..], args].concat())
    };
    for view in ["commitments", "rightsize", "spot", "resources", "models"] {
        let output = demo(&[view, "--format", "json"]);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "{view}: {code:?} {}", text(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["schema"], format!("burntop/{view}/1"));
        for part in ["rows", "readings", "errors", "net_unknown"] {
            assert!(document[part].is_array(), "{view}: {part}");
        }
        let csv = demo(&[view, "--format", "csv"]);
        assert!(text(&csv.stdout).lines().next().unwrap().contains("usd_per_hour"), "{view}");
        let md = demo(&[view, "--format", "md"]);
        assert!(text(&md.stdout).starts_with("| "), "{view}");
    }
    for (args, says) in [
        (&["commitments", "--filter", "fit=yes"][..], "no field `fit`"),
        (&["spot", "--filter", "unused>1"], "no field `unused`"),
        (&["rightsize", "--fail-on", "idle"], "findings and waste"),
        (&["idle", "--fail-on", "findings"], "about savings"),
        (&["models", "--fail-on", "findings"], "potential"),
        (&["spot", "--asg", "--format", "csv"], "table and json"),
        (&["rightsize", "--guide", "parameters"], "name=value"),
        (&["rightsize", "--guide", "task=dance"], "fine_tune"),
        (&["rightsize", "--guide", "params=7GB"], "a number like"),
    ] {
        let output = demo(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
    // Filters of their own rows are no usage errors; of storage neither.
    for args in [
        &["commitments", "--filter", "unused>$1/h or left<30d"][..],
        &["rightsize", "--filter", "net>$1/h and risk!=high"],
        &["spot", "--filter", "fit=yes and net>$2/h"],
        &["resources", "--filter", "kind=endpoint and idle>7d"],
        &["models", "--filter", "fits=yes and up_to>$1/h"],
        &["storage", "ebs", "--filter", "kind=gp2"],
    ] {
        let code = demo(args).status.code();
        assert!(matches!(code, Some(0 | 3)), "{args:?}: {code:?}");
    }
}

#[test]
fn the_guide_answers_on_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let all = ["--demo", "--demo-size", "40", "--no-cache", "--now", "2026-03-14T15:09:26Z"];
    let ask = ["rightsize", "--format", "json", "--guide", "task=finetune", "params=7B"];
    let output = run(home.path(), &[&all[..], &ask].concat());
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["schema"], "burntop/rightsize-guide/1");
    assert_eq!(document["asked"]["task"], "fine_tune");
    assert_eq!(document["asked"]["parameters"], 7);
    assert_eq!(document["asked"]["budget"], serde_json::Value::Null);
    // At least the weights and their gradients in 16 bits: 28 GB.
    assert!(document["memory_bytes"].as_f64().unwrap() > 28e9);
}

#[test]
fn paths_of_the_network_add_up_to_the_bill_and_say_what_could_be_avoided() {
    let home = tempfile::tempdir().unwrap();
    let demo = |args: &[&str]| {
        let all = ["--demo", "--demo-size", "40", "--no-cache", "--now", NOW];
        run(home.path(), &[&all[..], args].concat())
    };
    let json = |args: &[&str]| -> serde_json::Value {
        let output = demo(&[args, &["--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let network = json(&["network"]);
    assert_eq!(network["schema"], "burntop/network/1");
    let sum = |document: &serde_json::Value, field: &str| -> f64 {
        document["rows"].as_array().unwrap().iter().filter_map(|row| row[field].as_f64()).sum()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 && b > 0.0, "{a} is not {b}");
    let total = |field: &str| network["total"][field].as_f64().unwrap();
    near(sum(&network, "usd_per_month"), total("usd_per_month"));
    near(sum(&network, "avoidable_usd_per_month"), total("avoidable_usd_per_month"));
    let anatomy = json(&["bill", "anatomy", "--filter", "category=network"]);
    near(total("network_usd_per_month"), sum(&anatomy, "effective_usd"));
    let requests = ["bill", "--by", "usage_type", "--filter", "usage_type~Requests-Tier"];
    near(total("requests_usd_per_month"), sum(&json(&requests), "effective_usd"));
    for path in ["internet", "inter_region", "inter_az", "nat", "endpoint", "cdn", "requests"] {
        let rows = network["rows"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["path"] == path), "{path}");
    }
    for (args, code) in [
        (&["network", "--fail-on", "findings"][..], 1),
        (&["network", "--fail-on", "findings", "--filter", "path=cdn"], 0),
        (&["network", "--fail-on", "idle"], 2),
        (&["network", "--filter", "path=nat and avoidable>$1", "--sort=-avoidable"], 0),
        (&["network", "--filter", "path=gnat"], 2),
        (&["network", "--period", "2019-01"], 4),
    ] {
        let output = demo(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output.stderr));
    }
}
