//! A policy over the days, on the emulators. The days are made by writing older dates into the tags.

use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::acting::{id, json, python, session, stderr, stdout, truth};
use crate::emulators::emulators;
use crate::fault::Fault;
use crate::world::World;

const HERE: &str = "sa-east-1";

const POLICY: &str = r#"
name = "nightly"
[[rules]]
name = "all"
filter = ""
action = "stop"
grace = "4d"
remind_before = "1d"
reason = "start it again when you need it"
"#;

/// Writes tags as if the policy had marked these instances so many days ago, with a grace of four
/// days, and reminded their owners two days ago or (`never`) not yet.
const EARLIER: &str = "
import boto3, datetime as dt, sys
_, endpoint, region, marked, reminded, *ids = sys.argv
ec2 = boto3.client('ec2', endpoint_url=endpoint, region_name=region)
now = dt.datetime.now(dt.timezone.utc)
day = lambda ago: (now - dt.timedelta(days=ago)).strftime('%Y-%m-%dT%H:%M:%SZ')
marked = float(marked)
tags = {
    'burntop:expires': day(marked - 4),
    'burntop:by': 'arn:aws:sts::123456789012:assumed-role/on-call/author',
    'burntop:reason': f'marked={day(marked)} policy=nightly rule=all start it again when you need it',
}
if reminded != 'never':
    tags['burntop:reminded'] = day(2)
ec2.create_tags(Resources=ids, Tags=[{'Key': k, 'Value': v} for k, v in tags.items()])
";

/// What was decided for a case, and what became of it.
#[track_caller]
fn row(report: &Value, case: &str) -> (String, String) {
    let rows = report["rows"].as_array().unwrap();
    let row = rows.iter().find(|r| r["instance_id"] == *id(case, HERE));
    let row = row.unwrap_or_else(|| panic!("{case}: {report:#}"));
    let word = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    (word(&row["decision"]), word(&row["outcome"]))
}

/// State and tags of a case, asked of EC2.
fn seen(case: &str) -> (String, String) {
    let all = truth(HERE);
    let (_, state, tags) = all.into_iter().find(|(i, ..)| i == id(case, HERE)).unwrap();
    (state, tags)
}

#[test]
fn what_is_idle_is_marked_then_stopped_and_what_is_in_use_or_unknown_never() {
    let home = tempfile::tempdir().unwrap();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, POLICY).unwrap();
    let policy = policy.to_str().unwrap();
    let writes: Arc<Mutex<usize>> = Arc::default();
    let count = writes.clone();
    let world = World::with_ec2(move |r| {
        *count.lock().unwrap() += usize::from(
            ["Stop", "Terminate", "Start", "Create", "Delete"]
                .iter()
                .any(|w| r.action.starts_with(w)),
        );
        Fault::Pass
    });
    let (author, second) = (session("author"), session("reviewer"));
    let run = |args: &[&str], who: &[(&str, String)]| -> Output {
        let args = [args, &["--region", HERE][..]].concat();
        let mut command = world.command(home.path(), &args);
        command.envs(who.iter().map(|(k, v)| (k, v))).output().unwrap()
    };
    let apply = ["policy", "run", policy, "--apply", "--allow-actions", "--format", "json"];

    // Nobody has approved it: nothing is marked.
    let refused = run(&apply, &author);
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    assert!(stdout(&refused).contains("nobody has approved"), "{}", stdout(&refused));
    assert!(truth(HERE).iter().all(|(_, _, tags)| !tags.contains("burntop:")));

    let asked = stderr(&run(&["approve", policy], &second));
    let digits = asked.split("--yes-i-reviewed ").nth(1).unwrap()[..12].to_owned();
    let approved = run(&["approve", policy, "--yes-i-reviewed", &digits], &second);
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");

    // The first night.
    let report = json(&run(&apply, &author));
    for case in ["fresh", "soon", "due", "gold"] {
        assert_eq!(row(&report, case), ("mark".into(), "done".into()), "{case}: {report:#}");
        let (state, tags) = seen(case);
        assert!(state == "running" && tags.contains("policy=nightly rule=all"), "{tags}");
    }
    for case in ["blind", "working"] {
        assert_eq!(row(&report, case).0, "nothing", "{case}: {report:#}");
        assert!(!seen(case).1.contains("burntop:"), "{case}");
    }

    // Five days later. The box that works and the one that nobody can see into were marked too.
    let old = ["due", "gold", "blind", "working"].map(|case| id(case, HERE));
    let moto = emulators().moto.as_str();
    python(EARLIER, &[&[moto, HERE, "5", "reminded"][..], &old].concat());
    python(EARLIER, &[moto, HERE, "3.5", "never", id("soon", HERE)]);
    let before = (seen("blind"), seen("gold"), seen("fresh"));
    *writes.lock().unwrap() = 0;
    let dry = run(&["policy", "run", policy, "--format", "json"], &author);
    assert_eq!(dry.status.code(), Some(0), "{dry:?}");
    assert_eq!(row(&json(&dry), "due"), ("stop".into(), "–".into()));
    assert_eq!(*writes.lock().unwrap(), 0, "a dry run sent something");

    let report = json(&run(&apply, &author));
    assert_eq!(row(&report, "due"), ("stop".into(), "done".into()), "{report:#}");
    assert_eq!(row(&report, "working"), ("unmark".into(), "done".into()), "{report:#}");
    assert_eq!(row(&report, "fresh").0, "wait", "{report:#}");
    assert_eq!(row(&report, "soon"), ("remind".into(), "done".into()), "{report:#}");
    let reminded = seen("soon");
    assert!(reminded.1.contains("burntop:reminded=20"), "{reminded:?}");
    assert_eq!(row(&report, "blind").0, "nothing", "{report:#}");
    assert_eq!(row(&report, "gold").0, "nothing", "production is never stopped: {report:#}");
    assert_eq!(seen("due").0, "stopped");
    let (state, tags) = seen("working");
    assert!(state == "running" && !tags.contains("burntop:"), "{tags}");
    assert_eq!((seen("blind"), seen("gold"), seen("fresh")), before);

    // Once: the same night again changes nothing at all.
    *writes.lock().unwrap() = 0;
    let report = json(&run(&apply, &author));
    assert_eq!(row(&report, "soon").0, "wait", "{report:#}");
    assert_eq!((*writes.lock().unwrap(), seen("soon")), (0, reminded), "{report:#}");

    let verified = run(&["audit", "verify"], &author);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
}
