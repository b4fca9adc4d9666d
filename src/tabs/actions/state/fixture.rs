//! A cockpit over an audit log, for tests: a stop of two, a termination that lost volumes, and a run that was refused.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::app::fixture::press;
use crate::app::{App, AppInit, Effect, Msg};
use crate::tabs::actions::picture::{ActionCounts, ActionRow, ActionTarget, ActionsPicture};
use crate::tabs::storage::state::fixture::{heard, init};

fn target(id: &str, name: &str, result: &'static str, text: &str) -> ActionTarget {
    ActionTarget {
        id: id.into(),
        name: name.into(),
        scope: "123456789012/us-east-1".into(),
        result,
        text: text.into(),
        lost: Vec::new(),
    }
}

fn row(at: Timestamp, id: &str, what: &str, targets: Vec<ActionTarget>) -> ActionRow {
    let count = |word: &str| targets.iter().filter(|of| of.result == word).count();
    ActionRow {
        id: id.into(),
        at,
        what: what.into(),
        counts: ActionCounts {
            rows: targets.len(),
            done: count("done"),
            refused: count("refused"),
            failed: count("failed"),
            unknown: count("unknown"),
            open: count("open"),
        },
        by: "arn:aws:sts::123456789012:assumed-role/oncall/mia".into(),
        from: "mia@bastion".into(),
        executor: "live".into(),
        authority: "the person at the screen".into(),
        why: String::new(),
        plan: "0123456789ab".into(),
        targets,
        back: Vec::new(),
        lines: Vec::new(),
    }
}

/// What the log holds at a moment.
pub fn picture(now: Timestamp) -> ActionsPicture {
    let ago = |hours| now.checked_sub(SignedDuration::from_hours(hours)).unwrap();
    let mut stopped = row(
        ago(2),
        "20260115T011226Z-7f3a",
        "stop",
        vec![
            target("i-0aaaaaaaaaaaaaaa1", "dev-ann", "done", "stopped, seen 41 s after the call"),
            target("i-0aaaaaaaaaaaaaaa2", "dev-ben", "open", ""),
        ],
    );
    stopped.why = "INC-7, agreed with nlp".into();
    let start =
        |id: &str| format!("aws ec2 start-instances --instance-ids {id} --region us-east-1");
    stopped.back = vec![start("i-0aaaaaaaaaaaaaaa1"), start("i-0aaaaaaaaaaaaaaa2")];
    stopped.lines = vec![4, 5];
    let mut ended = row(
        ago(30),
        "20260113T211226Z-11c0",
        "terminate",
        vec![target(
            "i-0aaaaaaaaaaaaaaa3",
            "eval-sweep",
            "done",
            "terminated, seen 20 s after the call",
        )],
    );
    ended.targets[0].lost = vec![
        "deleted with it: vol-1 (/dev/sdf, 500 GiB gp3); the way back has an empty one like it"
            .into(),
    ];
    ended.back = vec!["aws ec2 run-instances --cli-input-json '{\"InstanceType\":\"g5.xlarge\"}' --region us-east-1".into()];
    ended.lines = vec![2, 3];
    let mut refused = row(
        ago(31),
        "20260113T201226Z-92ab",
        "",
        vec![target(
            "i-0aaaaaaaaaaaaaaa4",
            "",
            "refused",
            "in use again: CPU at 44% two minutes ago",
        )],
    );
    (refused.by, refused.from, refused.executor) = Default::default();
    refused.authority.clear();
    refused.lines = vec![1];
    let rows = [stopped, ended, refused].map(Arc::new);
    ActionsPicture {
        rows: rows.into(),
        damaged: 0,
        left_out: 0,
        file: "/home/mia/.local/state/burntop/audit/audit.jsonl".into(),
    }
}

/// Answers what a cockpit asked of the log, as the thread behind the screen does.
pub fn answer(app: &mut App, effects: &[Effect], of: &ActionsPicture) {
    for effect in effects {
        if let Effect::ReadActions(round) = effect {
            let more = app.update(Msg::Actions(*round, Ok(Arc::new(of.clone()))));
            assert_eq!(more, [], "an answer asks nothing");
        }
    }
}

/// Presses keys, each answered before the next.
pub fn go(app: &mut App, keys: &[&str]) {
    let of = picture(app.view_context().now);
    for keys in keys {
        let effects = press(app, keys);
        answer(app, &effects, &of);
        app.prepare();
    }
}

/// A cockpit of `init` on the list, opened over the overview.
pub fn on_actions(init: AppInit) -> App {
    let mut app = heard(init, crate::tabs::storage::picture::fixture::fleet());
    go(&mut app, &["H"]);
    app
}

/// The same, of a size.
pub fn app(size: (u16, u16)) -> App {
    on_actions(init(size))
}
