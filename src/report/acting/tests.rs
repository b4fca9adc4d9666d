//! The tables of acting, as they are printed.

use std::sync::Arc;

use jiff::SignedDuration;

use super::{PlanReport, Trouble, audit_list, audit_show, outcomes, plan, rows_of_plan, runs};
use crate::act::exec::audit::{Body, IntentRow, Line};
use crate::act::plan::fixture::{self, ACCOUNT, ARN, GuardFixture, passing};
use crate::act::plan::{
    ActApi, Authority, CheckedRow, Outcome, OutcomeKind, Preflighted, Verb, guard,
};
use crate::domain::{Addresses, InstanceState};
use crate::report::Format;
use crate::view::ViewContext;
use crate::view::fixture::{ascii, ctx};

const TERMINATE: Verb = Verb::Terminate { decrement: false };

/// One row that goes and has something to lose, one that is protected, and one that would go if
/// its account were armed; the last has neither name nor price.
fn checked() -> Preflighted {
    let mut goes = passing(TERMINATE).named("i-0a");
    goes.inspection.volumes = Ok(vec![
        fixture::volume("vol-0r", "/dev/xvda", true, true),
        fixture::volume("vol-0d", "/dev/xvdb", false, false),
    ]);
    goes.inspection.addresses =
        Ok(Addresses { public_ipv4: Some("198.51.100.7".into()), elastic: vec![] });
    goes.spec(|s| s.instance_store_gb = 7_600);
    goes.item(|i| i.production = true);
    let mut guarded = passing(TERMINATE).named("i-0b");
    guarded.inspection.termination_protection = Ok(true);
    let mut unarmed = passing(TERMINATE).named("i-0c");
    unarmed.item(|i| {
        i.name = "".into();
        i.usd_per_hour = None;
    });
    for account in unarmed.rules.accounts.values_mut() {
        account.armed = false;
    }
    let fixtures = [goes, guarded, unarmed];
    let whole = fixture::plan_of(TERMINATE, fixtures.iter().map(|s| (*s.item).clone()).collect());
    let check = |mut s: GuardFixture| -> CheckedRow {
        s.plan = whole.clone();
        guard::check(&s.input())
    };
    let rows = fixtures.map(check).into();
    let callers = [(ACCOUNT.into(), ARN.into())].into();
    Preflighted::new(Arc::new(whole.clone()), rows, fixture::now(), callers, &fixture::rules().caps)
}

fn report() -> PlanReport {
    let trouble = Trouble {
        source: "sts",
        scope: "lab".into(),
        message: "no answer in time".into(),
        fix: "see whether a proxy stands between".into(),
    };
    PlanReport { written: None, errors: vec![trouble] }
}

fn at(ctx: &ViewContext) -> ViewContext {
    ViewContext { now: fixture::now(), ..*ctx }
}

fn ended(id: &str, kind: OutcomeKind, state: Option<InstanceState>, text: &str) -> Outcome {
    Outcome {
        id: id.into(),
        scope: fixture::scope(),
        kind,
        text: text.into(),
        state,
        request_ids: state.map(|_| "8f0e-1".to_owned()).into_iter().collect(),
        at: fixture::now() + SignedDuration::from_secs(95),
    }
}

fn all() -> Vec<Outcome> {
    use InstanceState::{Running, ShuttingDown, Terminated};
    use OutcomeKind::{Done, Failed, Refused, Unknown};
    vec![
        ended("i-0a", Done, Some(Terminated), "seen terminated"),
        ended("i-0b", Refused, None, "in use: GPU 0 at 61%"),
        ended("i-0c", Failed, Some(Running), "still running"),
        ended("i-0d", Unknown, Some(ShuttingDown), "not seen terminated in time"),
    ]
}

/// The log of a run in which one row went, and one has no outcome yet.
fn log() -> Vec<Line> {
    let rows = checked().rows;
    let row = |r: &CheckedRow| IntentRow {
        item: r.item.clone(),
        findings: r.findings.clone(),
        undo: r.undo.clone(),
    };
    let intent = Body::Intent {
        run: "3f1c0a2b4d5e".into(),
        plan: "9c56cc51b374".into(),
        verb: TERMINATE,
        scope: fixture::scope(),
        az: fixture::AZ.into(),
        via: ActApi::Ec2,
        by: ARN.into(),
        from: "ann@bastion".into(),
        executor: "live".into(),
        authority: Authority::Person,
        justification: "INC-7".into(),
        rows: rows.iter().take(2).map(row).collect(),
    };
    let outcome = Body::Outcome {
        run: "3f1c0a2b4d5e".into(),
        intent: 1,
        outcomes: all().into_iter().take(1).collect(),
        reconciled: false,
    };
    let line = |seq, body| Line {
        seq,
        at: fixture::now(),
        prev: String::new(),
        body,
        hash: String::new(),
    };
    vec![line(1, intent), line(2, outcome)]
}

#[test]
fn a_plan_as_a_table() {
    insta::assert_snapshot!(plan(&checked(), &report(), Format::Table, &at(&ctx())));
}

#[test]
fn a_plan_as_an_ascii_table_is_ascii() {
    let text = plan(&checked(), &report(), Format::Table, &at(&ascii()));
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn a_plan_as_json() {
    insta::assert_snapshot!(plan(&checked(), &report(), Format::Json, &at(&ctx())));
}

#[test]
fn a_plan_for_who_approves_it() {
    insta::assert_snapshot!(rows_of_plan(&checked().plan, &checked().caps, &at(&ctx())));
}

#[test]
fn outcomes_as_a_table() {
    let run = Some("3f1c0a2b4d5e");
    insta::assert_snapshot!(outcomes(&all(), run, &[], Format::Table, &at(&ctx())));
}

#[test]
fn outcomes_as_markdown() {
    insta::assert_snapshot!(outcomes(&all(), None, &report().errors, Format::Md, &at(&ctx())));
}

#[test]
fn the_log_as_a_table() {
    insta::assert_snapshot!(audit_list(&runs(&log()), &[], Format::Table, &at(&ctx())));
}

#[test]
fn one_run_as_a_table() {
    let runs = runs(&log());
    insta::assert_snapshot!(audit_show(&runs[0], Format::Table, &at(&ctx())));
}
