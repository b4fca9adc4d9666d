//! Two runs at once.

use std::sync::Arc;
use std::time::Duration;

use super::cloud::*;
use crate::act::exec::Patience;
use crate::act::exec::audit::{Body, IntentRow};
use crate::act::plan::OutcomeKind::{Done, Refused};
use crate::act::plan::fixture::{self, ARN, AZ};
use crate::act::plan::{ActApi, Authority, Finding, Guard, Outcome, OutcomeKind, Severity, Verb};
use crate::domain::TargetGroupFact;

/// What another run intends for one instance.
fn intent(bench: &Bench, run: &str, id: &str) -> Body {
    let item = bench.items.iter().find(|i| *i.id == *id).unwrap().clone();
    Body::Intent {
        run: run.into(),
        plan: "p".into(),
        verb: Verb::Stop,
        scope: fixture::scope(),
        az: AZ.into(),
        via: ActApi::Ec2,
        by: ARN.into(),
        from: "x@y".into(),
        executor: "live".into(),
        authority: Authority::Person,
        justification: String::new(),
        rows: vec![IntentRow { item: Arc::new(item), findings: vec![], undo: None }],
    }
}

/// What became of it.
fn outcome(run: &str, intent: u64, id: &str) -> Body {
    let outcome = Outcome {
        id: id.into(),
        scope: fixture::scope(),
        kind: OutcomeKind::Failed,
        text: String::new(),
        state: None,
        request_ids: vec![],
        at: fixture::now(),
    };
    Body::Outcome { run: run.into(), intent, outcomes: vec![outcome], reconciled: false }
}

#[tokio::test]
async fn what_a_living_run_is_at_is_left_to_it_and_the_rest_goes_on() {
    // A dead run does nothing any more, but what it called for last may be on its way.
    for (alive, minutes, taken) in
        [(true, 0, true), (true, 90, true), (false, 0, true), (false, 1, false)]
    {
        let bench = running(&IDS);
        let log = journal(&bench.disk);
        let _lease = alive.then(|| log.lease("other").unwrap());
        log.append(fixture::ago(minutes), intent(&bench, "other", IDS[1])).unwrap();
        let confirmed = bench.confirm(Verb::Stop).await;
        let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
        if taken {
            assert_eq!(kinds(&verified.outcomes), [Done, Refused, Done], "{alive} {minutes}");
            assert!(verified.outcomes[1].text.contains("another run"));
            assert_eq!(bench.calls(), [[IDS[0], IDS[2]]]);
        } else {
            assert_eq!(kinds(&verified.outcomes), [Done; 3]);
            assert_eq!(bench.calls(), [IDS.as_slice()]);
        }
    }
}

#[tokio::test]
async fn what_a_run_has_finished_before_we_looked_is_free_again() {
    let bench = running(&IDS);
    let log = journal(&bench.disk);
    let _lease = log.lease("other").unwrap();
    let seq = log.append(fixture::now(), intent(&bench, "other", IDS[1])).unwrap().seq;
    log.append(fixture::now(), outcome("other", seq, IDS[1])).unwrap();
    assert_eq!(kinds(&bench.run(Verb::Stop).await.outcomes), [Done; 3]);
}

#[tokio::test]
async fn what_somebody_began_after_we_looked_is_not_called_for_though_it_has_ended() {
    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    let (begun, ended) = (intent(&bench, "other", IDS[1]), outcome("other", 1, IDS[1]));
    // Between the look right before the call and the call.
    bench.cloud.get().meddler = vec![begun, ended];
    let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Done, Refused, Done]);
    assert_eq!(bench.calls(), [[IDS[0], IDS[2]]]);
    bench.check_log();
}

#[tokio::test]
async fn what_somebody_ended_while_we_looked_is_not_called_for_by_what_we_saw_before() {
    for minutes in [0, 90] {
        let bench = running(&IDS);
        let log = journal(&bench.disk);
        let _lease = log.lease("other").unwrap();
        let confirmed = bench.confirm(Verb::Stop).await;
        let begun = intent(&bench, "other", IDS[1]);
        let seq = log.append(fixture::ago(minutes), begun).unwrap().seq;
        bench.cloud.get().meddler = vec![outcome("other", seq, IDS[1])];
        let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
        assert_eq!(kinds(&verified.outcomes), [Done, Refused, Done], "{minutes}");
        assert_eq!(bench.calls(), [[IDS[0], IDS[2]]]);
        bench.check_log();
    }
}

/// What a run intends for another member of a group, or for another target.
fn beside(bench: &Bench, group: Option<&str>, serves: bool) -> Body {
    let Body::Intent { plan, scope, az, by, from, executor, authority, mut rows, .. } =
        intent(bench, "other", IDS[2])
    else {
        unreachable!()
    };
    let warns = Finding::new(Guard::TargetGroups, Severity::Warn, "serves web", "elb");
    rows[0].findings.extend(serves.then_some(warns));
    let via = group
        .map_or(ActApi::Ec2, |group| ActApi::AutoScaling { group: group.into(), decrement: true });
    let verb = Verb::Terminate { decrement: true };
    let (run, justification) = ("other".into(), String::new());
    Body::Intent {
        run,
        plan,
        verb,
        scope,
        az,
        via,
        by,
        from,
        executor,
        authority,
        justification,
        rows,
    }
}

#[tokio::test]
async fn a_group_that_another_run_shrinks_is_left_to_it() {
    for (group, alive, minutes, taken) in [
        ("workers", true, 0, true),
        ("workers", true, 90, true),
        ("workers", false, 0, true),
        ("workers", false, 1, false),
        ("others", true, 0, false),
    ] {
        let mut bench = running(&IDS);
        bench.group(&IDS);
        let log = journal(&bench.disk);
        let _lease = alive.then(|| log.lease("other").unwrap());
        log.append(fixture::ago(minutes), beside(&bench, Some(group), false)).unwrap();
        bench.items.pop();
        let confirmed = bench.confirm(Verb::Terminate { decrement: true }).await;
        let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
        let context = format!("{group} {alive} {minutes}");
        if taken {
            assert_eq!(kinds(&verified.outcomes), [Refused; 2], "{context}");
            assert!(verified.outcomes[0].text.contains("members of its group"), "{context}");
            assert!(bench.calls().is_empty(), "{context}");
        } else {
            assert_eq!(kinds(&verified.outcomes), [Done; 2], "{context}");
        }
    }
}

#[tokio::test]
async fn targets_that_another_run_takes_away_are_left_to_it() {
    let targets = |bench: &Bench| {
        let serving =
            TargetGroupFact { name: "web".into(), health: "healthy".into(), other_healthy: 2 };
        bench.cloud.change(IDS[0], |m| m.inspection.target_groups = Ok(vec![serving.clone()]));
    };
    for (serves, finished, minutes, taken) in [
        (true, false, 0, true),
        (true, false, 90, true),
        // Seen through a moment ago: the load balancer may not know of it.
        (true, true, 0, true),
        (true, true, 2, false),
        (false, false, 0, false),
    ] {
        let mut bench = running(&IDS);
        targets(&bench);
        let log = journal(&bench.disk);
        let _lease = log.lease("other").unwrap();
        let seq = log.append(fixture::ago(minutes), beside(&bench, None, serves)).unwrap().seq;
        if finished {
            log.append(fixture::now(), outcome("other", seq, IDS[2])).unwrap();
        }
        bench.items.pop();
        let confirmed = bench.confirm(Verb::Stop).await;
        let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
        // Only the one that serves is left alone.
        let first = if taken { Refused } else { Done };
        assert_eq!(kinds(&verified.outcomes), [first, Done], "{serves} {finished} {minutes}");
    }
}

#[tokio::test]
async fn two_who_looked_at_the_same_time_call_once() {
    let bench = running(&IDS);
    bench.group(&IDS);
    // Nothing hangs here: however slow the machine is, everything is waited for.
    let long = Duration::from_mins(1);
    let patience = Patience { look: long, call: long, visible_within: long, ..HASTE };
    let patient = || operator(&bench.cloud, &bench.disk).with_patience(patience);
    let (one, other) = (patient(), patient());
    let terminate = Verb::Terminate { decrement: true };
    let (mine, theirs) = (bench.confirm(terminate.clone()).await, bench.confirm(terminate).await);
    let nobody = |_| {};
    let (mine, theirs) = tokio::join!(one.execute(&mine, &nobody), other.execute(&theirs, &nobody));
    let done: Vec<_> = [mine.unwrap(), theirs.unwrap()]
        .iter()
        .map(|v| v.outcomes.iter().filter(|o| o.kind == Done).count())
        .collect();
    assert_eq!(done.iter().sum::<usize>(), 3, "each by one of them: {done:?}");
    assert_eq!(bench.calls().len(), 3);
    assert!(bench.cloud.get().decrements.values().all(|n| *n == 1));
}
