//! Checks and runs for tests, as an executor would answer them.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;

use crate::act::plan::stakes::VolumeStake;
use crate::act::plan::{
    AccountRules, ActApi, Caps, CheckedRow, Confirmed, Finding, Guard, Outcome, OutcomeKind, Plan,
    PlanItem, Preflighted, Progress, Rules, Severity, Stakes, Ties, Undo, Verified,
};
use crate::app::fixture::{ACCOUNT, app_with, fleet_of, now, press, readings};
use crate::app::{App, Confirmation, Effect, Msg};
use crate::domain::{InstanceState, VerdictKind};

/// Id of the run in the audit log.
const RUN: &str = "20260115T031226Z-7f3a";

/// Rules that arm the one account.
pub(crate) fn armed() -> Arc<Rules> {
    let mut rules = Rules::default();
    rules.accounts.insert(ACCOUNT.into(), AccountRules { armed: true, ..AccountRules::default() });
    Arc::new(rules)
}

/// A cockpit over `count` instances whose account is armed, at 80×24.
pub(crate) fn app(count: usize) -> App {
    let mut app = app_with(fleet_of(count, 1, readings(0, None)), (80, 24));
    app.update(Msg::Rules(armed()));
    app
}

/// The checks of a plan: idle rows go, everything else is blocked.
pub(crate) fn checked(plan: &Arc<Plan>) -> Arc<Preflighted> {
    checked_as(plan, true)
}

/// The same, in a session that is armed for the account, or not.
pub(crate) fn checked_as(plan: &Arc<Plan>, armed: bool) -> Arc<Preflighted> {
    let mut rows: Vec<CheckedRow> = plan.items.iter().map(|item| row(plan, item)).collect();
    for row in rows.iter_mut().filter(|_| !armed) {
        let not_armed = Finding::block(Guard::Armed, "actions are not allowed here", "config");
        row.findings.insert(0, not_armed);
        for guard in [Guard::Permission, Guard::Executor] {
            row.findings.push(Finding::block(guard, "this session is read-only", "config"));
        }
    }
    let arn: Arc<str> = format!("arn:aws:sts::{ACCOUNT}:assumed-role/oncall/mia").into();
    let callers = [(ACCOUNT.into(), arn)].into();
    let caps = Caps { max_instances: 40, max_fleet_percent: 50.0, max_usd_per_hour: None };
    Arc::new(Preflighted::new(plan.clone(), rows, plan.created_at, callers, &caps))
}

fn row(plan: &Plan, item: &PlanItem) -> CheckedRow {
    let mut findings = Vec::new();
    if plan.verb.is_destructive() && item.verdict != Some(VerdictKind::Idle) {
        let text = "not idle: the verdict does not allow it";
        findings.push(Finding::block(Guard::Verdict, text, "plan"));
    }
    // Odd numbers are in use again.
    if item.verdict == Some(VerdictKind::Idle) && item.name.ends_with(['1', '3', '5', '7', '9']) {
        let text = "GPU 3 at 61% six minutes ago: in use again since the verdict";
        findings.push(Finding::block(Guard::Recheck, text, "CWAgent nvidia_smi_utilization_gpu"));
    }
    let text = "p4d.24xlarge is scarce: the capacity may be gone when it is started again";
    findings.push(Finding::new(Guard::Capacity, Severity::Warn, text, "catalogue"));
    let text = "no load balancer knows it";
    findings.push(Finding::new(
        Guard::TargetGroups,
        Severity::Note,
        text,
        "elasticloadbalancing:DescribeTargetHealth",
    ));
    let volume = |number: u32, usd| VolumeStake {
        id: format!("vol-{number:017x}").into(),
        device: format!("/dev/sd{}", char::from(b'a' + number as u8)).into(),
        size_gib: Some(500),
        usd_per_month: usd,
    };
    CheckedRow {
        item: Arc::new(item.clone()),
        findings,
        stakes: Stakes {
            dies: Vec::new(),
            stays: vec![volume(0, Some(40.0)), volume(1, None)],
            instance_store_gb: if &*item.name == "train-7b-old" { 8000 } else { 0 },
            public_ipv4: Some("198.51.100.7".into()),
            elastic_ips: vec!["203.0.113.9".into()],
            saves_usd_per_hour: item.usd_per_hour,
            net_usd_per_hour: item.net_usd_per_hour,
            saving_note: String::new(),
        },
        undo: Some(Undo::Start { scope: item.scope.clone(), id: item.id.clone() }),
        via: ActApi::Ec2,
        az: item.az.clone(),
        production: item.production,
        ties: Ties::default(),
    }
}

/// Answers what was asked for with the checks above. Returns the plans.
pub(crate) fn answer(app: &mut App, effects: &[Effect]) -> Vec<Arc<Plan>> {
    let plans = effects.iter().filter_map(|effect| match effect {
        Effect::Preflight(plan) => Some(plan.clone()),
        _ => None,
    });
    let plans: Vec<_> = plans.collect();
    for plan in &plans {
        app.update(Msg::Preflighted(checked(plan)));
    }
    plans
}

/// Presses keys and answers the checks they ask for.
pub(crate) fn press_checked(app: &mut App, keys: &str) {
    let effects = press(app, keys);
    answer(app, &effects);
}

/// Draws, and lets time pass until a dialog takes keys.
pub(crate) fn look(app: &mut App, uptime: u64) {
    app.set_uptime(Duration::from_secs(uptime));
    app.prepare();
    app.mark_drawn();
    app.set_uptime(Duration::from_secs(uptime + 1));
}

/// What was confirmed, if anything was.
pub(crate) fn executed(effects: &[Effect]) -> Option<Arc<Confirmed>> {
    effects.iter().find_map(|effect| match effect {
        Effect::Execute(Confirmation(confirmed)) => Some(confirmed.clone()),
        _ => None,
    })
}

/// A step of a run: each row further than the one before.
pub(crate) fn step(app: &mut App, confirmed: &Confirmed) {
    let ids: Vec<Arc<str>> = confirmed.rows().iter().map(|r| r.item.id.clone()).collect();
    app.update(Msg::Acting(Progress::Began(RUN.into())));
    app.update(Msg::Acting(Progress::Rechecking(ids.clone())));
    app.update(Msg::Acting(Progress::Calling(ids[..ids.len().min(3)].to_vec())));
    app.update(Msg::Acting(Progress::Accepted(ids[..ids.len().min(2)].to_vec())));
    app.update(Msg::Acting(Progress::State(ids[0].clone(), InstanceState::Stopping)));
}

/// The end of a run: done, refused, failed and unknown in turn.
pub(crate) fn verified(confirmed: &Confirmed) -> Arc<Verified> {
    const ENDS: [(OutcomeKind, &str); 4] = [
        (OutcomeKind::Done, "stopped, seen 41 s after the call"),
        (OutcomeKind::Refused, "in use again: CPU at 44% two minutes ago"),
        (OutcomeKind::Failed, "ec2:StopInstances was throttled and nothing changed"),
        (OutcomeKind::Unknown, "asked for, still running after 10 minutes"),
    ];
    let outcome = |(at, row): (usize, &CheckedRow)| Outcome {
        id: row.item.id.clone(),
        scope: row.item.scope.clone(),
        kind: ENDS[at % 4].0,
        text: ENDS[at % 4].1.into(),
        state: None,
        request_ids: Vec::new(),
        at: now(),
    };
    Arc::new(Verified {
        plan_id: confirmed.plan().id(),
        run_id: RUN.into(),
        started_at: now(),
        finished_at: now() + SignedDuration::from_secs(41),
        outcomes: confirmed.rows().iter().enumerate().map(outcome).collect(),
        items: confirmed.rows().iter().map(|r| r.item.clone()).collect(),
        warnings: vec!["the audit log could not be copied to /mnt/audit: no space left".into()],
    })
}

/// The pages of the sheet for goldens, each by how one gets there. `armed`: whether its account is.
pub(crate) const STAGES: [&str; 9] =
    ["choose", "checking", "review", "unfolded", "confirm", "typed", "running", "result", "long"];

/// The cockpit at a page of the sheet.
pub(crate) fn at(stage: &str, mut app: App) -> App {
    // Six idle instances: one of production that holds data, and three that are in use again.
    press(&mut app, "3/verdict=idle<enter>VGV");
    match stage {
        "choose" => {
            press(&mut app, "aj");
        }
        "checking" => {
            press(&mut app, "a<enter>");
        }
        "review" => press_checked(&mut app, "a<enter>"),
        "unfolded" => {
            press_checked(&mut app, "a<enter>");
            press(&mut app, "jj<enter>");
        }
        "confirm" => {
            // Without the one of production.
            press(&mut app, "u/<ctrl-u>verdict=idle and not env=prod<enter>gVGV");
            press_checked(&mut app, "a<enter>");
            press(&mut app, "c");
        }
        "typed" => {
            press_checked(&mut app, ":terminate<enter>");
            press(&mut app, "c");
            look(&mut app, 10);
            press(&mut app, "terminate 9<enter>");
        }
        "running" | "result" => {
            press_checked(&mut app, ":mark 7d end of the sprint<enter>");
            press(&mut app, "c");
            look(&mut app, 10);
            let effects = press(&mut app, "<tab><enter>");
            let confirmed = executed(&effects).unwrap();
            step(&mut app, &confirmed);
            if stage == "result" {
                app.update(Msg::Acted(Ok(verified(&confirmed))));
            }
        }
        "long" => {
            press(&mut app, "u<esc>gVGV");
            press_checked(&mut app, "a<enter>");
            press(&mut app, "Gkk");
        }
        other => panic!("{other}"),
    }
    app
}
