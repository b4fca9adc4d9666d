//! The second person's word, typed on a real terminal.

use std::path::Path;

use crate::pty::Pty;
use crate::world::{DEAD, ROOMY, World, demo_by_shell};

/// A plan of the demo's idle instances. Nobody has approved it.
fn plan(home: &Path) -> std::path::PathBuf {
    let path = home.join("plan.json");
    // As few as the caps allow.
    let two = "name=train-7b-old or name=h200-waiting";
    let args = ["--demo", "plan", "idle", "--filter", two, "--out", path.to_str().unwrap()];
    let dead = || DEAD.to_owned();
    let nowhere = World { ec2: dead(), cloudwatch: dead(), pricing: dead(), credentials: false };
    let made = nowhere.run(home, &args);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    path
}

fn file(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// `burntop approve` after a second in which the terminal is nobody's.
fn approve(home: &Path, path: &Path) -> Pty {
    let args = ["approve", path.to_str().unwrap()];
    demo_by_shell("sleep 1; exec \"$@\"", home, &args, ROOMY)
}

#[test]
fn an_approval_is_typed_after_the_question_and_in_full() {
    let home = tempfile::tempdir().unwrap();
    let path = plan(home.path());
    let rows = file(&path)["plan"]["items"].as_array().unwrap().len();
    assert!(rows > 1, "{rows}");
    let word = format!("approve {rows}");

    // Another number is another plan.
    let mut terminal = approve(home.path(), &path);
    terminal.wait_for(&format!("type `{word}` to approve"));
    terminal.send(&format!("approve {}\r", rows + 1));
    assert_eq!(terminal.wait_exit(), 5, "{}", terminal.screen());
    assert_eq!(file(&path)["approvals"], serde_json::json!([]));

    // What was typed before the question stood is dropped; what is typed after it counts.
    let mut terminal = approve(home.path(), &path);
    terminal.send(&format!("{word}\r"));
    terminal.wait_for(&format!("type `{word}` to approve"));
    terminal.wait_until_quiet(std::time::Duration::from_millis(500));
    assert_eq!(file(&path)["approvals"], serde_json::json!([]), "{}", terminal.screen());
    terminal.send(&format!("{word}\r"));
    assert_eq!(terminal.wait_exit(), 0, "{}", terminal.screen());
    let approvals = file(&path)["approvals"].clone();
    assert_eq!(approvals.as_array().map(Vec::len), Some(1), "{approvals:#}");
    let approver = approvals[0]["approver"].as_object().unwrap();
    assert!(
        approver.values().all(|arn| arn.as_str().unwrap().contains("reviewer")),
        "{approver:?}"
    );
}
