//! Sessions and accounts that may change nothing: what leaves the machine is looked at on the wire.

use std::sync::{Arc, Mutex};

use crate::acting::{gone, id, json, list, mark, python, session, stderr, stdout, truth};
use crate::emulators::emulators;
use crate::fault::{Fault, Request};
use crate::world::{World, quit};

/// Twelve instances, three of which would go if anybody were armed. Nothing ever happens to them.
const HERE: &str = "eu-west-2";
const ACCOUNT: &str = "123456789012";

/// A world that notes the calls to EC2, Auto Scaling and STS, and to S3 where the cockpit comes to read it: by method, for what S3
/// is asked to do is in no name.
fn watched() -> (World, Arc<Mutex<Vec<String>>>) {
    let calls: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = calls.clone();
    let world = World::with_ec2(move |request: &Request| {
        let reads = matches!(request.method.as_str(), "GET" | "HEAD");
        let action = if reads { "Get".to_owned() } else { request.action.clone() };
        seen.lock().unwrap().push(action);
        Fault::Pass
    });
    (world, calls)
}

/// The calls that are no reading ones, dry runs included: those carry the action's name.
fn writes(calls: &Mutex<Vec<String>>) -> Vec<String> {
    let reads = |action: &&String| {
        // JSON services name themselves before the action.
        let action = action.rsplit('.').next().unwrap_or_default();
        ["Describe", "Get", "List"].iter().any(|p| action.starts_with(p))
    };
    calls.lock().unwrap().iter().filter(|action| !reads(action)).cloned().collect()
}

#[test]
fn a_read_only_cockpit_looks_at_everything_and_sends_no_write_and_no_dry_run() {
    let home = tempfile::tempdir().unwrap();
    let (world, calls) = watched();
    let mut cockpit = world.cockpit_with(home.path(), &["--region", HERE], &[]);
    cockpit.wait_for_line(&["burntop", "RO"]);
    list(&mut cockpit);
    mark(&mut cockpit, "idle-one", HERE, 1);
    mark(&mut cockpit, "idle-far", HERE, 2);
    for (command, verb) in [("stop", "Stop"), ("terminate", "Terminate")] {
        cockpit.send(&format!(":{command}\r"));
        cockpit.wait_for_line(&[verb, "2 instances: 0 go", "2 would go if armed"]);
        // The key that would open the dialog says why it does not.
        cockpit.send("c");
        cockpit.wait_for("read-only: nothing can be run");
        cockpit.send("\x1b");
        cockpit.wait_gone("would go if armed");
    }
    quit(cockpit);
    let asked = calls.lock().unwrap().clone();
    assert!(asked.iter().any(|a| a == "DescribeInstanceAttribute"), "{asked:?}");
    assert_eq!(writes(&calls), [""; 0]);
    assert!(gone(HERE).is_empty());
    let log = home.path().join(".local/state/burntop/audit/audit.jsonl");
    assert!(std::fs::read(log).unwrap_or_default().is_empty(), "something was logged");
}

#[test]
fn what_is_pinned_by_account_or_tag_stays_as_it_is_in_an_armed_session() {
    let one = id("idle-one", HERE);
    let tagged = id("idle-two", HERE);
    python(
        "import boto3, sys
ec2 = boto3.client('ec2', endpoint_url=sys.argv[1], region_name=sys.argv[2])
ec2.create_tags(Resources=[sys.argv[3]], Tags=[{'Key': 'Keep', 'Value': 'forever'}])",
        &[&emulators().moto, HERE, tagged],
    );
    let (author, second) = (session("author"), session("reviewer"));
    let by_account = format!("[actions]\nread_only_accounts = ['{ACCOUNT}']\n");
    let by_tag = "[actions]\nread_only_tags = ['keep=forever']\n".to_owned();
    for (config, target, says) in [
        (by_account, one, "the account is pinned read-only"),
        (by_tag, tagged, "its tags pin it read-only"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let (world, calls) = watched();
        let path = home.path().join("c.toml");
        let plan = home.path().join("plan.json");
        let plan = plan.to_str().unwrap();
        let run = |args: &[&str], config: &str, who: &[(&str, String)]| {
            std::fs::write(&path, config).unwrap();
            let common = ["--region", HERE, "--allow-actions", "--config", path.to_str().unwrap()];
            let mut command = world.command(home.path(), &[args, &common].concat());
            command.envs(who.iter().map(|(k, v)| (k, v))).output().unwrap()
        };
        // Planned and approved where nothing is pinned; the pin of the machine that applies counts.
        let made = run(&["plan", "idle", "--id", target, "--out", plan], "", &author);
        assert_eq!(made.status.code(), Some(0), "{}{}", stdout(&made), stderr(&made));
        let asked = stderr(&run(&["approve", plan], "", &second));
        let digits = asked.split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
        let approved = run(&["approve", plan, "--yes-i-reviewed", &digits], "", &second);
        assert_eq!(approved.status.code(), Some(0), "{approved:?}");

        calls.lock().unwrap().clear();
        let applied = run(&["apply", plan, "--format", "json"], &config, &author);
        assert_eq!(applied.status.code(), Some(5), "{applied:?}");
        let row = json(&applied)["rows"][0].clone();
        assert_eq!((&row["outcome"], &row["text"]), (&"refused".into(), &says.into()), "{row:#}");
        let sent = writes(&calls);
        // A tag is seen by looking; of a pinned account not even the permission is asked.
        let acted = sent.iter().filter(|_| says.contains("account")).count();
        assert_eq!(acted, 0, "{sent:?}");
        let state = truth(HERE).into_iter().find(|(i, ..)| i == target).unwrap().1;
        assert_eq!(state, "running");
    }
}

/// A home whose AWS files have two profiles of one account and one that leads nowhere.
fn profiles(author: &[(&str, String)], second: &[(&str, String)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let aws = home.path().join(".aws");
    std::fs::create_dir(&aws).unwrap();
    let section = |name: &str, who: &[(&str, String)]| {
        let keys = who.iter().map(|(key, value)| format!("{} = {value}\n", key.to_lowercase()));
        format!("[{name}]\n{}", keys.collect::<String>())
    };
    let both = section("ops", author) + &section("second", second);
    std::fs::write(aws.join("credentials"), both).unwrap();
    let broken = "[profile broken]\nrole_arn = arn:aws:iam::123456789012:role/x\n\
                  source_profile = nobody\n";
    std::fs::write(aws.join("config"), broken).unwrap();
    home
}

#[test]
fn a_pinned_entry_holds_whichever_way_its_account_is_reached() {
    let one = id("idle-one", HERE);
    let (author, second) = (session("author"), session("reviewer"));
    let home = profiles(&author, &second);
    let (world, calls) = watched();
    let path = home.path().join("c.toml");
    let plan = home.path().join("plan.json");
    let plan = plan.to_str().unwrap();
    let run = |args: &[&str], config: &str, profile: &str| {
        std::fs::write(&path, config).unwrap();
        let common = ["--region", HERE, "--allow-actions", "--config", path.to_str().unwrap()];
        world.run(home.path(), &[args, &common, &["--profile", profile]].concat())
    };
    let made = run(&["plan", "idle", "--id", one, "--out", plan], "", "ops");
    assert_eq!(made.status.code(), Some(0), "{}{}", stdout(&made), stderr(&made));
    let asked = stderr(&run(&["approve", plan], "", "second"));
    let digits = asked.split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
    let approved = run(&["approve", plan, "--yes-i-reviewed", &digits], "", "second");
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");

    let entry = |rest: &str| format!("[[accounts]]\nname = 'prod'\n{rest}\n");
    let pinned = "the account is pinned read-only";
    let open = "pinned entry `prod` (profile broken) did not say which account it is";
    for (config, says) in [
        // The profile itself, another one of the account, a role and an id in it.
        (entry("profile = 'ops'\nread_only = true"), pinned),
        (entry("profile = 'second'\nread_only = true"), pinned),
        (entry(&format!("role_arn = 'arn:aws:iam::{ACCOUNT}:role/x'\nread_only = true")), pinned),
        (entry(&format!("profile = 'broken'\naccount_id = '{ACCOUNT}'\nread_only = true")), pinned),
        // Nobody knows which account it is.
        (entry("profile = 'broken'\nread_only = true"), open),
        (entry("profile = 'broken'\nproduction = true"), open),
    ] {
        calls.lock().unwrap().clear();
        let applied = run(&["apply", plan, "--format", "json"], &config, "ops");
        assert_eq!(applied.status.code(), Some(5), "{config}{applied:?}");
        let row = json(&applied)["rows"][0].clone();
        assert_eq!(row["outcome"], "refused", "{config}{row:#}");
        assert!(row["text"].as_str().unwrap().starts_with(says), "{config}{row:#}");
        assert_eq!(writes(&calls), [""; 0], "{config}");
    }
    let doctor = stdout(&run(&["doctor"], &entry("profile = 'broken'\nread_only = true"), "ops"));
    assert!(doctor.contains("not armed, though --allow-actions says so"), "{doctor}");
    assert!(doctor.contains(open), "{doctor}");
    assert!(gone(HERE).is_empty());
    // A profile that is in no file is none of those there are.
    let unknown = run(&["apply", plan], "", "opps");
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
    assert!(stderr(&unknown).contains("Those there are: broken, ops, second"), "{unknown:?}");
    // The same plan would go where the pin is another account's.
    let other = entry("profile = 'broken'\naccount_id = '210987654321'\nread_only = true");
    let tried = run(&["apply", plan, "--dry-run"], &other, "ops");
    assert_eq!(tried.status.code(), Some(0), "{}{}", stdout(&tried), stderr(&tried));
}

#[test]
fn production_by_account_or_tag_is_not_stopped_without_a_justification() {
    let one = id("idle-far", HERE);
    let (author, second) = (session("author"), session("reviewer"));
    for config in [
        format!("[actions]\nproduction_accounts = ['{ACCOUNT}']\n"),
        "[actions]\nproduction_tags = ['Team=NLP']\n".to_owned(),
    ] {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("c.toml");
        std::fs::write(&path, &config).unwrap();
        let plan = home.path().join("plan.json");
        let plan = plan.to_str().unwrap();
        let world = World::fine();
        let run = |args: &[&str], who: &[(&str, String)]| {
            let common = ["--region", HERE, "--allow-actions", "--config", path.to_str().unwrap()];
            let mut command = world.command(home.path(), &[args, &common].concat());
            command.envs(who.iter().map(|(k, v)| (k, v))).output().unwrap()
        };
        let made = run(&["plan", "idle", "--id", one, "--out", plan], &author);
        assert!(stdout(&made).contains("production"), "{}", stdout(&made));
        let asked = stderr(&run(&["approve", plan], &second));
        let digits = asked.split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
        run(&["approve", plan, "--yes-i-reviewed", &digits], &second);
        let applied = run(&["apply", plan], &author);
        assert_eq!(applied.status.code(), Some(5), "{applied:?}");
        assert!(stderr(&applied).contains("--justification"), "{}", stderr(&applied));
        assert!(gone(HERE).is_empty());
    }
}
