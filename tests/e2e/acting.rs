//! Stopping and terminating for real, on the emulators: the screen and the command line act, and
//! what became of the instances is asked of EC2 itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::emulators::emulators;
use crate::fault::Fault;
use crate::pty::Pty;
use crate::world::{World, quit};

/// Twelve instances that the screen acts on.
const SCREEN: &str = "ca-central-1";
/// Twelve others, for the command line.
const SHELL: &str = "eu-north-1";

/// Calls that change something.
const WRITES: [&str; 6] = [
    "StopInstances",
    "TerminateInstances",
    "StartInstances",
    "CreateTags",
    "DeleteTags",
    "TerminateInstanceInAutoScalingGroup",
];

pub fn id(case: &str, region: &str) -> &'static str {
    &emulators().ids[&format!("{case}.{region}")]
}

/// A configuration under which a third of twelve instances may be touched at once.
fn config(home: &Path) -> PathBuf {
    let path = home.join("acting.toml");
    std::fs::write(&path, "[actions]\nmax_fleet_percent = 34\n").unwrap();
    path
}

/// Runs a script beside the emulators and returns what it prints.
pub fn python(script: &str, args: &[&str]) -> String {
    let output = Command::new(crate::emulators::python())
        .args(["-c", script])
        .args(args)
        .envs([("AWS_ACCESS_KEY_ID", "testing"), ("AWS_SECRET_ACCESS_KEY", "testing")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What EC2 says of every instance of a region: id, state, and tags as `key=value`.
pub fn truth(region: &str) -> Vec<(String, String, String)> {
    let script = "
import boto3, sys
ec2 = boto3.client('ec2', endpoint_url=sys.argv[1], region_name=sys.argv[2])
for r in ec2.describe_instances()['Reservations']:
    for i in r['Instances']:
        tags = ','.join(t['Key'] + '=' + t['Value'] for t in i.get('Tags', []))
        print(i['InstanceId'], i['State']['Name'], tags, sep='\\t')
";
    let text = python(script, &[&emulators().moto, region]);
    let field = |line: &str, n| line.split('\t').nth(n).unwrap_or_default().to_owned();
    text.lines().map(|l| (field(l, 0), field(l, 1), field(l, 2))).collect()
}

/// The cases of a region that are no longer running.
pub fn gone(region: &str) -> Vec<String> {
    let truth = truth(region);
    let running = |id: &str| truth.iter().any(|(i, state, _)| i == id && state == "running");
    let names = emulators().ids.iter().filter(|(name, _)| name.ends_with(region));
    names.filter(|(_, id)| !running(id)).map(|(name, _)| name.clone()).collect()
}

/// Opens the list and waits until it may be acted on: a verdict comes a moment before the date of
/// the metrics that it rests on, and without that date nothing goes.
pub fn list(cockpit: &mut Pty) {
    cockpit.send("3");
    cockpit.wait_for("12 instances");
    cockpit.wait_for_line(&["idle-far", "IDLE"]);
    cockpit.wait_until("the age of the metrics", |screen| {
        let ages = screen.contents();
        let mut ages = ages.split(" cw ").skip(1);
        ages.next().is_some_and(|age| age.starts_with(|c: char| c == '<' || c.is_ascii_digit()))
    });
}

/// Marks the instance of this case.
pub fn mark(cockpit: &mut Pty, case: &str, region: &str, marked: usize) {
    cockpit.send(&format!("/\x15{case}.{region}\r"));
    cockpit.wait_for_line(&[&format!("/ {case}.{region}"), "1 of 12"]);
    cockpit.send(" ");
    cockpit.wait_for(&format!("{marked} selected"));
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("{e}: {}{}", stdout(output), String::from_utf8_lossy(&output.stderr))
    })
}

#[test]
fn of_the_marked_ones_the_right_ones_are_terminated_and_the_rest_is_untouched() {
    let home = tempfile::tempdir().unwrap();
    let config = config(home.path());
    let args = ["--region", SCREEN, "--allow-actions", "--config", config.to_str().unwrap()];
    let world = World::fine();
    let mut cockpit = world.cockpit_with(home.path(), &args, &[]);
    cockpit.wait_for("ARMED");
    list(&mut cockpit);
    let marked = ["idle-one", "guarded", "woken", "silent", "idle-far"];
    for (n, case) in marked.into_iter().enumerate() {
        mark(&mut cockpit, case, SCREEN, n + 1);
    }
    cockpit.send(":terminate\r");
    cockpit.wait_for("2 go, 3 are blocked");
    cockpit.wait_for_line(&["idle-one", "go"]);
    cockpit.wait_for_line(&["guarded", "blocked"]);
    cockpit.wait_for("termination protection is on");
    cockpit.wait_for_line(&["woken", "blocked"]);
    cockpit.wait_for_line(&["silent", "blocked"]);
    assert!(gone(SCREEN).is_empty(), "nothing happens before the word is given");

    cockpit.send("c");
    cockpit.wait_for("terminate 2");
    cockpit.wait_until_quiet(Duration::from_millis(600));
    // The wrong count opens nothing.
    cockpit.send("terminate 5\r");
    cockpit.wait_until_quiet(Duration::from_millis(600));
    assert!(gone(SCREEN).is_empty(), "{}", cockpit.screen());
    cockpit.send("\x15terminate 2\r");
    cockpit.wait_for("2 done, 0 refused, 0 failed, 0 unknown");
    assert_eq!(gone(SCREEN), [format!("idle-far.{SCREEN}"), format!("idle-one.{SCREEN}")]);
    cockpit.wait_for("aws ec2 run-instances");
    cockpit.send("\x1b");
    cockpit.wait_gone("The way back");
    quit(cockpit);

    let verified = world.run(home.path(), &["audit", "verify"]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
    let listed = world.run(home.path(), &["audit", "list", "--format", "json"]);
    let rows = json(&listed)["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows:#}");
    // One intent per zone, each before its outcome.
    let log = home.path().join(".local/state/burntop/audit/audit.jsonl");
    let lines: Vec<Value> = std::fs::read_to_string(log)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds = |kind: &str| lines.iter().filter(|l| l["body"]["kind"] == *kind).count();
    assert_eq!(kinds("intent"), 2, "{lines:#?}");
    assert!(!format!("{lines:?}").contains(crate::world::SECRET));
}

/// Credentials of a role session of this name, as variables of the environment.
pub fn session(name: &str) -> Vec<(&'static str, String)> {
    let script = "
import boto3, sys
role = f'arn:aws:iam::123456789012:role/on-call'
sts = boto3.client('sts', endpoint_url=sys.argv[1], region_name='us-east-1')
c = sts.assume_role(RoleArn=role, RoleSessionName=sys.argv[2])['Credentials']
print(c['AccessKeyId'], c['SecretAccessKey'], c['SessionToken'], sep='\\n')
";
    let lines = python(script, &[&emulators().moto, name]);
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
    names.into_iter().zip(lines.lines().map(str::to_owned)).collect()
}

#[test]
fn a_plan_is_made_approved_by_another_and_applied_once() {
    let home = tempfile::tempdir().unwrap();
    let config = config(home.path());
    let writes: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = writes.clone();
    let world = World::with_ec2(move |r| {
        if WRITES.contains(&r.action.as_str()) {
            seen.lock().unwrap().push(r.action.clone());
        }
        Fault::Pass
    });
    let common = ["--region", SHELL, "--config", config.to_str().unwrap()];
    let (author, second) = (session("author"), session("reviewer"));
    let run = |args: &[&str], who: &[(&str, String)]| {
        let who = who.iter().map(|(k, v)| (k, v));
        world.command(home.path(), &[args, &common].concat()).envs(who).output().unwrap()
    };
    let plan = home.path().join("plan.json");
    let plan = plan.to_str().unwrap();
    let filter = "name=idle-two.eu-north-1 or name=guarded.eu-north-1 or name=working-1.eu-north-1";
    let command = ["plan", "idle", "--action", "terminate", "--filter", filter, "--out", plan];
    let made = run(&command, &author);
    assert!([Some(0), Some(5)].contains(&made.status.code()), "{made:?}");
    assert!(stdout(&made).contains("termination protection is on"), "{}", stdout(&made));
    let again = run(&command, &author);
    assert_eq!(again.status.code(), Some(2), "a plan is never written over: {again:?}");

    // Nobody has approved it; and whoever approves it may not apply it.
    let refused = run(&["apply", plan, "--allow-actions"], &author);
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    assert!(stderr(&refused).contains("nobody has approved it"), "{}", stderr(&refused));
    let asked = run(&["approve", plan], &second);
    assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    let digits = stderr(&asked).split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
    let approved = run(&["approve", plan, "--yes-i-reviewed", &digits], &second);
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");
    let own = run(&["apply", plan, "--allow-actions"], &second);
    assert_eq!(own.status.code(), Some(5), "{own:?}");
    assert!(stderr(&own).contains("somebody else has to"), "{}", stderr(&own));

    // Read-only, and a dry run: no call that could change anything leaves.
    writes.lock().unwrap().clear();
    let read_only = run(&["apply", plan], &author);
    assert_eq!(read_only.status.code(), Some(5), "{read_only:?}");
    assert_eq!(*writes.lock().unwrap(), [""; 0], "a read-only session asked for a write");
    assert!(gone(SHELL).is_empty());

    let applied = run(&["apply", plan, "--allow-actions", "--format", "json"], &author);
    let report = json(&applied);
    assert_eq!(gone(SHELL), [format!("idle-two.{SHELL}")], "{report:#}");
    assert!(!writes.lock().unwrap().is_empty());

    // The same file again finds nothing to do.
    let twice = run(&["apply", plan, "--allow-actions"], &author);
    assert_eq!(twice.status.code(), Some(5), "{twice:?}");

    // A mark goes on and comes off again, seen in EC2's own tags.
    let one = id("idle-one", SHELL);
    for (args, tagged) in [
        (&["plan", "idle", "--action", "mark", "--expires", "4d", "--reason", "ask nlp"][..], true),
        (&["plan", "unmark"][..], false),
    ] {
        let file = home.path().join(format!("{tagged}.json"));
        let file = file.to_str().unwrap();
        let made = run(&[args, &["--id", one, "--out", file]].concat(), &author);
        assert_eq!(made.status.code(), Some(0), "{made:?}");
        let asked = stderr(&run(&["approve", file], &second));
        let digits = asked.split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
        let approved = run(&["approve", file, "--yes-i-reviewed", &digits], &second);
        assert_eq!(approved.status.code(), Some(0), "{approved:?}");
        let done = run(&["apply", file, "--allow-actions"], &author);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        let tags = truth(SHELL).into_iter().find(|(i, ..)| i == one).unwrap().2;
        assert_eq!(tags.contains("burntop:expires="), tagged, "{tags}");
        assert_eq!(tags.contains("burntop:reason=ask nlp"), tagged, "{tags}");
        assert_eq!(tags.contains("burntop:by=arn:aws:sts::"), tagged, "{tags}");
    }
    let verified = run(&["audit", "verify"], &author);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
}
