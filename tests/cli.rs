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
    for (args, says) in [
        (&["--frobnicate"][..], "--frobnicate"),
        (&["idel"], "idle"),
        (&["--demo", "--demo-size", "0", "idle"], "1..=10000"),
        (&["idle", "--demo-size", "5"], "--demo"),
        (&["idle", "--region", "us-east-1,all"], "--region"),
        (&["idle", "--preset"], "--preset"),
        (&["idle", "--fail-on", "rain"], "accepted: idle"),
        (&["idle", "--config", "/nowhere.toml"], "/nowhere.toml"),
        (&["iam-policy", "--actions"], "changes nothing"),
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
    assert_eq!((of("credentials"), of("permission/pricing:GetProducts")), (3, 3), "{report:#}");
    assert!(checks.iter().all(|c| c["status"] != "fail"), "{report:#}");
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
